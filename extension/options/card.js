// One provider's card: its fields, its terms, its key, and trying it out.
// A card is drawn once and told what changed, so that a test's words, a text
// that is being typed and the reader's place all stay.

import { say, sayOr } from "../shared/api.js";
import { ask } from "../shared/ask.js";
import { element, setText } from "../shared/dom.js";
import { fieldsOf, kindOf } from "../shared/kinds.js";
import { typedField } from "./changes.js";
import { field } from "./field.js";

/**
 * @typedef {import("../shared/wire.js").Kind} Kind
 * @typedef {import("../shared/wire.js").ProviderSettings} ProviderSettings
 * @typedef {import("./providers.js").Means} Means
 * @typedef {{isFirst: boolean, isLast: boolean}} Place in the list
 * @typedef {object} Card
 * @property {HTMLElement} node
 * @property {string} kind
 * @property {(at: Place) => void} update shows what the host says of the provider now
 * @property {() => Promise<void>} tryOut makes one call and says how it went
 * @property {() => void} focus
 */

/** Names of fields for which an address or a number is typed. */
const INPUT_MODES = /** @type {Record<string, string>} */ ({
  base_url: "url",
  requests_per_minute: "numeric",
  context_tokens: "numeric",
});

/** A key of `_locales` for a kind. @param {string} prefix @param {string} kind */
const keyFor = (prefix, kind) => `${prefix}_${kind.replaceAll("-", "_")}`;

/** What people call a kind. @param {Kind} kind */
export const titleOf = ({ name, title }) => sayOr(keyFor("kind", name), title);

/** What the reader agrees to; "" where nothing is to be agreed to. @param {Kind | undefined} kind */
export const termsOf = (kind) => (kind?.terms ? sayOr(keyFor("terms", kind.name), kind.terms) : "");

/**
 * @param {Means} means
 * @param {string} name
 * @param {{move: (step: -1 | 1) => void, remove: () => void}} acts
 * @returns {Card}
 */
export function makeCard(means, name, { move, remove }) {
  const provider = means.settings().provider?.[name] ?? { kind: "" };
  const kind = kindOf(means.kinds(), provider.kind);
  const chip = element("span");
  const up = iconButton("↑", say("provider_up", name), { "data-act": "up", click: () => move(-1) });
  const down = iconButton("↓", say("provider_down", name), { "data-act": "down", click: () => move(1) });
  const drop = iconButton("✕", say("provider_remove", name), { "data-act": "remove", click: remove });
  const title = element("p", { class: "soft small" }, kind ? titleOf(kind) : provider.kind);
  const trial = trialRow(name);
  const save = async (/** @type {Record<string, unknown>} */ values) => {
    const fault = await means.save({ provider: { [name]: values } });
    showState(means, name, chip);
    return fault;
  };
  const fields = fieldsOf(kind).map((id) => fieldOf(means, name, id, save));
  const node = element(
    "li",
    { "data-name": name, "aria-label": name },
    element("div", { class: "head" }, element("div", {}, element("h3", {}, name), title), chip, up, down, drop),
    kind?.terms ? agreement(means, name, kind, save) : null,
    fields.length > 0 && element("div", { class: "grid" }, ...fields),
    trial.node,
  );
  return {
    node,
    kind: provider.kind,
    update: ({ isFirst, isLast }) => {
      up.disabled = isFirst;
      down.disabled = isLast;
      showState(means, name, chip);
    },
    tryOut: trial.run,
    focus: () => trial.button.focus(),
  };
}

/**
 * What the host says of the provider; that it is off comes first.
 * @param {Means} means
 * @param {string} name
 * @param {HTMLElement} chip
 */
function showState(means, name, chip) {
  const provider = means.settings().provider?.[name];
  const mustAgree = Boolean(kindOf(means.kinds(), provider?.kind ?? "")?.terms) && !provider?.accept_terms;
  const state = means.status().find((one) => one.name === name)?.state ?? "";
  chip.hidden = !mustAgree && state === "";
  chip.className = `chip ${mustAgree ? "off" : state}`;
  setText(chip, mustAgree ? say("state_off") : state && sayOr(`state_${state}`, state));
}

/**
 * @param {string} sign
 * @param {string} words
 * @param {import("../shared/dom.js").Attributes} attributes
 */
function iconButton(sign, words, attributes) {
  return element("button", { type: "button", class: "icon", "aria-label": words, title: words, ...attributes }, sign);
}

