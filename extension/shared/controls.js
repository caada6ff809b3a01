// Controls that the popup and the options share: choosing a language, choosing
// a mode, and what to do when the host is not there.

import { say, wordsLanguage } from "./api.js";
import { element } from "./dom.js";
import { languages } from "./languages.js";

/** @typedef {import("../background/fault.js").Fault} Fault */

/** The ways to show a translation, as the settings name them. */
export const MODES = ["translation", "both", "hover"];

/**
 * @param {HTMLSelectElement} select
 * @param {string} chosen
 */
export function fillLanguages(select, chosen) {
  const isThere = [...select.options].some((option) => option.value === chosen);
  if (!isThere) {
    const all = languages(wordsLanguage(), chosen || undefined);
    select.replaceChildren(...all.map(({ tag, name }) => element("option", { value: tag, lang: "" }, name)));
  }
  select.value = chosen;
}

/** @param {HTMLSelectElement} select @param {string} chosen */
export function fillModes(select, chosen) {
  if (select.options.length === 0) {
    select.replaceChildren(...MODES.map((mode) => element("option", { value: mode }, say(`mode_${mode}`))));
  }
  select.value = MODES.includes(chosen) ? chosen : "translation";
}

/**
 * Shows a fault of the way to the host, with the command that mends it.
 * @param {HTMLElement} panel
 * @param {Fault} fault
 * @param {() => void} checkAgain
 */
export function showFault(panel, fault, checkAgain) {
  const key = JSON.stringify(fault);
  panel.hidden = false;
  // The same fault again: the reader may be in the middle of copying.
  if (panel.dataset.shown === key) return;
  panel.dataset.shown = key;
  panel.replaceChildren(
    element("p", { class: "fault-title" }, fault.message),
    fault.hint && element("p", {}, fault.hint),
    fault.command ? commandLine(fault.command) : "",
    element("button", { type: "button", id: "check-again", click: checkAgain }, say("check_again")),
  );
}

/** @param {HTMLElement} panel */
export function hideFault(panel) {
  panel.hidden = true;
  delete panel.dataset.shown;
  panel.replaceChildren();
}

/** @param {string} command */
function commandLine(command) {
  const copy = element("button", { type: "button", class: "quiet" }, say("copy_command"));
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(command);
    copy.textContent = say("copied");
  });
  return element("div", { class: "command" }, element("code", { tabindex: 0 }, command), copy);
}
