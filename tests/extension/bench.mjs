/**
 * What a large page costs in real browsers: to collect, to ask and show, to restore.
 *
 * Run with `node tests/extension/bench.mjs`; `BROWSERS=firefox` takes one.
 * It prints the table of `docs/BENCHMARKS.md`. What must stay true: the time
 * of the slices is told by the slices themselves, since Firefox reports no
 * long tasks, and the bare pass runs over the same page in the same run.
 */
import { startBrowser } from "./harness.mjs";

const SIZES = [1_000, 10_000, 50_000];
const RUNS = 3;
/** A page may ask for 20,000 segments before it waits for the reader. */
const DIFFERENT = 12_000;

/** @typedef {import("./harness.mjs").Opened} Opened */
/** @typedef {{spent: number, longest: number, wall: number}} Phase */

/**
 * @param {Opened} opened
 * @param {number} blocks
 * @returns {Promise<number>} Milliseconds of one pass that reads each text.
 */
const build = ({ page }, blocks) => page.evaluate((count, different) => {
  for (let k = 0; k < count; k += 1) {
    const p = document.createElement("p");
    p.append(`Block ${k % different} has `, Object.assign(document.createElement("b"), { textContent: "bold" }), " words.");
    document.body.append(p);
  }
  document.body.getBoundingClientRect();
  const pass = () => {
    const walker = document.createTreeWalker(document.body, 5);
    let length = 0;
    while (walker.nextNode()) length += walker.currentNode.nodeValue?.length ?? 0;
    if (length === 0) throw new Error("the page is empty");
  };
  pass();
  // The clock of a page is coarse.
  let passes = 0;
  const begun = performance.now();
  while (performance.now() - begun < 100) {
    pass();
    passes += 1;
  }
  return (performance.now() - begun) / passes;
}, blocks, DIFFERENT);

/**
 * @param {Opened} opened
 * @param {() => Promise<unknown>} act
 * @returns {Promise<Phase>}
 */
const phase = async ({ page }, act) => {
  await page.evaluate(() => globalThis.webtranslator.slices.reset());
  const begun = performance.now();
  await act();
  const wall = performance.now() - begun;
  const { spent, longest } = await page.evaluate(() => ({ ...globalThis.webtranslator.slices.measured }));
  return { spent, longest, wall };
};

/**
 * @param {import("./harness.mjs").TestBrowser} browser
 * @param {number} blocks
 * @returns {Promise<{bare: number, collect: Phase, show: Phase, restore: Phase}>}
 */
const measure = async (browser, blocks) => {
  const opened = await browser.open("empty", { silent: true });
  const { page } = opened;
  const bare = await build(opened, blocks);
  const collect = await phase(opened, () => opened.start());
  const show = await phase(opened, async () => {
    await page.evaluate(() => {
      globalThis.background.silent = false;
      globalThis.background.answer(globalThis.background.parts());
    });
    await opened.settled();
  });
  const wrong = await page.evaluate(() =>
    [...document.querySelectorAll("p")].filter((p) => !/^⟦Block \d+ has bold words\.⟧$/u.test(p.textContent ?? "")).length);
  if (wrong > 0) throw new Error(`${wrong} of ${blocks} blocks are not translated`);
  const restore = await phase(opened, () => opened.restore());
  if (opened.errors.length > 0) throw new Error(opened.errors.join("\n"));
  return { bare, collect, show, restore };
};

/** @param {number} ms */
const ms = (ms) => (ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString("en"));

/** @param {Awaited<ReturnType<typeof measure>>[]} runs */
const best = (runs) => runs.reduce((one, other) => (other.collect.spent < one.collect.spent ? other : one));

console.log("| browser | blocks | bare pass | collect | × bare | show | restore | longest task | µs a block, collect and show |");
console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
for (const name of /** @type {("chromium"|"firefox")[]} */ ((process.env.BROWSERS ?? "chromium,firefox").split(","))) {
  const browser = await startBrowser(name);
  for (const blocks of SIZES) {
    const runs = [];
    for (let k = 0; k < RUNS; k += 1) runs.push(await measure(browser, blocks));
    const { bare, collect, show, restore } = best(runs);
    const longest = Math.min(...runs.map((run) => Math.max(run.collect.longest, run.show.longest, run.restore.longest)));
    const each = ((collect.spent + show.spent) * 1000) / blocks;
    console.log(`| ${[name, blocks.toLocaleString("en"), ms(bare), ms(collect.spent), (collect.spent / bare).toFixed(0),
      ms(show.spent), ms(restore.spent), ms(longest), each.toFixed(0)].join(" | ")} |`);
  }
  await browser.close();
}
