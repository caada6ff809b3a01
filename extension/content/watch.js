/**
 * Sees what the page changes while a translation is shown.
 *
 * What for: later content is translated, newer text wins. What not: it
 * collects nothing itself; `options` is told what to look at again. What must
 * stay true: our own writes are never taken for the page's; a node that the
 * page writes again and again is left to it.
 */
var watchModule = (() => {
  const { countRound, isLeft, join, cut } = webtranslator.ledger;
  const { kindOf, isBlockByName, isVeiled, isDead, mayHost } = webtranslator.elements;
  /** Pages change in bursts; one pass for a burst. */
  const SETTLE_MS = 30;
  /** They say of a whole region whether its text is for us. */
  /** Their text is part of a run around them; a reading is skipped, but belongs to its word. */
  const PASSED = new Set(["inline", "letter", "skipped"]);
  const REGION_ATTRIBUTES = ["contenteditable", "translate"];

  /**
   * @typedef {object} Options
   * @property {Ledger} ledger
   * @property {(unit: Unit) => void} drop Takes a unit back and forgets it.
   * @property {(unit: Unit) => void} reapply Our element was removed; the unit is to be shown in the text.
   * @property {(work: Dirty) => Iterator<void, void, void>} collect
   * @property {() => boolean} stopped
   * @property {(frame: Element) => void} frameLeft
   * @property {(writes: () => void) => void} ours Runs writes that are not the page's.
   * @property {() => void} looked Called after each look at changes.
   */

  /**
   * @param {Options} options
   */
  const createWatch = (options) => {
    /** @type {MutationRecord[]} */
    let pending = [];
    const restless = webtranslator.restless.createRestless();
    let timer = 0;
    let pause = 0;
    let flushes = 0;
    let running = false;
    const schedule = () => {
      const wanted = pending.length > 0 ? SETTLE_MS : restless.QUIET_MS;
      if (running || (pending.length === 0 && !restless.isHolding()) || (timer !== 0 && pause <= wanted)) return;
      clearTimeout(timer);
      pause = wanted;
      timer = setTimeout(() => void flush(), wanted);
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
      await webtranslator.slices.run(steps(options, restless, records, flushes), options.stopped).catch(webtranslator.slices.tell);
      if (!options.stopped()) options.looked();
      running = false;
      schedule();
    };
    return {
      /** @param {Document|ShadowRoot} root */
      observe: (root) => observer.observe(root, {
        subtree: true, childList: true, characterData: true, attributes: true,
        attributeFilter: [...webtranslator.walk.ALL_ATTRIBUTES, ...REGION_ATTRIBUTES],
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
        restless.clear();
      },
      isQuiet: () => timer === 0 && !running,
    };
  };

  /**
   * @param {Options} options
   * @param {Restless} restless
   * @param {MutationRecord[]} records
   * @param {number} flush
   * @returns {Generator<void, void, void>}
   */
  function* steps(options, restless, records, flush) {
    /** @type {Dirty} */
    const dirty = {
      added: new Set(), blocks: new Set(), roots: new Set(), attributes: new Set(), rewritten: new Set(), inline: new Map(),
    };
    joinTexts(options.ledger, records);
    for (const { type, target } of records) if (type === "characterData" && !isDead(target)) cut(options.ledger, /** @type {Text} */ (target));
    options.ours(() => records.forEach((record, k) => keepEmptied(options.ledger, record, records[k + 1])));
    for (const record of records) {
      if (isDead(record.target)) continue;
      if (record.type === "characterData") textChanged(options, record.target, dirty, flush);
      else if (REGION_ATTRIBUTES.includes(record.attributeName ?? "")) yield* regionChanged(options, record.target, dirty);
      else if (record.type === "attributes") attributeChanged(options, record, dirty, flush);
      else yield* childrenChanged(options, record, dirty, flush);
      yield;
    }
    restless.sort(dirty, performance.now());
    yield* /** @type {Generator<void, void, void>} */ (options.collect(dirty));
  }

  /**
   * Notes which text nodes the page joined with the one before them.
   * @param {Ledger} ledger
   * @param {MutationRecord[]} records
   */
  const joinTexts = (ledger, records) => {
    /** @type {Map<Text, Text[]>} */
    const joined = new Map();
    for (const { removedNodes, previousSibling: before } of records) {
      if (before?.nodeType !== 3 || !ledger.texts.has(/** @type {Text} */ (before))) continue;
      for (const node of removedNodes) {
        if (node.nodeType !== 3 || node.parentNode || ledger.own.has(node)) continue;
        joined.set(/** @type {Text} */ (before), [...joined.get(/** @type {Text} */ (before)) ?? [], /** @type {Text} */ (node)]);
      }
    }
    for (const [first, others] of joined) join(ledger, first, others);
  };

  /**
   * Puts back a text node that went only because we had left it empty: its twin went right after it.
   * @param {Ledger} ledger
   * @param {MutationRecord} record
   * @param {MutationRecord|undefined} nextRecord
   */
  const keepEmptied = (ledger, { target, removedNodes, previousSibling: before }, nextRecord) => {
    const node = /** @type {Text|undefined} */ (removedNodes[0]);
    const twin = node ? ledger.twins.get(node) : undefined;
    if (!node || !twin || removedNodes.length > 1 || nextRecord?.removedNodes[0] !== twin) return;
    if (!isEmptied(ledger, node) || node.parentNode || twin.parentNode) return;
    if (!target.isConnected || (before && before.parentNode !== target)) return;
    target.insertBefore(twin, before ? before.nextSibling : target.firstChild);
    target.insertBefore(node, twin);
  };

  /**
   * @param {Ledger} ledger
   * @param {Text} node
   * @returns {boolean} We left it empty.
   */
  const isEmptied = (ledger, node) => ledger.texts.get(node)?.shown === "" && node.data === "";

  /**
   * The page lets a region be edited or translated, or no longer: what stands there is to be its own text.
   * @param {Options} options
   * @param {Node} region
   * @param {Dirty} dirty
   * @returns {Generator<void, void, void>}
   */
  function* regionChanged(options, region, dirty) {
    if (options.ledger.own.has(region) || isVeiled(region)) return;
    yield* eachNode(region, (node) => {
      for (const unit of unitsAt(options.ledger, node)) options.drop(unit);
    });
    dirty.added.add(/** @type {Element} */ (region));
    markDirty(region.parentNode, dirty);
  }

  /**
   * Says whether two texts differ in nothing but numbers: a page that writes
   * such a one again and again wants it to stay.
   * @param {string} one
   * @param {string} other
   * @returns {boolean}
   */
  const hasSameWords = (one, other) => one.replace(/[\d\s]+/gu, "") === other.replace(/[\d\s]+/gu, "");

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
    const isSame = state !== undefined && hasSameWords(text.data, state.source);
    if (isSame && state.shown !== null) countRound(options.ledger, text, performance.now(), flush);
    for (const unit of unitsAt(options.ledger, text)) options.drop(unit);
    const block = markDirty(text.parentNode, dirty);
    if (block && !isSame) dirty.rewritten.add(block);
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
    if (state && state.shown !== null && hasSameWords(element.getAttribute(name) ?? "", state.source)) {
      countRound(options.ledger, element, performance.now(), flush);
    }
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
      added(node, dirty);
      yield;
    }
  }

  /**
   * @param {Node} node
   * @param {Dirty} dirty
   */
  const added = (node, dirty) => {
    const element = node.nodeType === 1 ? /** @type {Element} */ (node) : null;
    if (element) dirty.added.add(element);
    if (!element ? node.nodeType !== 3 : isBlockByName(element)) return;
    const block = markDirty(node.parentNode, dirty);
    if (!block) return;
    dirty.rewritten.add(block);
    if (element) dirty.inline.set(element, block);
  };

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
    yield* eachNode(top, (node) => {
      if (/^i?frame$/u.test(/** @type {Element} */ (node).localName ?? "")) options.frameLeft(/** @type {Element} */ (node));
      for (const unit of unitsAt(options.ledger, node)) {
        const shown = unit.applied !== null;
        options.drop(unit);
        if (!unit.container.isConnected) continue;
        if (shown) countRound(options.ledger, unit.container, performance.now(), flush);
        markDirty(unit.block?.within ?? unit.container, dirty);
      }
    });
  }

  /**
   * Calls for a node and all in it, shadow roots included.
   * @param {Node} top
   * @param {(node: Node) => void} see
   * @returns {Generator<void, void, void>}
   */
  function* eachNode(top, see) {
    const walker = /** @type {Document} */ (top.ownerDocument).createTreeWalker(top, 5);
    for (let node = /** @type {Node|null} */ (top); node; node = walker.nextNode()) {
      see(node);
      const element = /** @type {Element} */ (node);
      const shadow = node.nodeType === 1 && mayHost(element) ? webtranslator.browserApi.shadowRootOf(element) : null;
      if (shadow) yield* eachNode(shadow, see);
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
   * @returns {Element|null} The block, when it is an element.
   */
  const markDirty = (node, dirty) => {
    let at = node;
    while (at?.nodeType === 1 && PASSED.has(kindOf(/** @type {Element} */ (at))) && at.parentNode) at = at.parentNode;
    if (!at || isVeiled(at)) return null;
    if (at.nodeType !== 1) {
      dirty.roots.add(/** @type {ShadowRoot} */ (at));
      return null;
    }
    dirty.blocks.add(/** @type {Element} */ (at));
    return /** @type {Element} */ (at);
  };

  return { createWatch, unitsAt, isLeft };
})();
/**
 * @typedef {object} Dirty What is to be looked at again.
 * @property {Set<Element>} added
 * @property {Set<Element>} blocks Whose runs changed.
 * @property {Set<Document|ShadowRoot>} roots
 * @property {Set<Element>} attributes
 * @property {Set<Element>} rewritten Of the blocks, those with other words than before.
 * @property {Map<Element, Element>} inline What was added to the line of which block.
 */
/** @typedef {ReturnType<typeof restlessModule.createRestless>} Restless */
webtranslator.watch = watchModule;
