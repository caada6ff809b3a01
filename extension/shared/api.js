// The only door from the extension's modules to the browser's API. It hides
// what differs between Chromium and Firefox: the name of the API, where the
// text of a port's fault is found, and what kind of browser this is.
// It decides nothing.

/** @type {typeof chrome} */
export const api = /** @type {any} */ (globalThis).browser ?? globalThis.chrome;

/** @typedef {chrome.runtime.Port} Port */
/** @typedef {chrome.runtime.MessageSender} Sender */

/**
 * The family, as `hello` names it.
 * @returns {"chromium" | "firefox"}
 */
export function browserFamily() {
  return api.runtime.getURL("").startsWith("moz-") ? "firefox" : "chromium";
}

/**
 * Why a port closed, as the browser says it; "" when it gives no reason.
 * To be called inside `onDisconnect` only: Chromium forgets the reason afterwards.
 * @param {Port} port
 */
export function portFault(port) {
  const fault = /** @type {{error?: {message?: string} | null}} */ (port).error;
  return fault?.message ?? api.runtime.lastError?.message ?? "";
}

/** @returns {string} the extension's version */
export function version() {
  return api.runtime.getManifest().version;
}

/**
 * A message of `_locales` in the reader's language; the key itself when there
 * is none, so that a mistake is seen and nothing breaks.
 * @param {string} key
 * @param {...(string | number)} values for $1, $2, …
 */
export function say(key, ...values) {
  return api.i18n.getMessage(key, values.map(String)) || key;
}

/**
 * Words for something that the host names: those of `_locales`, or the host's own.
 * @param {string} key
 * @param {string} otherwise
 */
export function sayOr(key, otherwise) {
  return api.i18n.getMessage(key) || otherwise;
}

/**
 * The language of the words that are shown. The browser's own may be another,
 * one that `_locales` does not have.
 */
export function wordsLanguage() {
  return say("ui_language");
}

/** @returns {Promise<number | undefined>} the tab that the reader looks at */
export async function activeTabId() {
  const [tab] = await api.tabs.query({ active: true, currentWindow: true });
  return tab?.id;
}
