// A labelled field that saves itself when it changes and says under itself
// what is wrong.

import { say, sayOr } from "../shared/api.js";
import { element, setText } from "../shared/dom.js";

/**
 * @typedef {import("./changes.js").Change} Change
 * @typedef {(change: Change) => Promise<string>} Save resolves with "" or the fault in words
 * @typedef {HTMLInputElement | HTMLSelectElement} Control
 *
 * @typedef {object} Parts
 * @property {string} words a key of `_locales`
 * @property {string} [otherwise] the label where `_locales` has none
 * @property {Control} control a check box stands before its label
 * @property {string} [help] a key of `_locales`
 * @property {HTMLElement} [about] what stands elsewhere and describes the field
 * @property {HTMLElement} [beside]
 */

let lastNumber = 0;

/**
 * @param {Parts} parts
 * @param {(typed: string) => Promise<string>} changed called with what was typed; resolves with the fault in words
 * @returns {HTMLElement}
 */
export function field({ words, otherwise, control, help, about, beside }, changed) {
  lastNumber += 1;
  control.id = `field-${lastNumber}`;
  const errorId = `${control.id}-error`;
  const error = element("p", { id: errorId, class: "error", role: "alert", hidden: true });
  const helpLine = help ? element("p", { id: `${control.id}-help`, class: "help soft" }, say(help)) : null;
  if (about) about.id = `${control.id}-about`;
  control.setAttribute("aria-describedby", [about?.id, helpLine?.id, errorId].filter(Boolean).join(" "));
  control.addEventListener("change", async () => {
    const fault = await changed(control.value);
    error.hidden = fault === "";
    setText(error, fault);
    if (fault) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
  });
  const label = element("label", { for: control.id }, otherwise ? sayOr(words, otherwise) : say(words));
  if (control.type === "checkbox") {
    return element("div", { class: "check" }, control, label, helpLine, error);
  }
  const row = beside ? element("div", { class: "with-button" }, control, beside) : control;
  return element("div", { class: "field" }, label, row, helpLine, error);
}

/**
 * @param {string[]} values
 * @param {string} wordsPrefix
 * @param {string} chosen
 */
export function choice(values, wordsPrefix, chosen) {
  const select = element(
    "select",
    {},
    ...values.map((value) => element("option", { value }, say(`${wordsPrefix}${value}`))),
  );
  if (values.includes(chosen)) select.value = chosen;
  return select;
}
