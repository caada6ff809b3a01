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
   */

  /**
   * @param {Options} options
   */
  const createCollector = (options) => {
    /** @type {Set<Element>} Blocks whose runs changed while a translation stood in them. */
    const again = new Set();
    /** @type {Visitor} */
    const deep = {
      onRun: (run) => takeRun(options, run, again),
      onAttribute: (element, name, context) => takeAttribute(options, element, name, context),
      onRoot: options.onRoot,
      onFrame: options.onFrame,
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
   * @param {Iterable<Element>} blocks
   * @param {Visitor} shallow
   * @returns {Generator<void, void, void>}
   */
  function* collectBlocks(blocks, shallow) {
    for (const block of blocks) {
      const context = block.isConnected ? webtranslator.elements.contextOf(block) : null;
      if (context) yield* webtranslator.walk.walkBlock(block, context, shallow);
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
   * @param {Set<Element>} again
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
   * @param {Set<Element>} again
   */
  const takeRun = (options, run, again) => {
    const { ledger } = options;
    const texts = run.tokens.filter((token) => token.kind === "text" && /\p{L}/u.test(token.node.data));
    const nodes = texts.map((token) => (token.kind === "text" ? token.node : null)).filter((node) => node !== null);
    if (isLeft(ledger, run.block.element) || nodes.some((node) => isLeft(ledger, node))) return;
    const owners = nodes.map((node) => ownersOf(ledger, node));
    if (owners.every((units) => units.size > 0)) return;
    const old = new Set(owners.flatMap((units) => [...units]));
    if (old.size > 0) {
      for (const unit of old) options.drop(unit);
      again.add(run.block.element);
      return;
    }
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
    }
    const state = unit.attribute === null ? undefined : ledger.attributes.get(unit.container)?.get(unit.attribute);
    if (state?.unit === unit) state.unit = null;
  };

  return { createCollector, forget };
})();
webtranslator.collect = collectModule;
