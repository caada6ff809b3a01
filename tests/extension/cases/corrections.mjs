/** Finding and correcting translations on the options page. */
import assert from "node:assert/strict";
import { until } from "../../e2e/wait.mjs";

/**
 * @typedef {import("../options-page.mjs").Options} Options
 * @typedef {import("../options-page.mjs").Open} Open
 */

const MACHINE = { source_language: "en", target: "ko", engine: "gemini|g.example:443|flash|p1|", marked: false, used: "2026-10-05" };
const ENTRIES = [
  { ...MACHINE, source: "Sign in", translation: "기호 안에", site: "example.com" },
  { ...MACHINE, source: "<b>Sign</b> out & in", translation: "<img src=x>", source_language: "und" },
  { ...MACHINE, source: "Load <1>order</1>", translation: "<1>로드</1> 주문", marked: true },
];

/** @param {Options} options @param {string} selector @returns {Promise<string[]>} */
const texts = ({ page }, selector) => page.$$eval(selector, (found) => found.map((one) => one.textContent ?? ""));

/** @param {Options} options @param {string} type @returns {Promise<any[]>} */
const sent = async ({ asked }, type) => (await asked()).filter((one) => one.type === type);

/** @param {Options} options @param {string} words */
async function find({ page, ...rest }, words) {
  await page.$eval("#find-words", (input) => /** @type {HTMLInputElement} */ (input).select());
  await page.type("#find-words", words);
  await page.keyboard.press("Enter");
  await until("an answer", async () => /^(Found|Nothing)/.test((await texts({ page, ...rest }, "#find-status")).join()));
}

/** @param {string} source */
const row = (source) => `#entries > li[aria-label="${source}"]`;

/** @param {Options} options @param {string} source @param {string} typed */
async function write({ page }, source, typed) {
  await page.$eval(`${row(source)} textarea`, (area) => /** @type {HTMLTextAreaElement} */ (area).select());
  await page.type(`${row(source)} textarea`, typed);
}

/** @param {Options} options @param {string} words what the page says when it is done */
const told = (options, words) => until(words, async () => (await texts(options, "#status")).join() === words);

/** @param {Open} open */
async function correctAndGiveBack(open) {
  const options = await open({ entries: ENTRIES });
  const { page } = options;
  await find(options, "SIGN IN");
  assert.deepEqual(await texts(options, "#entries > li > p:first-child"), ["Sign in"]);
  assert.match((await texts(options, row("Sign in"))).join(), /gemini flash · English → Korean · example\.com · last used 2026-10-05/);
  await write(options, "Sign in", "로그인");
  await page.click(`${row("Sign in")} [data-act="save"]`);
  await told(options, "Saved");
  assert.deepEqual(await sent(options, "cache_correct"), [
    { type: "cache_correct", source: "Sign in", marked: false, translation: "로그인", target: "ko" },
  ]);
  const shown = await texts(options, row("Sign in"));
  assert.equal(shown.length, 2);
  assert.match(String(shown[0]), /Your correction · any language → Korean/);
  assert.match(String(shown[1]), /기호 안에.*Your correction is shown in its place/);
  assert.equal(await options.focus(), "Sign in save", "the reader stays with the text");
  await page.focus(`${row("Sign in")} [data-act="remove"]`);
  await page.keyboard.press("Enter");
  await told(options, "Correction removed");
  assert.equal((await sent(options, "cache_correct")).at(-1).translation, null);
  assert.equal((await texts(options, row("Sign in"))).length, 1);
  assert.equal(await page.$eval(`${row("Sign in")} textarea`, (area) => /** @type {HTMLTextAreaElement} */ (area).value), "기호 안에");

  await page.click(`${row("Sign in")} input[type="checkbox"]`);
  await page.click(`${row("Sign in")} [data-act="save"]`);
  await told(options, "Saved");
  assert.equal((await sent(options, "cache_correct")).at(-1).site, "example.com");
  await page.click(`${row("Sign in")} [data-act="forget"]`);
  await told(options, "Forgotten");
  assert.deepEqual(await sent(options, "cache_forget"), [{ type: "cache_forget", text: "Sign in", target: "ko" }]);
  assert.equal((await texts(options, row("Sign in"))).length, 1, "the correction stays");
  assert.deepEqual(options.errors, []);
}

/** @param {Open} open */
async function faultsAndHalfTyped(open) {
  const options = await open({ entries: ENTRIES });
  await find(options, "");
  await until("all", async () => (await texts(options, "#find-status")).join() === "Found: 3, and there are more");
  assert.equal(await options.focus(), "find-words");
  assert.deepEqual(await texts(options, "#entries img, #entries b"), [], "page text stays text");
  await write(options, "Sign in", "half a na");
  const marked = row("Load <1>order</1>");
  await write(options, "Load <1>order</1>", "순서");
  await options.page.click(`${marked} [data-act="save"]`);
  await until("the fault", async () => (await texts(options, `${marked} .error:not([hidden])`)).join() === "The tags differ.");
  await told(options, "Not saved");
  await write(options, "Load <1>order</1>", "<1>불러오기</1> 순서");
  await options.page.click(`${marked} [data-act="save"]`);
  await told(options, "Saved");
  const typed = await options.page.$eval(`${row("Sign in")} textarea`, (area) => /** @type {HTMLTextAreaElement} */ (area).value);
  assert.equal(typed, "half a na", "what is half typed elsewhere stays");
  await find(options, "no such words");
  assert.deepEqual(await texts(options, "#find-status"), ["Nothing was found"]);
  assert.equal(await options.page.$eval("#entries", (list) => /** @type {HTMLElement} */ (list).hidden), true);
}

/** @param {Open} open */
async function everythingIsNamed(open) {
  for (const language of ["en", "ko"]) {
    const options = await open({ entries: [...ENTRIES, { ...ENTRIES[0], corrected: true, engine: undefined }], language });
    await options.page.click("#find-button");
    await options.page.waitForSelector("#entries li");
    const bad = await options.page.evaluate(() => {
      const nameOf = (/** @type {any} */ one) => one.getAttribute("aria-label") ?? one.labels?.[0]?.textContent ?? one.textContent;
      const controls = [...document.querySelectorAll("#find :is(button, input), #entries :is(button, input, textarea)")];
      const nameless = controls.filter((one) => !/\S/.test(nameOf(one) ?? "") || /^[a-z]+_[a-z_]+$/.test(nameOf(one)));
      const ids = [...document.querySelectorAll("#entries [aria-describedby]")].flatMap((one) => (one.getAttribute("aria-describedby") ?? "").split(" "));
      return [...nameless.map((one) => one.outerHTML), ...ids.filter((id) => !document.getElementById(id))];
    });
    assert.deepEqual(bad, [], language);
    assert.deepEqual(options.errors, []);
  }
}

export const correctionCases = /** @type {import("../options-page.mjs").Case[]} */ ([
  ["a translation is found, corrected, given back and forgotten", correctAndGiveBack],
  ["a fault is told at its row, and what is half typed elsewhere stays", faultsAndHalfTyped],
  ["every control of the search has a name, and what describes it is there", everythingIsNamed],
]);
