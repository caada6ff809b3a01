// Finding what was translated, and correcting it: what the reader writes wins
// over every engine until it is removed. Rows that stay the same are kept when
// the list is drawn anew, so that a text half typed stays.

import { say, wordsLanguage } from "../shared/api.js";
import { ask } from "../shared/ask.js";
import { byId, element, setText } from "../shared/dom.js";
import { languageName } from "../shared/languages.js";
import { drawCacheSize } from "./cache.js";

/**
 * @typedef {import("../shared/wire.js").CacheEntry} CacheEntry
 * @typedef {import("../shared/wire.js").CacheFound} CacheFound
 * @typedef {(text: string, isBad?: boolean) => void} Tell
 */

/** A text with more characters than this gets another line to be edited in. */
const LINE = 60;
const MAX_LINES = 6;

/** How the wire calls any language. */
const ANY = "*";

/** What was looked for last. */
let lastWords = "";
let lastNumber = 0;
/** The rows by what they say. @type {Map<string, HTMLElement>} */
let rows = new Map();

/** @param {Tell} tell */
export function listenToFind(tell) {
  const button = byId("find-button");
  byId("find").addEventListener("submit", async (event) => {
    event.preventDefault();
    // Not disabled: a button that is loses the reader's place.
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    lastWords = /** @type {HTMLInputElement} */ (byId("find-words")).value;
    showState(say("detect_looking"));
    await look(tell);
    button.removeAttribute("aria-disabled");
  });
}

/** @param {string} words @param {boolean} [isBad] */
function showState(words, isBad = false) {
  byId("find-status").classList.toggle("error", isBad);
  setText(byId("find-status"), words);
}

/** Asks for what the last words find, and shows it. @param {Tell} tell */
async function look(tell) {
  const answer = await ask("cache_find", { text: lastWords });
  if (!answer.ok) return showState([answer.message, answer.hint].filter(Boolean).join(" "), true);
  const { entries, more } = /** @type {CacheFound} */ (answer.reply);
  if (entries.length === 0) showState(say("find_none"));
  else showState(say(more ? "find_more" : "detect_found", entries.length));
  draw(entries, tell);
}

/** @param {CacheEntry[]} entries @param {Tell} tell */
function draw(entries, tell) {
  const before = rows;
  rows = new Map();
  for (const entry of entries) {
    const key = JSON.stringify(entry);
    rows.set(key, before.get(key) ?? row(entry, tell));
  }
  const list = byId("entries");
  list.hidden = entries.length === 0;
  // A row that is taken out and put back would lose the reader's place.
  for (const [key, node] of before) if (rows.get(key) !== node) node.remove();
  let place = list.firstElementChild;
  for (const node of rows.values()) {
    if (node === place) place = place.nextElementSibling;
    else list.insertBefore(node, place);
  }
}

/**
 * Sends a change, shows what is there now, and stays with the text.
 * @param {CacheEntry} entry
 * @param {HTMLElement} error
 * @param {Tell} tell
 * @param {{type: string, fields: Record<string, unknown>, done: string}} change
 */
async function send(entry, error, tell, { type, fields, done }) {
  tell(say("saving"));
  const answer = await ask(type, { ...fields, target: entry.target });
  error.hidden = answer.ok;
  setText(error, answer.ok ? "" : [answer.message, answer.hint].filter(Boolean).join(" "));
  if (!answer.ok) return tell(say("find_failed"), true);
  await Promise.all([look(tell), drawCacheSize()]);
  tell(say(done));
  const same = [...rows].find(([key]) => JSON.parse(key).source === entry.source)?.[1];
  if (document.activeElement === document.body) (same?.querySelector("button") ?? byId("find-words")).focus();
}

/** @param {CacheEntry} entry @param {Tell} tell */
function row(entry, tell) {
  const isMachine = entry.engine !== undefined;
  const error = element("p", { id: `entry-${(lastNumber += 1)}-error`, class: "error", role: "alert", hidden: true });
  const source = element("p", { class: "entry-text", lang: known(entry.source_language), dir: "auto" }, entry.source);
  const where = element("p", { class: "soft small" }, wherefrom(entry));
  const node = element("li", { "aria-label": entry.source }, source, where);
  const forget = button("find_forget", "forget", () =>
    send(entry, error, tell, { type: "cache_forget", fields: { text: entry.source }, done: "find_forgotten" }),
  );
  if (isMachine && entry.corrected) {
    const text = element("p", { class: "entry-text soft", lang: entry.target, dir: "auto" }, entry.translation);
    node.append(text, element("div", { class: "row" }, element("span", { class: "small soft" }, say("find_replaced")), forget), error);
    return node;
  }
  const editor = translationField(entry, error);
  const box = isMachine && entry.site ? element("input", { type: "checkbox", id: `entry-${lastNumber}-site` }) : null;
  const correct = (/** @type {string | null} */ translation, /** @type {string} */ done) => {
    const { source, marked } = entry;
    const site = entry.site && (!isMachine || box?.checked) ? { site: entry.site } : {};
    const place = isMachine ? site : { source_language: entry.source_language, ...site };
    return send(entry, error, tell, { type: "cache_correct", fields: { source, marked, translation, ...place }, done });
  };
  const save = button("find_save", "save", () => correct(editor.value(), "saved"));
  const last = isMachine ? forget : button("find_remove", "remove", () => correct(null, "find_removed"));
  const only = box && element("div", { class: "check small" }, box, element("label", { for: box.id }, say("find_site", entry.site ?? "")));
  node.append(editor.node, element("div", { class: "row" }, save, last, only), error);
  return node;
}

/** @param {string} words @param {string} act @param {() => void} click */
const button = (words, act, click) => element("button", { type: "button", "data-act": act, click }, say(words));

/**
 * @param {CacheEntry} entry
 * @param {HTMLElement} error
 * @returns {{node: HTMLElement, value: () => string}}
 */
function translationField({ translation, target, marked }, error) {
  const id = `entry-${lastNumber}`;
  const lines = Math.min(MAX_LINES, Math.ceil(translation.length / LINE));
  const help = marked ? element("p", { id: `${id}-help`, class: "help soft" }, say("find_marked")) : null;
  const area = element("textarea", { id, rows: lines, lang: known(target), dir: "auto", "aria-describedby": [help?.id, error.id].filter(Boolean).join(" ") });
  area.value = translation;
  const label = element("label", { for: id }, say("find_translation"));
  return { node: element("div", { class: "field" }, label, area, help), value: () => area.value };
}

/** Languages, who translated, where, and when it was last used. @param {CacheEntry} entry */
function wherefrom({ source_language, target, engine, site, used }) {
  const [kind, , model] = (engine ?? "").split("|");
  const who = engine === undefined ? say("find_yours") : [kind, model].filter(Boolean).join(" ");
  const pair = `${nameOf(source_language)} → ${nameOf(target)}`;
  return [who, pair, site, used && say("find_used", used)].filter(Boolean).join(" · ");
}

/** @param {string} tag */
const nameOf = (tag) => (known(tag) ? languageName(tag, wordsLanguage()) : say("find_any"));

/** A language that pages can be told; "" for any. @param {string} tag */
const known = (tag) => (tag === ANY || tag === "und" ? "" : tag);
