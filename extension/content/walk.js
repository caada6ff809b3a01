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
  const { contextIn, kindOf, styleOf, mayHost, isVeiled } = webtranslator.elements;
  const ATTRIBUTES = ["placeholder", "title", "alt", "aria-label"];
  const BUTTON_TYPES = new Set(["button", "reset", "submit"]);

  /**
   * @typedef {object} Visitor Whom the walk tells what it found.
   * @property {(run: Run) => void} onRun
   * @property {(element: Element, name: string, context: Context) => void} onAttribute
   * @property {(root: Document|ShadowRoot) => void} onRoot A tree of its own; it is walked next.
   * @property {(frame: Element) => void} onFrame A frame, readable or not.
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
    if (root.nodeType === 9) {
      const { documentElement, head } = /** @type {Document} */ (root);
      if (!documentElement) return;
      const inside = contextIn(documentElement, context);
      const title = head?.querySelector(":scope > title");
      if (title && visitor.deep) yield* walkBlock(title, inside, visitor);
    }
    for (const child of [...root.children]) {
      if (!visitor.isOwn(child) && !isVeiled(child)) yield* walkBlock(child, contextIn(child, context), visitor);
    }
    const loose = [...root.childNodes].some((node) => node.nodeType === 3 && /\S/u.test(node.nodeValue ?? ""));
    if (loose && root.nodeType === 11) yield* walkLoose(/** @type {ShadowRoot} */ (root), context, visitor);
  }

  /**
   * Walks the text that stands directly in a shadow root.
   * @param {ShadowRoot} root
   * @param {Context} context
   * @param {Visitor} visitor
   * @returns {Generator<void, void, void>}
   */
  function* walkLoose(root, context, visitor) {
    const draft = draftIn(root.host, context);
    draft.block.sawBlock = true;
    for (const child of root.childNodes) {
      if (child.nodeType === 3) addText(draft, /** @type {Text} */ (child));
      else flush(draft, visitor);
    }
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
      if (inner && inner.designMode !== "on") yield* enter(inner, context, visitor);
    } else if (name === "svg") {
      for (const text of element.querySelectorAll("text, foreignObject")) {
        yield* walkBlock(text, contextIn(text, context), visitor);
      }
    } else if (mayHost(element)) {
      const shadow = webtranslator.browserApi.shadowRootOf(element);
      if (shadow) yield* enter(shadow, context, visitor);
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
   * @param {Element} parent
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
    if (kind === "skipped") return;
    const context = contextIn(element, outside);
    if (kind === "inline" && !stays(element, context, outside)) return yield* walkInline(element, context, draft, visitor);
    if (kind === "break" || kind === "block") flush(draft, visitor);
    if (kind === "block") draft.block.sawBlock = true;
    if (kind === "opaque" || kind === "atomic" || kind === "inline") draft.tokens.push({ kind: "opaque", element });
    if (visitor.deep) {
      if (kind === "block") yield;
      yield* kind === "opaque" || kind === "break" ? walkAside(element, context, visitor)
        : walkBlock(element, kind === "hidden" ? { ...context, hidden: true } : context, visitor);
    }
  }

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
   * @returns {Draft}
   */
  const draftIn = (element, context) => ({
    block: { element, sawBlock: false, spaces: "", direction: "", display: "", measured: false },
    context, tokens: [], open: [], full: false,
  });

  /**
   * @param {Draft} draft
   * @param {Text} node
   */
  const addText = (draft, node) => {
    draft.tokens.push({ kind: "text", node, start: 0, end: node.length });
    draft.full ||= /\p{L}/u.test(node.data);
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
      visitor.onRun({ block, tokens: [...tokens, ...closed], lang: context.lang, hidden: context.hidden });
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
    if (element.localName === "optgroup") return [...ATTRIBUTES, "label"];
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
