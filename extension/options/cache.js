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

/** @param {{mode?: string, max_mb?: number}} cache @param {import("./field.js").Save} save */
export function drawCacheFields(cache, save) {
  const modes = choice(["on", "read", "off"], "cache_mode_", cache.mode ?? "on");
  const limit = element("input", { inputmode: "numeric", value: cache.max_mb ?? "", placeholder: "512" });
  byId("cache-fields").replaceChildren(
    field({ words: "cache_mode", control: modes }, (mode) => save({ cache: { mode } })),
    field({ words: "cache_max_mb", control: limit }, async (typed) => {
      const read = typedField("max_mb", typed);
      return "fault" in read ? say(read.fault) : save({ cache: { max_mb: read.value } });
    }),
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
