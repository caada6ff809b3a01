/**
 * Brings answers into the page in slices, and takes them back.
 *
 * What for: translations, marks of failed texts, change of mode, retry. What
 * not: it knows no port and finds no text. What must stay true: each write
 * goes through the watch, so that it is known as ours; a unit is shown at
 * most once.
 */
var showModule = (() => {
  const { slices } = webtranslator;
  const { isDead } = webtranslator.elements;

  /**
   * @param {Self} self
   * @param {Parts} parts
   * @param {Entry} entry
   */
  const answered = (self, parts, entry) => {
    for (const unit of entry.units) show(self, parts, unit);
    parts.report();
  };

  /**
   * Shows what is known of a unit soon: its translation or its mark.
   * @param {Self} self
   * @param {Parts} parts
   * @param {Unit} unit
   */
  const show = (self, parts, unit) => {
    self.ready.push(unit);
    if (self.rendering) return;
    self.rendering = true;
    const { generation } = self;
    void slices.nextTask()
      .then(() => slices.run(showAll(self, parts), () => self.generation !== generation))
      .then(() => { self.rendering = false; });
  };

  /**
   * @param {Self} self
   * @param {Parts} parts
   * @returns {Generator<void, void, void>}
   */
  function* showAll(self, parts) {
    while (self.ready.length > 0) {
      const batch = self.ready;
      self.ready = [];
      for (const unit of batch) {
        parts.watch.ours(() => {
          if (!slices.attempt(() => showOne(self, parts, unit))) giveUp(self, parts, unit);
        });
        yield;
      }
    }
    // Set here, in the same step in which nothing was left, so that no unit waits for a loop that ended.
    self.rendering = false;
  }

  /**
   * @param {Self} self
   * @param {Parts} parts
   * @param {Unit} unit
   */
  const showOne = (self, parts, unit) => {
    const { entry } = unit;
    if (!entry || unit.dropped || unit.applied || isDead(unit.container)) return;
    webtranslator.marks.remove(unit);
    if (entry.state === "translated") {
      if (webtranslator.render.apply(self.renderer, unit, entry.translation) !== "bad_reply") return;
      Object.assign(entry, { state: "failed", code: "bad_reply", message: "" });
      parts.report();
    }
    if (entry.state !== "failed") return;
    webtranslator.marks.place(self.ledger, unit, () => parts.retry((other) => other === entry));
  };

  /**
   * The page does not let us write there.
   * @param {Self} self
   * @param {Parts} parts
   * @param {Unit} unit
   */
  const giveUp = (self, parts, unit) => {
    slices.attempt(() => takeBack(self, unit));
    if (unit.entry) Object.assign(unit.entry, { state: "failed", code: "internal", message: "" });
    parts.report();
  };

  /**
   * @param {Self} self
   * @param {Parts} parts
   * @param {Unit} unit
   */
  const dropUnit = (self, parts, unit) => {
    parts.watch.ours(() => slices.attempt(() => takeBack(self, unit)));
    self.units.delete(unit);
    webtranslator.collect.forget(self.ledger, unit);
    parts.queue.drop(unit);
  };

  /**
   * @param {Self} self
   * @param {Unit} unit
   */
  const takeBack = (self, unit) => {
    webtranslator.marks.remove(unit);
    webtranslator.render.undo(self.renderer, unit);
  };

  /**
   * @param {Self} self
   * @param {Parts} parts
   * @param {Unit} unit
   */
  const showAnew = (self, parts, unit) => {
    webtranslator.render.undo(self.renderer, unit);
    showOne(self, parts, unit);
  };

  /**
   * @param {Self} self
   * @param {Parts} parts
   * @returns {Generator<void, void, void>}
   */
  function* showAgain(self, parts) {
    for (const unit of [...self.units]) {
      if (unit.applied) {
        parts.watch.ours(() => {
          if (!slices.attempt(() => showAnew(self, parts, unit))) giveUp(self, parts, unit);
        });
      }
      yield;
    }
  }

  /** @param {Self} self */
  const showFailed = (self) => {
    const failed = [...self.units].filter(({ entry, container }) =>
      entry?.state === "failed" && !isDead(container) && container.checkVisibility());
    const unit = failed[self.shownFailure % Math.max(1, failed.length)];
    self.shownFailure += 1;
    (unit?.mark ?? unit?.container)?.scrollIntoView({ block: "center" });
  };

  /**
   * @param {Self} self
   * @param {Unit[]} units
   * @returns {Generator<void, void, void>}
   */
  function* undoAll(self, units) {
    webtranslator.ledger.noteSelection(self.ledger, document);
    for (const unit of units) {
      if (!isDead(unit.container)) slices.attempt(() => takeBack(self, unit));
      webtranslator.collect.forget(self.ledger, unit);
      yield;
    }
    // Nothing of the page is kept in memory.
    Object.assign(self.ledger, webtranslator.ledger.createLedger());
  }

  return { answered, show, showOne, dropUnit, undoAll, showAgain, showFailed };
})();
webtranslator.show = showModule;
