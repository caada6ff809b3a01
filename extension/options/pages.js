// How pages are shown and how their translation sounds.

import { say } from "../shared/api.js";
import { fillLanguages, MODES } from "../shared/controls.js";
import { byId, element } from "../shared/dom.js";
import { STYLE_CHOICES, styleShown, typedField } from "./changes.js";
import { choice, field } from "./field.js";

/**
 * @param {import("../shared/wire.js").Settings} settings
 * @param {import("./field.js").Save} save
 */
export function drawPageFields(settings, save) {
  const target = element("select");
  fillLanguages(target, settings.target ?? "en");
  const mode = choice(MODES, "mode_", settings.page?.mode ?? "translation");
  byId("page-fields").replaceChildren(
    field({ words: "target_language", control: target }, (tag) => save({ target: tag })),
    field({ words: "mode", control: mode }, (chosen) => save({ page: { mode: chosen } })),
    ...styleFields(settings.style, save),
  );
}

/**
 * A choice of styles, and the reader's own words while they are chosen.
 * @param {string | undefined} style
 * @param {import("./field.js").Save} save
 */
function styleFields(style, save) {
  const shown = styleShown(style);
  const select = choice(STYLE_CHOICES, "style_", shown.choice);
  select.dataset.field = "style-choice";
  const words = element("input", { value: shown.words, "data-field": "style", placeholder: say("style_own_example") });
  const saveOwn = async (/** @type {string} */ typed) => {
    const read = typedField("style", typed);
    return "fault" in read ? say(read.fault) : save({ style: read.value });
  };
  const own = field({ words: "style_own_words", control: words, help: "style_own_help" }, saveOwn);
  own.hidden = shown.choice !== "own";
  const chosen = field({ words: "style", control: select, help: "style_help" }, (now) => {
    own.hidden = now !== "own";
    if (now === "own") return words.value.trim() ? saveOwn(words.value) : Promise.resolve("");
    return save({ style: now === "neutral" ? null : now });
  });
  return [chosen, own];
}
