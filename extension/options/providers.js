// The list of providers: one card each, in the reader's order of preference.

import { api, say } from "../shared/api.js";
import { ask } from "../shared/ask.js";
import { byId, element, setText } from "../shared/dom.js";
import { added, freeName, isFreeName, KINDS, moved, PLACEHOLDERS, providerNames, removed, typedField } from "./changes.js";
import { choice, field } from "./field.js";

/**
 * @typedef {import("../shared/wire.js").Settings} Settings
 * @typedef {import("../shared/wire.js").ProviderSettings} ProviderSettings
 * @typedef {import("../shared/wire.js").ProviderStatus} ProviderStatus
 * @typedef {import("./field.js").Save} Save
 * @typedef {object} Means
 * @property {Save} save
 * @property {() => Settings} settings as the host last told them
 * @property {() => ProviderStatus[]} status
 * @property {(text: string) => void} tell says what was done
 * @property {() => void} drawPage draws what concerns pages
 * @property {() => Promise<void>} redraw asks the host anew and draws the list
 */

/** @param {Means} means */
export function drawProviders(means) {
  const settings = means.settings();
  const names = providerNames(settings);
  byId("providers").replaceChildren(
    ...names.map((name, index) => card(means, name, { isFirst: index === 0, isLast: index === names.length - 1 })),
  );
  byId("providers-none").hidden = names.length > 0;
  suggestName(means);
}

/**
 * @param {Means} means
 * @param {string} name
 * @param {{isFirst: boolean, isLast: boolean}} at
 */
function card(means, name, at) {
  const provider = means.settings().provider?.[name] ?? { kind: "sample" };
  const fields = KINDS[provider.kind] ?? ["model", "key", "base_url", "requests_per_minute"];
  return element(
    "li",
    { "data-name": name, "aria-label": name },
    head(means, name, provider, at),
    fields.length > 0 && element("div", { class: "grid" }, ...fields.map((id) => fieldOf(means, name, provider, id))),
    testRow(means, name),
  );
}

/**
 * @param {Means} means
 * @param {string} name
 * @param {ProviderSettings} provider
 * @param {{isFirst: boolean, isLast: boolean}} at
 */
function head(means, name, provider, { isFirst, isLast }) {
  const kind = Object.hasOwn(KINDS, provider.kind) ? say(`kind_${provider.kind}`) : provider.kind;
  return element(
    "div",
    { class: "head" },
    element("div", {}, element("h3", {}, name), element("p", { class: "soft small" }, kind)),
    chip(means, name),
    iconButton("↑", say("provider_up", name), { "data-act": "up", disabled: isFirst, click: () => move(means, name, -1) }),
    iconButton("↓", say("provider_down", name), { "data-act": "down", disabled: isLast, click: () => move(means, name, 1) }),
    iconButton("✕", say("provider_remove", name), { "data-act": "remove", click: () => remove(means, name) }),
  );
}

/** @param {Means} means @param {string} name */
function chip(means, name) {
  const state = means.status().find((one) => one.name === name)?.state;
  if (!state) return null;
  return element("span", { class: `chip ${state}` }, say(`state_${state}`));
}

/**
 * @param {string} sign
 * @param {string} words
 * @param {import("../shared/dom.js").Attributes} attributes
 */
function iconButton(sign, words, attributes) {
  return element("button", { type: "button", class: "icon", "aria-label": words, title: words, ...attributes }, sign);
}

/**
 * @param {Means} means
 * @param {string} name
 * @param {ProviderSettings} provider
 * @param {string} id
 */
function fieldOf(means, name, provider, id) {
  if (id === "key") return keyField(means, name, provider);
  const value = /** @type {Record<string, any>} */ (provider)[id];
  const control = element("input", {
    value: value ?? "",
    "data-field": id,
    placeholder: PLACEHOLDERS[provider.kind]?.[id] ?? (id === "requests_per_minute" ? say("field_unlimited") : ""),
    autocomplete: "off",
    spellcheck: "false",
    inputmode: id === "requests_per_minute" ? "numeric" : id === "base_url" ? "url" : "text",
  });
  return field({ words: `field_${id}`, control }, async (typed) => {
    const read = typedField(id, typed);
    if ("fault" in read) return say(read.fault);
    return saveField(means, name, { [id]: read.value });
  });
}

/**
 * The key as it is typed; a stored one is never shown, only its end.
 * @param {Means} means
 * @param {string} name
 * @param {ProviderSettings} provider
 */
