/**
 * Sees what the page changes while a translation is shown.
 *
 * What for: later content is translated, newer text wins. What not: it
 * collects nothing itself; `options` is told what to look at again. What must
 * stay true: our own writes are never taken for the page's; a node that the
 * page writes again and again is left to it.
 */
var watchModule = (() => {
  const { countRound, isLeft } = webtranslator.ledger;
  const { kindOf, isBlockByName, isVeiled, isDead } = webtranslator.elements;
  /** Pages change in bursts; one pass for a burst. */
  const SETTLE_MS = 30;

  /**
   * @typedef {object} Options
   * @property {Ledger} ledger
   * @property {(unit: Unit) => void} drop Takes a unit back and forgets it.
   * @property {(unit: Unit) => void} reapply Our element was removed; the unit is to be shown in the text.
   * @property {(work: Dirty) => Iterator<void, void, void>} collect
   * @property {() => boolean} stopped
   */
  /** @typedef {{added: Set<Element>, blocks: Set<Element>, roots: Set<Document|ShadowRoot>, attributes: Set<Element>}} Dirty */

  /**
   * @param {Options} options
   */
  const createWatch = (options) => {
    /** @type {MutationRecord[]} */
    let pending = [];
    let timer = 0;
    let flushes = 0;
    let running = false;
    const schedule = () => {
      if (timer === 0 && !running && pending.length > 0) timer = setTimeout(() => void flush(), SETTLE_MS);
    };
    const observer = new MutationObserver((records) => {
      // Spreading a large array into push would overflow the stack.
      pending = pending.concat(records);
      schedule();
    });
    const flush = async () => {
      timer = 0;
      running = true;
      const records = pending;
      pending = [];
      flushes += 1;
      await webtranslator.slices.run(steps(options, records, flushes), options.stopped).catch(webtranslator.slices.tell);
      running = false;
      schedule();
    };
    return {
      /** @param {Document|ShadowRoot} root */
      observe: (root) => observer.observe(root, {
        subtree: true, childList: true, characterData: true, attributes: true,
        attributeFilter: webtranslator.walk.ALL_ATTRIBUTES,
      }),
      /**
       * Runs our writes; the page's own changes before them are kept.
       * @param {() => void} writes
       */
      ours: (writes) => {
        const before = observer.takeRecords();
        if (before.length > 0) pending = pending.concat(before);
        writes();
        // Text and attributes are told apart by their values; a page's reaction within our write is kept so.
        for (const record of observer.takeRecords()) if (!isOurs(options.ledger, record)) pending.push(record);
        schedule();
      },
      stop: () => {
        observer.disconnect();
        clearTimeout(timer);
        timer = 0;
        pending = [];
      },
      isQuiet: () => timer === 0 && !running,
    };
  };

  /**
   * @param {Options} options
   * @param {MutationRecord[]} records
   * @param {number} flush
   * @returns {Generator<void, void, void>}
   */
  function* steps(options, records, flush) {
    /** @type {Dirty} */
    const dirty = { added: new Set(), blocks: new Set(), roots: new Set(), attributes: new Set() };
    for (const record of records) {
      if (isDead(record.target)) continue;
      if (record.type === "characterData") textChanged(options, record.target, dirty, flush);
      else if (record.type === "attributes") attributeChanged(options, record, dirty, flush);
      else yield* childrenChanged(options, record, dirty, flush);
      yield;
    }
    yield* /** @type {Generator<void, void, void>} */ (options.collect(dirty));
  }

  /**
   * Says whether a change that was seen right after our write is that write.
   * @param {Ledger} ledger
   * @param {MutationRecord} record
   * @returns {boolean}
   */
  const isOurs = (ledger, { type, target, attributeName }) => {
    if (type === "childList") return true;
    const state = type === "attributes"
      ? ledger.attributes.get(/** @type {Element} */ (target))?.get(attributeName ?? "")
      : ledger.texts.get(/** @type {Text} */ (target));
    const now = type === "attributes" ? /** @type {Element} */ (target).getAttribute(attributeName ?? "") : target.nodeValue;
    return state !== undefined && now === (state.shown ?? state.source);
  };

  /**
   * @param {Options} options
   * @param {Node} node
   * @param {Dirty} dirty
   * @param {number} flush
   */
  const textChanged = (options, node, dirty, flush) => {
    if (node.nodeType !== 3 || options.ledger.own.has(node)) return;
    const text = /** @type {Text} */ (node);
    const state = options.ledger.texts.get(text);
    if (state && text.data === (state.shown ?? state.source)) return;
    if (state && state.shown !== null) countRound(options.ledger, text, performance.now(), flush);
    for (const unit of unitsAt(options.ledger, text)) options.drop(unit);
    markDirty(text.parentNode, dirty);
  };

  /**
   * @param {Options} options
   * @param {MutationRecord} record
   * @param {Dirty} dirty
   * @param {number} flush
   */
  const attributeChanged = (options, record, dirty, flush) => {
    const element = /** @type {Element} */ (record.target);
    if (isVeiled(element)) return;
    const name = record.attributeName ?? "";
    const state = options.ledger.attributes.get(element)?.get(name);
    if (options.ledger.own.has(element) || (state && element.getAttribute(name) === (state.shown ?? state.source))) return;
    if (state && state.shown !== null) countRound(options.ledger, element, performance.now(), flush);
    if (state?.unit) options.drop(state.unit);
    dirty.attributes.add(element);
  };

  /**
   * @param {Options} options
   * @param {MutationRecord} record
   * @param {Dirty} dirty
   * @param {number} flush
   * @returns {Generator<void, void, void>}
   */
  function* childrenChanged(options, record, dirty, flush) {
    for (const node of record.removedNodes) {
      if (isVeiled(node)) continue;
      if (options.ledger.own.has(node)) ownRemoved(options, node, flush);
      else if (!node.isConnected) yield* removed(options, node, dirty, flush);
    }
    for (const node of record.addedNodes) {
      if (options.ledger.own.has(node) || !node.isConnected) continue;
      if (node.nodeType === 3) markDirty(node.parentNode, dirty);
      else if (node.nodeType === 1) {
        const element = /** @type {Element} */ (node);
        dirty.added.add(element);
        if (!isBlockByName(element)) markDirty(element.parentNode, dirty);
      }
      yield;
    }
  }

  /**
   * @param {Options} options
   * @param {Node} node
   * @param {number} flush
   */
  const ownRemoved = (options, node, flush) => {
    const unit = options.ledger.shownBy.get(node);
    if (!unit?.applied?.own.includes(node) || unit.dropped || !unit.container.isConnected || node.isConnected) return;
    countRound(options.ledger, unit.container, performance.now(), flush);
    options.reapply(unit);
  };

  /**
   * What left the page gets its own text back at once: it may be shown again after the reader restored the page.
   * @param {Options} options
   * @param {Node} top
   * @param {Dirty} dirty
   * @param {number} flush
   * @returns {Generator<void, void, void>}
   */
  function* removed(options, top, dirty, flush) {
    const walker = /** @type {Document} */ (top.ownerDocument).createTreeWalker(top, 5);
    for (let node = /** @type {Node|null} */ (top); node; node = walker.nextNode()) {
      for (const unit of unitsAt(options.ledger, node)) {
        const shown = unit.applied !== null;
        options.drop(unit);
        if (!unit.container.isConnected) continue;
        if (shown) countRound(options.ledger, unit.container, performance.now(), flush);
        markDirty(unit.container, dirty);
      }
      yield;
    }
  }

  /**
   * @param {Ledger} ledger
   * @param {Node} node
   * @returns {Set<Unit>} Live units that have a part in a Text node, or in an element's attributes.
   */
  const unitsAt = (ledger, node) => {
    /** @type {Set<Unit>} */
    const units = new Set();
    if (node.nodeType === 3) {
      for (const { unit } of ledger.texts.get(/** @type {Text} */ (node))?.slots ?? []) if (unit) units.add(unit);
    } else {
      for (const { unit } of ledger.attributes.get(/** @type {Element} */ (node))?.values() ?? []) if (unit) units.add(unit);
    }
    return units;
  };

  /**
   * Notes the block whose runs are to be collected again.
   * @param {Node|null} node
   * @param {Dirty} dirty
   */
  const markDirty = (node, dirty) => {
    let at = node;
    while (at?.nodeType === 1 && kindOf(/** @type {Element} */ (at)) === "inline" && at.parentNode) at = at.parentNode;
    if (!at || isVeiled(at)) return;
    if (at.nodeType === 1) dirty.blocks.add(/** @type {Element} */ (at));
    else dirty.roots.add(/** @type {ShadowRoot} */ (at));
  };

  return { createWatch, unitsAt, isLeft };
})();
/** @typedef {{added: Set<Element>, blocks: Set<Element>, roots: Set<Document|ShadowRoot>, attributes: Set<Element>}} Dirty */
webtranslator.watch = watchModule;
