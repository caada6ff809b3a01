/**
 * One page's translation from start to restore.
 *
 * What for: brings walk, queue, port, render, marks, hover and watch together and
 * keeps the state of the page. What not: it holds no rule of theirs. What
 * must stay true: nothing runs before the reader asks; any order of start,
 * restore and mode ends in the last one asked for; the original stands until
 * its translation is there.
 */
var pageModule = (() => {
  const { slices, browserApi, elements, ask, show } = webtranslator;
  const { isDead } = elements;
  /** The event by which copies of this script know of each other; they share nothing but the page. */
  const BEGINS = "webtranslator-begins";

  const createPage = () => {
    const ledger = webtranslator.ledger.createLedger();
    /** @type {Self} */
    const self = {
      active: false, wished: null, generation: 0, mode: "translation", streams: 0, ledger,
      renderer: webtranslator.render.createRenderer(ledger), units: new Set(), ready: [], rendering: false,
      pumping: false, scrolled: 0, shownFailure: 0, frames: new Set(), roots: new Set(), detecting: 0, far: 0,
      waiting: undefined,
      totals: webtranslator.report.createTotals(), budget: webtranslator.budget.createBudget(),
      chain: Promise.resolve(), abort: new AbortController(), announcing: false,
    };
    /** @type {Parts} */
    const parts = /** @type {any} */ ({});
    parts.report = webtranslator.report.createThrottle(() => {
      parts.port.tell({ type: "state", state: stateOf(self, parts) });
    });
    parts.port = webtranslator.port.createPort({
      onMessage: (message) => receive(self, parts, message),
      onOrphaned: () => void end(self, parts),
      onLost: () => parts.queue.resendAll(),
      isNeeded: () => self.active && !parts.queue.isIdle(),
      onReopened: () => { parts.queue.pump(); parts.report(); },
      onGivenUp: () => parts.queue.failAll("unavailable", "The extension does not answer."),
    });
    parts.queue = webtranslator.queue.createQueue({
      post: (message) => void parts.port.post(message),
      nextStream: () => (self.streams += 1),
      onAnswer: (entry) => show.answered(self, parts, entry),
      mayAsk: () => parts.port.isReady() && self.budget.mayAsk(),
      onAsked: (entries) => {
        self.budget.spend(entries.length, entries.reduce((sum, { text }) => sum + text.length, 0), performance.now());
        parts.report();
      },
    });
    parts.hover = webtranslator.hover.createHover(self);
    wire(self, parts);
    document.addEventListener(BEGINS, () => {
      if (!self.announcing) giveWay(self, parts);
    });
    // A page in the history has no port, and Chromium does not say so when it comes back.
    addEventListener("pageshow", ({ persisted }) => {
      if (persisted && self.active) parts.port.renew();
    });
    return {
      self, parts,
      /** Opens the port, or tells the state again over the one that is open. */
      connect: () => {
        if (parts.port.open()) parts.report();
      },
    };
  };

  /**
   * @param {Self} self
   * @param {Parts} parts
   */
  const wire = (self, parts) => {
    const drop = (/** @type {Unit} */ unit) => show.dropUnit(self, parts, unit);
    parts.retry = (which) => ask.retry(self, parts, which);
    parts.watch = webtranslator.watch.createWatch({
      ledger: self.ledger, drop, stopped: () => !self.active || isOrphaned(self, parts),
      ours: (writes) => parts.watch.ours(writes),
      frameLeft: (frame) => leaveFrame(self, parts, frame),
      looked: () => parts.hosts.look(),
      reapply: (unit) => {
        if (unit.inText || webtranslator.ledger.isLeft(self.ledger, unit.container)) return;
        parts.watch.ours(() => webtranslator.render.undo(self.renderer, unit));
        unit.inText = true;
        show.show(self, parts, unit);
      },
      collect: (dirty) => parts.collector.dirty(dirty),
    });
    parts.collector = webtranslator.collect.createCollector({
      ledger: self.ledger, units: self.units, drop,
      found: (unit) => ask.decide(self, parts, unit),
      onRoot: (root) => enterRoot(self, parts, root),
      onFrame: (frame) => enterFrame(self, parts, frame),
      onHost: (element) => parts.hosts.note(element),
    });
    parts.hosts = webtranslator.hosts.createHosts((hosts) => collectAdded(self, parts, hosts));
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
      case "retry_failed": return ask.retry(self, parts, () => true);
      case "show_failed": return show.showFailed(self);
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
    self.budget.refill(performance.now());
    if (self.wished?.target === message.target) {
      setMode(self, parts, message.mode);
      ask.pumpSoon(self, parts);
      return;
    }
    restore(self, parts);
    self.wished = message;
    self.chain = self.chain.then(() => begin(self, parts, message)).catch(slices.tell);
  };

  /**
   * @param {Self} self
   * @param {Parts} parts
   * @param {PortMessage} message
   */
  const begin = (self, parts, message) => {
    // Another wish came while the page was being restored.
    if (self.wished !== message) return;
    announce(self);
    self.active = true;
    self.mode = isMode(message.mode) ? message.mode : "translation";
    self.renderer.mode = self.mode;
    self.renderer.target = message.target;
    const root = document.documentElement;
    const lang = root ? elements.contextIn(root, elements.ROOT_CONTEXT).lang.trim() : "";
    Object.assign(parts.queue.self, { target: message.target, source: message.source, lang, collecting: true });
    self.totals = webtranslator.report.createTotals();
    self.abort = new AbortController();
    enterRoot(self, parts, document);
    const { generation } = self;
    void slices.run(parts.collector.all(document), () => self.generation !== generation).catch((error) => {
      // What was found until then is translated.
      slices.tell(error);
      return self.generation === generation;
    }).then((finished) => {
      if (!finished) return;
      parts.queue.self.collecting = false;
      self.far = 0;
      ask.rankUnanswered(self, parts);
      ask.pumpSoon(self, parts);
      parts.report();
    });
  };

  /**
   * Says whether the extension was updated or removed; then all work ends here. Chromium tells it to no port.
   * @param {Self} self
   * @param {Parts} parts
   * @returns {boolean}
   */
  const isOrphaned = (self, parts) => {
    const orphaned = browserApi.isOrphaned();
    if (orphaned) end(self, parts);
    return orphaned;
  };

  /**
   * Lets another copy of this script, as one of before an update, give the page back.
   * @param {Self} self
   */
  const announce = (self) => {
    self.announcing = true;
    document.dispatchEvent(new Event(BEGINS));
    self.announcing = false;
  };

  /**
   * Another copy translates now: the page gets its own text back at once, so that the copy finds it.
   * @param {Self} self
   * @param {Parts} parts
   */
  const giveWay = (self, parts) => {
    end(self, parts);
    const units = [...self.units];
    self.units.clear();
    const steps = show.undoAll(self, units);
    while (!steps.next().done) continue;
    parts.report();
  };

  /**
   * @param {Self} self
   * @param {Parts} parts
   * @param {Document|ShadowRoot} root
   */
  const enterRoot = (self, parts, root) => {
    if (self.roots.has(root)) return;
    self.roots.add(root);
    // In Firefox, an update ends the old copy of this script on the spot.
    for (const left of root.querySelectorAll("webtranslator-text, webtranslator-mark, webtranslator-bubble")) if (!self.ledger.own.has(left)) left.remove();
    parts.watch.observe(root);
    const on = { capture: true, passive: true, signal: self.abort.signal };
    parts.hover.observe(root, self.abort.signal);
    if (root.nodeType !== 9) return;
    webtranslator.ledger.noteSelection(self.ledger, /** @type {Document} */ (root));
    root.addEventListener("selectionchange", () => {
      webtranslator.ledger.noteSelection(self.ledger, /** @type {Document} */ (root));
    }, on);
    root.addEventListener("scroll", () => ask.readerActed(self, parts), on);
    root.addEventListener("pointerdown", (event) => {
      if (event.isTrusted) ask.readerActed(self, parts);
      parts.hosts.look();
    }, on);
    // A script came that may make elements what they are.
    root.addEventListener("load", ({ target }) => {
      if (/** @type {Element} */ (target).localName === "script") parts.hosts.look();
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
      forgetGone(self, parts);
      collectAdded(self, parts, [frame]);
    }, { signal: self.abort.signal });
  };

  /**
   * @param {Self} self
   * @param {Parts} parts
   * @param {Element[]} elements
   */
  const collectAdded = (self, parts, elements) => void slices.run(parts.collector.dirty({
    added: new Set(elements), blocks: new Set(), roots: new Set(), attributes: new Set(), rewritten: new Set(), inline: new Map(),
  }), () => !self.active);

  /**
   * @param {Self} self
   * @param {Parts} parts
   * @param {Element} frame
   */
  const leaveFrame = (self, parts, frame) => {
    if (self.frames.delete(frame)) forgetGone(self, parts);
  };

  /**
   * @param {Node} node
   * @returns {boolean} No window shows its document.
   */
  const isGone = (node) => {
    if (isDead(node)) return true;
    const shown = node.nodeType === 9 ? /** @type {Document} */ (node) : node.ownerDocument;
    return shown?.defaultView?.document !== shown;
  };

  /**
   * Forgets the documents that no frame shows any more.
   * @param {Self} self
   * @param {Parts} parts
   */
  const forgetGone = (self, parts) => {
    const gone = [...self.roots].filter(isGone);
    if (gone.length === 0) return;
    for (const root of gone) self.roots.delete(root);
    for (const unit of [...self.units]) if (isGone(unit.container)) show.dropUnit(self, parts, unit);
  };

  /**
   * Ends all work and lets what is shown stand.
   * @param {Self} self
   * @param {Parts} parts
   * @returns {boolean} False when there was none.
   */
  const end = (self, parts) => {
    self.wished = null;
    if (!self.active) return false;
    self.active = false;
    self.generation += 1;
    self.ready = [];
    self.rendering = false;
    self.abort.abort();
    parts.hover.hide();
    clearTimeout(self.scrolled);
    self.scrolled = 0;
    parts.queue.cancel();
    parts.watch.stop();
    parts.hosts.stop();
    self.waiting = undefined;
    self.roots.clear();
    self.frames.clear();
    return true;
  };

  /**
   * @param {Self} self
   * @param {Parts} parts
   */
  const restore = (self, parts) => {
    if (!end(self, parts)) return;
    const units = [...self.units];
    self.units.clear();
    self.chain = self.chain.then(() => slices.run(show.undoAll(self, units), () => false)).catch(slices.tell).then(() => parts.report());
  };

  /**
   * @param {unknown} mode
   * @returns {mode is Self["mode"]}
   */
  const isMode = (mode) => mode === "translation" || mode === "both" || mode === "hover";

  /**
   * @param {Self} self
   * @param {Parts} parts
   * @param {unknown} mode
   */
  const setMode = (self, parts, mode) => {
    self.chain = self.chain.then(async () => {
      if (!self.active || self.mode === mode || !isMode(mode)) return;
      parts.hover.hide();
      self.mode = mode;
      self.renderer.mode = mode;
      const { generation } = self;
      await slices.run(show.showAgain(self, parts), () => self.generation !== generation);
      parts.report();
    });
  };

  /**
   * @param {Self} self
   * @param {Parts} parts
   * @returns {object}
   */
  const stateOf = (self, parts) => {
    const { message, ...counts } = webtranslator.report.countOf(parts.queue.self.entries.values());
    return {
      active: self.active, mode: self.mode, target: self.renderer.target, ...counts,
      ...(ask.isPaused(self, parts)
        ? { paused: true, message: browserApi.uiText("page_waits", "This page makes text without end. Start again to go on.") }
        : message ? { message } : {}),
      ...(self.waiting ? { waiting: self.waiting } : {}),
      frames_left_out: [...self.frames].filter((frame) => frame.isConnected && !webtranslator.walk.documentIn(frame)).length,
      done: self.active && !parts.queue.self.collecting && self.detecting === 0 && parts.queue.isIdle(),
      ...self.totals,
    };
  };

  return { createPage };
})();
webtranslator.pages = pageModule;
