/**
 * From a run of inline content to segments with numbered tags.
 *
 * What for: the text that is sent, and the tree that says where each part of
 * the answer belongs. What not: it walks nothing and writes nothing. What
 * must stay true: white space is what CSS makes of it; white space, images
 * and controls at the edges stay outside; a segment holds at most 8,000
 * UTF-16 units.
 */
var segmentsModule = (() => {
  const { escape } = webtranslator.markup;
  const { isProse, isUnspaced } = webtranslator.language;
  /** The host refuses above 8,000; escapes are counted at their full length. */
  const MAX_UNITS = 7_800;

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
    const keepsLines = run.block.spaces.startsWith("preserve") || run.block.spaces === "break-spaces";
    const lines = cutLong(keepsLines ? cutAt(run.tokens, newlinesIn) : [run.tokens]);
    return lines.flatMap((tokens) => {
      const items = new Map();
      const root = treeOf(tokens, stateOf, items);
      return unitsIn(run, root, items);
    });
  };

  /**
   * @param {string} text
   * @returns {{end: number, next: number}[]} Where a line ends and the next begins.
   */
  const newlinesIn = (text) => [...text.matchAll(/\r\n?|\n/gu)].map((match) =>
    ({ end: match.index, next: match.index + match[0].length }));

  /**
   * Cuts tokens in several runs at places within texts; elements that are
   * open there are in both, as partial ones.
   * @param {Token[]} tokens
   * @param {(text: string) => {end: number, next: number}[]} placesIn
   * @returns {Token[][]}
   */
  const cutAt = (tokens, placesIn) => {
    /** @type {Token[]} */
    let line = [];
    const lines = [line];
    /** @type {Element[]} */
    const open = [];
    const cut = () => {
      for (const token of line) if (token.kind === "open" && open.includes(token.element)) token.partial = true;
      line.push(...open.toReversed().map((element) => ({ kind: /** @type {const} */ ("close"), element, partial: true })));
      line = open.map((element) => ({ kind: /** @type {const} */ ("open"), element, partial: true }));
      lines.push(line);
    };
    for (const token of tokens) {
      if (token.kind === "open") open.push(token.element);
      if (token.kind === "close") open.pop();
      if (token.kind !== "text") {
        line.push(token.kind === "open" ? { ...token } : token);
        continue;
      }
      let start = token.start;
      for (const { end, next } of placesIn(token.node.data.slice(token.start, token.end))) {
        line.push({ ...token, start, end: token.start + end });
        cut();
        start = token.start + next;
      }
      line.push({ ...token, start });
    }
    return lines;
  };

  /**
   * Cuts what is too long for one segment at sentence ends, else at spaces,
   * else between characters.
   * @param {Token[][]} lines
   * @returns {Token[][]}
   */
  const cutLong = (lines) => lines.flatMap((tokens) => {
    if (tokens.reduce((sum, token) => sum + weightOf(token), 0) <= MAX_UNITS) return [tokens];
    let weight = 0;
    return cutAt(tokens, (text) => {
      const places = [];
      for (const { segment, index } of sentencesOf(text)) {
        const more = escape(segment).length + 20;
        if (weight > 0 && weight + more > MAX_UNITS) {
          places.push({ end: index, next: index });
          weight = 0;
        }
        weight += more;
      }
      return places;
    });
  });

  /**
   * @param {Token} token
   * @returns {number}
   */
  const weightOf = (token) => (token.kind === "text" ? escape(token.node.data.slice(token.start, token.end)).length : 8);

  /**
   * @param {string} text
   * @returns {{segment: string, index: number}[]} Sentences; one that is too long by itself in parts.
   */
  const sentencesOf = (text) => {
    const sentences = [...new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(text)];
    return sentences.flatMap(({ segment, index }) => {
      if (escape(segment).length + 20 <= MAX_UNITS) return [{ segment, index }];
      return [...new Intl.Segmenter(undefined, { granularity: /\s/u.test(segment) ? "word" : "grapheme" }).segment(segment)]
        .map((part) => ({ segment: part.segment, index: index + part.index }));
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
        if (token.end > token.start) add({ state: stateOf(token.node), start: token.start, end: token.end, value: null, unit: null });
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
  const hasText = (item, items) => (isSlot(item) ? /[^ \t\r\n\f]/u.test(textOf(item))
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
    const rest = all.slice(first, all.findLastIndex((item) => hasText(item, items)) + 1);
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
    fill(root, items.get(root) ?? [], items);
    const slots = slotsOf(root);
    trimEdges(slots);
    const writer = { tags: 0, spaces: run.block.spaces, afterSpace: true, marked: "", plain: "" };
    write(root, writer);
    const plain = writer.plain.trimEnd().toWellFormed();
    if (!isProse(plain)) return null;
    const { element } = run.block;
    /** @type {Unit} */
    const unit = {
      container: element, block: run.block, attribute: null, plain, piece: root, slots,
      text: writer.tags > 0 ? writer.marked.toWellFormed() : plain, tags: writer.tags || undefined,
      ui: isUi(element), lang: run.lang, hidden: run.hidden,
      follows: slots[0] !== undefined && isUnspaced(slots[0].state.source.charAt(slots[0].start - 1)),
      entry: null, applied: null, inText: false, mark: null, dropped: false,
    };
    for (const slot of slots) slot.unit = unit;
    return unit;
  };

  /**
   * Sorts a piece's items into children and the texts between them.
   * Elements without text stay where they are; those that show something count as void tags.
   * @param {Piece} piece
   * @param {Item[]} all
   * @param {Map<Piece, Item[]>} items
   */
  const fill = (piece, all, items) => {
    piece.gaps = [[]];
    for (const item of all) {
      if (isSlot(item)) piece.gaps.at(-1)?.push(item);
      else {
        const isVoid = item.opaque || !hasText(item, items);
        if (isVoid && !item.opaque && !showsSomething(item, items)) continue;
        item.opaque = isVoid;
        piece.children.push(item);
        piece.gaps.push([]);
        if (!isVoid) fill(item, insideOf(item, items), items);
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
   * @param {{tags: number, spaces: string, afterSpace: boolean, marked: string, plain: string}} writer
   */
  const write = (piece, writer) => {
    for (const [k, gap] of piece.gaps.entries()) {
      for (const slot of gap) {
        const text = spacedText(textOf(slot), writer);
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
   * @param {{spaces: string, afterSpace: boolean}} writer
   * @returns {string}
   */
  const spacedText = (text, writer) => {
    if (writer.spaces === "preserve" || writer.spaces === "break-spaces") return text;
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
    if (!isProse(plain) || escape(plain).length > MAX_UNITS) return null;
    return {
      container: element, block: null, attribute: name, plain, piece: null, slots: [], text: plain, tags: undefined,
      ui: name === "value" || isUi(element), lang: context.lang, hidden: context.hidden,
      follows: false, entry: null, applied: null, inText: false, mark: null, dropped: false,
    };
  };

  return { unitsOf, unitOfAttribute };
})();
webtranslator.segments = segmentsModule;
