/**
 * "Both" mode: the translation beside its original.
 *
 * What for: an inline element of our own after the run, so that the text
 * flows around floats as its source does; where an element would change the
 * layout, the translation goes into the text itself. What not: it takes
 * nothing back, `render` does. What must stay true: the page's own nodes
 * keep their places and their text; a link of ours leads where the page's
 * own link does.
 */
var renderBothModule = (() => {
  const { make } = webtranslator.elements;
  const TRANSLATION_ONLY = new Set(["option", "optgroup", "title", "select", "text"]);
  const COPIED = ["b", "strong", "i", "em", "u", "s", "sub", "sup", "small", "code", "kbd", "samp", "var", "bdi"];
  /** What is longer is no part of a sentence that a reader would want twice. */
  const MAX_WORDS = 200;
  const BOXES = /flex|grid|table$|table-row/u;

  /**
   * Shows a translation beside its source. Returns false where only the
   * translation itself has room.
   * @param {Renderer} renderer
   * @param {Unit} unit
   * @param {MarkupItem[]} items
   * @param {Applied} applied
   * @returns {boolean}
   */
  const apply = (renderer, unit, items, applied) => {
    const { block, container } = unit;
    const place = placeAfter(unit);
    if (!block || !place || TRANSLATION_ONLY.has(container.localName)) return false;
    const keepsLines = block.spaces.startsWith("preserve") || block.spaces === "break-spaces";
    const shared = unit.slots.some(({ state }) => state.slots.length > 1);
    const inBox = place.parent === container && BOXES.test(block.display);
    if (unit.inText || keepsLines || shared || inBox) {
      intoText(renderer, unit, (keepsLines ? "\n" : " ") + wordsOf(renderer.ledger, unit.piece, items));
      return true;
    }
    const element = make(container.ownerDocument, "webtranslator-text");
    renderer.ledger.own.add(element);
    element.setAttribute("lang", renderer.target);
    element.setAttribute("dir", webtranslator.language.directionOf(renderer.target));
    element.setAttribute("translate", "no");
    const ownLine = !block.display.startsWith("inline");
    element.append(ownLine ? make(container.ownerDocument, "br") : " ");
    fill(renderer.ledger, element, unit.piece, items);
    renderer.ledger.shownBy.set(element, unit);
    applied.own.push(element);
    place.parent.insertBefore(element, place.next);
    return true;
  };

  /**
   * Returns the place right after a unit's last node.
   * @param {Unit} unit
   * @returns {{parent: Node, next: Node|null}|null}
   */
  const placeAfter = (unit) => {
    const { piece } = unit;
    if (!piece) return null;
    const last = piece.gaps.at(-1)?.at(-1)?.state.node ?? piece.children.at(-1)?.outer;
    return last?.parentNode ? { parent: last.parentNode, next: last.nextSibling } : null;
  };

  /**
   * @param {Renderer} renderer
   * @param {Unit} unit
   * @param {string} addition
   */
  const intoText = (renderer, unit, addition) => {
    const slot = unit.slots.findLast(({ state, start, end, part }) => part !== "silent" && /\S/u.test(state.source.slice(start, end)));
    if (!slot) return;
    slot.value = slot.state.source.slice(slot.start, slot.end) + addition;
    webtranslator.ledger.writeText(renderer.ledger, slot.state);
  };

  /**
   * @param {Ledger} ledger
   * @param {Element} parent
   * @param {Piece|null|undefined} piece
   * @param {MarkupItem[]} items
   */
  const fill = (ledger, parent, piece, items) => {
    for (const item of items) {
      if (typeof item === "string") {
        parent.append(item);
        continue;
      }
      const source = piece?.children.find(({ n }) => n === item.n);
      const copy = copyOf(parent.ownerDocument, source?.outer);
      if (item.void) (copy ?? parent).append(pageWords(ledger, source?.outer));
      else fill(ledger, copy ?? parent, source, item.items);
      if (copy) parent.append(copy);
    }
  };

  /**
   * Returns a translation as text, with the words of what stands in the sentence as one thing.
   * @param {Ledger} ledger
   * @param {Piece|null|undefined} piece
   * @param {MarkupItem[]} items
   * @returns {string}
   */
  const wordsOf = (ledger, piece, items) => items.map((item) => {
    if (typeof item === "string") return item;
    const source = piece?.children.find(({ n }) => n === item.n);
    return item.void ? pageWords(ledger, source?.outer) : wordsOf(ledger, source, item.items);
  }).join("");

  /**
   * Returns the page's own words of a name, of code or of a button; "" where they are no words, as in a formula.
   * @param {Ledger} ledger
   * @param {Element|null|undefined} element
   * @returns {string}
   */
  const pageWords = (ledger, element) => {
    if (!element || element.querySelector("math, svg, style, script, option, textarea, iframe, object")) return "";
    if (/^(?:math|svg|select|textarea|iframe|object|video|audio|canvas|meter|progress)$/u.test(element.localName)) return "";
    const words = sourceIn(ledger, element).replace(/\s+/gu, " ").trim();
    return words.length > MAX_WORDS ? "…" : words;
  };

  /**
   * @param {Ledger} ledger
   * @param {Node} node
   * @returns {string} The page's own text in it, whatever is shown there.
   */
  const sourceIn = (ledger, node) => [...node.childNodes].map((child) => {
    if (ledger.own.has(child)) return "";
    return child.nodeType === 3 ? webtranslator.ledger.sourceOf(ledger, /** @type {Text} */ (child)) : sourceIn(ledger, child);
  }).join("");

  /**
   * Returns an empty element of ours for a link or emphasis of the page, else null.
   * @param {Document} document
   * @param {Element|null|undefined} outer
   * @returns {Element|null}
   */
  const copyOf = (document, outer) => {
    const name = outer?.localName ?? "";
    if (COPIED.includes(name)) return make(document, name);
    const href = name === "a" ? outer?.getAttribute("href") : null;
    if (!href || !/^https?:$/u.test(/** @type {HTMLAnchorElement} */ (outer).protocol)) return null;
    const link = make(document, "a");
    link.setAttribute("href", href);
    for (const key of ["target", "rel", "class"]) {
      const value = outer?.getAttribute(key);
      if (value) link.setAttribute(key, value);
    }
    return link;
  };

  return { apply, placeAfter };
})();
webtranslator.renderBoth = renderBothModule;
