// What a choice of the reader means for the settings, as partial settings that
// `set_settings` takes. Pure.

import { nearestLanguage } from "../shared/languages.js";

/**
 * @typedef {import("../shared/wire.js").Settings} Settings
 * @typedef {Record<string, any>} Change
 */

/** The host's target while the settings name none. */
const UNCHOSEN_TARGET = "en";

/** The kinds that can be added, and the fields that each has. */
export const KINDS = /** @type {Record<string, string[]>} */ ({
  gemini: ["model", "key", "base_url", "requests_per_minute"],
  openai: ["model", "key", "base_url", "requests_per_minute"],
  apertium: ["base_url", "requests_per_minute"],
  sample: [],
});

/** What an empty field means: the provider's own default. */
export const PLACEHOLDERS = /** @type {Record<string, Record<string, string>>} */ ({
  gemini: { model: "gemini-3.5-flash-lite", base_url: "https://generativelanguage.googleapis.com" },
  openai: { model: "gpt-5.4-nano", base_url: "https://api.openai.com/v1" },
  apertium: { base_url: "http://127.0.0.1:2737" },
});

/** @param {string} name @param {string[]} taken */
export function isFreeName(name, taken) {
  return /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(name) && !taken.includes(name);
}

/** The kind, or the kind with the first number that is free. @param {string} kind @param {string[]} taken */
export function freeName(kind, taken) {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? kind : `${kind}-${number}`;
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
 * @param {string} kind
 * @param {string} browserLanguage
 * @returns {Change}
 */
export function added(settings, name, kind, browserLanguage) {
  const names = providerNames(settings);
  const isUnchosen = names.length === 0 && (settings.target ?? UNCHOSEN_TARGET) === UNCHOSEN_TARGET;
  return {
    ...(isUnchosen ? { target: nearestLanguage(browserLanguage) } : {}),
    providers: [...names, name],
    provider: { [name]: { kind } },
  };
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
 * One field of a provider as it was typed: empty removes it.
 * @param {string} field
 * @param {string} typed
 * @returns {{value: string | number | null} | {fault: string}} the fault is a key of `_locales`
 */
export function typedField(field, typed) {
  const text = typed.trim();
  if (text === "") return { value: null };
  if (field === "requests_per_minute" || field === "max_mb") {
    return /^[1-9]\d{0,8}$/.test(text) ? { value: Number(text) } : { fault: "number_wrong" };
  }
  if (field === "base_url" && !/^https?:\/\/\S+$/i.test(text)) return { fault: "address_wrong" };
  return { value: text };
}
