/** The page gets back what it was: bytes, nodes, focus, selection. */
import assert from "node:assert/strict";

/** Runs in the page: holds every node, a listener, a selection and the focus. */
const hold = () => {
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
  globalThis.held = [];
  for (let node = /** @type {Node | null} */ (walker.currentNode); node; node = walker.nextNode()) globalThis.held.push(node);
  globalThis.clicks = 0;
  document.querySelector("#p a").addEventListener("click", (/** @type {Event} */ event) => { event.preventDefault(); globalThis.clicks += 1; });
  // A focused text field would own the selection in Chromium.
  document.querySelector("#one").tabIndex = 0;
  document.querySelector("#one").focus();
  const text = document.querySelector("#p").firstChild;
  getSelection()?.setBaseAndExtent(text, 3, text, 9);
};

/** Runs in the page: says what of it is still so. */
const compare = () => {
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
  const now = [];
  for (let node = /** @type {Node | null} */ (walker.currentNode); node; node = walker.nextNode()) now.push(node);
  document.querySelector("#p a").click();
  const selection = getSelection();
  return {
    sameNodes: now.length === globalThis.held.length && now.every((node, k) => node === globalThis.held[k]),
    clicks: globalThis.clicks, focus: document.activeElement?.id,
    selection: [selection?.anchorNode === document.querySelector("#p").firstChild, selection?.anchorOffset, selection?.focusOffset],
  };
};

const reordered = {
  "<1>first bold</1> then <2>second italic</2>.": "그 뒤 <2>둘째</2> 앞 <1>첫째</1>.",
  "<1>left part</1><2>right part</2>": "앞 <1>왼쪽</1> 그리고 <2>오른쪽</2> 끝",
};

/** @type {import("../content.test.mjs").Case[]} */
export const restoreCases = [];
for (const mode of ["translation", "both"]) {
  restoreCases.push([`restore_gives_back_bytes_nodes_listeners_selection_and_focus_in_mode_${mode}`, async (browser) => {
    const page = await browser.open("restore", { answers: reordered });
    await page.page.evaluate(hold);
    const before = await page.html();
    await page.start("ar", mode);
    assert.notEqual(await page.html(), before);
    const during = await page.page.evaluate(compare);
    assert.equal(during.clicks, 1);
    assert.equal(during.focus, "one");
    await page.restore();
    assert.equal(await page.html(), before);
    assert.deepEqual(await page.page.evaluate(compare), { sameNodes: true, clicks: 2, focus: "one", selection: [true, 3, 9] });
    assert.deepEqual(page.errors, []);
  }]);
}
restoreCases.push(
  ["reordered_tags_move_the_pages_own_nodes_and_extra_text_finds_a_place", async (browser) => {
    const page = await browser.open("restore", { answers: reordered });
    await page.page.evaluate(() => { globalThis.held = ["#one", "#two"].map((s) => document.querySelector(s)); });
    await page.start();
    assert.equal(await page.page.$eval("#order", (e) => e.innerHTML), '그 뒤 <i id="two">둘째</i> 앞 <b id="one">첫째</b>.');
    assert.equal(await page.page.$eval("#gap", (e) => e.innerHTML), "앞 <b>왼쪽</b> 그리고 <i>오른쪽</i> 끝");
    assert.ok(await page.page.evaluate(() => ["#one", "#two"].every((s, k) => document.querySelector(s) === globalThis.held[k])));
  }],

  ["empty_elements_stay_where_the_page_put_them", async (browser) => {
    const page = await browser.open("restore");
    await page.page.evaluate(() => { globalThis.child = document.querySelector("#child"); });
    await page.start();
    await page.page.evaluate(() => document.querySelector("#c").removeChild(globalThis.child));
    assert.deepEqual(page.errors, []);
    assert.equal((await page.text("#c")).trim(), "⟦Text one more⟧");
  }],

  ["equal_texts_are_sent_once_and_nearly_equal_ones_by_themselves", async (browser) => {
    const page = await browser.open("restore");
    await page.start();
    const sent = await page.sent();
    assert.deepEqual(sent.filter((text) => /^equal/iu.test(text)), ["Equal words", "Equal words.", "equal words"]);
    assert.equal(new Set(sent).size, sent.length);
    assert.deepEqual(await page.page.$$eval("p", (all) => all.slice(-4).map((e) => e.textContent)),
      ["⟦Equal words⟧", "⟦Equal words⟧", "⟦Equal words.⟧", " ⟦equal words⟧"]);
  }],

  ["direction_and_language_are_set_on_the_block_and_put_back_exactly", async (browser) => {
    const page = await browser.open("rtl");
    const before = await page.html();
    await page.start("ar");
    assert.deepEqual(await page.page.$$eval("p", (all) => all.map((e) => `${e.lang} ${e.dir}`)), ["ar rtl", "ar rtl", "ar rtl"]);
    assert.equal(await page.page.evaluate(() => document.documentElement.dir + document.body.dir), "");
    await page.restore();
    assert.equal(await page.html(), before);
    const back = await browser.open("to-ltr");
    const was = await back.html();
    await back.start("en");
    assert.equal(await back.page.$eval("#p", (e) => {
      const { lang, dir } = /** @type {HTMLElement} */ (e);
      return `${lang} ${dir}`;
    }), "en ltr");
    await back.restore();
    assert.equal(await back.html(), was);
  }],

  ["any_sequence_of_toggles_while_pending_ends_in_original_or_translation", async (browser) => {
    const page = await browser.open("restore", { silent: true });
    const before = await page.html();
    await page.start();
    await page.restore();
    assert.equal(await page.html(), before);
    await page.start();
    assert.equal(await page.html(), before);
    // Late answers of the first, cancelled stream change nothing; those of the second are shown.
    await page.page.evaluate(() => { const { background: b } = globalThis; b.answer(b.parts().filter(({ stream }) => stream === 1)); });
    await page.settled();
    assert.equal(await page.html(), before);
    await page.page.evaluate(() => { const { background: b } = globalThis; b.answer(b.parts().filter(({ stream }) => stream !== 1)); });
    await page.settled();
    assert.equal(await page.text("#b"), "⟦Press me⟧");
    await page.restore();
    assert.equal(await page.html(), before);
  }],

  ["whatever_comes_while_a_page_is_restored_the_last_wish_wins", async (browser) => {
    const page = await browser.open("restore");
    const before = await page.html();
    await page.start();
    /** @param {...object} wishes All in one task, before the first is done. */
    const wish = async (...wishes) => {
      await page.page.evaluate((all) => all.forEach((one) => globalThis.background.send(one)), /** @type {any[]} */ (wishes));
      await page.settled();
    };
    const to = (/** @type {string} */ target) => ({ type: "start", target, mode: "translation" });
    const [restore, korean, german, french] = [{ type: "restore" }, to("ko"), to("de"), to("fr")];
    await wish(restore, korean, restore);
    assert.equal(await page.html(), before);
    await wish(korean, german, french);
    assert.equal(await page.page.evaluate(() => document.querySelector("[lang=fr]") !== null && !document.querySelector("[lang=de], [lang=ko]")), true);
    await wish(restore, german, korean, restore, french, restore);
    assert.equal(await page.html(), before);
  }],

  ["injected_twice_nothing_changes", async (browser) => {
    const page = await browser.open("restore");
    const before = await page.html();
    await page.start();
    const sent = await page.sent();
    await page.inject();
    await page.settled();
    assert.deepEqual(await page.sent(), sent);
    assert.equal(await page.page.evaluate(() => globalThis.background.ports.length), 1);
    await page.restore();
    assert.equal(await page.html(), before);
  }],
);
