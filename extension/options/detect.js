// Engines on this machine: looked for when the reader asks, and each added
// with one press, ready to use.

import { say } from "../shared/api.js";
import { ask } from "../shared/ask.js";
import { byId, element, setText } from "../shared/dom.js";
import { serverOf } from "../shared/kinds.js";
import { freeName, nameOfFound, providerFrom, providerNames } from "./changes.js";
import { addProvider } from "./providers.js";

/**
 * @typedef {import("../shared/wire.js").Found} Found
 * @typedef {import("../shared/wire.js").DetectedReply} DetectedReply
 * @typedef {import("./providers.js").Means} Means
 */

/** @param {Means} means */
export function listenToDetect(means) {
  const button = byId("detect");
  button.addEventListener("click", async () => {
    // Not disabled: a button that is loses the reader's place.
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    tell(say("detect_looking"));
    const answer = await ask("detect_providers");
    button.removeAttribute("aria-disabled");
    if (!answer.ok) return tell([answer.message, answer.hint].filter(Boolean).join(" "), true);
    show(means, /** @type {DetectedReply} */ (answer.reply));
  });
}

/** @param {string} words @param {boolean} [isBad] */
function tell(words, isBad = false) {
  const line = byId("detect-status");
  line.classList.toggle("error", isBad);
  setText(line, words);
}

/** @param {Means} means @param {DetectedReply} reply */
function show(means, { found, looked_at }) {
  const where = looked_at.join(", ");
  tell(found.length > 0 ? say("detect_found", found.length) : say("detect_none", where));
  byId("found").hidden = found.length === 0;
  byId("found").replaceChildren(...found.map((engine) => item(means, engine)));
}

/** @param {Means} means @param {Found} engine */
function item(means, engine) {
  const server = serverOf(engine.base_url) || engine.base_url;
  const words = `${engine.title} (${server})`;
  const node = element("li", { "data-found": engine.name, "aria-label": words });
  const name = nameOfFound(means.settings(), means.kinds(), engine);
  const head = element("div", {}, element("b", {}, engine.title), " ", element("span", { class: "soft small" }, server));
  if (name) {
    node.append(head, element("span", { class: "soft small" }, say("detect_there", name)));
    return node;
  }
  const model = modelChoice(engine);
  const error = element("p", { class: "error", role: "alert", hidden: true });
  const add = element("button", { type: "button", "data-act": "add", "aria-label": say("detect_add_label", words) }, say("detect_add"));
  add.addEventListener("click", async () => {
    const fault = await use(means, engine, model.value());
    error.hidden = fault === "";
    setText(error, fault);
    if (fault === "") node.replaceWith(item(means, engine));
  });
  node.append(head, model.node, add, error);
  return node;
}

/**
 * What the engine has to choose from; the host's own choice stands first.
 * @param {Found} engine
 * @returns {{node: HTMLElement | "", value: () => string}}
 */
function modelChoice({ models, model }) {
  const first = model ?? models[0] ?? "";
  if (models.length < 2) return { node: first ? element("span", { class: "small" }, first) : "", value: () => first };
  const select = element(
    "select",
    { "data-field": "model", "aria-label": say("field_model") },
    ...models.map((one) => element("option", { value: one }, one)),
  );
  if (models.includes(first)) select.value = first;
  return { node: select, value: () => select.value };
}

/**
 * Adds the engine and tries it out once.
 * @param {Means} means
 * @param {Found} engine
 * @param {string} model
 * @returns {Promise<string>} "" or the fault in words
 */
async function use(means, engine, model) {
  const name = freeName(engine.name, providerNames(means.settings()));
  const card = await addProvider(means, name, providerFrom(engine, model));
  if (typeof card === "string") return card;
  card.focus();
  void card.tryOut();
  return "";
}
