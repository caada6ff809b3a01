// The options: shows the settings as the host tells them, and saves each
// change at once. The file belongs to the host; nothing is kept here.

import { say } from "../shared/api.js";
import { ask } from "../shared/ask.js";
import { fillLanguages, hideFault, MODES, showFault } from "../shared/controls.js";
import { byId, element, localise, setText } from "../shared/dom.js";
import { drawCacheFields, drawCacheSize, listenToClear } from "./cache.js";
import { choice, field } from "./field.js";
import { drawAdding, drawProviders } from "./providers.js";

/**
 * @typedef {import("../shared/wire.js").Settings} Settings
 * @typedef {import("../shared/wire.js").StatusReply} StatusReply
 */

/** @type {Settings} */
let settings = {};
/** @type {StatusReply | null} */
let status = null;

const means = { save, settings: () => settings, status: () => status?.providers ?? [], tell, redraw, drawPage: drawPageFields };

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
}

/** Asks anew and draws what depends on the order or number of providers. */
async function redraw() {
  await askStatus();
  drawProviders(means);
}

function drawPageFields() {
  const target = element("select");
  fillLanguages(target, settings.target ?? "en");
  const mode = choice(MODES, "mode_", settings.page?.mode ?? "translation");
  byId("page-fields").replaceChildren(
    field({ words: "target_language", control: target }, (tag) => save({ target: tag })),
    field({ words: "mode", control: mode }, (chosen) => save({ page: { mode: chosen } })),
  );
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
  drawPageFields();
  drawCacheFields(settings.cache ?? {}, save);
  await Promise.all([redraw(), drawCacheSize()]);
}

async function open() {
  localise();
  document.title = say("options_title");
  drawAdding(means);
  listenToClear(tell);
  await load();
}

void open();
