/**
 * A bubble with the other text: the translation, or the original.
 *
 * What for: one small box beside a place in the page, above everything else
 * in it. What not: it knows no unit and decides nothing about when to show.
 * What must stay true: it takes no room in the page's layout, lives in a
 * closed shadow root, and is gone from the document when it is hidden; its
 * text is text.
 */
var bubbleModule = (() => {
  const { make } = webtranslator.elements;
  /** Where the top layer is not there, this is above nearly all. */
  const HOST_STYLE = ["all:initial", "display:block", "position:fixed", "inset:auto", "overflow:visible", "z-index:2147483647"]
    .map((declaration) => `${declaration}!important;`).join("");
  const BOX_STYLE = "all:initial;display:block;box-sizing:border-box;max-width:min(40em,calc(100vw - 16px));max-height:50vh;" +
    "overflow:auto;padding:6px 10px;border-radius:6px;font:14px/1.45 system-ui,sans-serif;white-space:pre-line;" +
    "overflow-wrap:break-word;user-select:text;cursor:text;";
  const LIGHT = "background:#fff;color:#1b1b1f;border:1px solid #8a8a94;box-shadow:0 2px 10px #0004;";
  const DARK = "background:#26262b;color:#f2f2f5;border:1px solid #83838d;box-shadow:0 2px 10px #000a;";
  const EDGE = 8;

  /** @typedef {{beside: Element, area: {left: number, top: number, right: number, bottom: number}, text: string, lang: string}} Wanted */

  /**
   * @param {Ledger} ledger
   */
  const createBubble = (ledger) => {
    /** @type {HTMLElement|null} */
    let host = null;
    const hide = () => {
      host?.remove();
      host = null;
    };
    return {
      hide,
      /** @param {Wanted} wanted */
      show: (wanted) => {
        hide();
        host = place(ledger, wanted);
      },
      /** @param {EventTarget|null} target */
      holds: (target) => host !== null && target === host,
    };
  };

  /**
   * @param {Ledger} ledger
   * @param {Wanted} wanted
   * @returns {HTMLElement}
   */
  const place = (ledger, { beside, area, text, lang }) => {
    const document = /** @type {Document} */ (beside.ownerDocument);
    const view = document.defaultView ?? globalThis.window;
    const host = make(document, "webtranslator-bubble");
    ledger.own.add(host);
    host.style.cssText = HOST_STYLE;
    host.setAttribute("translate", "no");
    const box = make(document, "div");
    box.style.cssText = BOX_STYLE + (view.matchMedia("(prefers-color-scheme: dark)").matches ? DARK : LIGHT);
    box.setAttribute("role", "tooltip");
    box.lang = lang;
    box.dir = "auto";
    box.textContent = text;
    host.attachShadow({ mode: "closed" }).append(box);
    // At the end of the page's own root element, and not in its body, where `:last-child` might mean something.
    // All around a modal dialog is inert.
    (beside.closest("dialog:modal") ?? document.documentElement).append(host);
    // The top layer is above the page's dialogs, too.
    if ("showPopover" in host) {
      host.setAttribute("popover", "manual");
      host.showPopover();
    }
    const { width, height } = host.getBoundingClientRect();
    const left = Math.max(EDGE, Math.min(area.left, view.innerWidth - width - EDGE));
    const below = area.bottom + height + EDGE <= view.innerHeight || area.top < height + EDGE;
    host.style.setProperty("left", `${left}px`, "important");
    host.style.setProperty("top", `${below ? area.bottom : area.top - height}px`, "important");
    return host;
  };

  return { createBubble };
})();
webtranslator.bubble = bubbleModule;
