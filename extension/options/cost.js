// What a day may cost, and what today has cost.

import { say, wordsLanguage } from "../shared/api.js";
import { byId, element, setText } from "../shared/dom.js";
import { dollars } from "../shared/money.js";
import { typedField } from "./changes.js";
import { field } from "./field.js";

/** @typedef {import("../shared/wire.js").ProviderUsage} ProviderUsage */

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

/**
 * Tells today's cost and what the cache saved, as far as they are known.
 * @param {import("../shared/wire.js").Usage} usage
 * @param {ProviderUsage[]} byProvider
 */
export function showToday({ cost, saved }, byProvider) {
  const parts = [
    cost ? say("cost_today", dollars(cost, wordsLanguage())) : "",
    saved ? say("cost_saved_today", dollars(saved, wordsLanguage())) : "",
  ].filter(Boolean);
  byId("cost-today").hidden = parts.length === 0;
  setText(byId("cost-today"), parts.join(" · "));
  byId("cost-table").hidden = byProvider.length === 0;
  byId("cost-table").replaceChildren(table(byProvider));
}

/** @param {ProviderUsage[]} byProvider */
function table(byProvider) {
  const heads = ["cost_provider", "field_model", "account_calls", "account_tokens", "cost_characters", "account_cost"];
  const head = (/** @type {string} */ key) => element("th", { scope: "col" }, say(key));
  return element(
    "table",
    {},
    element("caption", { class: "soft small" }, say("cost_table")),
    element("thead", {}, element("tr", {}, ...heads.map(head))),
    element("tbody", {}, ...byProvider.map(row)),
  );
}

/** @param {ProviderUsage} usage */
function row({ provider, model, calls, input, output, characters, cost }) {
  const number = new Intl.NumberFormat(wordsLanguage());
  const tokens = input + output > 0 ? `${number.format(input)} / ${number.format(output)}` : "";
  const counts = [model, number.format(calls), tokens, number.format(characters), cost ? dollars(cost, wordsLanguage()) : ""];
  return element("tr", {}, element("th", { scope: "row" }, provider), ...counts.map((words) => element("td", {}, words)));
}
