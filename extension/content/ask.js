/**
 * Which units are asked, in which order, and when the queue may send.
 *
 * What for: the decision to send a text, its first rank and its rank after
 * scrolling. What not: it sends nothing itself. What must stay true: looking
 * where something is costs the page a layout, so far-off blocks are not
 * looked at one by one.
 */
var askModule = (() => {
  const { slices, language, browserApi } = webtranslator;
  const SCROLL_PAUSE_MS = 200;
  /** So many blocks in a row were far off: the rest of the page will be, too. */
  const FAR_AFTER = 64;

  /**
   * Decides whether a unit is sent, and how soon.
   * @param {Self} self
   * @param {Parts} parts
   * @param {Unit} unit
   */
  const decide = (self, parts, unit) => {
    const verdict = language.isInTarget(unit.plain, unit.lang, self.renderer.target, browserApi.detectLanguage);
    if (typeof verdict === "boolean") {
      if (!verdict) ask(self, parts, unit);
      return;
    }
    const { generation } = self;
    self.detecting += 1;
    void verdict.then((inTarget) => {
      self.detecting -= 1;
      if (self.generation === generation && !unit.dropped && !inTarget) ask(self, parts, unit);
      if (self.detecting === 0) pumpSoon(self, parts);
    });
  };

  /**
   * @param {Self} self
   * @param {Parts} parts
   * @param {Unit} unit
   */
  const ask = (self, parts, unit) => {
    const entry = parts.queue.want(unit, firstRank(self, parts, unit));
    if (entry.state === "translated" || entry.state === "failed") webtranslator.show.show(self, parts, unit);
    pumpSoon(self, parts);
  };

  /**
   * @param {Self} self
   * @param {Parts} parts
   */
  const pumpSoon = (self, parts) => {
    if (self.pumping) return;
    self.pumping = true;
    void slices.nextTask().then(() => {
      self.pumping = false;
      if (!self.active) return;
      parts.queue.pump();
      parts.report();
    });
  };

  /**
   * Returns a unit's rank without a look once the first pass is far below
   * the screen; what it got wrong is mended when the pass is done.
   * @param {Self} self
   * @param {Parts} parts
   * @param {Unit} unit
   * @returns {number}
   */
  const firstRank = (self, parts, unit) => {
    if (unit.hidden) return 3;
    if (parts.queue.self.collecting && self.far >= FAR_AFTER) return 2;
    const rank = webtranslator.rank.rankOf(unit);
    self.far = rank >= 2 ? self.far + 1 : 0;
    return rank;
  };

  /**
   * Says whether text waits until the reader wants more of it.
   * @param {Self} self
   * @param {Parts} parts
   * @returns {boolean}
   */
  const isPaused = (self, parts) => self.active && !self.budget.mayAsk() && parts.queue.hasWaiting();

  /**
   * The reader scrolled or clicked: a page that was restless may go on, and
   * what is seen now comes first.
   * @param {Self} self
   * @param {Parts} parts
   */
  const readerActed = (self, parts) => {
    const waited = isPaused(self, parts);
    self.budget.readerActed(performance.now());
    if (waited) pumpSoon(self, parts);
    if (self.scrolled || parts.queue.isIdle()) return;
    self.scrolled = setTimeout(() => {
      self.scrolled = 0;
      rankUnanswered(self, parts);
    }, SCROLL_PAUSE_MS);
  };

  /**
   * Looks where the unanswered units are now, in slices.
   * @param {Self} self
   * @param {Parts} parts
   */
  const rankUnanswered = (self, parts) => void slices.run(rankAgain(parts), () => !self.active);

  /**
   * @param {Parts} parts
   * @returns {Generator<void, void, void>}
   */
  function* rankAgain(parts) {
    /** @type {Entry[][]} */
    const byRank = [[], [], [], []];
    for (const entry of [...parts.queue.self.entries.values()]) {
      if (entry.state === "translated" || entry.state === "failed") continue;
      const rank = Math.min(3, ...[...entry.units].slice(0, 8).map(webtranslator.rank.rankOf));
      if (rank !== entry.rank) byRank[rank]?.push(entry);
      yield;
    }
    for (const [rank, list] of byRank.entries()) if (list.length > 0) parts.queue.prioritize(list, rank);
  }

  /**
   * @param {Self} self
   * @param {Parts} parts
   * @param {(entry: Entry) => boolean} which
   */
  const retry = (self, parts, which) => {
    self.budget.refill(performance.now());
    for (const entry of parts.queue.retry(which)) {
      parts.watch.ours(() => entry.units.forEach((unit) => webtranslator.marks.remove(unit)));
    }
    pumpSoon(self, parts);
  };

  return { decide, retry, pumpSoon, readerActed, isPaused, rankUnanswered };
})();
webtranslator.ask = askModule;
