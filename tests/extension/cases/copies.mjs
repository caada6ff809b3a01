/** Two copies of the content scripts in one page, and other translators. */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { contentFiles } from "../../../extension/shared/content-files.js";
import { playBackground } from "../background-stand-in.mjs";

const EXTENSION = path.resolve(import.meta.dirname, "../../../extension");

/** Runs the content files once more, in a world of their own: they share the page and nothing else. */
const addCopy = async (/** @type {import("../harness.mjs").Opened} */ page) => {
  const files = contentFiles.map((file) => fs.readFileSync(path.join(EXTENSION, file), "utf8")).join("\n");
  await page.page.evaluate(`globalThis.copy = { self, top, innerHeight, innerWidth, getComputedStyle: getComputedStyle.bind(globalThis) };
    ((globalThis) => { (${playBackground})({}); ${files}; globalThis.webtranslator = webtranslator; })(globalThis.copy); undefined`);
};

const tellCopy = (/** @type {import("../harness.mjs").Opened} */ page, /** @type {import("../background-stand-in.mjs").Told} */ message) =>
  page.page.evaluate((m) => globalThis.copy.background.send(m), message);

const copyIsDone = (/** @type {import("../harness.mjs").Opened} */ page, active = true) =>
  page.page.waitForFunction((wanted) => {
    const state = globalThis.copy.background.lastState();
    return state?.active === wanted && (!wanted || state.done);
  }, { timeout: 10_000 }, active);

const BEGIN = { type: "start", target: "ko", mode: "translation" };

