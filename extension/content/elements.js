/**
 * What an element is to the walk: a block, a part of a sentence, opaque,
 * or nothing to read.
 *
 * What for: one decision for each element, from its name, its marks and,
 * for what is inline by name, its computed display. What not: it does not
 * descend. What must stay true: it writes nothing.
 */
var elementsModule = (() => {
  const set = (/** @type {string} */ names) => new Set(names.split(" "));
  const SKIPPED = set("script style noscript template head meta link base datalist rp rt source track area map param wbr");
  const OPAQUE = set("code kbd samp var tt math textarea img input canvas video audio object embed progress meter " +
    "svg iframe frame mjx-container picture bdi");
  const NEVER_READ = set("pre listing xmp plaintext");
  const ATOMIC = set("button label select");
  const BLOCKS = set("address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption " +
    "figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p " +
    "search section summary table caption colgroup col tbody thead tfoot tr td th title ul text foreignObject");
  /** Elements that may carry a shadow root, besides those with a hyphen in their name. */
  const MAY_HOST = set("article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span");
  const MATH_OR_ICON = /(?:^|\s)(?:katex(?:-display)?|MathJax\S*|material-icons\S*|material-symbols\S*)(?:\s|$)/u;

  /**
   * @typedef {object} Context What an element inherits.
   * @property {string} lang
   * @property {boolean} translate
   * @property {boolean} editable
   * @property {boolean} hidden
   */

  /** What is asked of an element; a field of a form by such a name hides it. */
  const ASKED = ("attributes childNodes children classList contains getAttribute getBoundingClientRect hasAttributes insertBefore " +
    "isConnected lastChild localName namespaceURI nextSibling nodeType ownerDocument parentElement parentNode querySelectorAll " +
    "removeChild setAttribute").split(" ");

  /**
   * Says whether a form's fields hide what we would ask the form. Such a
   * form is left alone: in Chromium they do so for extensions as well.
   * @param {Node} node
   * @returns {boolean}
   */
  const isVeiled = (node) => {
    const name = /** @type {Element} */ (node).localName;
    if (typeof name === "string" && name !== "form") return false;
    return name !== undefined && ASKED.some((asked) => Object.hasOwn(node, asked));
  };

  /** @type {Context} */
  const ROOT_CONTEXT = { lang: "", translate: true, editable: false, hidden: false };

  /**
   * Returns what an element's content inherits; the same object when it
   * changes nothing. The nearest mark wins.
   * @param {Element} element
   * @param {Context} context
   * @returns {Context}
   */
  const contextIn = (element, context) => {
    if (!element.hasAttributes()) return context;
    const next = { ...context };
    next.lang = element.getAttribute("lang") ?? element.getAttribute("xml:lang") ?? context.lang;
    const translate = element.getAttribute("translate")?.toLowerCase();
    if (translate === "no") next.translate = false;
    else if (translate === "yes" || translate === "") next.translate = true;
    else if (element.classList.contains("notranslate")) next.translate = false;
    const editable = element.getAttribute("contenteditable")?.toLowerCase();
    if (editable === "false") next.editable = false;
    else if (editable === "" || editable === "true" || editable === "plaintext-only") {
      next.editable = element.getAttribute("aria-readonly") !== "true";
    }
    return next;
  };

  /**
   * Returns what holds for the content of an element, from all its ancestors.
   * Null when one of them is never read.
   * @param {Element} element
   * @returns {Context|null}
   */
  const contextOf = (element) => {
    /** @type {Element[]} */
    const chain = [];
    /** @type {Node|null} */
    let node = element;
    while (node) {
      if (isVeiled(node)) return null;
      if (node.nodeType === 1) chain.push(/** @type {Element} */ (node));
      node = node.parentNode ?? /** @type {ShadowRoot} */ (node).host ??
        /** @type {Document} */ (node).defaultView?.frameElement ?? null;
    }
    let context = ROOT_CONTEXT;
    for (const ancestor of chain.reverse()) {
      if (isNeverRead(ancestor)) return null;
      context = contextIn(ancestor, context);
    }
    return context;
  };

  /**
   * @param {Element} element
   * @returns {boolean}
   */
  const isNeverRead = (element) => {
    const name = element.localName;
    if (name === "head" || name === "svg" || name === "iframe" || name === "frame") return false;
    return SKIPPED.has(name) || isPreformatted(element) || OPAQUE.has(name) || MATH_OR_ICON.test(classOf(element));
  };

  /**
   * Says whether an element is most likely code. A browser shows a plain text, a novel perhaps, in a `pre`.
   * @param {Element} element
   * @returns {boolean}
   */
  const isPreformatted = (element) =>
    NEVER_READ.has(element.localName) && element.ownerDocument.contentType !== "text/plain";

  /**
   * @param {Element} element
   * @returns {string}
   */
  const classOf = (element) => element.getAttribute("class") ?? "";

  /**
   * Says how the walk treats an element. `skipped`: as if it were not there;
   * `break`: ends the run, not read; `opaque`: stands in the sentence as one
   * thing, not read; `atomic`: the same, and read by itself; `hidden`: read
   * by itself, not part of the sentence; `inline`, `block`.
   * @param {Element} element
   * @returns {"skipped"|"break"|"opaque"|"atomic"|"hidden"|"inline"|"block"}
   */
  const kindOf = (element) => {
    const name = element.localName;
    if (SKIPPED.has(name) || isVeiled(element)) return "skipped";
    if (name === "br" || isPreformatted(element)) return "break";
    if (OPAQUE.has(name)) return "opaque";
    if (MATH_OR_ICON.test(classOf(element))) return "opaque";
    if (ATOMIC.has(name)) return "atomic";
    if (BLOCKS.has(name)) return "block";
    return kindByDisplay(styleOf(element).display);
  };

  /**
   * @param {string} display
   * @returns {"hidden"|"inline"|"atomic"|"block"}
   */
  const kindByDisplay = (display) => {
    if (display === "inline" || display === "contents" || display.startsWith("ruby")) return "inline";
    if (display === "none") return "hidden";
    return display.startsWith("inline-") ? "atomic" : "block";
  };

  /**
   * @param {Element} element
   * @returns {CSSStyleDeclaration}
   */
  const styleOf = (element) => (element.ownerDocument.defaultView ?? globalThis).getComputedStyle(element);

  /**
   * Says whether a block's name alone makes it one; the watch asks without a style.
   * @param {Element} element
   * @returns {boolean}
   */
  const isBlockByName = (element) => BLOCKS.has(element.localName);

  /**
   * @param {Element} element
   * @returns {boolean}
   */
  const mayHost = (element) => element.localName.includes("-") || MAY_HOST.has(element.localName);

  /**
   * Says whether a node is of a frame that was closed: in Firefox each use of it throws.
   * @param {Node} node
   * @returns {boolean}
   */
  const isDead = (node) => {
    try {
      return node.nodeType === 0;
    } catch {
      return true;
    }
  };

  /**
   * Makes an element of ours. In a document in XML, `createElement` makes one without a style.
   * @template {keyof HTMLElementTagNameMap} Name
   * @param {Document} document
   * @param {Name|string} name
   * @returns {HTMLElementTagNameMap[Name]}
   */
  const make = (document, name) =>
    /** @type {HTMLElementTagNameMap[Name]} */ (document.createElementNS("http://www.w3.org/1999/xhtml", name));

  return { ROOT_CONTEXT, contextIn, contextOf, kindOf, styleOf, isBlockByName, mayHost, isVeiled, isDead, make };
})();
/** @typedef {{lang: string, translate: boolean, editable: boolean, hidden: boolean}} Context */
webtranslator.elements = elementsModule;
