/**
 * What the reader points at, and the bubble that belongs to it.
 *
 * What for: in "hover" mode the translation of what is under the pointer or
 * has the focus; in "translation" mode its original, while Shift is held.
 * What not: it translates nothing and changes no text of the page. What must
 * stay true: nothing is looked for but under the pointer, once it rests; a
 * bubble can be reached with the pointer, and Escape takes it away.
 */
var hoverModule = (() => {
  /** The pointer on its way elsewhere shows nothing. */
  const REST_MS = 120;
  /** The way from the text into the bubble. */
  const LEAVE_MS = 250;
  /** A line is a little higher than its letters. */
  const NEAR = 3;
  /** So many Text nodes are looked through in what has the focus. */
  const MAX_NODES = 50;

  /** @typedef {{left: number, top: number, right: number, bottom: number}} Area */
  /** @typedef {{unit: Unit, area: Area}} Found */

  /**
   * @param {Self} page
   */
  const createHover = (page) => {
    const self = {
      page, bubble: webtranslator.bubble.createBubble(page.ledger),
      shown: /** @type {Unit|null} */ (null), timer: 0,
    };
    return {
      /** @param {Document|ShadowRoot} root @param {AbortSignal} signal */
      observe: (root, signal) => observe(self, root, signal),
      hide: () => hide(self),
    };
  };

  /** @typedef {{page: Self, bubble: ReturnType<typeof bubbleModule.createBubble>, shown: Unit|null, timer: number}} Hover */

  /**
   * @param {Hover} self
   * @param {Document|ShadowRoot} root
   * @param {AbortSignal} signal
   */
  const observe = (self, root, signal) => {
    const on = { capture: true, passive: true, signal };
    root.addEventListener("pointermove", (event) => pointed(self, /** @type {PointerEvent} */ (event)), on);
    root.addEventListener("focusin", ({ target }) => {
      if (self.page.mode === "hover") show(self, foundIn(self.page.ledger, target));
    }, on);
    root.addEventListener("focusout", () => hide(self), on);
    if (root.nodeType !== 9) return;
    root.addEventListener("pointerleave", ({ target }) => {
      if (target === root) later(self, LEAVE_MS, () => hide(self));
    }, on);
    root.addEventListener("scroll", ({ target }) => {
      if (!self.bubble.holds(target)) hide(self);
    }, on);
    root.addEventListener("keydown", (event) => {
      if (/** @type {KeyboardEvent} */ (event).key === "Escape") hide(self);
    }, on);
  };

  /**
   * The same move is seen at each root around its target; the innermost comes last, and its word counts.
   * @param {Hover} self
   * @param {PointerEvent} event
   */
  const pointed = (self, event) => {
    const target = event.composedPath()[0] ?? null;
    if (self.bubble.holds(event.target) || self.bubble.holds(target)) {
      clearTimeout(self.timer);
      return;
    }
    const wanted = self.page.mode === "hover" || (self.page.mode === "translation" && event.shiftKey);
    const { clientX, clientY } = event;
    const found = wanted && event.pointerType !== "touch" ? foundAt(self.page.ledger, target, clientX, clientY) : null;
    if (found && found.unit === self.shown) clearTimeout(self.timer);
    else if (found) later(self, REST_MS, () => show(self, found));
    else if (self.shown) later(self, LEAVE_MS, () => hide(self));
    else clearTimeout(self.timer);
  };

  /**
   * @param {Hover} self
   * @param {number} ms
   * @param {() => void} act
   */
  const later = (self, ms, act) => {
    clearTimeout(self.timer);
    self.timer = setTimeout(act, ms);
  };

  /**
   * @param {Hover} self
   * @param {Found|null} found
   */
  const show = (self, found) => {
    if (!found || found.unit.dropped || !self.page.active) return;
    const { unit, area } = found;
    const isOriginal = self.page.mode !== "hover";
    const text = isOriginal ? unit.plain : translationOf(unit);
    if (text === "") return;
    self.shown = unit;
    const lang = isOriginal ? unit.lang : self.page.renderer.target;
    self.bubble.show({ beside: unit.container, area, text, lang });
  };

  /** @param {Hover} self */
  const hide = (self) => {
    clearTimeout(self.timer);
    self.shown = null;
    self.bubble.hide();
  };

  /**
   * @param {Unit} unit
   * @returns {string}
   */
  const translationOf = ({ entry, applied, tags }) => {
    if (!applied || entry?.state !== "translated") return "";
    return webtranslator.markup.textOf(webtranslator.markup.parse(entry.translation, tags) ?? []).trim();
  };

  /**
   * Returns the shown unit whose text is at a point of the window.
   * @param {Ledger} ledger
   * @param {EventTarget|null} target What the pointer is on.
   * @param {number} x
   * @param {number} y
   * @returns {Found|null}
   */
  const foundAt = (ledger, target, x, y) => {
    const element = elementOf(target);
    if (!element) return null;
    for (const node of element.childNodes) {
      if (node.nodeType !== 3) continue;
      for (const { unit, start, end } of placesIn(ledger, /** @type {Text} */ (node))) {
        const area = areasOf(/** @type {Text} */ (node), start, end).find((rect) =>
          x >= rect.left - NEAR && x <= rect.right + NEAR && y >= rect.top - NEAR && y <= rect.bottom + NEAR);
        if (area) return { unit, area };
      }
    }
    return attributeOf(ledger, element);
  };

  /**
   * Returns the first shown unit in what has the focus.
   * @param {Ledger} ledger
   * @param {EventTarget|null} target
   * @returns {Found|null}
   */
  const foundIn = (ledger, target) => {
    const element = elementOf(target);
    if (!element) return null;
    const texts = /** @type {Document} */ (element.ownerDocument).createTreeWalker(element, 4);
    for (let seen = 0; seen < MAX_NODES && texts.nextNode(); seen += 1) {
      const place = placesIn(ledger, /** @type {Text} */ (texts.currentNode))[0];
      if (place) return { unit: place.unit, area: element.getBoundingClientRect() };
    }
    return attributeOf(ledger, element);
  };

  /**
   * @param {EventTarget|null} target
   * @returns {Element|null}
   */
  const elementOf = (target) => {
    const node = /** @type {Node|null} */ (target);
    const isElement = node !== null && node.nodeType === 1 && !webtranslator.elements.isVeiled(node);
    return isElement ? /** @type {Element} */ (node) : null;
  };

  /**
   * @param {Ledger} ledger
   * @param {Text} node
   * @returns {{unit: Unit, start: number, end: number}[]} Where shown units stand in the node's present text.
   */
  const placesIn = (ledger, node) => {
    const state = ledger.texts.get(node);
    let shift = 0;
    return (state?.slots ?? []).flatMap(({ unit, start, end, value }) => {
      const from = start + shift;
      shift += value === null ? 0 : value.length - (end - start);
      return unit?.applied ? [{ unit, start: from, end: end + shift }] : [];
    });
  };

  /**
   * @param {Text} node
   * @param {number} start
   * @param {number} end
   * @returns {DOMRect[]}
   */
  const areasOf = (node, start, end) => {
    const range = /** @type {Document} */ (node.ownerDocument).createRange();
    range.setStart(node, Math.min(start, node.length));
    range.setEnd(node, Math.min(end, node.length));
    return [...range.getClientRects()];
  };

  /**
   * @param {Ledger} ledger
   * @param {Element} element
   * @returns {Found|null} What an attribute of it says.
   */
  const attributeOf = (ledger, element) => {
    for (const { unit } of ledger.attributes.get(element)?.values() ?? []) {
      if (unit?.applied) return { unit, area: element.getBoundingClientRect() };
    }
    return null;
  };

  return { createHover };
})();
webtranslator.hover = hoverModule;
