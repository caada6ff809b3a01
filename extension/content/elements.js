/**
 * What an element is to the walk: a block, a part of a sentence, opaque,
 * or nothing to read.
 *
 * What for: one decision for each element, from its name, its marks and,
 * for what is inline by name or stands among words, its computed style. What
 * not: it does not descend. What must stay true: it writes nothing, and asks
 * for no size.
 */
var elementsModule = (() => {
  const set = (/** @type {string} */ names) => new Set(names.split(" "));
  const SKIPPED = set("script style noscript template head meta link base datalist rp rt rtc source track param wbr");
  /** What is read above or beside a word; it would stand beside the translation of another word. */
  const READINGS = set("rt rp rtc");
  const OPAQUE = set("code kbd samp var tt math textarea img input canvas video audio object embed progress meter " +
    "svg iframe frame mjx-container bdi mat-icon md-icon");
  const NEVER_READ = set("pre listing xmp plaintext");
  const ATOMIC = set("button label select");
  const BLOCKS = set("address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption " +
    "figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p " +
    "search section summary table caption colgroup col tbody thead tfoot tr td th title ul text foreignObject");
  /** Blocks that pages use within a line, with a style. */
  const MIXED = set("div form h1 h2 h3 h4 h5 h6 p section");
  /** Elements that may carry a shadow root, besides those with a hyphen in their name. */
  const MAY_HOST = set("article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span");
  const HTML = "http://www.w3.org/1999/xhtml";
  const MATH_OR_ICON = new RegExp("(?:^|\\s)(?:katex(?:-display)?|MathJax\\S*|mwe-math\\S*|(?:google-)?material-icons\\S*|" +
    "(?:material|google)-symbols\\S*)(?:\\s|$)", "u");
  const ROLES = set("math code");
  /** Editors and viewers of code that make each line of other elements than `pre`. */
  const CODE = /(?:^|\s)(?:CodeMirror|cm-editor|ace_editor|monaco-editor|syntaxhighlighter|blob-code\S*|react-code-\S*)(?:\s|$)/u;
  /** A font that draws a whole word as one sign names itself so. */
  const ICON_FONT = /icon|symbol|glyph|awesome/iu;
  const ICON_NAME = /^\s*[a-z][a-z0-9_]{1,30}\s*$/u;
  /** Parts of a sentence that a letter at its head may be set in. */
  const LETTER_HOLDERS = set("b big em font i span strong u");
  const LETTER = /^\s*["'“‘«„¿¡(]?[\p{Lu}\p{Lt}\p{Ll}]\p{M}*\s*$/u;

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
    else if (element.classList.contains("notranslate") || isForeign(element)) next.translate = false;
    next.editable = isEditable(element) ?? context.editable;
    return next;
  };

  /**
   * @param {Element} element
   * @returns {boolean|null} Null: it says nothing about it.
   */
  const isEditable = (element) => {
    const editable = element.getAttribute("contenteditable")?.toLowerCase();
    if (editable === "false") return false;
    const isField = editable !== undefined ? ["", "true", "plaintext-only"].includes(editable) : element.getAttribute("role") === "textbox";
    return isField ? element.getAttribute("aria-readonly") !== "true" : null;
  };

  /**
   * Says whether another translator made the element, or what is in it.
   * Google wraps each text in two `font`s of this style; Edge leaves a hash.
   * @param {Element} element
   * @returns {boolean}
   */
  const isForeign = (element) => element.hasAttribute("_msttexthash") ||
    (element.localName === "font" && (element.hasAttribute("_mstmutation") ||
      /^\s*vertical-align:\s*inherit;?\s*$/u.test(element.getAttribute("style") ?? "")));

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
    return SKIPPED.has(name) || isPreformatted(element) || OPAQUE.has(name) || isOpaqueByMark(element);
  };

  /**
   * @param {Element} element
   * @returns {boolean}
   */
  const isOpaqueByMark = (element) => element.hasAttributes() &&
    (MATH_OR_ICON.test(classOf(element)) || ROLES.has(element.getAttribute("role") ?? ""));

  /**
   * Says whether an element is most likely code. A browser shows a plain text, a novel perhaps, in a `pre`.
   * @param {Element} element
   * @returns {boolean}
   */
  const isPreformatted = (element) => {
    if (NEVER_READ.has(element.localName)) return element.ownerDocument.contentType !== "text/plain";
    return element.hasAttributes() && CODE.test(classOf(element));
  };

  /**
   * @param {Element} element
   * @returns {string}
   */
  const classOf = (element) => element.getAttribute("class") ?? "";

  /**
   * Says how the walk treats an element. `skipped`: as if it were not there;
   * `break`: ends the run, not read; `opaque`: stands in the sentence as one
   * thing, not read; `atomic`: the same, and read by itself; `hidden`: read
   * by itself, not part of the sentence; `letter`: its text is the head of
   * the next one; `inline`, `block`.
   * @param {Element} element
   * @returns {"skipped"|"break"|"opaque"|"atomic"|"hidden"|"letter"|"inline"|"block"}
   */
  const kindOf = (element) => {
    const name = element.localName;
    if (isSkipped(element)) return "skipped";
    if (name === "br" || isPreformatted(element)) return "break";
    if (OPAQUE.has(name) || isOpaqueByMark(element)) return "opaque";
    if (ATOMIC.has(name)) return "atomic";
    return isBlockByName(element) ? "block" : kindByStyle(element);
  };

  /**
   * @param {Element} element
   * @returns {boolean} Also what another copy of this script made.
   */
  const isSkipped = (element) =>
    SKIPPED.has(element.localName) || element.localName.startsWith("webtranslator-") || isVeiled(element);

  /**
   * @param {Element} element
   * @returns {"opaque"|"atomic"|"hidden"|"letter"|"inline"|"block"}
   */
  const kindByStyle = (element) => {
    const style = styleOf(element);
    const text = onlyText(element);
    if (text !== "" && text.length < 40) {
      if (LETTER_HOLDERS.has(element.localName) && LETTER.test(text) && isLetter(element, style)) return "letter";
      if (ICON_NAME.test(text) && ICON_FONT.test(style.fontFamily)) return "opaque";
    }
    return kindByDisplay(style.display);
  };

  /**
   * Says whether an element with a letter is at the head of a word, as an
   * initial or a letter with a line under it is.
   * @param {Element} element
   * @param {CSSStyleDeclaration} style
   * @returns {boolean}
   */
  const isLetter = (element, style) => {
    const { previousSibling: before, nextSibling: next } = element;
    if (style.display === "none") return false;
    if ((before && (before.nodeType !== 3 || /\S/u.test(before.nodeValue ?? ""))) || next?.nodeType !== 3) return false;
    return (style.cssFloat === "none" ? /^\p{L}/u : /\p{L}/u).test(next.nodeValue ?? "");
  };

  /**
   * @param {Element} element
   * @returns {string} Its text when it holds one text node and nothing else.
   */
  const onlyText = ({ firstChild, lastChild }) =>
    (firstChild?.nodeType === 3 && firstChild === lastChild ? firstChild.nodeValue ?? "" : "");

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
   * Says whether an element is a block by its name and its place; the watch
   * asks without a style. Beside words, the style decides.
   * @param {Element} element
   * @returns {boolean}
   */
  const isBlockByName = (element) => {
    if (element.localName === "tspan") return element.hasAttribute("x") || element.hasAttribute("y");
    return BLOCKS.has(element.localName) && !(MIXED.has(element.localName) &&
      (isWords(element.previousSibling) || isWords(element.nextSibling)));
  };

  /**
   * @param {Node|null} node
   * @returns {boolean}
   */
  const isWords = (node) => node?.nodeType === 3 && /\p{L}/u.test(node.nodeValue ?? "");

  /**
   * Says whether an element may have a shadow root. Chromium throws when another than HTML's is asked for it.
   * @param {Element} element
   * @returns {boolean}
   */
  const mayHost = (element) => (element.localName.includes("-") || MAY_HOST.has(element.localName)) && element.namespaceURI === HTML;

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
    /** @type {HTMLElementTagNameMap[Name]} */ (document.createElementNS(HTML, name));

  return { ROOT_CONTEXT, READINGS, contextIn, contextOf, kindOf, styleOf, isBlockByName, mayHost, isVeiled, isDead, make };
})();
/** @typedef {{lang: string, translate: boolean, editable: boolean, hidden: boolean}} Context */
webtranslator.elements = elementsModule;
