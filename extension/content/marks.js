/**
 * The small mark at a text that could not be translated.
 *
 * What for: the reader sees which text is missing and why, and asks again
 * with a click. What not: it counts nothing. What must stay true: a mark
 * takes no room in the page's layout; only a real click of the reader counts.
 */
var marksModule = (() => {
  const { make } = webtranslator.elements;
  const STYLE = "position:absolute;z-index:1;display:inline;float:none;margin:0;padding:0;border:0;";
  const BUTTON_STYLE = "all:initial;cursor:pointer;font:bold 11px/14px sans-serif;min-width:14px;height:14px;" +
    "margin-inline-start:2px;text-align:center;color:#fff;background:#b3261e;border-radius:7px;display:inline-block;";

  /** A white ring within a blue one is seen on any ground. */
  const FOCUS = { outline: "2px solid #fff", boxShadow: "0 0 0 4px #1a5fb4" };
  const NO_FOCUS = { outline: "", boxShadow: "" };

  /**
   * Places a mark behind a unit, where its container has room for an element.
   * @param {Ledger} ledger
   * @param {Unit} unit
   * @param {() => void} onRetry
   */
  const place = (ledger, unit, onRetry) => {
    if (unit.mark || ["option", "optgroup", "title", "text", "select"].includes(unit.container.localName)) return;
    const at = webtranslator.renderBoth.placeAfter(unit);
    if (!at || !unit.entry) return;
    const document = unit.container.ownerDocument;
    const mark = make(document, "webtranslator-mark");
    // Not the attribute: the page's policy may forbid it.
    mark.style.cssText = STYLE;
    const button = make(document, "button");
    button.style.cssText = BUTTON_STYLE;
    button.textContent = "!";
    const reason = reasonOf(unit.entry);
    button.title = reason;
    button.setAttribute("aria-label", reason);
    // A style sheet in the shadow root may be forbidden by the page's policy.
    button.addEventListener("focus", () => {
      if (button.matches(":focus-visible")) Object.assign(button.style, FOCUS);
    });
    button.addEventListener("blur", () => void Object.assign(button.style, NO_FOCUS));
    // On the mark and not its button: beside it there is a gap, and a link of the page may be around.
    mark.addEventListener("click", (event) => {
      event.preventDefault();
      event.stopPropagation();
      if (event.isTrusted) onRetry();
    });
    mark.attachShadow({ mode: "closed" }).append(button);
    ledger.own.add(mark);
    unit.mark = mark;
    at.parent.insertBefore(mark, at.next);
  };

  /**
   * @param {Entry} entry
   * @returns {string}
   */
  const reasonOf = (entry) => {
    const { uiText } = webtranslator.browserApi;
    const reason = uiText(`failed_${entry.code}`, entry.message || entry.code);
    return `${reason} – ${uiText("retry", "retry")}`;
  };

  /** @param {Unit} unit */
  const remove = (unit) => {
    unit.mark?.remove();
    unit.mark = null;
  };

  return { place, remove };
})();
webtranslator.marks = marksModule;
