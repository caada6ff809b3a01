/**
 * The options page in a real browser, with a host that the test plays.
 *
 * What for: what the reader sees and does there, without a host. What not: no
 * extension; `tests/e2e` has the whole. What must stay true: the page's files
 * are served unchanged.
 */
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { FOUND, KINDS } from "../lib/kinds.mjs";

const EXTENSION = path.resolve(import.meta.dirname, "../../extension");
const TYPES = /** @type {Record<string, string>} */ ({
  ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".png": "image/png", ".svg": "image/svg+xml",
});

/**
 * @typedef {Awaited<ReturnType<typeof openOptions>>} Options
 * @typedef {(given?: Parameters<typeof openOptions>[2]) => Promise<Options>} Open
 * @typedef {[string, (open: Open) => Promise<void>]} Case
 */
/** @typedef {{type: string, [field: string]: any}} Asked */
/** @typedef {{settings: any, usage?: object, by?: object[], words: Record<string, {message: string}>, kinds: object[], found: object[], entries: any[]}} Play */

/** @returns {Promise<{url: string, close: () => void}>} */
export const serveExtension = async () => {
  const server = http.createServer((request, response) => {
    const file = path.join(EXTENSION, path.normalize(new URL(request.url ?? "/", "http://localhost").pathname));
    const isThere = file.startsWith(EXTENSION) && fs.existsSync(file) && fs.statSync(file).isFile();
    response.writeHead(isThere ? 200 : 404, { "content-type": TYPES[path.extname(file)] ?? "text/plain" });
    response.end(isThere ? fs.readFileSync(file) : "");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${address.port}/`, close: () => server.close() };
};

/**
 * The host, played in the page: runs there as a whole, so it names nothing from outside.
 * @param {Play} play
 */
const playHost = ({ settings, usage = {}, by = [], words, kinds, found, entries }) => {
  /** @type {Asked[]} */
  const asked = [];
  /** @param {any} into @param {any} change */
  const merge = (into, change) => {
    for (const [name, value] of Object.entries(change)) {
      if (value === null) delete into[name];
      else if (typeof value === "object" && !Array.isArray(value)) merge((into[name] ??= {}), value);
      else into[name] = value;
    }
  };
  /** A key is never told again. */
  const keepKeys = () => {
    for (const provider of /** @type {any[]} */ (Object.values(settings.provider ?? {}))) {
      if (!provider.key) continue;
      Object.assign(provider, { has_key: true, key_tail: provider.key.slice(-4) });
      delete provider.key;
    }
  };
  let remembered = entries;
  /** A correction of the same text and place is replaced; machines' entries tell that one is shown. */
  const correct = (/** @type {Asked} */ { source, marked, translation, source_language = "*", target, site }) => {
    const isSame = (/** @type {any} */ one) => !one.engine && one.source === source && one.site === site && one.target === target;
    remembered = remembered.filter((one) => !isSame(one));
    if (translation !== null) remembered.unshift({ source, translation, source_language, target, site, marked, corrected: true });
    const corrections = remembered.filter(({ engine }) => !engine);
    const stands = (/** @type {any} */ one) => corrections.some((other) => other.source === one.source && (!other.site || other.site === one.site));
    remembered = remembered.map((one) => (one.engine ? { ...one, corrected: stands(one) || undefined } : one));
    return { ok: true, reply: { corrections: corrections.length } };
  };
  const providers = () => (settings.providers ?? []).map((/** @type {string} */ name) =>
    ({ name, kind: settings.provider[name].kind, state: "ready" }));
  const told = () => ({ ok: true, settings: structuredClone(settings), path: "/home/reader/settings.toml", kinds });
  const answers = /** @type {Record<string, (message: Asked) => object>} */ ({
    get_settings: told,
    set_settings: (message) => {
      if (JSON.stringify(message.settings).includes("refuse me")) return { ok: false, code: "bad_message", message: "Refused.", hint: "" };
      merge(settings, message.settings);
      keepKeys();
      return told();
    },
    host: () => ({ ok: true, target: "ko", reply: { providers: providers(), usage, by_provider: by, cache: { state: "ok" } } }),
    cache_stats: () => ({ ok: true, reply: { entries: 12, bytes: 4096 } }),
    cache_find: ({ text }) => ({ ok: true, reply: { more: text === "", entries: structuredClone(
      remembered.filter((one) => `${one.source} ${one.translation}`.toLowerCase().includes(text.toLowerCase()))) } }),
    cache_correct: (message) => {
      const isWrong = message.marked && message.translation !== null && !message.translation.includes("<1>");
      return isWrong ? { ok: false, code: "bad_message", message: "The tags differ.", hint: "" } : correct(message);
    },
    cache_forget: ({ text }) => {
      remembered = remembered.filter(({ engine, source }) => !engine || source !== text);
      return { ok: true, reply: { entries: 1, bytes: 4096, removed: 1 } };
    },
    test_provider: () => ({ ok: true, reply: { ok: true, latency_ms: 42, text: "좋은 아침" } }),
    detect_providers: () => ({ ok: true, reply: { found, looked_at: ["127.0.0.1:11434", "127.0.0.1:2737"] } }),
  });
  const sendMessage = async (/** @type {Asked} */ message) => {
    asked.push(message);
    return answers[message.type]?.(message) ?? { ok: false, code: "unknown_type", message: message.type, hint: "" };
  };
  const getMessage = (/** @type {string} */ key, /** @type {string[]} */ values = []) =>
    (words[key]?.message ?? "").replaceAll(/\$(\d)/g, (_, place) => values[place - 1] ?? "");
  const browser = { runtime: { sendMessage }, i18n: { getMessage, getUILanguage: () => "ko" } };
  Object.assign(globalThis, { browser, asked });
};

/**
 * Opens the options and waits until they are drawn.
 * @param {import("puppeteer-core").Page} page
 * @param {string} url of the served extension
 * @param {{settings?: object, usage?: object, by?: object[], found?: object[], entries?: object[], language?: string}} [given]
 */
export const openOptions = async (page, url, { settings = {}, usage, by, found = FOUND, entries = [], language = "en" } = {}) => {
  const errors = /** @type {string[]} */ ([]);
  page.removeAllListeners("pageerror");
  page.on("pageerror", (error) => errors.push(String(error)));
  const words = JSON.parse(fs.readFileSync(path.join(EXTENSION, `_locales/${language}/messages.json`), "utf8"));
  const play = { settings: { target: "ko", ...settings }, words, kinds: KINDS, found, entries, ...(usage ? { usage } : {}), ...(by ? { by } : {}) };
  const { identifier } = await page.evaluateOnNewDocument(playHost, /** @type {Play} */ (play));
  await page.goto(`${url}options/options.html`);
  await page.waitForSelector("#sections:not([hidden])");
  await page.removeScriptToEvaluateOnNewDocument(identifier);
  return {
    page, errors,
    /** @returns {Promise<Asked[]>} what the page asked of the background, in order */
    asked: () => page.evaluate(() => /** @type {any} */ (globalThis).asked),
    /** @returns {Promise<string>} what has the focus: its card, and its field or act */
    focus: () => page.evaluate(() => {
      const at = /** @type {HTMLElement | null} */ (document.activeElement);
      const card = at?.closest("[data-name], [data-found], #entries > li");
      const where = card instanceof HTMLElement ? (card.dataset.name ?? card.dataset.found ?? card.getAttribute("aria-label")) : "";
      return [where, at?.dataset.field ?? at?.dataset.act ?? at?.id].filter(Boolean).join(" ");
    }),
  };
};
