// The popup: shows the page of the tab that the reader looks at, and passes
// on what the reader wants. It keeps nothing: all of it is asked anew.

import { activeTabId, api, say, wordsLanguage } from "../shared/api.js";
import { ask } from "../shared/ask.js";
import { fillLanguages, fillModes, hideFault, showFault } from "../shared/controls.js";
import { byId, element, localise, setText } from "../shared/dom.js";
import { POPUP_PORT } from "../shared/ids.js";
import { nearestLanguage } from "../shared/languages.js";
import { viewOf } from "./view.js";

/** @typedef {import("./view.js").PageView} PageView */

/** @type {import("./view.js").Known} */
const known = {
  ...{ host: null, fault: null, page: null, addresses: {}, kinds: [], limit: undefined },
  ...{ settingsProblem: "", refusal: "", isStarting: false, hostNotice: null },
};

/** How the page stood when the host was asked last. */
let knownSituation = "";

/** @type {number | undefined} */
let tabId;

const target = /** @type {HTMLSelectElement} */ (byId("target"));
const mode = /** @type {HTMLSelectElement} */ (byId("mode"));
const toggle = /** @type {HTMLButtonElement} */ (byId("toggle"));

function render() {
  const view = viewOf(known, Date.now(), say, wordsLanguage());
  if (view.fault) showFault(byId("fault"), view.fault, checkAgain);
  else hideFault(byId("fault"));
  byId("host-notice").hidden = view.hostNotice === "";
  setText(byId("host-notice-text"), view.hostNotice);
  byId("first-run").hidden = !view.isFirstRun;
  byId("controls").hidden = !view.hasControls;
  setText(toggle, view.main.label);
  toggle.disabled = !view.main.isEnabled;
  showLine("provider", view.provider);
  showLine("notice", view.notice);
  byId("page").hidden = !view.page;
  if (view.page) renderPage(view.page);
}

/** @param {string} id @param {string} text */
function showLine(id, text) {
  const line = byId(id);
  line.hidden = text === "";
  setText(line, text);
}

/** @param {PageView} page */
function renderPage(page) {
  const bar = byId("bar");
  bar.hidden = page.total === 0;
  bar.setAttribute("aria-valuemax", String(page.total));
  bar.setAttribute("aria-valuenow", String(page.answered));
  bar.setAttribute("aria-valuetext", page.counts);
  byId("bar-fill").style.width = `${page.shares.translated}%`;
  byId("bar-failed").style.width = `${page.shares.failed}%`;
  showLine("counts", page.counts);
  showLine("waiting", page.waiting);
  showLine("paused", page.paused);
  showLine("by", page.by);
  showLine("message", page.message);
  showLine("frames", page.frames);
  byId("go-on").hidden = page.paused === "";
  byId("failed").hidden = page.failedTitle === "";
  setText(byId("failed-title"), page.failedTitle);
  byId("failures").replaceChildren(
    ...page.failures.map(({ count, reason }) => element("li", {}, element("b", {}, count), element("span", {}, reason))),
  );
  byId("account").hidden = page.account.length === 0;
  byId("account").replaceChildren(
    ...page.account.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]),
  );
  // Told once when it ends, not at each step: the bar has the steps.
  setText(byId("live"), known.page?.done ? page.counts : "");
}

async function askHost() {
  const [host, settings] = await Promise.all([ask("host"), ask("get_settings")]);
  known.host = host.ok ? /** @type {any} */ (host.reply) : null;
  known.fault = host.ok ? null : host;
  if (settings.ok) {
    const { target: language, page, provider, budget } = /** @type {import("../shared/wire.js").Settings} */ (settings.settings);
    known.addresses = provider ?? {};
    known.kinds = /** @type {import("../shared/wire.js").Kind[] | undefined} */ (settings.kinds) ?? [];
    known.limit = budget?.usd_per_day;
    known.settingsProblem = String(settings.problem ?? "");
    fillLanguages(target, known.page?.target || language || /** @type {any} */ (host).target);
    fillModes(mode, page?.mode ?? "");
  }
  render();
}

function checkAgain() {
  known.fault = null;
  known.host = null;
  render();
  return askHost();
}

async function start() {
  known.isStarting = true;
  known.refusal = "";
  render();
  // A quick click comes before the host has said which language is wanted.
  if (!known.host) await askHost();
  const result = await ask("start", { tabId, target: target.value, mode: mode.value });
  known.isStarting = false;
  if (!result.ok) refuse(result);
  render();
}

/** @param {import("../background/fault.js").Fault} fault */
function refuse(fault) {
  if (fault.command || fault.code.startsWith("host_")) known.fault = fault;
  else known.refusal = [fault.message, fault.hint].filter(Boolean).join(" ");
}

/** Keeps a choice for the next page. @param {import("../shared/wire.js").Settings} settings */
async function keep(settings) {
  const result = await ask("set_settings", { settings });
  if (result.ok) return;
  refuse(result);
  render();
}

function listen() {
  toggle.addEventListener("click", () => (known.page?.active ? ask("restore", { tabId }) : start()));
  target.addEventListener("change", async () => {
    await keep({ target: target.value });
    if (known.page?.active) await start();
  });
  mode.addEventListener("change", async () => {
    if (known.page?.active) await ask("set_mode", { tabId, mode: mode.value });
    await keep({ page: { mode: mode.value } });
  });
  byId("go-on").addEventListener("click", start);
  byId("host-notice-dismiss").addEventListener("click", async () => {
    await ask("dismiss_notice", { notice: known.hostNotice });
    toggle.focus();
  });
  byId("retry").addEventListener("click", () => ask("retry_failed", { tabId }));
  byId("show").addEventListener("click", async () => {
    await ask("show_failed", { tabId });
    window.close();
  });
  for (const id of ["options", "set-up"]) {
    byId(id).addEventListener("click", async () => {
      await api.runtime.openOptionsPage();
      window.close();
    });
  }
}

/**
 * Whether another provider has come in, or the page has ended: the host has
 * then more to say of its providers and of the day's cost.
 * @param {import("./view.js").Known["page"]} page
 */
function isNewSituation(page) {
  const names = (page?.by ?? []).map(({ provider }) => provider);
  const now = page?.active ? [page.done ? "done" : "", ...names].join(" ").trim() : "";
  const isNew = now !== knownSituation;
  knownSituation = now;
  return isNew && now !== "";
}

async function askStatus() {
  const host = await ask("host");
  if (!host.ok) return;
  known.host = /** @type {any} */ (host.reply);
  render();
}

function watchPage() {
  const port = api.runtime.connect({ name: POPUP_PORT });
  port.onMessage.addListener(({ state, fault, isHostReady, notice }) => {
    known.page = state;
    known.hostNotice = notice;
    if (fault) known.fault = fault;
    else if (known.fault && isHostReady) void askHost();
    else if (isNewSituation(state)) void askStatus();
    if (state?.active) fillModes(mode, state.mode);
    render();
  });
  // The worker was stopped: connecting again starts it.
  port.onDisconnect.addListener(() => setTimeout(watchPage, 100));
  port.postMessage({ type: "watch", tabId });
}

async function open() {
  localise();
  listen();
  const { known: last } = /** @type {{known?: {target?: string, mode?: string}}} */ (
    await api.storage.local.get("known")
  );
  fillLanguages(target, last?.target ?? nearestLanguage(api.i18n.getUILanguage()));
  fillModes(mode, last?.mode ?? "");
  render();
  tabId = await activeTabId();
  watchPage();
  // A countdown moves by itself.
  setInterval(render, 500);
  await askHost();
}

void open();
