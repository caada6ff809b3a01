// The background: a service worker in Chromium, an event page in Firefox. It
// wires the parts to the browser and decides nothing. Listeners are registered
// before anything is awaited, since an event may be what started the worker.

import { api, browserFamily, portFault, say, version } from "../shared/api.js";
import { contentFiles } from "../shared/content-files.js";
import { NATIVE_HOST, PAGE_PORT, POPUP_PORT } from "../shared/ids.js";
import { PROTOCOL } from "../shared/wire.js";
import { BADGE_GONE, badgeOf } from "./badge.js";
import { linkCode, linkFault, protocolFault } from "./fault.js";
import { HostLink } from "./host-link.js";
import { Reach } from "./inject.js";
import { Notices } from "./notices.js";
import { PageHub } from "./page-hub.js";
import { answer } from "./requests.js";
import { isContentScript, isOwnPage, pageOf } from "./sender.js";

/**
 * @typedef {import("../shared/api.js").Port} Port
 * @typedef {import("./page-hub.js").Page} Page
 */

const OWN_BASE = api.runtime.getURL("");
const place = { os: "linux", extensionId: api.runtime.id };
api.runtime.getPlatformInfo().then(({ os }) => (place.os = os));

/** @param {number} ms @param {() => void} act */
function after(ms, act) {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
}

const link = new HostLink({
  connect: () => api.runtime.connectNative(NATIVE_HOST),
  reason: (port) => (port ? portFault(/** @type {Port} */ (port)) : ""),
  clock: { after },
  client: { version: version(), browser: browserFamily() },
  linkFault: (code, text) => linkFault(code || linkCode(text), text, place, say),
  protocolFault: (theirs) => protocolFault(theirs, PROTOCOL, place, say),
  isAwaited: () => hub.isAwaited(),
  onReply: (reply) => hub.deliver(reply),
  onReady: () => {
    hub.resend();
    tellPopups();
  },
  onNotice: (notice) => void notices.add(notice),
  onLost: () => hub.lose(),
  onGone: (fault) => {
    hub.giveUp(fault);
    tellPopups();
  },
});

const notices = new Notices(
  {
    load: async () => (await api.storage.session.get("notices")).notices,
    save: (kept) => api.storage.session.set({ notices: kept }),
  },
  () => tellPopups(),
);

const hub = new PageHub(link, (tabId, page) => {
  if (page?.state) reach.told(page);
  showBadge(tabId, page);
  tellPopups(tabId);
});

const reach = new Reach({
  page: (tabId) => hub.page(tabId),
  inject: (tabId) => api.scripting.executeScript({ target: { tabId }, files: [...contentFiles] }),
  wake: async (tabId) => {
    const [result] = await api.scripting.executeScript({ target: { tabId }, func: connectAgain });
    return result?.result === true;
  },
  after,
  say,
});

/** Runs in the page, where it sees what the content scripts share. Knows nothing of this file. */
function connectAgain() {
  const { page } = /** @type {any} */ (globalThis).webtranslator ?? {};
  page?.connect();
  return page !== undefined;
}

const means = {
  link,
  dismiss: (/** @type {import("./notices.js").Notice} */ notice) => notices.dismiss(notice),
  reach: (/** @type {number} */ tabId) => reach.page(tabId),
  find: (/** @type {number} */ tabId) => reach.find(tabId),
  remember: (/** @type {import("../shared/wire.js").Settings} */ { target, page }) =>
    void api.storage.local.set({ known: { target, mode: page?.mode } }),
};

/** @type {Map<Port, number>} the popups that are open, and the tab that each shows */
const popups = new Map();

/** @param {number} [tabId] only those that show this tab */
function tellPopups(tabId) {
  for (const [port, shown] of popups) {
    if (tabId !== undefined && tabId !== shown) continue;
    const page = hub.page(shown);
    port.postMessage({
      type: "page",
      state: page?.state ?? null,
      fault: page?.fault ?? null,
      isHostReady: link.isReady,
      notice: notices.latest,
    });
  }
}

/** @param {number} tabId @param {Page | null} page */
function showBadge(tabId, page) {
  const { text, color } = page?.fault ? BADGE_GONE : badgeOf(page?.state ?? null);
  // A tab that was closed meanwhile has no badge, and that is all it means.
  const ignore = () => {};
  api.action.setBadgeText({ tabId, text }).catch(ignore);
  api.action.setBadgeBackgroundColor({ tabId, color }).catch(ignore);
}

/** @param {Port} port */
function acceptPage(port) {
  const { sender } = port;
  const tabId = sender?.tab?.id;
  if (!sender || tabId === undefined) return;
  const page = hub.join(tabId, pageOf(sender), (message) => {
    try {
      port.postMessage(message);
    } catch {
      // The page was left; `onDisconnect` follows.
      hub.leave(page);
    }
  });
  port.onMessage.addListener((message) => hub.hear(page, message));
  port.onDisconnect.addListener(() => hub.leave(page));
  reach.joined(page);
}

/** @param {Port} port */
function acceptPopup(port) {
  port.onDisconnect.addListener(() => popups.delete(port));
  port.onMessage.addListener(({ type, tabId }) => {
    if (type !== "watch" || typeof tabId !== "number") return;
    popups.set(port, tabId);
    tellPopups(tabId);
    // A page that lost its port tells its state, and so the popup hears it.
    void reach.find(tabId);
  });
}

api.runtime.onConnect.addListener((port) => {
  const { name, sender } = port;
  if (name === PAGE_PORT && isContentScript(sender, api.runtime.id, OWN_BASE)) acceptPage(port);
  else if (name === POPUP_PORT && isOwnPage(sender, api.runtime.id, OWN_BASE)) acceptPopup(port);
  else port.disconnect();
});

api.runtime.onMessage.addListener((message, sender, sendResponse) => {
  if (!isOwnPage(sender, api.runtime.id, OWN_BASE) || typeof message?.type !== "string") return false;
  answer(means, message).then(sendResponse);
  return true;
});

api.commands.onCommand.addListener(async (command, tab) => {
  if (command !== "toggle-page" || tab?.id === undefined) return;
  const result = await answer(means, { type: "toggle", tabId: tab.id });
  if (!result.ok) {
    await api.action.setBadgeText({ tabId: tab.id, text: BADGE_GONE.text });
    await api.action.setBadgeBackgroundColor({ tabId: tab.id, color: BADGE_GONE.color });
  }
});
