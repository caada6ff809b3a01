// The options: shows the settings as the host tells them, and saves each
// change at once. The file belongs to the host; nothing is kept here.

import { say } from "../shared/api.js";
import { ask } from "../shared/ask.js";
import { hideFault, showFault } from "../shared/controls.js";
import { byId, localise, setText } from "../shared/dom.js";
import { drawCacheFields, drawCacheSize, listenToClear } from "./cache.js";
import { listenToFind } from "./corrections.js";
import { drawCostFields, showToday } from "./cost.js";
import { listenToDetect } from "./detect.js";
import { drawPageFields } from "./pages.js";
import { drawKinds, drawProviders, forgetCards, listenToAdding } from "./providers.js";

/**
 * @typedef {import("../shared/wire.js").Settings} Settings
 * @typedef {import("../shared/wire.js").Kind} Kind
 * @typedef {import("../shared/wire.js").StatusReply} StatusReply
 */

/** @type {Settings} */
let settings = {};
/** @type {Kind[]} */
let kinds = [];
/** @type {StatusReply | null} */
let status = null;

/** @type {import("./providers.js").Means} */
const means = {
  save,
  settings: () => settings,
  kinds: () => kinds,
  status: () => status?.providers ?? [],
  tell,
  redraw,
  drawPage: () => drawPageFields(settings, save),
};

/** @param {string} text @param {boolean} [isBad] */
function tell(text, isBad = false) {
  const line = byId("status");
  line.classList.toggle("bad", isBad);
  setText(line, text);
}

/**
 * Saves a change.
 * @param {import("./changes.js").Change} change
 * @returns {Promise<string>} "" or the fault in words
 */
async function save(change) {
  tell(say("saving"));
  const answer = await ask("set_settings", { settings: change });
  if (!answer.ok) {
    const words = [answer.message, answer.hint].filter(Boolean).join(" ");
    tell(words, true);
    return words;
  }
  take(answer);
  await askStatus();
  tell(say("saved"));
  return "";
}

/** @param {Record<string, unknown>} answer */
function take(answer) {
  settings = /** @type {Settings} */ (answer.settings);
  kinds = /** @type {Kind[] | undefined} */ (answer.kinds) ?? kinds;
  setText(byId("file-path"), String(answer.path));
  byId("file-problem").hidden = !answer.problem;
  setText(byId("file-problem"), answer.problem ? say("file_problem", String(answer.problem)) : "");
  const ignored = Array.isArray(answer.warnings) ? answer.warnings.map(String) : [];
  byId("file-warnings").hidden = ignored.length === 0;
  setText(byId("file-warnings"), ignored.length > 0 ? say("file_warnings", ignored.join(" · ")) : "");
}

async function askStatus() {
  const answer = await ask("host");
  status = answer.ok ? /** @type {StatusReply} */ (answer.reply) : null;
  showToday(status?.usage ?? {}, status?.by_provider ?? []);
}

/** Asks anew and draws what depends on the order or number of providers. */
async function redraw() {
  await askStatus();
  drawProviders(means);
}

async function load() {
  const answer = await ask("get_settings");
  byId("sections").hidden = !answer.ok;
  if (!answer.ok) {
    showFault(byId("fault"), answer, load);
    return;
  }
  hideFault(byId("fault"));
  take(answer);
  drawKinds(means);
  drawPageFields(settings, save);
  drawCacheFields(settings.cache ?? {}, save);
  drawCostFields(settings.budget ?? {}, save);
  forgetCards();
  await Promise.all([redraw(), drawCacheSize()]);
}

async function open() {
  localise();
  document.title = say("options_title");
  listenToAdding(means);
  listenToDetect(means);
  listenToClear(tell);
  listenToFind(tell);
  await load();
}

void open();
