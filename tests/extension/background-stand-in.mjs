// @ts-nocheck: most of this runs in the page, on globals that the stand-in puts there.
/**
 * The background, played in the page: runs there as a whole, so it names nothing from outside.
 *
 * The stand-in translation marks each text visibly and countably: ⟦text⟧.
 * Options: `silent` answers nothing; `answers` maps a text to its answer;
 * `fails` maps a text to a code; `detects` maps a text to a language;
 * `delay` in ms.
 * @param {any} options
 */
export const playBackground = (options) => {
  const roots = new WeakMap();
  const attach = Element.prototype.attachShadow;
  for (const element of document.querySelectorAll("*")) if (element.shadowRoot) roots.set(element, element.shadowRoot);
  Element.prototype.attachShadow = function (/** @type {ShadowRootInit} */ init) {
    const root = attach.call(this, init);
    roots.set(this, root);
    return root;
  };
  const background = {
    silent: options.silent ?? false, options, roots,
    sent: /** @type {any[]} */ ([]), posted: /** @type {any[]} */ ([]), ports: /** @type {any[]} */ ([]),
    open: /** @type {any} */ (null), refusePorts: 0,
    streams: /** @type {Map<number, {total: number, done: number, more: boolean}>} */ (new Map()),
    send: (/** @type {any} */ message) => background.open?.listeners.forEach((/** @type {any} */ tell) => tell(message)),
    closePort: () => {
      const port = background.open;
      background.open = null;
      port?.ends.forEach((/** @type {any} */ tell) => tell());
    },
    texts: () => background.sent.map(({ text }) => text),
    lastState: () => background.posted.findLast(({ type }) => type === "state")?.state,
    parts: () => background.posted.filter(({ type }) => type === "translate"),
    /** Answers what a silent background was asked. @param {any[]} parts */
    answer: (parts) => parts.forEach((part) => reply(part)),
  };
  const answerFor = (/** @type {any} */ { i, text }) => ({
    i, text: options.answers?.[text] ?? `⟦${text}⟧`, from: "provider",
  });
  const reply = (/** @type {any} */ part) => {
    const failed = part.segments.filter((/** @type {any} */ s) => options.fails?.[s.text] && !(part.retry && options.retryWorks));
    const good = part.segments.filter((/** @type {any} */ s) => !failed.includes(s));
    const { stream } = part;
    if (good.length > 0) background.send({ type: "translated", stream, segments: good.map(answerFor) });
    for (const { i, text } of failed) {
      background.send({ type: "failed", stream, segments: [{ i, code: options.fails[text], retryable: true }], message: "No." });
    }
    if (!part.more) background.send({ type: "done", stream, total: 0, translated: 0, failed: 0, cancelled: 0, from_cache: 0, calls: 1, tokens: { input: 1, output: 1 } });
  };
  const receive = (/** @type {any} */ message) => {
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
    const port = {
      listeners: /** @type {any[]} */ ([]), ends: /** @type {any[]} */ ([]),
      onMessage: { addListener: (/** @type {any} */ tell) => port.listeners.push(tell) },
      onDisconnect: { addListener: (/** @type {any} */ tell) => port.ends.push(tell) },
      postMessage: (/** @type {any} */ message) => {
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
      runtime: { connect },
      dom: { openOrClosedShadowRoot: (/** @type {Element} */ element) => roots.get(element) ?? null },
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
