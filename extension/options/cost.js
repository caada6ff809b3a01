// What a day may cost, and what today has cost.

import { say, wordsLanguage } from "../shared/api.js";
import { byId, element, setText } from "../shared/dom.js";
import { dollars } from "../shared/money.js";
import { typedField } from "./changes.js";
import { field } from "./field.js";

/** @param {{usd_per_day?: number}} budget @param {import("./field.js").Save} save */
export function drawCostFields(budget, save) {
  const limit = element("input", {
    value: budget.usd_per_day ?? "",
    "data-field": "usd_per_day",
    placeholder: say("field_unlimited"),
    inputmode: "decimal",
    autocomplete: "off",
  });
  byId("cost-fields").replaceChildren(
    field({ words: "cost_limit", control: limit, help: "cost_limit_help" }, async (typed) => {
      const read = typedField("usd_per_day", typed);
      return "fault" in read ? say(read.fault) : save({ budget: { usd_per_day: read.value } });
    }),
  );
}

/** Tells today's cost and what the cache saved, as far as they are known. @param {import("../shared/wire.js").Usage} usage */
export function showToday({ cost, saved }) {
  const parts = [
    cost ? say("cost_today", dollars(cost, wordsLanguage())) : "",
    saved ? say("cost_saved_today", dollars(saved, wordsLanguage())) : "",
  ].filter(Boolean);
  byId("cost-today").hidden = parts.length === 0;
  setText(byId("cost-today"), parts.join(" · "));
}
