/** What a reader does on the options page, in both browsers, with a host that is played. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { KINDS } from "../lib/kinds.mjs";
import { until } from "../e2e/wait.mjs";
import { startBrowser } from "./harness.mjs";
import { openOptions, serveExtension } from "./options-page.mjs";
import { correctionCases } from "./cases/corrections.mjs";

/**
 * @typedef {import("./options-page.mjs").Options} Options
 * @typedef {import("./options-page.mjs").Open} Open
 */

/** @param {Options} options @returns {Promise<any[]>} the changes of settings that were sent */
const changes = async ({ asked }) => (await asked()).filter(({ type }) => type === "set_settings").map(({ settings }) => settings);

/** @param {Options} options @param {number} count */
const saved = (options, count) => until(`change ${count}`, async () => {
  const all = await changes(options);
  return all.length === count ? all : undefined;
});

/** @param {Options} options @param {string} selector @returns {Promise<string[]>} */
const texts = ({ page }, selector) => page.$$eval(selector, (found) => found.map((one) => one.textContent ?? ""));

/** @param {Options} options @param {string} selector @param {string} typed */
const fill = async ({ page }, selector, typed) => {
  await page.$eval(selector, (input) => /** @type {HTMLInputElement} */ (input).select());
  await page.type(selector, typed);
  await page.$eval(selector, (input) => /** @type {HTMLElement} */ (input).blur());
};

/** @param {Open} open */
async function kindsAndFields(open) {
  const options = await open();
  assert.deepEqual(await texts(options, "#add-kind option"), KINDS.map(({ title }) => title));
  const wanted = { ollama: ["Model", "API key", "Context in tokens", "Address", "Requests a minute"], azure: ["API key", "Region", "Address", "Requests a minute"], sample: [] };
  for (const [kind, labels] of Object.entries(wanted)) {
    await options.page.select("#add-kind", kind);
    await options.page.click("#add-button");
    await options.page.waitForSelector(`[data-name="${kind}"]`);
    assert.deepEqual(await texts(options, `[data-name="${kind}"] label`), labels);
    await until("the focus in the new card", async () => (await options.focus()).startsWith(kind));
  }
  await fill(options, '[data-name="azure"] [data-field="region"]', "koreacentral");
  assert.deepEqual((await saved(options, 4)).at(-1), { provider: { azure: { region: "koreacentral" } } });
  await fill(options, '[data-name="azure"] [data-field="region"]', "refuse me");
  await until("the fault", async () => (await texts(options, '[data-name="azure"] .error:not([hidden])')).join() === "Refused.");
  assert.deepEqual(options.errors, []);
}

/** @param {Open} open */
async function terms(open) {
  const options = await open();
  await options.page.select("#add-kind", "google-web");
  await options.page.waitForSelector("#add-terms:not([hidden])");
  await options.page.click("#add-button");
  const box = '[data-name="google-web"] [data-field="accept_terms"]';
  await options.page.waitForSelector(box);
  assert.match((await texts(options, '[data-name="google-web"] .terms')).join(), /Unofficial: Google does not offer/);
  const described = await options.page.$eval(box, (input) => (input.getAttribute("aria-describedby") ?? "").split(" ")
    .map((id) => document.getElementById(id)?.textContent ?? "").join(" "));
  assert.match(described, /goes to Google/, "the terms are read out with the box");
  assert.deepEqual(await texts(options, '[data-name="google-web"] .chip'), ["Off"]);
  assert.equal((await changes(options))[0].provider["google-web"].accept_terms, undefined);
  await options.page.focus(box);
  await options.page.keyboard.type(" ");
  assert.deepEqual((await saved(options, 2)).at(-1), { provider: { "google-web": { accept_terms: true } } });
  await until("the state", async () => (await texts(options, '[data-name="google-web"] .chip')).join() === "Ready");
  assert.equal(await options.focus(), "google-web accept_terms");
  await options.page.keyboard.type(" ");
  assert.deepEqual((await saved(options, 3)).at(-1), { provider: { "google-web": { accept_terms: null } } });
}