/** @typedef {(values: Record<string, unknown>) => Promise<string>} SaveValues */

/**
 * The terms of an endpoint that is not offered to programs, and the reader's word on them.
 * @param {Means} means
 * @param {string} name
 * @param {Kind} kind
 * @param {SaveValues} save
 */
function agreement(means, name, kind, save) {
  const isAgreed = means.settings().provider?.[name]?.accept_terms === true;
  const box = element("input", { type: "checkbox", "data-field": "accept_terms", checked: isAgreed });
  const terms = element("p", {}, termsOf(kind));
  const agree = field({ words: "terms_agree", control: box, about: terms }, async () => {
    const isWanted = box.checked;
    const fault = await save({ accept_terms: isWanted ? true : null });
    if (fault) box.checked = !isWanted;
    return fault;
  });
  return element("div", { class: "terms" }, terms, agree);
}

/**
 * @param {Means} means
 * @param {string} name
 * @param {string} id
 * @param {SaveValues} save
 */
function fieldOf(means, name, id, save) {
  const provider = means.settings().provider?.[name] ?? { kind: "" };
  if (id === "key") return keyField(means, name, save);
  const control = element("input", {
    value: /** @type {Record<string, any>} */ (provider)[id] ?? "",
    "data-field": id,
    placeholder: placeholderOf(kindOf(means.kinds(), provider.kind), id),
    autocomplete: "off",
    spellcheck: "false",
    inputmode: INPUT_MODES[id] ?? "text",
  });
  return field({ words: `field_${id}`, otherwise: id, control }, async (typed) => {
    const read = typedField(id, typed);
    return "fault" in read ? say(read.fault) : save({ [id]: read.value });
  });
}

/** What an empty field means: the kind's own default. @param {Kind | undefined} kind @param {string} id */
function placeholderOf(kind, id) {
  if (id === "model") return kind?.model ?? "";
  if (id === "base_url") return kind?.base_url ?? "";
  return id === "requests_per_minute" ? say("field_unlimited") : "";
}

/**
 * The key as it is typed; a stored one is never shown, only its end.
 * @param {Means} means
 * @param {string} name
 * @param {SaveValues} save
 */
function keyField(means, name, save) {
  const control = element("input", { type: "password", "data-field": "key", autocomplete: "off", spellcheck: "false" });
  const forget = element("button", { type: "button", class: "quiet" }, say("field_key_forget"));
  const now = () => means.settings().provider?.[name];
  const show = () => {
    control.placeholder = now()?.has_key ? say("field_key_saved", now()?.key_tail ?? "…") : say("field_key_none");
    forget.hidden = !now()?.has_key;
  };
  const store = async (/** @type {string | null} */ key) => {
    const fault = await save({ key });
    if (!fault) control.value = "";
    show();
    return fault;
  };
  show();
  forget.addEventListener("click", async () => {
    await store(null);
    control.focus();
  });
  const isOptional = kindOf(means.kinds(), now()?.kind ?? "")?.key === "optional";
  const help = isOptional ? "field_key_optional" : "field_key_help";
  return field({ words: "field_key", control, help, beside: forget }, async (typed) =>
    typed.trim() === "" ? "" : store(typed.trim()),
  );
}

/** @param {string} name */
function trialRow(name) {
  const result = element("span", { class: "small", role: "status" });
  const run = async () => {
    // Not disabled: a button that is loses the reader's place.
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    result.className = "small soft";
    setText(result, say("provider_testing"));
    const { works, words } = await test(name);
    result.className = `small ${works ? "works" : "error"}`;
    setText(result, words);
    button.removeAttribute("aria-disabled");
  };
  const button = element("button", { type: "button", "data-act": "test", click: run }, say("provider_test"));
  return { node: element("div", { class: "row" }, button, result), button, run };
}

/** @param {string} name @returns {Promise<{works: boolean, words: string}>} */
async function test(name) {
  const answer = await ask("test_provider", { provider: name });
  if (!answer.ok) return { works: false, words: [answer.message, answer.hint].filter(Boolean).join(" ") };
  const reply = /** @type {import("../shared/wire.js").ProviderTested} */ (answer.reply);
  if (reply.ok) return { works: true, words: say("provider_works", reply.text ?? "", reply.latency_ms) };
  const message = reply.message ?? say(`failed_${reply.code ?? "unknown"}`);
  return { works: false, words: [message, reply.hint].filter(Boolean).join(" ") };
}
