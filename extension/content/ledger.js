/**
 * What we wrote where: the page's own text under each of our texts.
 *
 * What for: the walk reads the page's text even where a translation stands;
 * restore puts it back; the watch tells our writes from the page's. What
 * not: it decides nothing about when to write. What must stay true: a Text
 * node's data is the page's text with our slots laid over it, or the page's
 * newer text, which wins; no other file assigns `.data` or an attribute
 * that is translated.
 */
var ledgerModule = (() => {
  /** Three rounds within ten seconds: the page wants its own text there. */
  const ROUNDS = 3;
  const ROUND_WINDOW_MS = 10_000;

  /** @returns {Ledger} */
  const createLedger = () => ({
    texts: new WeakMap(), attributes: new WeakMap(), own: new WeakSet(), rounds: new WeakMap(), offsets: new WeakMap(),
    frozen: new WeakMap(), twins: new WeakMap(), shownBy: new WeakMap(), selected: new Set(),
  });

  /**
   * Returns the record of a Text node, made new when the page's text changed.
   * @param {Ledger} ledger
   * @param {Text} node
   * @returns {TextState}
   */
  const stateOf = (ledger, node) => {
    const known = ledger.texts.get(node);
    if (known && node.data === (known.shown ?? known.source)) return known;
    const state = { node, source: node.data, shown: null, slots: [], within: null };
    ledger.texts.set(node, state);
    return state;
  };

  /**
   * Returns the page's own text of a node, whatever stands there now.
   * @param {Ledger} ledger
   * @param {Text} node
   * @returns {string}
   */
  const sourceOf = (ledger, node) => {
    const known = ledger.texts.get(node);
    return known && known.shown !== null && node.data === known.shown ? known.source : node.data;
  };

  /**
   * Says whether a slot still stands in the text that it was made for.
   * @param {Ledger} ledger
   * @param {Slot} slot
   * @returns {boolean}
   */
  const isCurrent = (ledger, slot) => {
    const { state } = slot;
    return ledger.texts.get(state.node) === state && state.node.data === (state.shown ?? state.source) &&
      state.slots.includes(slot);
  };

  /**
   * @param {TextState} state
   * @returns {string}
   */
  const compose = (state) => {
    let text = "";
    let from = 0;
    for (const slot of state.slots) {
      text += state.source.slice(from, slot.start) + (slot.value ?? state.source.slice(slot.start, slot.end));
      from = slot.end;
    }
    return text + state.source.slice(from);
  };

  /**
   * Follows a page that joined neighbouring text nodes into the first, as
   * `normalize()` does: what stands in the others stands there now.
   * @param {Ledger} ledger
   * @param {Text} first
   * @param {Text[]} others They left the page.
   */
  const join = (ledger, first, others) => {
    const states = [first, ...others].map((node) => ledger.texts.get(node) ?? stateOf(ledger, node));
    if (states.every(({ shown }) => shown === null) || first.data !== states.map(({ shown, source }) => shown ?? source).join("")) return;
    /** @type {TextState} */
    const joined = { node: first, source: "", shown: first.data, slots: [], within: states[0]?.within ?? null };
    for (const state of states) {
      for (const slot of state.slots) {
        Object.assign(slot, { state: joined, start: slot.start + joined.source.length, end: slot.end + joined.source.length });
        joined.slots.push(slot);
      }
      joined.source += state.source;
      if (state.node === first) continue;
      ledger.texts.delete(state.node);
      if (state.shown !== null) state.node.data = state.source;
    }
    ledger.texts.set(first, joined);
  };

  /**
   * Shows the slots of a node, if the page has not written there meanwhile.
   * @param {Ledger} ledger
   * @param {TextState} state
   */
  const writeText = (ledger, state) => {
    if (ledger.texts.get(state.node) !== state || state.node.data !== (state.shown ?? state.source)) return;
    const text = compose(state);
    state.shown = state.slots.some((slot) => slot.value !== null) ? text : null;
    if (state.node.data !== text) keepSelection(ledger, state.node, () => { state.node.data = text; });
  };

  /**
   * Follows a page that cut a text of ours into several nodes, as one that
   * marks what was searched for: the pieces are ours as well, and nothing of
   * the page stands below them.
   * @param {Ledger} ledger
   * @param {Text} first
   */
  const cut = (ledger, first) => {
    const state = ledger.texts.get(first);
    const unit = state?.slots.length === 1 ? state.slots[0]?.unit : null;
    if (!state?.shown || !unit || first.data === "" || !state.shown.startsWith(first.data)) return;
    const pieces = piecesAfter(ledger, first, state.shown.slice(first.data.length));
    if (pieces.length === 0) return;
    state.shown = first.data;
    for (const node of pieces) {
      /** @type {TextState} */
      const piece = { node, source: "", shown: node.data, slots: [], within: state.within };
      const slot = { state: piece, start: 0, end: 0, value: node.data, part: /** @type {const} */ (""), spaces: "", unit };
      piece.slots.push(slot);
      unit.slots.push(slot);
      ledger.texts.set(node, piece);
    }
  };

  /**
   * @param {Ledger} ledger
   * @param {Text} first
   * @param {string} text
   * @returns {Text[]} The next text nodes, if they are new and hold this text; else none.
   */
  const piecesAfter = (ledger, first, text) => {
    const pieces = [];
    const walker = first.ownerDocument.createTreeWalker(first.getRootNode(), 4);
    walker.currentNode = first;
    for (let rest = text; rest !== "";) {
      const node = /** @type {Text|null} */ (walker.nextNode());
      if (!node?.data || ledger.texts.has(node) || ledger.own.has(node) || !rest.startsWith(node.data)) return [];
      pieces.push(node);
      rest = rest.slice(node.data.length);
    }
    return pieces;
  };

  /**
   * Notes in which nodes the reader's selection begins and ends. Chromium
   * makes a layout when it is asked after a write (8 ms on a large page), so
   * the writes do not ask; a listener calls this when the selection changes.
   * @param {Ledger} ledger
   * @param {Document} document
   */
  const noteSelection = (ledger, document) => {
    const selection = document.getSelection();
    ledger.selected.clear();
    for (const node of [selection?.anchorNode, selection?.focusNode]) if (node) ledger.selected.add(node);
  };

  /**
   * Runs a write to a node and sets the selection again, which the write
   * moves to the node's start. An offset that had to be cut comes back when
   * the longer text does.
   * @param {Ledger} ledger
   * @param {Text} node
   * @param {() => void} write
   */
  const keepSelection = (ledger, node, write) => {
    const selection = ledger.selected.has(node) ? node.ownerDocument.getSelection() : null;
    if (!selection || selection.rangeCount === 0) {
      write();
      return;
    }
    const { anchorNode, anchorOffset, focusNode, focusOffset } = selection;
    write();
    const kept = (/** @type {Node|null} */ at, /** @type {number} */ offset) =>
      at === node ? keptOffset(ledger, node, offset) : offset;
    if (!anchorNode || !focusNode) return;
    const anchor = kept(anchorNode, anchorOffset);
    selection.setBaseAndExtent(anchorNode, anchor, focusNode, kept(focusNode, focusOffset));
  };

  /**
   * @param {Ledger} ledger
   * @param {Text} node
   * @param {number} offset As the page or we set it.
   * @returns {number} What fits the node's present text.
   */
  const keptOffset = (ledger, node, offset) => {
    const cuts = ledger.offsets.get(node) ?? new Map();
    const asked = cuts.get(offset) ?? offset;
    const set = Math.min(asked, node.length);
    cuts.set(set, asked);
    ledger.offsets.set(node, cuts);
    return set;
  };

  /**
   * Returns the record of an attribute, made new when the page's value changed.
   * @param {Ledger} ledger
   * @param {Element} element
   * @param {string} name
   * @returns {AttributeState}
   */
  const attributeOf = (ledger, element, name) => {
    const all = ledger.attributes.get(element) ?? new Map();
    ledger.attributes.set(element, all);
    const value = element.getAttribute(name) ?? "";
    const known = all.get(name);
    if (known && value === (known.shown ?? known.source)) return known;
    const state = { source: value, shown: null, unit: null };
    all.set(name, state);
    return state;
  };

  /**
   * Shows a value in an attribute, or the page's own for null.
   * @param {Ledger} ledger
   * @param {Element} element
   * @param {string} name
   * @param {string|null} value
   */
  const writeAttribute = (ledger, element, name, value) => {
    const state = ledger.attributes.get(element)?.get(name);
    if (!state || state.shown === value || element.getAttribute(name) !== (state.shown ?? state.source)) return;
    state.shown = value;
    element.setAttribute(name, value ?? state.source);
  };

  /**
   * Counts that the page undid or changed what we showed.
   * @param {Ledger} ledger
   * @param {Node} node
   * @param {number} now Milliseconds.
   * @param {number} flush Changes seen together count once.
   */
  const countRound = (ledger, node, now, flush) => {
    const known = ledger.rounds.get(node) ?? { times: [], flush: -1, left: false };
    ledger.rounds.set(node, known);
    if (known.flush === flush) return;
    known.flush = flush;
    known.times = [...known.times.filter((time) => now - time < ROUND_WINDOW_MS), now];
    if (known.times.length >= ROUNDS) known.left = true;
  };

  /**
   * Says whether a node is left to the page.
   * @param {Ledger} ledger
   * @param {Node} node
   * @returns {boolean}
   */
  const isLeft = (ledger, node) => ledger.rounds.get(node)?.left === true;

  return {
    createLedger, join, cut, noteSelection, stateOf, sourceOf, isCurrent, writeText, attributeOf, writeAttribute, countRound, isLeft,
  };
})();
/**
 * @typedef {object} Ledger
 * @property {WeakMap<Text, TextState>} texts
 * @property {WeakMap<Element, Map<string, AttributeState>>} attributes
 * @property {WeakSet<Node>} own Nodes that we made.
 * @property {WeakMap<Node, {times: number[], flush: number, left: boolean}>} rounds
 * @property {WeakMap<Element, string>} frozen Values that an option got from us.
 * @property {WeakMap<Node, Text>} twins For a text node that we left empty an empty one of ours behind it.
 * @property {Set<Node>} selected Where the selection begins and ends.
 * @property {WeakMap<Node, Unit>} shownBy Whose translation a node of ours is.
 * @property {WeakMap<Node, Map<number, number>>} offsets Where a selection was before it was cut.
 */
webtranslator.ledger = ledgerModule;
