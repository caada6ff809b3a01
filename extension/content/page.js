/**
 * One page's translation from start to restore.
 *
 * What for: brings walk, queue, port, render, marks and watch together and
 * keeps the state of the page. What not: it holds no rule of theirs. What
 * must stay true: nothing runs before the reader asks; any order of start,
 * restore and mode ends in the last one asked for; the original stands until
 * its translation is there.
 */
var pageModule = (() => {
  const { slices, language, browserApi } = webtranslator;
  const SCROLL_PAUSE_MS = 200;

  const createPage = () => {
    const ledger = webtranslator.ledger.createLedger();
    const self = {
      active: false, generation: 0, mode: /** @type {"translation"|"both"} */ ("translation"), streams: 0,
      ledger, renderer: webtranslator.render.createRenderer(ledger), units: /** @type {Set<Unit>} */ (new Set()),
      ready: /** @type {Unit[]} */ ([]), rendering: false, pumping: false, scrolled: 0, shownFailure: 0,
      frames: /** @type {Set<Element>} */ (new Set()), roots: /** @type {Set<Document|ShadowRoot>} */ (new Set()),
      detecting: 0, waiting: /** @type {object|undefined} */ (undefined), lastMessage: "",
      totals: webtranslator.report.createTotals(), budget: webtranslator.budget.createBudget(),
      chain: Promise.resolve(), abort: new AbortController(),
    };
    /** @type {Parts} */
    const parts = /** @type {any} */ ({});
    parts.report = webtranslator.report.createThrottle(() => {
      parts.port.tell({ type: "state", state: stateOf(self, parts) });
    });
    parts.port = webtranslator.port.createPort({
      onMessage: (message) => receive(self, parts, message),
      onLost: () => parts.queue.resendAll(),
      isNeeded: () => self.active && !parts.queue.isIdle(),
      onReopened: () => { parts.queue.pump(); parts.report(); },
      onGivenUp: () => parts.queue.failAll("unavailable", "The extension does not answer."),
    });
    parts.queue = webtranslator.queue.createQueue({
      post: (message) => void parts.port.post(message),
      nextStream: () => (self.streams += 1),
      onAnswer: (entry) => answered(self, parts, entry),
      mayAsk: () => parts.port.isReady() && self.budget.mayAsk(),
      onAsked: (entries) => {
        self.budget.spend(entries.length, entries.reduce((sum, { text }) => sum + text.length, 0), performance.now());
        parts.report();
      },
    });
    wire(self, parts);
    return {
      self, parts,
      /** Opens the port, or tells the state again over the one that is open. */
      connect: () => {
        if (parts.port.open()) parts.report();
      },
    };
  };

  /** @typedef {ReturnType<typeof createPage>["self"]} Self */
  /**
   * @typedef {object} Parts
   * @property {() => void} report
   * @property {ReturnType<typeof portModule.createPort>} port
   * @property {ReturnType<typeof queueModule.createQueue>} queue
   * @property {ReturnType<typeof collectModule.createCollector>} collector
   * @property {ReturnType<typeof watchModule.createWatch>} watch
   */

  /**
   * @param {Self} self
   * @param {Parts} parts
   */
  const wire = (self, parts) => {
    const drop = (/** @type {Unit} */ unit) => dropUnit(self, parts, unit);
    parts.watch = webtranslator.watch.createWatch({
      ledger: self.ledger, drop, stopped: () => !self.active,
      reapply: (unit) => {
        if (unit.inText || webtranslator.ledger.isLeft(self.ledger, unit.container)) return;
        parts.watch.ours(() => webtranslator.render.undo(self.renderer, unit));
        unit.inText = true;
        show(self, parts, unit);
      },
      collect: (dirty) => parts.collector.dirty(dirty),
    });
    parts.collector = webtranslator.collect.createCollector({
      ledger: self.ledger, units: self.units, drop,
      found: (unit) => decide(self, parts, unit),
      onRoot: (root) => enterRoot(self, parts, root),
      onFrame: (frame) => enterFrame(self, parts, frame),
    });
  };

  /**
   * @param {Self} self
   * @param {Parts} parts
   * @param {PortMessage} message
   */
  const receive = (self, parts, message) => {
    switch (message.type) {
      case "start": return start(self, parts, message);
      case "restore": return restore(self, parts);
      case "set_mode": return setMode(self, parts, message.mode);
      case "retry_failed": return retry(self, parts, () => true);
      case "show_failed": return showFailed(self);
      case "host_gone": return parts.queue.failAll(String(message.code), String(message.message ?? ""));
      case "progress": self.waiting = message.waiting; break;
      case "done": self.waiting = undefined; webtranslator.report.addDone(self.totals, message); break;
    }
    if (self.active) parts.queue.receive(message);
    parts.report();
  };

  /**
   * @param {Self} self
   * @param {Parts} parts
   * @param {PortMessage} message
   */
  const start = (self, parts, message) => {
    const same = self.active && self.renderer.target === message.target;
    self.budget.refill(performance.now());
    if (same) {
      setMode(self, parts, message.mode);
      pumpSoon(self, parts);
      return;
    }
    if (self.active) restore(self, parts);
    self.chain = self.chain.then(() => begin(self, parts, message));
  };

  /**
   * @param {Self} self
   * @param {Parts} parts
   * @param {PortMessage} message
   */
  const begin = (self, parts, message) => {
    if (self.active) return;
    self.active = true;
    self.mode = message.mode === "both" ? "both" : "translation";
    self.renderer.mode = self.mode;
    self.renderer.target = message.target;
    Object.assign(parts.queue.self, { target: message.target, source: message.source, collecting: true });
    self.totals = webtranslator.report.createTotals();
    self.abort = new AbortController();
    enterRoot(self, parts, document);
    const { generation } = self;
    void slices.run(parts.collector.all(document), () => self.generation !== generation).then((finished) => {
      if (!finished) return;
      parts.queue.self.collecting = false;
      pumpSoon(self, parts);
      parts.report();
    });
  };

  /**
   * @param {Self} self
   * @param {Parts} parts
   * @param {Document|ShadowRoot} root
   */
  const enterRoot = (self, parts, root) => {
    if (self.roots.has(root)) return;
    self.roots.add(root);
    parts.watch.observe(root);
    const on = { capture: true, passive: true, signal: self.abort.signal };
    if (root.nodeType !== 9) return;
    webtranslator.ledger.noteSelection(self.ledger, /** @type {Document} */ (root));
    root.addEventListener("selectionchange", () => {
      webtranslator.ledger.noteSelection(self.ledger, /** @type {Document} */ (root));
    }, on);
    root.addEventListener("scroll", () => scrolled(self, parts), on);
    root.addEventListener("pointerdown", (event) => {
      if (event.isTrusted) self.budget.readerActed(performance.now());
    }, on);
  };

  /**
   * @param {Self} self
   * @param {Parts} parts
   * @param {Element} frame
   */
  const enterFrame = (self, parts, frame) => {
    if (self.frames.has(frame)) return;
    self.frames.add(frame);
    frame.addEventListener("load", () => {
      if (!self.active || !frame.isConnected) return;
      void slices.run(parts.collector.dirty({
        added: new Set([frame]), blocks: new Set(), roots: new Set(), attributes: new Set(),
      }), () => !self.active);
    }, { signal: self.abort.signal });
  };

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
    const entry = parts.queue.want(unit, webtranslator.rank.rankOf(unit));
    if (entry.state === "translated" || entry.state === "failed") show(self, parts, unit);
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
        parts.watch.ours(() => showOne(self, parts, unit));
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
    if (!entry || unit.dropped || unit.applied) return;
    webtranslator.marks.remove(unit);
    if (entry.state === "translated") {
      if (webtranslator.render.apply(self.renderer, unit, entry.translation) !== "bad_reply") return;
      Object.assign(entry, { state: "failed", code: "bad_reply", message: "" });
      parts.report();
    }
    if (entry.state !== "failed") return;
    webtranslator.marks.place(self.ledger, unit, () => retry(self, parts, (other) => other === entry));
  };

  /**
   * @param {Self} self
   * @param {Parts} parts
   * @param {Unit} unit
   */
  const dropUnit = (self, parts, unit) => {
    parts.watch.ours(() => takeBack(self, unit));
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
   */
  const restore = (self, parts) => {
    if (!self.active) return;
    self.active = false;
    self.generation += 1;
    self.ready = [];
    self.rendering = false;
    self.abort.abort();
    parts.queue.cancel();
    parts.watch.stop();
    self.waiting = undefined;
    const units = [...self.units];
    self.units.clear();
    self.roots.clear();
    self.frames.clear();
    self.chain = self.chain.then(() => slices.run(undoAll(self, units), () => false)).then(() => parts.report());
  };

  /**
   * @param {Self} self
   * @param {Unit[]} units
   * @returns {Generator<void, void, void>}
   */
  function* undoAll(self, units) {
    webtranslator.ledger.noteSelection(self.ledger, document);
    for (const unit of units) {
      takeBack(self, unit);
      webtranslator.collect.forget(self.ledger, unit);
      yield;
    }
    self.ledger.selected.clear();
  }

  /**
   * @param {Self} self
   * @param {Parts} parts
   * @param {"translation"|"both"} mode
   */
  const setMode = (self, parts, mode) => {
    self.chain = self.chain.then(async () => {
      if (!self.active || self.mode === mode || (mode !== "both" && mode !== "translation")) return;
      self.mode = mode;
      self.renderer.mode = mode;
      const { generation } = self;
      await slices.run(showAgain(self, parts), () => self.generation !== generation);
      parts.report();
    });
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
          webtranslator.render.undo(self.renderer, unit);
          showOne(self, parts, unit);
        });
      }
      yield;
    }
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

  /** @param {Self} self */
  const showFailed = (self) => {
    const failed = [...self.units].filter((unit) => unit.entry?.state === "failed" && unit.container.isConnected);
    const unit = failed[self.shownFailure % Math.max(1, failed.length)];
    self.shownFailure += 1;
    (unit?.mark ?? unit?.container)?.scrollIntoView({ block: "center" });
  };

  /**
   * @param {Self} self
   * @param {Parts} parts
   */
  const scrolled = (self, parts) => {
    self.budget.readerActed(performance.now());
    if (self.scrolled || parts.queue.isIdle()) return;
    self.scrolled = setTimeout(() => {
      self.scrolled = 0;
      void slices.run(rankAgain(parts), () => !self.active);
    }, SCROLL_PAUSE_MS);
  };

  /**
   * Looks where the unanswered units are now.
   * @param {Parts} parts
   * @returns {Generator<void, void, void>}
   */
  function* rankAgain(parts) {
    /** @type {Entry[][]} */
    const byRank = [[], [], []];
    for (const entry of [...parts.queue.self.entries.values()]) {
      if (entry.state === "translated" || entry.state === "failed") continue;
      const rank = Math.min(2, ...[...entry.units].slice(0, 8).map(webtranslator.rank.rankOf));
      if (rank !== entry.rank) byRank[rank]?.push(entry);
      yield;
    }
    for (const [rank, list] of byRank.entries()) if (list.length > 0) parts.queue.prioritize(list, rank);
  }

  /**
   * @param {Self} self
   * @param {Parts} parts
   * @returns {object}
   */
  const stateOf = (self, parts) => {
    const { message, ...counts } = webtranslator.report.countOf(parts.queue.self.entries.values());
    const paused = self.active && !self.budget.mayAsk();
    return {
      active: self.active, mode: self.mode, target: self.renderer.target, ...counts,
      ...(paused ? { message: browserApi.uiText("page_waits", "This page makes text without end. Start again to go on.") }
        : message ? { message } : {}),
      ...(self.waiting ? { waiting: self.waiting } : {}),
      frames_left_out: [...self.frames].filter((frame) => !webtranslator.walk.documentIn(frame)).length,
      done: self.active && !parts.queue.self.collecting && self.detecting === 0 && parts.queue.isIdle(),
      ...self.totals,
    };
  };

  return { createPage };
})();
webtranslator.pages = pageModule;
