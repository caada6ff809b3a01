/**
 * The content scripts in the order in which they are loaded.
 *
 * What for: the background injects exactly this list, and the tests load the
 * same. What not: it names no file outside `content/`. What must stay true:
 * each file uses only files that stand before it.
 */

/** @type {readonly string[]} Paths from the extension's root. */
export const contentFiles = [
  "content/namespace.js",
  "content/browser-api.js",
  "content/slices.js",
  "content/language.js",
  "content/markup.js",
  "content/elements.js",
  "content/ledger.js",
  "content/cut.js",
  "content/segments.js",
  "content/walk.js",
  "content/hosts.js",
  "content/rank.js",
  "content/queue.js",
  "content/port.js",
  "content/render.js",
  "content/render-both.js",
  "content/marks.js",
  "content/bubble.js",
  "content/hover.js",
  "content/restless.js",
  "content/watch.js",
  "content/report.js",
  "content/budget.js",
  "content/collect.js",
  "content/show.js",
  "content/ask.js",
  "content/page.js",
  "content/main.js",
];
