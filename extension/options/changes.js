// What a choice of the reader means for the settings, as partial settings that
// `set_settings` takes. Pure.

import { kindOf } from "../shared/kinds.js";
import { nearestLanguage } from "../shared/languages.js";

/**
 * @typedef {import("../shared/wire.js").Settings} Settings
 * @typedef {import("../shared/wire.js").Kind} Kind
 * @typedef {import("../shared/wire.js").Found} Found
 * @typedef {Record<string, any>} Change
 */

/** The host's target while the settings name none. */
const UNCHOSEN_TARGET = "en";

/** The styles that have a name; any other is the reader's own words. */
const STYLES = ["neutral", "formal", "casual"];

/** What can be chosen as a style. */
export const STYLE_CHOICES = [...STYLES, "own"];

/** The host takes no longer style, in characters. */
const MAX_STYLE = 200;

/** The host takes no greater limit, in US dollars. */
const MAX_USD = 10_000;

/** Fields that hold a whole number. */
const NUMBERS = ["requests_per_minute", "max_mb", "max_days", "context_tokens"];

/** @param {string} name @param {string[]} taken */
export function isFreeName(name, taken) {
  return /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(name) && !taken.includes(name);
}

/** The wanted name, or that with the first number that is free. @param {string} wanted @param {string[]} taken */
export function freeName(wanted, taken) {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if (!taken.includes(name)) return name;
  }
}

/** Every provider of the settings: those in use in their order, then the others. @param {Settings} settings */
export function providerNames({ providers = [], provider = {} }) {
  const known = providers.filter((name) => Object.hasOwn(provider, name));
  return [...known, ...Object.keys(provider).filter((name) => !known.includes(name))];
}

/**
 * With the first provider, a target that nobody has chosen yet becomes the
 * language of the reader's browser.
 * @param {Settings} settings
 * @param {string} name
 * @param {{kind: string, [field: string]: unknown}} provider
 * @param {string} browserLanguage
 * @returns {Change}
 */
export function added(settings, name, provider, browserLanguage) {
  const names = providerNames(settings);
  const isUnchosen = names.length === 0 && (settings.target ?? UNCHOSEN_TARGET) === UNCHOSEN_TARGET;
  return {
    ...(isUnchosen ? { target: nearestLanguage(browserLanguage) } : {}),
    providers: [...names, name],
    provider: { [name]: provider },
  };
}

/**
 * An engine that was found, as the settings of a provider.
 * @param {Found} found
 * @param {string} model the reader's choice among its models; "" for none
 */
export function providerFrom({ kind, base_url, concurrency, context_tokens }, model) {
  return {
    kind,
    base_url,
    ...(model ? { model } : {}),
    ...(concurrency ? { concurrency } : {}),
    ...(context_tokens ? { context_tokens } : {}),
  };
}

/**
 * The provider of the settings that is the engine that was found: the one of
 * the name that the host gave it, or one of its kind and address.
 * @param {Settings} settings
 * @param {Kind[]} kinds
 * @param {Found} found
 * @returns {string} its name, or ""
 */
export function nameOfFound({ provider = {} }, kinds, found) {
  const isSame = (/** @type {string} */ name) => {
    const { kind, base_url } = provider[name] ?? { kind: "" };
    if (kind !== found.kind) return false;
    return name === found.name || samePlace(base_url ?? kindOf(kinds, kind)?.base_url ?? "", found.base_url);
  };
  return Object.keys(provider).find(isSame) ?? "";
}

/** @param {string} one @param {string} other addresses */
function samePlace(one, other) {
  const plain = (/** @type {string} */ address) =>
    address.replace(/\/+$/, "").replace(/^(https?:\/\/)localhost\b/i, "$1127.0.0.1").toLowerCase();
  return plain(one) === plain(other);
}

/** @param {string[]} names @param {string} name @returns {Change} */
export function removed(names, name) {
  return { providers: names.filter((other) => other !== name), provider: { [name]: null } };
}

/**
 * @param {string[]} names
 * @param {string} name
 * @param {-1 | 1} step
 * @returns {Change | null} null at the end of the list
 */
export function moved(names, name, step) {
  const from = names.indexOf(name);
  const to = from + step;
  if (from < 0 || to < 0 || to >= names.length) return null;
  const order = names.toSpliced(from, 1);
  order.splice(to, 0, name);
  return { providers: order };
}

/**
 * How a style is shown: the choice, and the reader's own words.
 * @param {string | undefined} style
 */
export function styleShown(style) {
  if (!style) return { choice: "neutral", words: "" };
  return STYLES.includes(style) ? { choice: style, words: "" } : { choice: "own", words: style };
}

/**
 * One field as it was typed: empty removes it.
 * @param {string} field
 * @param {string} typed
 * @returns {{value: string | number | null} | {fault: string}} the fault is a key of `_locales`
 */
export function typedField(field, typed) {
  const text = typed.trim();
  if (text === "") return { value: null };
  if (NUMBERS.includes(field)) {
    return /^[1-9]\d{0,8}$/.test(text) ? { value: Number(text) } : { fault: "number_wrong" };
  }
  if (field === "usd_per_day") return typedAmount(text);
  if (field === "style" && [...text].length > MAX_STYLE) return { fault: "style_too_long" };
  if (field === "base_url" && !/^https?:\/\/\S+$/i.test(text)) return { fault: "address_wrong" };
  return { value: text };
}

/**
 * An amount of dollars. A comma stands before one or two digits only, since
 * "1,000" is a thousand to some and one to others.
 * @param {string} text
 */
function typedAmount(text) {
  const isAmount = /^\$? ?(\d{1,5}(\.\d{1,6}|,\d{1,2})?|\.\d{1,6})$/.test(text);
  const amount = isAmount ? Number(text.replace(/^\$? ?/, "").replace(",", ".")) : 0;
  return amount > 0 && amount <= MAX_USD ? { value: amount } : { fault: "amount_wrong" };
}
