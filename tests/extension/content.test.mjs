/**
 * All page tests of the content scripts, in both browsers, each started once.
 *
 * Run with `./tests/run.sh page`; `BROWSERS=firefox` takes one, and
 * `node --test --test-name-pattern=…` takes some tests.
 */
import { after, before, describe, test } from "node:test";
import { startBrowser } from "./harness.mjs";
import { findCases } from "./cases/find.mjs";
import { kindsCases } from "./cases/kinds.mjs";
import { lateCases } from "./cases/late.mjs";
import { copiesCases } from "./cases/copies.mjs";
import { reportsCases } from "./cases/reports.mjs";
import { restoreCases } from "./cases/restore.mjs";
import { markupCases } from "./cases/markup.mjs";
import { watchCases } from "./cases/watch.mjs";
import { streamCases } from "./cases/stream.mjs";
import { bothCases } from "./cases/both.mjs";
import { hoverCases } from "./cases/hover.mjs";
import { oddCases } from "./cases/odd.mjs";
import { costCases } from "./cases/cost.mjs";

/** @typedef {[string, (browser: import("./harness.mjs").TestBrowser) => Promise<void>]} Case */
const cases = [...findCases, ...kindsCases, ...lateCases, ...copiesCases, ...reportsCases, ...restoreCases, ...markupCases, ...watchCases, ...streamCases, ...bothCases, ...hoverCases, ...oddCases, ...costCases];
const browsers = /** @type {("chromium"|"firefox")[]} */ ((process.env.BROWSERS ?? "chromium,firefox").split(","));

for (const name of browsers) {
  describe(name, () => {
    /** @type {import("./harness.mjs").TestBrowser} */
    let browser;
    before(async () => { browser = await startBrowser(name); }, { timeout: 60_000 });
    after(() => browser?.close());
    for (const [sentence, run] of cases) test(sentence, { timeout: 60_000 }, () => run(browser));
  });
}
