// Who speaks, as the browser says it. What a message claims about its page is
// never asked.

/**
 * @typedef {import("../shared/api.js").Sender} Sender
 * @typedef {import("../shared/wire.js").PageInfo} PageInfo
 */

/** A title is context for a model, not a text to translate. */
const MAX_TITLE_UTF16 = 300;

/**
 * Whether one of the extension's own pages speaks: the popup or the options.
 * @param {Sender | undefined} sender
 * @param {string} ownId
 * @param {string} ownBase `runtime.getURL("")`
 */
export function isOwnPage(sender, ownId, ownBase) {
  return sender?.id === ownId && (sender.url ?? "").startsWith(ownBase);
}

/**
 * Whether a content script of ours speaks, in the page that a tab shows.
 * @param {Sender | undefined} sender
 * @param {string} ownId
 * @param {string} ownBase
 */
export function isContentScript(sender, ownId, ownBase) {
  return (
    sender?.id === ownId &&
    sender.tab?.id !== undefined &&
    sender.frameId === 0 &&
    !isOwnPage(sender, ownId, ownBase)
  );
}

/**
 * The page's origin: for a file its whole address (its folder is what it
 * shares texts with), "null" where there is none.
 * @param {string | undefined} address
 */
export function originOf(address) {
  try {
    const url = new URL(address ?? "");
    url.hash = "";
    return url.protocol === "file:" ? url.href : url.origin;
  } catch {
    return "null";
  }
}

/**
 * What goes to the host about the page.
 * @param {Sender} sender
 * @returns {{page: PageInfo, isPrivate: boolean}}
 */
export function pageOf(sender) {
  const isPrivate = sender.tab?.incognito === true;
  const title = isPrivate ? "" : (sender.tab?.title ?? "");
  return {
    page: { origin: originOf(sender.url), title: title.slice(0, MAX_TITLE_UTF16).toWellFormed() },
    isPrivate,
  };
}
