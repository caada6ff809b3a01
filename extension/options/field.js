// A labelled field that saves itself when it changes and says under itself
// what is wrong.

import { say } from "../shared/api.js";
import { element, setText } from "../shared/dom.js";

/**
 * @typedef {import("./changes.js").Change} Change
 * @typedef {(change: Change) => Promise<string>} Save resolves with "" or the fault in words
 * @typedef {HTMLInputElement | HTMLSelectElement} Control
 */

let lastNumber = 0;

/**
 * @template {Control} Made
 * @param {{words: string, control: Made, help?: string, beside?: HTMLElement}} parts `words` and `help` are keys of `_locales`
 * @param {(typed: string) => Promise<string>} changed called with what was typed; resolves with the fault in words
 * @returns {HTMLElement}
 */
export function field({ words, control, help, beside }, changed) {
  lastNumber += 1;
  control.id = `field-${lastNumber}`;
  const errorId = `${control.id}-error`;
  const error = element("p", { id: errorId, class: "error", role: "alert", hidden: true });
  const helpLine = help ? element("p", { id: `${control.id}-help`, class: "help soft" }, say(help)) : null;
  control.setAttribute("aria-describedby", [helpLine?.id, errorId].filter(Boolean).join(" "));
  control.addEventListener("change", async () => {
    const fault = await changed(control.value);
    error.hidden = fault === "";
    setText(error, fault);
    if (fault) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
  });
  return element(
    "div",
    { class: "field" },
    element("label", { for: control.id }, say(words)),
    beside ? element("div", { class: "with-button" }, control, beside) : control,
    helpLine,
    error,
  );
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
