/**
 * Finds the text: shadow roots, frames, slots, attributes and the title included.
 *
 * What for: one pass over a tree that reports each run of inline content and
 * each attribute. What not: it builds no segments and decides no language.
 * What must stay true: it writes nothing; each step is small, so that the
 * pass can be sliced; what is within a run is reported in the same step in
 * which the run ends.
 */
var walkModule = (() => {
  const { READINGS, contextIn, kindOf, styleOf, mayHost, isVeiled } = webtranslator.elements;
  const ATTRIBUTES = ["placeholder", "title", "alt", "aria-label", "aria-description", "aria-placeholder", "aria-roledescription"];
  const DRAWN = new Set(["text", "foreignObject", "title", "desc"]);
  const READ_ASIDE = new Set(["opaque", "break"]);
  const BUTTON_TYPES = new Set(["button", "reset", "submit"]);

  /**
   * @typedef {object} Visitor Whom the walk tells what it found.
   * @property {(run: Run) => void} onRun
   * @property {(element: Element, name: string, context: Context) => void} onAttribute
   * @property {(root: Document|ShadowRoot) => void} onRoot A tree of its own; it is walked next.
   * @property {(frame: Element) => void} onFrame A frame, readable or not.
   * @property {(element: Element) => void} onHost It may get a shadow root later.
   * @property {(node: Node) => boolean} isOwn We made it.
   * @property {boolean} deep False: only the block's own runs, not the blocks in it.
   */
  /** @typedef {{block: Block, context: Context, tokens: Token[], open: Element[], full: boolean}} Draft */

  /**
   * Walks a document or shadow root.
   * @param {Document|ShadowRoot} root
   * @param {Context} context
   * @param {Visitor} visitor
   * @returns {Generator<void, void, void>}
   */
  function* walkRoot(root, context, visitor) {
    if (root.nodeType === 11) return yield* walkShadow(/** @type {ShadowRoot} */ (root), context, visitor);
    const { documentElement, head, designMode, defaultView } = /** @type {Document} */ (root);
    if (!documentElement || designMode === "on") return;
    // Nobody sees the title of a frame's document.
    const title = defaultView?.frameElement ? null : head?.querySelector(":scope > title");
    if (title && visitor.deep) yield* walkBlock(title, contextIn(documentElement, context), visitor);
    for (const child of [...root.children]) {
      if (!visitor.isOwn(child) && !isVeiled(child)) yield* walkBlock(child, contextIn(child, context), visitor);
    }
  }

  /**
   * Walks a shadow root, whose own text and inline elements are a run of its host.
   * @param {ShadowRoot} root
   * @param {Context} context
   * @param {Visitor} visitor
   * @returns {Generator<void, void, void>}
   */
  function* walkShadow(root, context, visitor) {
    const draft = draftIn(root.host, context, root);
    draft.block.sawBlock = true;
    yield* walkChildren(root, context, draft, visitor);
    flush(draft, visitor);
    yield;
  }

  /**
   * Walks one block: its attributes, its runs and, when deep, the blocks in it.
   * @param {Element} element
   * @param {Context} context What holds inside of it.
   * @param {Visitor} visitor
   * @returns {Generator<void, void, void>}
   */
  function* walkBlock(element, context, visitor) {
    if (element.localName === "head") return;
    if (visitor.deep) yield* walkAside(element, context, visitor);
    if (["opaque", "break", "skipped"].includes(kindOf(element))) return;
    const draft = draftIn(element, context);
    yield* walkChildren(element, context, draft, visitor);
    flush(draft, visitor);
  }

  /**
   * Reports what is not an element's light text: attributes, frame, shadow root, text in a drawing.
   * @param {Element} element
   * @param {Context} context
   * @param {Visitor} visitor
   * @returns {Generator<void, void, void>}
   */
  function* walkAside(element, context, visitor) {
    if (element.hasAttributes()) visitAttributes(element, context, visitor);
    const name = element.localName;
    if (name === "iframe" || name === "frame") {
      visitor.onFrame(element);
      const inner = documentIn(element);
      if (inner) yield* enter(inner, context, visitor);
    } else if (name === "svg") yield* walkDrawing(element, context, visitor);
    else if (mayHost(element)) {
      const shadow = webtranslator.browserApi.shadowRootOf(element);
      if (shadow) yield* enter(shadow, context, visitor);
      else visitor.onHost(element);
    }
  }

  /**
   * @param {Element} svg
   * @param {Context} context
   * @param {Visitor} visitor
   * @returns {Generator<void, void, void>}
   */
  function* walkDrawing(svg, context, visitor) {
    for (const part of svg.querySelectorAll("text, foreignObject, title, desc, [aria-label]")) {
      const inside = contextIn(part, context);
      if (DRAWN.has(part.localName)) yield* walkBlock(part, inside, visitor);
      else visitAttributes(part, inside, visitor);
    }
  }

  /**
   * @param {Document|ShadowRoot} root
   * @param {Context} context
   * @param {Visitor} visitor
   * @returns {Generator<void, void, void>}
   */
  function* enter(root, context, visitor) {
    visitor.onRoot(root);
    yield* walkRoot(root, context, visitor);
  }

  /**
   * Returns the document in a frame, or null when it is another site's.
   * @param {Element} frame
   * @returns {Document|null}
   */
  const documentIn = (frame) => {
    try {
      return /** @type {HTMLIFrameElement} */ (frame).contentDocument;
    } catch {
      return null; // Some browsers throw for another origin instead of answering null.
    }
  };

  /**
   * @param {Element|ShadowRoot} parent
   * @param {Context} context
   * @param {Draft} draft
   * @param {Visitor} visitor
   * @returns {Generator<void, void, void>}
   */
  function* walkChildren(parent, context, draft, visitor) {
    for (const child of [...parent.childNodes]) {
      // The page may have moved it since the last slice; then the watch reports it.
      if (child.parentNode !== parent || visitor.isOwn(child)) continue;
      if (child.nodeType === 3) addText(draft, /** @type {Text} */ (child));
      else if (child.nodeType === 1) yield* walkElement(/** @type {Element} */ (child), context, draft, visitor);
    }
  }

  /**
   * @param {Element} element
   * @param {Context} outside
   * @param {Draft} draft
   * @param {Visitor} visitor
   * @returns {Generator<void, void, void>}
   */
  function* walkElement(element, outside, draft, visitor) {
    const kind = kindOf(element);
    if (kind === "skipped") return void walkReading(element, draft);
    const context = contextIn(element, outside);
    if (kind === "letter" && !stays(element, context, outside)) return void walkLetter(element, context, draft, visitor);
    if (kind === "inline" && !stays(element, context, outside)) return yield* walkInline(element, context, draft, visitor);
    if (kind === "break" || kind === "block") flush(draft, visitor);
    if (kind === "block") draft.block.sawBlock = true;
    if (["opaque", "atomic", "inline", "letter"].includes(kind)) draft.tokens.push({ kind: "opaque", element });
    if (!visitor.deep) return;
    if (kind === "block") yield;
    yield* READ_ASIDE.has(kind) ? walkAside(element, context, visitor)
      : walkBlock(element, kind === "hidden" ? { ...context, hidden: true } : context, visitor);
  }

  /**
   * Notes the reading of a word, which is not sent and gives way to the translation.
   * @param {Element} element
   * @param {Draft} draft
   */
  const walkReading = (element, draft) => {
    if (!READINGS.has(element.localName)) return;
    for (const node of element.childNodes) {
      if (node.nodeType === 3) addText(draft, /** @type {Text} */ (node), "silent");
      else if (node.nodeType === 1) walkReading(/** @type {Element} */ (node), draft);
    }
  };

  /**
   * Takes the letter at the head of a word: no tag parts it from the rest.
   * @param {Element} element
   * @param {Context} context
   * @param {Draft} draft
   * @param {Visitor} visitor
   */
  const walkLetter = (element, context, draft, visitor) => {
    if (visitor.deep && element.hasAttributes()) visitAttributes(element, context, visitor);
    addText(draft, /** @type {Text} */ (element.firstChild), "head");
  };

  /**
   * Says whether an inline element stays in its sentence as one thing: it is
   * marked as not to translate, can be edited, or shows another tree.
   * @param {Element} element
   * @param {Context} context
   * @param {Context} outside
   * @returns {boolean}
   */
  const stays = (element, context, outside) => {
    if (context.translate !== outside.translate || context.editable !== outside.editable) return true;
    if (element.localName === "slot") return /** @type {HTMLSlotElement} */ (element).assignedNodes().length > 0;
    return mayHost(element) && webtranslator.browserApi.shadowRootOf(element) !== null;
  };

  /**
   * @param {Element} element
   * @param {Context} context
   * @param {Draft} draft
   * @param {Visitor} visitor
   * @returns {Generator<void, void, void>}
   */
  function* walkInline(element, context, draft, visitor) {
    if (visitor.deep && element.hasAttributes()) visitAttributes(element, context, visitor);
    if (visitor.deep && mayHost(element)) visitor.onHost(element);
    draft.open.push(element);
    draft.tokens.push({ kind: "open", element, partial: false });
    yield* walkChildren(element, context, draft, visitor);
    const partial = draft.open.pop() === element && draft.tokens.some((token) =>
      token.kind === "open" && token.element === element && token.partial);
    draft.tokens.push({ kind: "close", element, partial });
  }

  /**
   * @param {Element} element
   * @param {Context} context
   * @param {Element|ShadowRoot} [within]
   * @returns {Draft}
   */
  const draftIn = (element, context, within = element) => ({
    block: { element, within, sawBlock: false, spaces: "", direction: "", display: "", isShown: true, measured: false },
    context, tokens: [], open: [], full: false,
  });

  /**
   * @param {Draft} draft
   * @param {Text} node
   * @param {""|"silent"|"head"} [part]
   */
  const addText = (draft, node, part = "") => {
    draft.tokens.push({ kind: "text", node, start: 0, end: node.length, part, spaces: draft.block.spaces });
    if (part !== "silent") draft.full ||= /\p{L}/u.test(node.data);
  };

  /**
   * Ends a run and reports it when there are letters in it.
   * @param {Draft} draft
   * @param {Visitor} visitor
   */
  const flush = (draft, visitor) => {
    const { block, context, open, tokens } = draft;
    const reopened = open.map((element) => ({ kind: /** @type {const} */ ("open"), element, partial: true }));
    if (draft.full && context.translate && !context.editable) {
      measure(block);
      for (const token of tokens) if (token.kind === "open" && open.includes(token.element)) token.partial = true;
      const closed = reopened.toReversed().map(({ element }) =>
        ({ kind: /** @type {const} */ ("close"), element, partial: true }));
      visitor.onRun({ block, tokens: [...tokens, ...closed], lang: context.lang, hidden: context.hidden || !block.isShown });
    }
    draft.tokens = reopened;
    draft.full = false;
  };

  /**
   * Reads the few computed values of a block that has text, once.
   * @param {Block} block
   */
  const measure = (block) => {
    if (block.measured) return;
    const style = styleOf(block.element);
    block.spaces = style.getPropertyValue("white-space-collapse") || "collapse";
    block.direction = style.direction;
    block.display = style.display;
    // Asks for styles, not for a layout.
    block.isShown = block.element.localName === "title" || block.element.checkVisibility();
    block.measured = true;
  };

  /**
   * @param {Element} element
   * @param {Context} context
   * @param {Visitor} visitor
   */
  const visitAttributes = (element, context, visitor) => {
    if (!context.translate || context.editable) return;
    for (const name of namesOn(element)) {
      if (element.getAttribute(name)) visitor.onAttribute(element, name, context);
    }
  };

  /**
   * Returns the attributes of an element that a reader reads.
   * @param {Element} element
   * @returns {string[]}
   */
  const namesOn = (element) => {
    if (element.localName === "optgroup" || element.localName === "option") return [...ATTRIBUTES, "label"];
    if (element.localName !== "input") return ATTRIBUTES;
    const { type, name } = /** @type {HTMLInputElement} */ (element);
    const free = BUTTON_TYPES.has(type) && (type !== "submit" || name === "");
    return free ? [...ATTRIBUTES, "value"] : ATTRIBUTES;
  };

  const ALL_ATTRIBUTES = [...ATTRIBUTES, "label", "value"];

  return { walkRoot, walkBlock, walkAside, visitAttributes, namesOn, documentIn, ALL_ATTRIBUTES };
})();
/** @typedef {Parameters<typeof walkModule.walkRoot>[2]} Visitor */
webtranslator.walk = walkModule;
