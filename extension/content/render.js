/**
 * Shows translations in the page's own text, and takes them back.
 *
 * What for: "translation" mode, attributes, and the parts that "both" mode
 * shares; in "hover" mode a translation only counts as shown. What not: it asks for nothing. What must stay true: no node of the
 * page is removed, wrapped or replaced; nodes are moved only among the
 * places of a segment's own tags; taking back leaves the same nodes and
 * bytes; a translation is text, and never passes an HTML parser.
 */
var renderModule = (() => {
  const { parse, match } = webtranslator.markup;
  const { isCurrent, writeText, writeAttribute } = webtranslator.ledger;
  const { directionOf, isUnspaced } = webtranslator.language;

  /** @typedef {Map<Piece, {order: Piece[], texts: string[]}>} Plan */

  /**
   * @typedef {object} Renderer
   * @property {Ledger} ledger
   * @property {string} target
   * @property {"translation"|"both"|"hover"} mode
   * @property {WeakMap<Element, {count: number, lang: string|null, dir: string|null, dirSet: string|null}>} blocks
   */

  /**
   * @param {Ledger} ledger
   * @returns {Renderer}
   */
  const createRenderer = (ledger) => ({ ledger, target: "", mode: "translation", blocks: new WeakMap() });

  /**
   * Shows a translation in its place. "stale": the page has another text
   * there now; "bad_reply": the translation does not fit the source.
   * @param {Renderer} renderer
   * @param {Unit} unit
   * @param {string} translation
   * @returns {"shown"|"stale"|"bad_reply"}
   */
  const apply = (renderer, unit, translation) => {
    if (!stands(renderer, unit)) return "stale";
    const items = parse(translation, unit.tags);
    if (!items) return "bad_reply";
    if (translation === unit.text) {
      unit.applied = { own: [], moved: [], marked: false };
      return "shown";
    }
    if (unit.attribute !== null) return applyToAttribute(renderer, unit, items);
    const root = /** @type {Piece} */ (unit.piece);
    const plan = match(root, items);
    if (!plan || !canMove(plan)) return "bad_reply";
    /** @type {Applied} */
    const applied = { own: [], moved: [], marked: false };
    unit.applied = applied;
    // The page stays as it is; the bubble shows it.
    if (renderer.mode === "hover") return "shown";
    if (renderer.mode !== "both" || !webtranslator.renderBoth.apply(renderer, unit, items, applied)) {
      lay(renderer, unit, plan, applied);
    }
    return "shown";
  };

  /**
   * Puts a translation in the place of its source.
   * @param {Renderer} renderer
   * @param {Unit} unit
   * @param {Plan} plan
   * @param {Applied} applied
   */
  const lay = (renderer, unit, plan, applied) => {
    freezeValue(renderer, unit);
    for (const [piece, { order }] of plan) {
      if (order.some((child, k) => child !== piece.children[k])) reorder(piece, order, applied);
    }
    if (unit.follows) addSpace(plan.get(/** @type {Piece} */ (unit.piece)));
    for (const [piece, planned] of plan) place(renderer, piece, planned, applied);
    for (const slot of unit.slots) if (slot.part === "silent") slot.value = "";
    for (const node of applied.own) renderer.ledger.shownBy.set(node, unit);
    for (const state of statesOf(unit)) {
      writeText(renderer.ledger, state);
      if (state.shown === "") addTwin(renderer.ledger, state.node, applied);
    }
    markBlock(renderer, unit);
  };

  /**
   * Sets a sentence off from the one before, which it followed without a space.
   * @param {{texts: string[]}|undefined} planned
   */
  const addSpace = (planned) => {
    const first = planned?.texts[0] ?? "";
    if (planned && /^[\p{L}\p{N}(“‘«¿¡]/u.test(first) && !isUnspaced(first.charAt(0))) planned.texts[0] = ` ${first}`;
  };

  /**
   * Says whether the text that was asked about still stands in the page.
   * @param {Renderer} renderer
   * @param {Unit} unit
   * @returns {boolean}
   */
  const stands = (renderer, unit) => {
    if (unit.dropped) return false;
    if (unit.attribute === null) return unit.slots.every((slot) => isCurrent(renderer.ledger, slot));
    const state = renderer.ledger.attributes.get(unit.container)?.get(unit.attribute);
    return state?.unit === unit && unit.container.getAttribute(unit.attribute) === (state.shown ?? state.source);
  };

  /**
   * @param {Renderer} renderer
   * @param {Unit} unit
   * @param {MarkupItem[]} items
   * @returns {"shown"|"bad_reply"}
   */
  const applyToAttribute = (renderer, unit, items) => {
    const text = webtranslator.markup.textOf(items).trim();
    if (text === "") return "bad_reply";
    unit.applied = { own: [], moved: [], marked: false };
    if (renderer.mode !== "hover") writeAttribute(renderer.ledger, unit.container, /** @type {string} */ (unit.attribute), text);
    return "shown";
  };

  /**
   * @param {Plan} plan
   * @returns {boolean} What changes its place is whole and still where it was.
   */
  const canMove = (plan) => [...plan].every(([piece, { order }]) => order.every((child, k) => {
    if (child === piece.children[k]) return true;
    return piece.children.every(({ outer, partial }) => !partial && outer?.parentNode === piece.children[0]?.outer?.parentNode);
  }));

  /**
   * An option without a value submits its text; the text of the page is what it goes on to submit.
   * @param {Renderer} renderer
   * @param {Unit} unit
   */
  const freezeValue = (renderer, unit) => {
    const option = /** @type {HTMLOptionElement} */ (unit.container);
    if (option.localName !== "option" || option.hasAttribute("value")) return;
    option.setAttribute("value", option.value);
    renderer.ledger.frozen.set(option, option.value);
  };

  /**
   * Gives the places of a piece's children to them in another order. What
   * stands between stays between.
   * @param {Piece} piece
   * @param {Piece[]} order
   * @param {Applied} applied
   */
  const reorder = (piece, order, applied) => {
    const nodes = piece.children.map(({ outer }) => /** @type {Element} */ (outer));
    const parent = /** @type {Node} */ (nodes[0]?.parentNode);
    const first = /** @type {Node} */ (nodes[0]);
    const last = nodes.at(-1);
    /** @type {Node[]} */
    const before = [];
    for (let node = /** @type {Node|null} */ (first); node; node = node.nextSibling) {
      before.push(node);
      if (node === last) break;
    }
    // Noted first: a move may throw, and the moves before it are to be taken back.
    applied.moved.push({ parent, before });
    const queue = order.map(({ outer }) => /** @type {Node} */ (outer));
    const places = new Set(/** @type {Node[]} */ (nodes));
    arrange(parent, before.map((node) => (places.has(node) ? /** @type {Node} */ (queue.shift()) : node)));
  };

  /**
   * Puts children of one parent in this order with few moves, keeping the focus.
   * @param {Node} parent
   * @param {Node[]} order
   */
  const arrange = (parent, order) => {
    const present = order.filter((node) => node.parentNode === parent);
    const members = new Set(present);
    const focused = /** @type {HTMLElement|null} */ (parent.ownerDocument?.activeElement ?? null);
    let next = /** @type {Node|null} */ (null);
    for (let node = parent.lastChild; node; node = node.previousSibling) {
      if (members.has(node)) {
        next = node.nextSibling;
        break;
      }
    }
    for (const node of present.toReversed()) {
      if (node.nextSibling !== next) moveBefore(parent, node, next);
      next = node;
    }
    if (focused && focused !== focused.ownerDocument.activeElement && parent.contains(focused)) {
      focused.focus({ preventScroll: true });
    }
  };

  /**
   * @param {Node} parent
   * @param {Node} node
   * @param {Node|null} next
   */
  const moveBefore = (parent, node, next) => {
    // moveBefore keeps focus, animations and frames; Firefox does not have it.
    if ("moveBefore" in parent && node.isConnected) {
      /** @type {(node: Node, next: Node|null) => void} */ (parent.moveBefore).call(parent, node, next);
    } else parent.insertBefore(node, next);
  };

  /**
   * Puts the texts of a piece in its slots; where the page has no text, a node of our own.
   * @param {Renderer} renderer
   * @param {Piece} piece Its children are done already.
   * @param {{order: Piece[], texts: string[]}} planned
   * @param {Applied} applied
   */
  const place = (renderer, piece, { order, texts }, applied) => {
    for (const [k, gap] of piece.gaps.entries()) {
      const text = texts[k] ?? "";
      if (gap.length > 0) share(gap, text);
      else if (text !== "") insertOwn(renderer, { before: order[k - 1], after: order[k] }, text, applied);
    }
  };

  /**
   * Puts an empty node of ours behind one that we left empty. A page's
   * `normalize()` removes both; a page that takes out its own text, one.
   * @param {Ledger} ledger
   * @param {Text} node
   * @param {Applied} applied
   */
  const addTwin = (ledger, node, applied) => {
    const { parentNode, nextSibling } = node;
    if (!parentNode) return;
    const twin = node.ownerDocument.createTextNode("");
    ledger.own.add(twin);
    ledger.twins.set(node, twin);
    applied.own.push(twin);
    parentNode.insertBefore(twin, nextSibling);
  };

  /**
   * Gives a text to neighbouring slots, to each as much as it had of the source.
   * @param {Slot[]} slots
   * @param {string} text
   */
  const share = (slots, text) => {
    const [first, ...rest] = slots;
    if (first?.part === "head" && rest.length > 0) {
      first.value = /^\s*["'“‘«„¿¡(]?\P{M}\p{M}*/u.exec(text)?.[0] ?? "";
      share(rest, text.slice(first.value.length));
      return;
    }
    const parts = partsOf(text, slots.length);
    const length = slots.reduce((sum, { start, end }) => sum + end - start, 0);
    let from = 0;
    let before = 0;
    for (const [k, slot] of slots.entries()) {
      const others = slots.length - k - 1;
      before += slot.end - slot.start;
      const due = Math.min(parts.length - others, Math.round(parts.length * before / length));
      const to = others === 0 ? parts.length : Math.max(from + 1, due);
      slot.value = parts.slice(from, to).join("");
      from = to;
    }
  };

  /**
   * @param {string} text
   * @param {number} wanted
   * @returns {string[]} Its words, or its characters when the words are too few.
   */
  const partsOf = (text, wanted) => {
    if (wanted === 1) return [text];
    const by = (/** @type {"word"|"grapheme"} */ granularity) =>
      [...new Intl.Segmenter(undefined, { granularity }).segment(text)].map(({ segment }) => segment);
    const words = by("word");
    return words.length >= wanted ? words : by("grapheme");
  };

  /**
   * Puts text where the page has none: in a node of our own. Beside an
   * element that another segment shares there is no place that is this
   * segment's; the text goes into the element.
   * @param {Renderer} renderer
   * @param {{before: Piece|undefined, after: Piece|undefined}} between
   * @param {string} text
   * @param {Applied} applied
   */
  const insertOwn = (renderer, { before, after }, text, applied) => {
    const last = before?.partial ? slotsIn(before).at(-1) : undefined;
    const first = after?.partial ? slotsIn(after)[0] : undefined;
    if (last) last.value += text;
    else if (first) first.value = text + first.value;
    else {
      const next = after ? after.outer : before?.outer?.nextSibling ?? null;
      const parent = (after ?? before)?.outer?.parentNode;
      if (parent) insertText(renderer, { parent, next }, text, applied);
    }
  };

  /**
   * @param {Renderer} renderer
   * @param {{parent: Node, next: Node|null}} at
   * @param {string} text
   * @param {Applied} applied
   */
  const insertText = (renderer, { parent, next }, text, applied) => {
    const node = /** @type {Document} */ (parent.ownerDocument).createTextNode(text);
    renderer.ledger.own.add(node);
    applied.own.push(node);
    parent.insertBefore(node, next);
  };

  /**
   * @param {Piece} piece
   * @returns {Slot[]}
   */
  const slotsIn = (piece) => piece.gaps.flatMap((gap, k) => {
    const child = piece.children[k];
    return child ? [...gap, ...slotsIn(child)] : gap;
  });

  /**
   * @param {Unit} unit
   * @returns {Set<TextState>}
   */
  const statesOf = (unit) => new Set(unit.slots.map(({ state }) => state));

  /**
   * Sets `lang`, and `dir` where it differs, on a block that holds nothing but text.
   * @param {Renderer} renderer
   * @param {Unit} unit
   */
  const markBlock = (renderer, unit) => {
    const { container, block, applied } = unit;
    if (!block || block.sawBlock || container.namespaceURI !== "http://www.w3.org/1999/xhtml" || !applied) return;
    if (container.localName === "title") return;
    applied.marked = true;
    const known = renderer.blocks.get(container);
    if (known) {
      known.count += 1;
      return;
    }
    const direction = directionOf(renderer.target);
    const dirSet = direction === block.direction ? null : direction;
    renderer.blocks.set(container, {
      count: 1, lang: container.getAttribute("lang"), dir: container.getAttribute("dir"), dirSet,
    });
    container.setAttribute("lang", renderer.target);
    if (dirSet) container.setAttribute("dir", dirSet);
  };

  /**
   * @param {Renderer} renderer
   * @param {Element} container
   */
  const unmarkBlock = (renderer, container) => {
    const known = renderer.blocks.get(container);
    if (!known) return;
    known.count -= 1;
    if (known.count > 0) return;
    renderer.blocks.delete(container);
    if (container.getAttribute("lang") === renderer.target) putBack(container, "lang", known.lang);
    if (known.dirSet && container.getAttribute("dir") === known.dirSet) putBack(container, "dir", known.dir);
  };

  /**
   * @param {Element} element
   * @param {string} name
   * @param {string|null} value
   */
  const putBack = (element, name, value) => {
    if (value === null) element.removeAttribute(name);
    else element.setAttribute(name, value);
  };

  /**
   * Takes a translation back. What the page wrote meanwhile stays.
   * @param {Renderer} renderer
   * @param {Unit} unit
   */
  const undo = (renderer, unit) => {
    const { applied } = unit;
    if (!applied) return;
    unit.applied = null;
    for (const node of applied.own) node.parentNode?.removeChild(node);
    for (const { parent, before } of applied.moved) arrange(parent, before);
    if (unit.attribute !== null) writeAttribute(renderer.ledger, unit.container, unit.attribute, null);
    for (const slot of unit.slots) slot.value = null;
    for (const state of statesOf(unit)) writeText(renderer.ledger, state);
    if (applied.marked) unmarkBlock(renderer, unit.container);
    const frozen = renderer.ledger.frozen.get(unit.container);
    if (frozen !== undefined) {
      renderer.ledger.frozen.delete(unit.container);
      if (unit.container.getAttribute("value") === frozen) unit.container.removeAttribute("value");
    }
  };

  return { createRenderer, apply, undo, stands, statesOf };
})();
/** @typedef {ReturnType<typeof renderModule.createRenderer>} Renderer */
webtranslator.render = renderModule;