/** @param {Open} open */
async function engines(open) {
  const options = await open({ settings: { providers: ["mine"], provider: { mine: { kind: "apertium" } } } });
  await options.page.focus("#detect");
  await options.page.keyboard.press("Enter");
  await options.page.waitForSelector("#found li");
  assert.equal(await options.focus(), "detect");
  assert.deepEqual(await texts(options, "#detect-status"), ["Found: 2"]);
  assert.match((await texts(options, '[data-found="apertium"]')).join(), /In the list as mine/);
  assert.equal(await options.page.$eval('[data-found="ollama"] select', (select) => select.value), "gemma3:4b");
  await options.page.select('[data-found="ollama"] select', "qwen3:0.6b");
  await options.page.focus('[data-found="ollama"] [data-act="add"]');
  await options.page.keyboard.press("Enter");
  const [change] = await saved(options, 1);
  assert.deepEqual(change, {
    providers: ["mine", "ollama"],
    provider: { ollama: { kind: "ollama", base_url: "http://127.0.0.1:11434", model: "qwen3:0.6b", concurrency: 1, context_tokens: 8192 } },
  });
  await until("the test", async () => /좋은 아침.*42 ms/.test((await texts(options, '[data-name="ollama"] [role="status"]')).join()));
  assert.deepEqual((await options.asked()).filter(({ type }) => type === "test_provider"), [{ type: "test_provider", provider: "ollama" }]);
  assert.equal(await options.focus(), "ollama test");
  assert.match((await texts(options, '[data-found="ollama"]')).join(), /In the list as ollama/);
}

/** @param {Open} open */
async function nothingFound(open) {
  const options = await open({ found: [] });
  await options.page.click("#detect");
  await until("the places", async () => /127\.0\.0\.1:11434, 127\.0\.0\.1:2737/.test((await texts(options, "#detect-status")).join()));
  assert.equal(await options.page.$eval("#found", (list) => /** @type {HTMLElement} */ (list).hidden), true);
}

/** @param {Open} open */
async function placeIsKept(open) {
  const provider = { a: { kind: "apertium" }, b: { kind: "gemini" }, c: { kind: "sample" } };
  const options = await open({ settings: { providers: ["a", "b", "c"], provider } });
  await options.page.click('[data-name="b"] [data-act="test"]');
  await until("the test", async () => /좋은/.test((await texts(options, '[data-name="b"] [role="status"]')).join()));
  await options.page.focus('[data-name="b"] [data-act="up"]');
  await options.page.keyboard.press("Enter");
  await saved(options, 1);
  const order = () => options.page.$$eval("#providers > li", (cards) => cards.map((card) => /** @type {HTMLElement} */ (card).dataset.name).join(""));
  await until("the order", async () => (await order()) === "bac");
  await until("a place", async () => (await options.focus()) === "b down");
  assert.match((await texts(options, '[data-name="b"] [role="status"]')).join(), /좋은/, "the test's words stay");
  // A list that is drawn anew while the reader types.
  await options.page.type('[data-name="b"] [data-field="model"]', "half a na");
  await options.page.$eval('[data-name="a"] [data-act="down"]', (button) => /** @type {HTMLElement} */ (button).click());
  await until("the order", async () => (await order()) === "bca");
  assert.equal(await options.focus(), "b model");
  assert.equal(await options.page.$eval('[data-name="b"] [data-field="model"]', (input) => /** @type {HTMLInputElement} */ (input).value), "half a na");
}

/** @param {Open} open */
async function styleAndLimit(open) {
  const by = [{ provider: "deepl", model: "", calls: 3, input: 0, output: 0, characters: 1200, cost: 0.03 }];
  const options = await open({ settings: { style: "like a pirate", budget: { usd_per_day: 2 } }, usage: { cost: 0.0123, saved: 0.5 }, by });
  const style = '#page-fields [data-field="style-choice"]';
  const own = '#page-fields [data-field="style"]';
  assert.equal(await options.page.$eval(own, (input) => /** @type {HTMLInputElement} */ (input).value), "like a pirate");
  assert.deepEqual(await texts(options, "#cost-today"), ["Spent today: $0.012 · Saved by the cache: $0.50"]);
  assert.deepEqual(await texts(options, "#cost-table tbody tr > *"), ["deepl", "", "3", "", "1,200", "$0.03"]);
  await options.page.select(style, "formal");
  await options.page.waitForSelector(own, { hidden: true });
  await options.page.select(style, "neutral");
  await options.page.select(style, "own");
  await options.page.waitForSelector(own, { visible: true });
  await fill(options, own, "short and dry");
  await fill(options, '[data-field="usd_per_day"]', "0.75");
  const styles = ["formal", null, "like a pirate", "short and dry"].map((one) => ({ style: one }));
  assert.deepEqual(await saved(options, 5), [...styles, { budget: { usd_per_day: 0.75 } }]);
  await fill(options, '[data-field="usd_per_day"]', "1,000");
  await until("the fault", async () => /0\.50/.test((await texts(options, "#cost-fields .error:not([hidden])")).join()));
  assert.equal((await changes(options)).length, 5);
}

