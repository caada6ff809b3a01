/**
 * From a run of inline content to segments with numbered tags.
 *
 * What for: the text that is sent, and the tree that says where each part of
 * the answer belongs. What not: it walks nothing and writes nothing. What
 * must stay true: white space is what CSS makes of it; white space, images
 * and controls at the edges stay outside.
 */
var segmentsModule = (() => {
  const { escape } = webtranslator.markup;
  const { isProse, isUnspaced } = webtranslator.language;

  /** @typedef {Slot|Piece} Item */
  /** @typedef {{piece: Piece, items: Item[], parent: Draft|null, weight: number}} Draft */

  /**
   * @param {Element|null} outer
   * @param {boolean} opaque
   * @param {boolean} partial
   * @returns {Piece}
   */
  const pieceOf = (outer, opaque, partial) => ({ outer, n: 0, opaque, partial, children: [], gaps: [] });

  /**
   * @param {Item} item
   * @returns {item is Slot}
   */
  const isSlot = (item) => "state" in item;

  /**
   * Returns the segments of a run, in order. They are not yet known to the ledger.
   * @param {Run} run
   * @param {(node: Text) => TextState} stateOf
   * @returns {Unit[]}
   */
  const unitsOf = (run, stateOf) => {
    return webtranslator.cut.linesOf(run).flatMap((line) => {
      const items = new Map();
      const root = treeOf(line, stateOf, items);
      return unitsIn(run, root, items);
    });
  };

  /**
   * @param {Token[]} tokens
   * @param {(node: Text) => TextState} stateOf
   * @param {Map<Piece, Item[]>} items Filled: what is in each piece, in order.
   * @returns {Piece}
   */
  const treeOf = (tokens, stateOf, items) => {
    const root = pieceOf(null, false, false);
    const stack = [root];
    items.set(root, []);
    const add = (/** @type {Item} */ item) => items.get(/** @type {Piece} */ (stack.at(-1)))?.push(item);
    for (const token of tokens) {
      if (token.kind === "text") {
        const { start, end, part, spaces } = token;
        if (end > start) add({ state: stateOf(token.node), start, end, value: null, part, spaces, unit: null });
      } else if (token.kind === "close") stack.pop();
      else {
        const piece = pieceOf(token.element, token.kind === "opaque", token.kind === "open" && token.partial);
        add(piece);
        items.set(piece, []);
        if (token.kind === "open") stack.push(piece);
      }
    }
    return root;
  };

  /**
   * @param {Slot} slot
   * @returns {string}
   */
  const textOf = (slot) => slot.state.source.slice(slot.start, slot.end);

  /**
   * @param {Item} item
   * @param {Map<Piece, Item[]>} items
   * @returns {boolean} There is more than white space in it.
   */
  const hasText = (item, items) => (isSlot(item) ? item.part !== "silent" && /[^ \t\r\n\f]/u.test(textOf(item))
    : (items.get(item) ?? []).some((inner) => hasText(inner, items)));

  /**
   * Cuts off what has no text at the edges, and goes into an element that holds all the rest.
   * @param {Piece} piece
   * @param {Map<Piece, Item[]>} items
   * @returns {Piece}
   */
  const reduce = (piece, items) => {
    const all = items.get(piece) ?? [];
    const first = all.findIndex((item) => hasText(item, items));
    if (first === -1) return piece;
    let end = all.findLastIndex((item) => hasText(item, items)) + 1;
    // The reading of the last word belongs to it.
    for (let item = all[end]; item && isSlot(item) && item.part === "silent"; item = all[end]) end += 1;
    const rest = all.slice(first, end);
    items.set(piece, rest);
    const only = rest.length === 1 ? rest[0] : undefined;
    return only && !isSlot(only) ? reduce(only, items) : piece;
  };

  /**
   * @param {Run} run
   * @param {Piece} tree
   * @param {Map<Piece, Item[]>} items
   * @returns {Unit[]}
   */
  const unitsIn = (run, tree, items) => {
    const root = reduce(tree, items);
    const all = items.get(root) ?? [];
    if (!all.some((item) => hasText(item, items))) return [];
    const links = all.filter((item) => !isSlot(item) && item.outer?.localName === "a" && hasText(item, items));
    const loose = all.filter((item) => !links.includes(item));
    // Links in a row are a menu, not a sentence.
    if (links.length > 1 && loose.every((item) => !isSlot(item) ? !hasText(item, items) : !/\p{L}/u.test(textOf(item)))) {
      return links.flatMap((link) => unitsIn(run, /** @type {Piece} */ (link), items));
    }
    const unit = unitOf(run, root, items);
    return unit ? [unit] : [];
  };

  /**
   * Builds the segment of a reduced tree. Returns null when there is nothing to translate.
   * @param {Run} run
   * @param {Piece} root
   * @param {Map<Piece, Item[]>} items
   * @returns {Unit|null}
   */
  const unitOf = (run, root, items) => {
    /** @type {Slot[]} */
    const silent = [];
    fill(root, items.get(root) ?? [], items, silent);
    const slots = slotsOf(root);
    trimEdges(slots);
    const writer = { tags: 0, afterSpace: true, marked: "", plain: "" };
    write(root, writer);
    const plain = writer.plain.trimEnd().toWellFormed();
    if (!isProse(plain)) return null;
    const { element } = run.block;
    /** @type {Unit} */
    const unit = {
      container: element, block: run.block, attribute: null, plain, piece: root, slots: [...slots, ...silent],
      text: writer.tags > 0 ? writer.marked.toWellFormed() : plain, tags: writer.tags || undefined,
      ui: isUi(element), lang: run.lang, hidden: run.hidden,
      follows: slots[0] !== undefined && isUnspaced(slots[0].state.source.charAt(slots[0].start - 1)),
      entry: null, applied: null, inText: false, mark: null, dropped: false,
    };
    for (const slot of unit.slots) slot.unit = unit;
    return unit;
  };

  /**
   * Sorts a piece's items into children and the texts between them.
   * Elements without text stay where they are; those that show something count as void tags.
   * @param {Piece} piece
   * @param {Item[]} all
   * @param {Map<Piece, Item[]>} items
   * @param {Slot[]} silent Filled.
   */
  const fill = (piece, all, items, silent) => {
    piece.gaps = [[]];
    for (const item of all) {
      if (isSlot(item)) (item.part === "silent" ? silent : piece.gaps.at(-1))?.push(item);
      else {
        const isVoid = item.opaque || !hasText(item, items);
        if (isVoid && !item.opaque && !showsSomething(item, items)) continue;
        item.opaque = isVoid;
        piece.children.push(item);
        piece.gaps.push([]);
        if (!isVoid) fill(item, insideOf(item, items), items, silent);
      }
    }
  };

  /**
   * @param {Piece} piece
   * @param {Map<Piece, Item[]>} items
   * @returns {Item[]} What is in it, or in the element that is all there is in it.
   */
  const insideOf = (piece, items) => {
    const all = items.get(piece) ?? [];
    const only = all.length === 1 ? all[0] : undefined;
    return only && !isSlot(only) && !only.opaque ? insideOf(only, items) : all;
  };

  /**
   * @param {Piece} piece
   * @param {Map<Piece, Item[]>} items
   * @returns {boolean} An element without text that the reader may see, as an icon made by CSS.
   */
  const showsSomething = (piece, items) => piece.outer?.hasAttribute("class") === true ||
    (items.get(piece) ?? []).some((item) => !isSlot(item) && (item.opaque || showsSomething(item, items)));

  /**
   * @param {Piece} piece
   * @returns {Slot[]} In document order.
   */
  const slotsOf = (piece) => piece.gaps.flatMap((gap, k) => {
    const child = piece.children[k];
    return child && !child.opaque ? [...gap, ...slotsOf(child)] : gap;
  });

  /**
   * Leaves the white space at both ends of a segment outside of it.
   * @param {Slot[]} slots
   */
  const trimEdges = (slots) => {
    const isFull = (/** @type {Slot} */ slot) => /[^ \t\r\n\f]/u.test(textOf(slot));
    const first = slots.find(isFull);
    if (first) first.start += /^[ \t\r\n\f]*/u.exec(textOf(first))?.[0].length ?? 0;
    const last = slots.findLast(isFull);
    if (last) last.end -= /[ \t\r\n\f]*$/u.exec(textOf(last))?.[0].length ?? 0;
  };

  /**
   * Writes a piece's content with numbered tags, numbering its children on the way.
   * @param {Piece} piece
   * @param {{tags: number, afterSpace: boolean, marked: string, plain: string}} writer
   */
  const write = (piece, writer) => {
    for (const [k, gap] of piece.gaps.entries()) {
      for (const slot of gap) {
        const text = spacedText(textOf(slot), slot.spaces, writer);
        writer.marked += escape(text);
        writer.plain += text;
      }
      const child = piece.children[k];
      if (!child) continue;
      child.n = writer.tags += 1;
      writer.marked += child.opaque ? `<${child.n}/>` : `<${child.n}>`;
      if (child.opaque) writer.afterSpace = false;
      else {
        write(child, writer);
        writer.marked += `</${child.n}>`;
      }
    }
  };

  /**
   * Returns the text with white space as CSS shows it after what was written before.
   * @param {string} text
   * @param {string} spaces
   * @param {{afterSpace: boolean}} writer
   * @returns {string}
   */
  const spacedText = (text, spaces, writer) => {
    if (spaces === "preserve" || spaces === "break-spaces") return text;
    const single = text.replace(/[ \t\r\n\f]+/gu, " ");
    const shown = writer.afterSpace && single.startsWith(" ") ? single.slice(1) : single;
    if (shown !== "") writer.afterSpace = shown.endsWith(" ");
    return shown;
  };

  const UI_NAMES = new Set(["button", "label", "option", "optgroup", "summary", "legend", "select"]);
  const UI_ROLES = new Set(["button", "menuitem", "menuitemcheckbox", "menuitemradio", "tab", "option", "switch"]);

  /**
   * @param {Element} element
   * @returns {boolean}
   */
  const isUi = (element) => UI_NAMES.has(element.localName) || UI_ROLES.has(element.getAttribute("role") ?? "");

  /**
   * Returns the segment of an attribute, or null when there is nothing to translate.
   * @param {Element} element
   * @param {string} name
   * @param {string} value
   * @param {{lang: string, hidden: boolean}} context
   * @returns {Unit|null}
   */
  const unitOfAttribute = (element, name, value, context) => {
    const plain = value.replace(/\s+/gu, " ").trim().toWellFormed();
    if (!isProse(plain) || escape(plain).length > webtranslator.cut.MAX_UNITS) return null;
    return {
      container: element, block: null, attribute: name, plain, piece: null, slots: [], text: plain, tags: undefined,
      ui: name === "value" || isUi(element), lang: context.lang, hidden: context.hidden,
      follows: false, entry: null, applied: null, inText: false, mark: null, dropped: false,
    };
  };

  return { unitsOf, unitOfAttribute };
})();
webtranslator.segments = segmentsModule;
