/**
 * How soon the reader needs a text: 0 visible, 1 within one screen, 2 the
 * rest, 3 what is not shown at all.
 *
 * What for: the order of sending. What not: it keeps no list. What must stay
 * true: it is asked about what is unanswered only, since each look may cost
 * the page a layout.
 */
var rankModule = (() => {
  /**
   * @param {Unit} unit
   * @returns {0|1|2|3}
   */
  const rankOf = (unit) => {
    const { container } = unit;
    if (webtranslator.elements.isDead(container)) return 2;
    if (container.parentNode === container.ownerDocument.head) return 0;
    if (!container.isConnected || !container.checkVisibility()) return 3;
    const { top, bottom, left, right } = container.getBoundingClientRect();
    // What is not rendered has no size; what is smaller than a pixel is for screen readers.
    if (bottom - top <= 1 && right - left <= 1) return 3;
    const { innerHeight: height, innerWidth: width } = container.ownerDocument.defaultView ?? globalThis;
    const meets = (/** @type {number} */ margin) => bottom > -margin && top < height + margin;
    if (meets(0) && right > 0 && left < width) return 0;
    return meets(height) ? 1 : 2;
  };

  return { rankOf };
})();
webtranslator.rank = rankModule;