/** @param {Open} open */
async function cacheCare(open) {
  const options = await open({ settings: { cache: { reuse: "any", max_days: 30 } } });
  const value = (/** @type {string} */ name) =>
    options.page.$eval(`#cache-fields [data-field="${name}"]`, (one) => /** @type {HTMLInputElement} */ (one).value);
  assert.deepEqual([await value("reuse"), await value("max_days"), await value("max_mb")], ["any", "30", ""]);
  await options.page.select('#cache-fields [data-field="reuse"]', "engine");
  await fill(options, '#cache-fields [data-field="max_days"]', "90");
  await fill(options, '#cache-fields [data-field="max_days"]', " ");
  const changed = [{ reuse: "engine" }, { max_days: 90 }, { max_days: null }].map((cache) => ({ cache }));
  assert.deepEqual(await saved(options, 3), changed);
}

/** @param {Open} open */
async function everythingIsNamed(open) {
  const provider = Object.fromEntries(KINDS.map(({ name }) => [name, { kind: name, has_key: true, key_tail: "abcd" }]));
  for (const language of ["en", "ko"]) {
    const options = await open({ settings: { providers: Object.keys(provider), provider }, language });
    await options.page.click("#detect");
    await options.page.waitForSelector("#found li");
    const bad = await options.page.evaluate(() => {
      const controls = [...document.querySelectorAll("button, input, select")];
      const nameOf = (/** @type {any} */ one) => one.getAttribute("aria-label") ?? one.labels?.[0]?.textContent ?? one.textContent;
      const nameless = controls.filter((one) => !/\S/.test(nameOf(one) ?? "")).map((one) => one.outerHTML);
      const unsaid = controls.filter((one) => /^[a-z]+_[a-z_]+$/.test(nameOf(one) ?? "")).map((one) => one.outerHTML);
      const ids = [...document.querySelectorAll("[aria-describedby]")].flatMap((one) => (one.getAttribute("aria-describedby") ?? "").split(" "));
      return [...nameless, ...unsaid, ...ids.filter((id) => !document.getElementById(id))];
    });
    assert.deepEqual(bad, [], language);
    assert.deepEqual(options.errors, []);
  }
}

const CASES = /** @type {import("./options-page.mjs").Case[]} */ ([
  ["the kinds are the host's, and a provider has the fields of its kind", kindsAndFields],
  ["an unofficial kind shows its terms and is off until the reader agrees", terms],
  ["an engine that is found is added with one press, tried out once, and known afterwards", engines],
  ["when nothing is found the places that were looked at are told", nothingFound],
  ["the reader's place, the words of a test and a text half typed stay when the list is drawn anew", placeIsKept],
  ["a style and a daily limit are saved as they are chosen", styleAndLimit],
  ["whose entries serve, and for how long, is saved as it is chosen", cacheCare],
  ["every control has a name, and what describes it is there", everythingIsNamed],
  ...correctionCases,
]);

const names = /** @type {("chromium"|"firefox")[]} */ ((process.env.BROWSERS ?? "chromium,firefox").split(","));
for (const name of names) {
  describe(name, () => {
    /** @type {Awaited<ReturnType<typeof startBrowser>>} */
    let browser;
    /** @type {Awaited<ReturnType<typeof serveExtension>>} */
    let server;
    before(async () => { [browser, server] = await Promise.all([startBrowser(name), serveExtension()]); }, { timeout: 60_000 });
    after(async () => {
      await browser?.close();
      server?.close();
    });
    for (const [sentence, run] of CASES) {
      test(sentence, { timeout: 60_000 }, () => run((given) => openOptions(browser.page, server.url, given)));
    }
  });
}
