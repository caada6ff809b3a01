/**
 * From what the walk finds to units that want their text.
 *
 * What for: the first pass and each later look at what changed. What not: it
 * sends and shows nothing; `options` is given the units. What must stay
 * true: a text node belongs to the units of one run only, noted in the same
 * step in which it was found, so that no two passes take it twice.
 */
var collectModule = (() => {
  const { isVeiled } = webtranslator.elements;
  const { stateOf, attributeOf, isCurrent, isLeft } = webtranslator.ledger;

  /**
   * @typedef {object} Options
   * @property {Ledger} ledger
   * @property {Set<Unit>} units
   * @property {(unit: Unit) => void} found
   * @property {(unit: Unit) => void} drop
   * @property {(root: Document|ShadowRoot) => void} onRoot
   * @property {(frame: Element) => void} onFrame
   * @property {(element: Element) => void} onHost
   */

  /**
   * @param {Options} options
   */
  const createCollector = (options) => {
    /** @type {Set<Element|ShadowRoot>} Blocks whose runs changed while a translation stood in them. */
    const again = new Set();
    /** @type {Visitor} */
    const deep = {
      onRun: (run) => takeRun(options, run, again),
      onAttribute: (element, name, context) => takeAttribute(options, element, name, context),
      onRoot: options.onRoot,
      onFrame: options.onFrame,
      onHost: options.onHost,
      isOwn: (node) => options.ledger.own.has(node),
      deep: true,
    };
    const shallow = { ...deep, deep: false };
    return {
      /** @param {Document} document */
      all: function* (document) {
        yield* webtranslator.walk.walkRoot(document, webtranslator.elements.ROOT_CONTEXT, deep);
        yield* walkAgain(again, shallow);
      },
      /** @param {Dirty} dirty */
      dirty: function* (dirty) {
        yield* collectBlocks(dirty.blocks, shallow);
        // Before the added elements, so that their text goes with the sentence they were added to.
        yield* walkAgain(again, shallow);
        yield* collectDirty(dirty, deep);
        yield* walkAgain(again, shallow);
      },
    };
  };

  /**
   * @param {Iterable<Element|ShadowRoot>} blocks
   * @param {Visitor} shallow
   * @returns {Generator<void, void, void>}
   */
  function* collectBlocks(blocks, shallow) {
    for (const block of blocks) {
      const isRoot = block.nodeType === 11;
      const element = isRoot ? /** @type {ShadowRoot} */ (block).host : /** @type {Element} */ (block);
      const context = element.isConnected ? webtranslator.elements.contextOf(element) : null;
      if (!context) continue;
      if (isRoot) yield* webtranslator.walk.walkRoot(/** @type {ShadowRoot} */ (block), context, shallow);
      else yield* webtranslator.walk.walkBlock(element, context, shallow);
      yield;
    }
  }

  /**
   * @param {Dirty} dirty
   * @param {Visitor} deep
   * @returns {Generator<void, void, void>}
   */
  function* collectDirty(dirty, deep) {
    const { walkBlock, walkRoot, visitAttributes } = webtranslator.walk;
    const { contextOf } = webtranslator.elements;
    for (const root of dirty.roots) {
      const context = contextAt(root);
      if (context) yield* walkRoot(root, context, deep);
    }
    for (const element of dirty.added) {
      if (!element.isConnected || hasAncestorIn(element, dirty.added)) continue;
      const context = contextOf(element);
      if (context) yield* walkBlock(element, context, deep);
      yield;
    }
    for (const element of dirty.attributes) {
      const context = element.isConnected ? contextOf(/** @type {Element} */ (element.parentElement ?? element)) : null;
      if (context) visitAttributes(element, webtranslator.elements.contextIn(element, context), deep);
      yield;
    }
  }

  /**
   * @param {Document|ShadowRoot} root
   * @returns {Context|null}
   */
  const contextAt = (root) => {
    const host = /** @type {ShadowRoot} */ (root).host ?? null;
    return host ? webtranslator.elements.contextOf(host) : webtranslator.elements.ROOT_CONTEXT;
  };

  /**
   * @param {Element} element
   * @param {Set<Element>} set
   * @returns {boolean}
   */
  const hasAncestorIn = (element, set) => {
    for (let at = element.parentElement; at && !isVeiled(at); at = at.parentElement) if (set.has(at)) return true;
    return false;
  };

  /**
   * @param {Set<Element|ShadowRoot>} again
   * @param {Visitor} shallow
   * @returns {Generator<void, void, void>}
   */
  function* walkAgain(again, shallow) {
    const blocks = [...again];
    again.clear();
    yield* collectBlocks(blocks, shallow);
  }

  /**
   * Takes a run that no unit has yet. Where a part of it has units, these
   * are taken back first, and the block is looked at once more.
   * @param {Options} options
   * @param {Run} run
   * @param {Set<Element|ShadowRoot>} again
   */
  const takeRun = (options, run, again) => {
    const { ledger } = options;
    const { element, within } = run.block;
    const nodes = run.tokens.flatMap((token) =>
      (token.kind === "text" && token.part !== "silent" && /\p{L}/u.test(token.node.data) ? [token.node] : []));
    if (isLeft(ledger, element) || nodes.some((node) => isLeft(ledger, node))) return;
    if (nodes.every((node) => isKnown(ledger, node, within))) return;
    const old = new Set(nodes.flatMap((node) => [...ownersOf(ledger, node)]));
    if (old.size > 0) {
      // One of them may stand elsewhere: the page moved a part of another sentence here.
      for (const unit of old) {
        const from = unit.block?.within ?? unit.container;
        if (!within.contains(from)) again.add(from);
        options.drop(unit);
      }
      again.add(within);
      return;
    }
    for (const node of nodes) stateOf(ledger, node).within = within;
    for (const unit of webtranslator.segments.unitsOf(run, (node) => stateOf(ledger, node))) {
      for (const slot of unit.slots) {
        slot.state.slots.push(slot);
        slot.state.slots.sort((a, b) => a.start - b.start);
      }
      options.units.add(unit);
      options.found(unit);
    }
  };

  /**
   * @param {Ledger} ledger
   * @param {Text} node
   * @param {Node} within
   * @returns {boolean} Its present text was looked at in this place or as a part of a sentence around it,
   *   whether it needs a translation or not.
   */
  const isKnown = (ledger, node, within) => {
    const state = ledger.texts.get(node);
    return state !== undefined && state.within?.contains(within) === true && node.data === (state.shown ?? state.source);
  };

  /**
   * @param {Ledger} ledger
   * @param {Text} node
   * @returns {Set<Unit>} The units that stand in a node's present text.
   */
  const ownersOf = (ledger, node) => {
    /** @type {Set<Unit>} */
    const units = new Set();
    for (const slot of ledger.texts.get(node)?.slots ?? []) if (slot.unit && isCurrent(ledger, slot)) units.add(slot.unit);
    return units;
  };

  /**
   * @param {Options} options
   * @param {Element} element
   * @param {string} name
   * @param {Context} context
   */
  const takeAttribute = (options, element, name, context) => {
    if (isLeft(options.ledger, element)) return;
    const state = attributeOf(options.ledger, element, name);
    if (state.unit) return;
    const unit = webtranslator.segments.unitOfAttribute(element, name, state.source, context);
    if (!unit) return;
    state.unit = unit;
    options.units.add(unit);
    options.found(unit);
  };

  /**
   * Forgets a unit: its texts and its attribute are free for another.
   * @param {Ledger} ledger
   * @param {Unit} unit
   */
  const forget = (ledger, unit) => {
    unit.dropped = true;
    for (const slot of unit.slots) {
      const at = slot.state.slots.indexOf(slot);
      if (at !== -1) slot.state.slots.splice(at, 1);
      slot.state.within = null;
    }
    const state = unit.attribute === null ? undefined : ledger.attributes.get(unit.container)?.get(unit.attribute);
    if (state?.unit === unit) state.unit = null;
  };

  return { createCollector, forget };
})();
webtranslator.collect = collectModule;
