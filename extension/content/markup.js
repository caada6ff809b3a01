/**
 * Numbered tags: text with `<1>…</1>` and `<2/>`, as it goes over the wire.
 *
 * What for: writing and reading them. What not: it knows no element, and
 * nothing here ever becomes HTML. What must stay true: what is not well
 * formed is refused as a whole.
 */
var markupModule = (() => {
  /** @typedef {{n: number, void: boolean, items: Item[]}} Tag */
  /** @typedef {string|Tag} Item */

  /**
   * Escapes text for a marked segment; nothing else is an entity there.
   * @param {string} text
   * @returns {string}
   */
  const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

  /**
   * @param {string} text
   * @returns {string}
   */
  const unescape = (text) => text.replaceAll("&lt;", "<").replaceAll("&amp;", "&");

  /**
   * Reads a marked text. Returns null when a tag is unknown, doubled, not
   * closed or crossed, or when one of the `tags` is missing.
   * @param {string} text
   * @param {number|undefined} tags Undefined: the text is plain.
   * @returns {Item[]|null}
   */
  const parse = (text, tags) => {
    if (tags === undefined) return text === "" ? [] : [text];
    /** @type {Tag[]} */
    const stack = [{ n: 0, void: false, items: [] }];
    const seen = new Set();
    let from = 0;
    for (const match of text.matchAll(/<(\/?)(\d{1,5})(\/?)>/gu)) {
      if (!addText(stack, text.slice(from, match.index))) return null;
      from = match.index + match[0].length;
      const n = Number(match[2]);
      const isVoid = match[3] === "/";
      if (match[1]) {
        if (isVoid || !close(stack, n)) return null;
      } else {
        if (n < 1 || n > tags || seen.has(n)) return null;
        seen.add(n);
        open(stack, n, isVoid);
      }
    }
    if (!addText(stack, text.slice(from))) return null;
    return stack.length === 1 && seen.size === tags ? /** @type {Tag} */ (stack[0]).items : null;
  };

  /**
   * @param {Tag[]} stack
   * @param {string} text
   * @returns {boolean} False when a bare `<` is in it: a tag that was spoilt.
   */
  const addText = (stack, text) => {
    if (text.includes("<")) return false;
    if (text !== "") stack.at(-1)?.items.push(unescape(text));
    return true;
  };

  /**
   * @param {Tag[]} stack
   * @param {number} n
   * @param {boolean} isVoid
   */
  const open = (stack, n, isVoid) => {
    const tag = { n, void: isVoid, items: [] };
    stack.at(-1)?.items.push(tag);
    if (!isVoid) stack.push(tag);
  };

  /**
   * @param {Tag[]} stack
   * @param {number} n
   * @returns {boolean}
   */
  const close = (stack, n) => stack.length > 1 && stack.pop()?.n === n;

  /**
   * Returns the text without its tags.
   * @param {Item[]} items
   * @returns {string}
   */
  const textOf = (items) => items.map((item) => (typeof item === "string" ? item : textOf(item.items))).join("");

  /**
   * Lays a translation over a segment's tree: for each piece the order of
   * its children and the texts between them. Returns null when the
   * translation has other tags, other nesting, or lost the words of a tag.
   * @param {Piece} piece
   * @param {Item[]} items
   * @returns {Map<Piece, {order: Piece[], texts: string[]}>|null}
   */
  const match = (piece, items) => {
    const found = new Map();
    return matchInto(piece, items, found) && textOf(items).trim() !== "" ? found : null;
  };

  /**
   * @param {Piece} piece
   * @param {Item[]} items
   * @param {Map<Piece, {order: Piece[], texts: string[]}>} found
   * @returns {boolean}
   */
  const matchInto = (piece, items, found) => {
    /** @type {Piece[]} */
    const order = [];
    const texts = [""];
    for (const item of items) {
      if (typeof item === "string") {
        texts[order.length] += item;
        continue;
      }
      const child = piece.children.find((candidate) => candidate.n === item.n);
      if (!child || child.opaque !== item.void) return false;
      if (!child.opaque && (textOf(item.items).trim() === "" || !matchInto(child, item.items, found))) return false;
      order.push(child);
      texts.push("");
    }
    if (order.length !== piece.children.length) return false;
    found.set(piece, { order, texts });
    return true;
  };

  return { escape, parse, textOf, match };
})();
/** @typedef {{n: number, void: boolean, items: MarkupItem[]}} MarkupTag */
/** @typedef {string|MarkupTag} MarkupItem */
webtranslator.markup = markupModule;
