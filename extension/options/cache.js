// What is remembered: how much, how long, and forgetting it.

import { say, wordsLanguage } from "../shared/api.js";
import { ask } from "../shared/ask.js";
import { byId, element, setText } from "../shared/dom.js";
import { typedField } from "./changes.js";
import { choice, field } from "./field.js";

/** @typedef {import("../shared/wire.js").CacheReply} CacheReply */

/** A second press within this time means it. */
const CONFIRM_MS = 4000;

/** @param {number} bytes @param {string} uiLanguage */
function sizeOf(bytes, uiLanguage) {
  const megabytes = bytes / 1024 / 1024;
  const digits = { maximumFractionDigits: megabytes < 10 ? 1 : 0 };
  return `${new Intl.NumberFormat(uiLanguage, digits).format(megabytes)} MB`;
}

/** @param {CacheReply} reply */
function showSize({ entries, bytes }) {
  const language = wordsLanguage();
  const count = new Intl.NumberFormat(language).format(entries);
  setText(byId("cache-size"), say("cache_size", count, sizeOf(bytes, language)));
}

/** Asks for the size and shows it. */
export async function drawCacheSize() {
  const answer = await ask("cache_stats");
  if (answer.ok) showSize(/** @type {CacheReply} */ (answer.reply));
  else setText(byId("cache-size"), answer.message);
}

/**
 * @param {NonNullable<import("../shared/wire.js").Settings["cache"]>} cache
 * @param {import("./field.js").Save} save
 */
export function drawCacheFields(cache, save) {
  const modes = choice(["on", "read", "off"], "cache_mode_", cache.mode ?? "on");
  const reuse = choice(["engine", "any"], "cache_reuse_", cache.reuse ?? "engine");
  reuse.dataset.field = "reuse";
  /** @param {"max_mb" | "max_days"} name @param {string} placeholder @param {string} [help] */
  const number = (name, placeholder, help) => {
    const attributes = { inputmode: "numeric", value: cache[name] ?? "", placeholder, "data-field": name };
    const control = element("input", attributes);
    return field({ words: `cache_${name}`, control, ...(help ? { help } : {}) }, async (typed) => {
      const read = typedField(name, typed);
      return "fault" in read ? say(read.fault) : save({ cache: { [name]: read.value } });
    });
  };
  byId("cache-fields").replaceChildren(
    field({ words: "cache_mode", control: modes }, (mode) => save({ cache: { mode } })),
    field({ words: "cache_reuse", control: reuse, help: "cache_reuse_help" }, (chosen) => {
      return save({ cache: { reuse: chosen } });
    }),
    number("max_mb", "512"),
    number("max_days", "", "cache_max_days_help"),
  );
}

/** @param {(text: string) => void} tell */
export function listenToClear(tell) {
  const button = /** @type {HTMLButtonElement} */ (byId("cache-clear"));
  let isArmed = false;
  const disarm = () => {
    isArmed = false;
    setText(button, say("cache_clear"));
  };
  button.addEventListener("click", async () => {
    if (!isArmed) {
      isArmed = true;
      setText(button, say("cache_clear_confirm"));
      setTimeout(disarm, CONFIRM_MS);
      return;
    }
    disarm();
    const answer = await ask("cache_clear", { filter: {} });
    if (!answer.ok) return tell(answer.message);
    const reply = /** @type {CacheReply} */ (answer.reply);
    showSize(reply);
    tell(say("cache_cleared", reply.removed));
  });
}