function keyField(means, name, provider) {
  const control = element("input", { type: "password", "data-field": "key", autocomplete: "off", spellcheck: "false" });
  const forget = element("button", { type: "button", class: "quiet" }, say("field_key_forget"));
  const show = (/** @type {ProviderSettings | undefined} */ now) => {
    control.placeholder = now?.has_key ? say("field_key_saved", now.key_tail ?? "…") : say("field_key_none");
    forget.hidden = !now?.has_key;
  };
  const store = async (/** @type {string | null} */ key) => {
    const fault = await saveField(means, name, { key });
    if (!fault) control.value = "";
    show(means.settings().provider?.[name]);
    return fault;
  };
  show(provider);
  forget.addEventListener("click", async () => {
    await store(null);
    control.focus();
  });
  return field({ words: "field_key", control, help: "field_key_help", beside: forget }, async (typed) =>
    typed.trim() === "" ? "" : store(typed.trim()),
  );
}

/** @param {Means} means @param {string} name @param {Record<string, unknown>} values */
async function saveField(means, name, values) {
  const fault = await means.save({ provider: { [name]: values } });
  const shown = byId("providers").querySelector(`[data-name="${name}"] .chip`);
  if (!fault && shown) shown.replaceWith(chip(means, name) ?? "");
  return fault;
}

/** @param {Means} means @param {string} name */
function testRow(means, name) {
  const result = element("span", { class: "small", role: "status" });
  const button = element("button", { type: "button", "data-act": "test" }, say("provider_test"));
  button.addEventListener("click", async () => {
    button.disabled = true;
    result.className = "small soft";
    setText(result, say("provider_testing"));
    const { works, words } = await test(name);
    result.className = `small ${works ? "works" : "error"}`;
    setText(result, words);
    button.disabled = false;
  });
  return element("div", { class: "row" }, button, result);
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

/** @param {Means} means @param {string} name @param {-1 | 1} step */
async function move(means, name, step) {
  const change = moved(providerNames(means.settings()), name, step);
  if (!change || (await means.save(change))) return;
  await means.redraw();
  means.tell(say("provider_moved", name, change.providers.indexOf(name) + 1));
  focusCard(name, step < 0 ? ["up", "down"] : ["down", "up"]);
}

/** Keeps the reader's place after the list was drawn anew. @param {string} name @param {string[]} acts */
function focusCard(name, acts) {
  for (const act of acts) {
    const button = byId("providers").querySelector(`[data-name="${name}"] [data-act="${act}"]:enabled`);
    if (button instanceof HTMLElement) return button.focus();
  }
}

/** @param {Means} means @param {string} name */
async function remove(means, name) {
  if (await means.save(removed(providerNames(means.settings()), name))) return;
  await means.redraw();
  means.tell(say("provider_removed", name));
  byId("add-kind").focus();
}

/** Shows the name that a provider gets when none is typed. @param {Means} means */
function suggestName(means) {
  const kind = /** @type {HTMLSelectElement} */ (byId("add-kind")).value;
  /** @type {HTMLInputElement} */ (byId("add-name")).placeholder = freeName(kind, providerNames(means.settings()));
}

/** @param {Means} means */
export function drawAdding(means) {
  const kind = /** @type {HTMLSelectElement} */ (byId("add-kind"));
  const name = /** @type {HTMLInputElement} */ (byId("add-name"));
  const taken = () => providerNames(means.settings());
  kind.replaceChildren(...choice(Object.keys(KINDS), "kind_", "gemini").children);
  kind.value = "gemini";
  kind.addEventListener("change", () => suggestName(means));
  byId("add").addEventListener("submit", async (event) => {
    event.preventDefault();
    const chosen = name.value.trim() || freeName(kind.value, taken());
    const fault = isFreeName(chosen, taken())
      ? await means.save(added(means.settings(), chosen, kind.value, api.i18n.getUILanguage()))
      : say("provider_name_wrong");
    byId("add-error").hidden = fault === "";
    setText(byId("add-error"), fault);
    if (fault) return name.focus();
    name.value = "";
    await means.redraw();
    means.drawPage();
    means.tell(say("provider_added", chosen));
    const first = byId("providers").querySelector(`[data-name="${chosen}"] :is(input, [data-act="test"])`);
    if (first instanceof HTMLElement) first.focus();
  });
}
