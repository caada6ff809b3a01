/**
 * @typedef {import("../../extension/shared/page-contract.js").PageMessage} PageMessage
 * @typedef {import("../../extension/shared/page-contract.js").PageTranslate} PageTranslate
 * @typedef {import("../../extension/shared/page-contract.js").PageState} PageState
 * @typedef {import("../../extension/shared/wire.js").Segment} Segment
 * @typedef {Pick<PageTranslate, "stream" | "segments" | "more" | "retry">} Part What an answer needs of a request.
 * @typedef {{type: string, [field: string]: unknown}} Told A message to the page.
 * @typedef {(message: Told) => void} Tell
 * @typedef {{addListener: (tell: Tell) => void}} Messages
 * @typedef {{addListener: (tell: () => void) => void}} End
 * @typedef {{listeners: Tell[], ends: (() => void)[], onMessage: Messages, onDisconnect: End,
 *   postMessage: (message: PageMessage) => void}} PlayedPort
 */
/**
 * @typedef {object} Options
 * @property {boolean} [silent] Answers nothing.
 * @property {Record<string, string>} [answers] From a text to its answer.
 * @property {Record<string, string>} [fails] From a text to a code.
 * @property {Record<string, string>} [by] From a text to who translates it; "cache" for none.
 * @property {{cost?: number, saved?: number}} [money] What each stream comes to.
 * @property {boolean} [retryWorks] What is asked again does not fail.
 * @property {Record<string, string>} [detects] From a text to a language.
 * @property {number} [delay] In ms.
 */
/**
 * @typedef {object} Background What a test reads and steers.
 * @property {boolean} silent
 * @property {WeakMap<Element, ShadowRoot>} roots Closed ones too.
 * @property {Segment[]} sent
 * @property {PageMessage[]} posted
 * @property {PlayedPort[]} ports
 * @property {PlayedPort | null} open
 * @property {number} refusePorts So many ports are not opened.
 * @property {Tell} send
 * @property {() => void} closePort
 * @property {() => string[]} texts
 * @property {() => PageState | undefined} lastState
 * @property {() => PageTranslate[]} parts
 * @property {(parts: Part[]) => void} answer Answers what a silent background was asked.
 */

/**
 * The background, played in the page: runs there as a whole, so it names nothing from outside.
 *
 * The stand-in translation marks each text visibly and countably: ⟦text⟧.
 * @param {Options} options
 */
export const playBackground = (options) => {
  /** @type {WeakMap<Element, ShadowRoot>} */
  const roots = new WeakMap();
  const attach = Element.prototype.attachShadow;
  for (const element of document.querySelectorAll("*")) if (element.shadowRoot) roots.set(element, element.shadowRoot);
  Element.prototype.attachShadow = function (/** @type {ShadowRootInit} */ init) {
    const root = attach.call(this, init);
    roots.set(this, root);
    return root;
  };
  /** @type {Background} */
  const background = {
    silent: options.silent ?? false, roots, sent: [], posted: [], ports: [], open: null, refusePorts: 0,
    send: (message) => background.open?.listeners.forEach((tell) => tell(message)),
    closePort: () => {
      const port = background.open;
      background.open = null;
      port?.ends.forEach((tell) => tell());
    },
    texts: () => background.sent.map(({ text }) => text),
    lastState: () => background.posted.findLast((message) => message.type === "state")?.state,
    parts: () => background.posted.filter((message) => message.type === "translate"),
    answer: (parts) => parts.forEach((part) => reply(part)),
  };
  const answerFor = (/** @type {Segment} */ { i, text }) => ({
    i, text: options.answers?.[text] ?? `⟦${text}⟧`, from: options.by?.[text] === "cache" ? "cache" : "provider",
    provider: options.by?.[text] ?? "first",
  });
  const reply = (/** @type {Part} */ part) => {
    const failed = part.segments.filter((s) => options.fails?.[s.text] && !(part.retry && options.retryWorks));
    const good = part.segments.filter((s) => !failed.includes(s));
    const { stream } = part;
    if (good.length > 0) background.send({ type: "translated", stream, segments: good.map(answerFor) });
    for (const { i, text } of failed) {
      background.send({ type: "failed", stream, segments: [{ i, code: options.fails?.[text], retryable: true }], message: "No." });
    }
    if (!part.more) background.send({ type: "done", stream, total: 0, translated: 0, failed: 0, cancelled: 0, from_cache: 0, calls: 1, tokens: { input: 1, output: 1 }, ...options.money });
  };
  const receive = (/** @type {PageMessage} */ message) => {
    background.posted.push(structuredClone(message));
    if (message.type !== "translate") return;
    background.sent.push(...message.segments);
    if (!background.silent) setTimeout(() => reply(message), options.delay ?? 0);
  };
  const connect = () => {
    if (background.refusePorts > 0) {
      background.refusePorts -= 1;
      throw new Error("Extension context invalidated.");
    }
    /** @type {PlayedPort} */
    const port = {
      listeners: [], ends: [],
      onMessage: { addListener: (tell) => port.listeners.push(tell) },
      onDisconnect: { addListener: (tell) => port.ends.push(tell) },
      postMessage: (message) => {
        if (background.open !== port) throw new Error("Attempting to use a disconnected port object");
        receive(message);
      },
    };
    background.ports.push(port);
    background.open = port;
    return port;
  };
  Object.assign(globalThis, {
    background,
    browser: {
      runtime: { id: "played", connect },
      dom: {
        openOrClosedShadowRoot: (/** @type {Element} */ element) => {
          if (!globalThis.browser.runtime.id) throw new Error("Extension context invalidated.");
          return roots.get(element) ?? null;
        },
      },
      i18n: {
        getMessage: () => "",
        detectLanguage: (/** @type {string} */ text) => Promise.resolve({
          isReliable: options.detects?.[text] !== undefined,
          languages: [{ language: options.detects?.[text] ?? "und", percentage: 99 }],
        }),
      },
    },
  });
};