/** @type {import("../content.test.mjs").Case[]} */
export const copiesCases = [
  ["the_copy_of_before_an_update_stops_and_gives_the_page_back_to_the_new_one", async (browser) => {
    const page = await browser.open("restore");
    const before = await page.html();
    await page.start();
    const sent = await page.sent();
    await page.page.evaluate(() => {
      // Chromium tells the old copy nothing: its port is dead, and its calls throw.
      Object.assign(globalThis.browser.runtime, { id: undefined });
      Object.assign(globalThis.background, { refusePorts: 1e9, open: null });
      document.body.append(Object.assign(document.createElement("p"), { id: "late", textContent: "Words after the update" }));
      document.querySelector("#b").firstChild.data = "Press me";
    });
    await page.settled();
    assert.deepEqual([await page.sent(), await page.text("#late"), await page.text("#b")], [sent, "Words after the update", "Press me"]);
    assert.equal(await page.text("#lang"), "⟦Other words here.⟧", "what is shown stands");
    assert.equal(await page.page.$$eval("webtranslator-mark", (all) => all.length), 0);
    await addCopy(page);
    await tellCopy(page, BEGIN);
    await copyIsDone(page);
    const asked = await page.page.evaluate(() => globalThis.copy.background.texts());
    assert.deepEqual([...asked].sort(), [...sent, "Words after the update"].sort());
    assert.equal(await page.text("#b"), "⟦Press me⟧");
    await page.page.evaluate(() => document.querySelector("#late").remove());
    await tellCopy(page, { type: "restore" });
    await copyIsDone(page, false);
    assert.equal(await page.html(), before);
    assert.deepEqual(page.errors, []);
  }],

  ["a_copy_whose_extension_is_gone_asks_for_nothing_more_and_calls_nothing_failed", async (browser) => {
    const page = await browser.open("restore", { silent: true });
    await page.start();
    assert.ok((await page.sent()).length > 0);
    const isIdle = await page.page.evaluate(() => {
      Object.assign(globalThis.browser.runtime, { id: undefined });
      Object.assign(globalThis.background, { refusePorts: 1e9 }).closePort();
      return globalThis.webtranslator.page.parts.queue.isIdle();
    });
    assert.equal(isIdle, true);
    assert.equal(await page.page.$$eval("webtranslator-mark", (all) => all.length), 0);
  }],

  ["of_two_living_copies_the_later_one_has_the_page", async (browser) => {
    const page = await browser.open("restore", { silent: true });
    const before = await page.html();
    await page.start();
    await page.page.evaluate(() => {
      const { background: b } = globalThis;
      const segments = b.parts().flatMap((part) => part.segments);
      b.answer([{ stream: 1, more: true, segments: segments.slice(0, 5) }]);
    });
    await page.settled();
    assert.notEqual(await page.html(), before);
    await addCopy(page);
    await tellCopy(page, BEGIN);
    await copyIsDone(page);
    assert.ok(await page.page.evaluate(() => globalThis.background.posted.some(({ type }) => type === "cancel")));
    await page.page.evaluate(() => { const { background: b } = globalThis; b.answer(b.parts()); });
    await page.settled();
    assert.ok(!(await page.page.evaluate(() => globalThis.copy.background.texts())).some((text) => text.includes("⟦")));
    assert.ok(!(await page.page.evaluate(() => document.body.textContent ?? "")).includes("⟦⟦"));
    await page.start();
    await page.page.evaluate(() => { const { background: b } = globalThis; b.answer(b.parts().slice(-2)); });
    await page.settled();
    await copyIsDone(page, false);
    await page.restore();
    assert.equal(await page.html(), before);
  }],

  ["what_a_copy_that_was_ended_left_beside_the_text_is_taken_out", async (browser) => {
    const page = await browser.open("empty");
    await page.page.evaluate(() => {
      document.body.innerHTML = `<p id=p>Words of it<webtranslator-text lang=ko translate=no><br>⟦Words of it⟧</webtranslator-text></p>
        <p>Failed words<webtranslator-mark></webtranslator-mark></p>`;
    });
    await page.start("ko", "both");
    assert.equal(await page.page.$$eval("#p webtranslator-text", (all) => all.length), 1);
    assert.deepEqual((await page.sent()).slice(1), ["Words of it", "Failed words"]);
    await page.restore();
    assert.equal(await page.page.$eval("#p", (p) => p.outerHTML), '<p id="p">Words of it</p>');
    assert.equal(await page.page.$$eval("webtranslator-mark", (all) => all.length), 0);
  }],

  ["what_google_translates_after_us_is_not_sent_and_comes_back_as_it_was", async (browser) => {
    const page = await browser.open("empty");
    await page.page.evaluate(() => { document.body.innerHTML = "<p id=p>Words to <b>read</b> here</p><p id=q>Other words</p>"; });
    const before = await page.html();
    await page.start();
    const sent = await page.sent();
    await page.page.evaluate(() => {
      document.documentElement.classList.add("translated-ltr");
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const texts = /** @type {Text[]} */ ([]);
      while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode));
      const font = (/** @type {Node} */ child) => {
        const element = document.createElement("font");
        element.style.verticalAlign = "inherit";
        element.append(child);
        return element;
      };
      globalThis.held = texts;
      for (const text of texts) text.replaceWith(font(font(document.createTextNode("Mots de Google"))));
    });
    await page.settled();
    assert.deepEqual(await page.sent(), sent);
    await page.page.evaluate(() => {
      document.documentElement.removeAttribute("class");
      [...document.querySelectorAll("body > p > font, b > font")].forEach((font, k) => font.replaceWith(.../** @type {Node[]} */ (globalThis.held).slice(k, k + 1)));
    });
    await page.settled();
    assert.deepEqual([await page.sent(), await page.text("#p")], [sent, "⟦Words to read here⟧"]);
    await page.restore();
    assert.equal(await page.html(), before);
  }],

  ["a_translation_that_another_extension_adds_below_ours_is_not_sent", async (browser) => {
    const page = await browser.open("empty");
    await page.page.evaluate(() => { document.body.innerHTML = "<p id=p>Words to <b>read</b> here</p>"; });
    await page.start();
    const sent = await page.sent();
    await page.page.evaluate(() => {
      const font = Object.assign(document.createElement("font"), { className: "notranslate immersive-translate-target-wrapper" });
      font.append(document.createElement("br"), "Their words for it");
      document.querySelector("#p").append(font);
    });
    await page.settled();
    assert.deepEqual([await page.sent(), await page.text("#p")], [sent, "⟦Words to read here⟧Their words for it"]);
  }],
];
