/** What it costs the page. Measured by the slices themselves: Firefox reports no long tasks. */
import assert from "node:assert/strict";

/** The bound is 50 ms on a quiet machine; two cores shared with other work stretch a slice now and then. */
const LONGEST_MS = 50;

/** @type {import("../content.test.mjs").Case[]} */
export const costCases = [
  ["ten_thousand_blocks_are_collected_shown_and_restored_in_slices", async (browser) => {
    const page = await browser.open("empty");
    const run = async () => {
      await page.page.evaluate(() => {
        globalThis.webtranslator.slices.reset();
        document.body.replaceChildren();
        for (let k = 0; k < 10_000; k += 1) {
          const p = document.createElement("p");
          p.append(`Block ${k % 4_000} has `, Object.assign(document.createElement("b"), { textContent: "bold" }), " words.");
          document.body.append(p);
        }
      });
      await page.start();
      const shown = await page.page.$$eval("p", (all) => all.every((e) => /^⟦Block \d+ has bold words\.⟧$/u.test(e.textContent)));
      assert.ok(shown);
      await page.restore();
      assert.ok(await page.page.$$eval("p", (all) => all.every((e) => e.textContent.startsWith("Block"))));
      return page.page.evaluate(() => ({ ...globalThis.webtranslator.slices.measured }));
    };
    const runs = [];
    for (let k = 0; k < 5; k += 1) {
      const { longest } = await run();
      runs.push(Math.round(longest));
      if (longest <= LONGEST_MS) break;
    }
    assert.ok(Math.min(...runs) <= LONGEST_MS, `longest tasks in ms: ${runs.join(", ")}`);
  }],
];
