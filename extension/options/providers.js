// The list of providers, in the reader's order of preference, and adding one.

import { api, say } from "../shared/api.js";
import { byId, element, setText } from "../shared/dom.js";
import { kindOf } from "../shared/kinds.js";
import { makeCard, termsOf, titleOf } from "./card.js";
import { added, freeName, isFreeName, moved, providerNames, removed } from "./changes.js";

/**
 * @typedef {import("../shared/wire.js").Settings} Settings
 * @typedef {import("../shared/wire.js").Kind} Kind
 * @typedef {import("../shared/wire.js").ProviderStatus} ProviderStatus
 * @typedef {import("./field.js").Save} Save
 * @typedef {import("./card.js").Card} Card
 * @typedef {object} Means
 * @property {Save} save
 * @property {() => Settings} settings as the host last told them
 * @property {() => Kind[]} kinds that the host knows
 * @property {() => ProviderStatus[]} status
 * @property {(text: string) => void} tell says what was done
 * @property {() => void} drawPage draws what concerns pages
 * @property {() => Promise<void>} redraw asks the host anew and draws the list
 */

/** @type {Map<string, Card>} the cards that are shown, by the provider's name */
const cards = new Map();

/** Draws every card anew at the next time: the settings may be others. */
export function forgetCards() {
  cards.clear();
}

/** @param {Means} means */
export function drawProviders(means) {
  const names = providerNames(means.settings());
  const place = document.activeElement;
  const shown = names.map((name) => cardOf(means, name));
  for (const name of [...cards.keys()]) if (!names.includes(name)) cards.delete(name);
  shown.forEach((card, index) => card.update({ isFirst: index === 0, isLast: index === names.length - 1 }));
  byId("providers").replaceChildren(...shown.map(({ node }) => node));
  // What is moved in the document loses the focus, and so does a button that is switched off.
  if (place instanceof HTMLElement && place.isConnected) place.focus();
  byId("providers-none").hidden = names.length > 0;
  suggestName(means);
}

/** @param {Means} means @param {string} name */
function cardOf(means, name) {
  const known = cards.get(name);
  if (known?.kind === means.settings().provider?.[name]?.kind) return /** @type {Card} */ (known);
  const card = makeCard(means, name, {
    move: (step) => void move(means, name, step),
    remove: () => void remove(means, name),
  });
  cards.set(name, card);
  return card;
}

/** @param {Means} means @param {string} name @param {-1 | 1} step */
async function move(means, name, step) {
  const change = moved(providerNames(means.settings()), name, step);
  if (!change || (await means.save(change))) return;
  await means.redraw();
  means.tell(say("provider_moved", name, change.providers.indexOf(name) + 1));
  // The button that was pressed has nothing left to do at the end of the list.
  const pressed = cards.get(name)?.node.querySelector(`[data-act="${step < 0 ? "up" : "down"}"]`);
  const other = cards.get(name)?.node.querySelector(`[data-act="${step < 0 ? "down" : "up"}"]`);
  const hasLost = document.activeElement === document.body || document.activeElement === pressed;
  if (pressed?.matches(":disabled") && hasLost && other instanceof HTMLElement) other.focus();
}

/** @param {Means} means @param {string} name */
async function remove(means, name) {
  if (await means.save(removed(providerNames(means.settings()), name))) return;
  await means.redraw();
  means.tell(say("provider_removed", name));
  byId("add-kind").focus();
}

/**
 * Adds a provider to the end of the list.
 * @param {Means} means
 * @param {string} name
 * @param {{kind: string, [field: string]: unknown}} provider
 * @returns {Promise<Card | string>} the card, or the fault in words
 */
export async function addProvider(means, name, provider) {
  const fault = await means.save(added(means.settings(), name, provider, api.i18n.getUILanguage()));
  if (fault) return fault;
  await means.redraw();
  means.drawPage();
  means.tell(say("provider_added", name));
  return cards.get(name) ?? "";
}

/** Shows the name that a provider gets when none is typed, and what its kind asks of the reader. @param {Means} means */
function suggestName(means) {
  const kind = /** @type {HTMLSelectElement} */ (byId("add-kind")).value;
  const terms = termsOf(kindOf(means.kinds(), kind));
  /** @type {HTMLInputElement} */ (byId("add-name")).placeholder = freeName(kind, providerNames(means.settings()));
  byId("add-terms").hidden = terms === "";
  setText(byId("add-terms"), terms);
}

/** Fills the list of kinds, once the host has told them. @param {Means} means */
export function drawKinds(means) {
  const select = /** @type {HTMLSelectElement} */ (byId("add-kind"));
  const chosen = select.value;
  select.replaceChildren(...means.kinds().map((kind) => element("option", { value: kind.name }, titleOf(kind))));
  if (kindOf(means.kinds(), chosen)) select.value = chosen;
  byId("add").hidden = means.kinds().length === 0;
}

/** @param {Means} means */
export function listenToAdding(means) {
  const kind = /** @type {HTMLSelectElement} */ (byId("add-kind"));
  const name = /** @type {HTMLInputElement} */ (byId("add-name"));
  const taken = () => providerNames(means.settings());
  kind.addEventListener("change", () => suggestName(means));
  byId("add").addEventListener("submit", async (event) => {
    event.preventDefault();
    const chosen = name.value.trim() || freeName(kind.value, taken());
    const card = isFreeName(chosen, taken())
      ? await addProvider(means, chosen, { kind: kind.value })
      : say("provider_name_wrong");
    const fault = typeof card === "string" ? card : "";
    byId("add-error").hidden = fault === "";
    setText(byId("add-error"), fault);
    if (fault) return name.focus();
    name.value = "";
    suggestName(means);
    const first = byId("providers").querySelector(`[data-name="${chosen}"] :is(input, [data-act="test"])`);
    if (first instanceof HTMLElement) first.focus();
  });
}
