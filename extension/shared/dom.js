// Building what the extension's own pages show. Text only ever becomes text.
// Used by popup/ and options/, never by the background.

import { say, wordsLanguage } from "./api.js";

/**
 * @typedef {string | Node | null | undefined | false} Child
 * @typedef {Record<string, string | number | boolean | ((event: any) => void) | undefined>} Attributes
 */

/**
 * Makes an element. A function is a listener, `true` an attribute without a
 * value, `false` and `undefined` none.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child) made.append(child);
  }
  return made;
}

/**
 * @template {HTMLElement} [Found=HTMLElement]
 * @param {string} id
 * @returns {Found} the element that the page's own HTML has
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return /** @type {Found} */ (found);
}

/** Gives every element with `data-say` its words, and the page its language. */
export function localise() {
  document.documentElement.lang = wordsLanguage();
  for (const node of document.querySelectorAll("[data-say]")) {
    node.textContent = say(node.getAttribute("data-say") ?? "");
  }
  for (const node of document.querySelectorAll("[data-say-label]")) {
    const words = say(node.getAttribute("data-say-label") ?? "");
    node.setAttribute("aria-label", words);
    node.setAttribute("title", words);
  }
}

/**
 * Sets text only where it differs, so that a screen reader is not told twice.
 * @param {HTMLElement} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
