/** What readers of other translators reported, one page each. */
import assert from "node:assert/strict";

/** @type {import("../content.test.mjs").Case[]} */
export const reportsCases = [
  ["a_menu_that_makes_room_for_longer_labels_settles_and_is_asked_once", async (browser) => {
    const page = await browser.open("empty", { answers: { "News desk": "A much longer label than it was before" } });
    await page.page.evaluate(() => {
      document.body.innerHTML = `<nav id=bar style="display:flex;width:420px;overflow:hidden;white-space:nowrap"></nav><div id=more></div>`;
      const bar = document.querySelector("#bar");
      for (const text of ["News desk", "Weather map", "Sports page", "Culture page", "Travel page"]) {
        bar.append(Object.assign(document.createElement("a"), { href: "#x", textContent: text, style: "padding:4px" }));
      }
      globalThis.writes = 0;
      const fit = () => {
        while (bar.scrollWidth > bar.clientWidth && bar.lastChild) { document.querySelector("#more").prepend(bar.lastChild); globalThis.writes += 1; }
      };
      new ResizeObserver(fit).observe(bar);
      new MutationObserver(fit).observe(bar, { subtree: true, childList: true, characterData: true });
    });
    await page.start();
    const sent = await page.sent();
    assert.equal(sent.length, new Set(sent).size);
    const links = await page.page.$$eval("a", (all) => all.map((e) => e.textContent));
    assert.deepEqual(links, ["A much longer label than it was before", "⟦Weather map⟧", "⟦Sports page⟧", "⟦Culture page⟧", "⟦Travel page⟧"]);
    assert.ok(await page.page.evaluate(() => globalThis.writes) <= 5);
  }],

  ["a_sentence_without_spaces_is_sent_whole_and_gets_its_spaces_from_the_translation", async (browser) => {
    const page = await browser.open("empty", { answers: { "詳細は<1>文書</1>を参照": "See <1>the document</1> for details" } });
    await page.page.evaluate(() => { document.body.innerHTML = "<p id=p lang=ja>詳細は<a href=#x>文書</a>を参照</p>"; });
    await page.start("en");
    assert.equal(await page.text("#p"), "See the document for details");
  }],

  ["a_text_that_comes_back_unchanged_leaves_its_place_untouched", async (browser) => {
    const same = Object.fromEntries(["A page about empty", "Nikon Corporation", "Some <1>bold</1> name", "Hint"].map((text) => [text, text]));
    for (const mode of ["translation", "both"]) {
      const page = await browser.open("empty", { answers: same });
      await page.page.evaluate(() => { document.body.innerHTML = "<p>Nikon Corporation</p><p>Some <b>bold</b> name</p><input placeholder=Hint>"; });
      const before = await page.html();
      await page.start("ar", mode);
      assert.equal(await page.html(), before);
      await page.page.waitForFunction(() => globalThis.background.lastState()?.translated === 4);
    }
  }],

  ["a_translation_beside_its_original_flows_around_a_float", async (browser) => {
    const page = await browser.open("empty");
    await page.page.evaluate(() => {
      document.body.innerHTML = `<figure style="float:right;width:300px;height:400px;margin:0"></figure><p id=p>Long text ${"of many words ".repeat(20)}</p>`;
    });
    await page.start("ko", "both");
    const { top, right, start, edge } = await page.page.evaluate(() => {
      const rects = [...document.querySelector("webtranslator-text").getClientRects()].filter(({ width }) => width > 1);
      return { top: rects[0]?.top ?? 0, right: Math.max(...rects.map((r) => r.right)), start: document.querySelector("#p").getBoundingClientRect().top,
        edge: document.querySelector("figure").getBoundingClientRect().left };
    });
    assert.ok(right <= edge + 1, `${right} ${edge}`);
    assert.ok(top - start < 300, "it did not drop below the figure");
  }],

  ["a_page_that_changes_by_a_view_transition_is_translated", async (browser) => {
    const page = await browser.open("empty");
    await page.page.evaluate(() => { document.body.innerHTML = "<main><p>First view words</p></main>"; });
    await page.start();
    await page.page.evaluate(async () => {
      const change = () => document.querySelector("main").replaceChildren(Object.assign(document.createElement("h1"), { textContent: "Second view words" }));
      if (document.startViewTransition) await document.startViewTransition(change).updateCallbackDone;
      else change();
    });
    await page.settled();
    assert.equal(await page.text("h1"), "⟦Second view words⟧");
  }],

  ["what_the_page_took_away_is_not_asked_and_restore_cancels_what_is_unanswered", async (browser) => {
    const page = await browser.open("empty", { silent: true });
    await page.page.evaluate(() => {
      for (let k = 0; k < 700; k += 1) document.body.append(Object.assign(document.createElement("p"), { textContent: `Row number ${k}` }));
    });
    await page.start();
    const first = (await page.sent()).length;
    await page.page.evaluate(() => [...document.querySelectorAll("p")].slice(600).forEach((p) => p.remove()));
    await page.settled();
    await page.page.evaluate(() => { const { background: b } = globalThis; b.answer(b.parts()); });
    await page.page.waitForFunction((count) => globalThis.background.sent.length > count, {}, first);
    await page.settled();
    const sent = await page.sent();
    assert.ok(sent.length >= 590 && sent.length <= 601, String(sent.length));
    assert.ok(!sent.includes("Row number 650"));
    await page.restore();
    const posted = await page.page.evaluate(() => globalThis.background.posted.filter(({ type }) => type === "cancel").length);
    assert.ok(posted >= 1);
  }],

  ["a_plain_text_is_cut_at_its_blank_lines_and_its_lines_stay", async (browser) => {
    const page = await browser.open("wrapped.txt");
    const before = await page.html();
    await page.start();
    assert.deepEqual(await page.sent(), ["A sentence of a letter that was\nbroken where the line was full.", "A second paragraph\nof it.", "The last."]);
    assert.equal(await page.text("pre"), "⟦A sentence of a letter that was\nbroken where the line was full.⟧\n\n⟦A second paragraph\nof it.⟧\n   \n\n⟦The last.⟧\n");
    await page.restore();
    assert.equal(await page.html(), before);
  }],

  ["an_initial_takes_the_first_letter_of_the_translation_and_a_reading_gives_way", async (browser) => {
    const page = await browser.open("kinds", {
      answers: { "Once upon a time.": "Es war einmal.", "File menu": "<b>", "<1>漢字</1>を読む": "Read <1>the signs</1>" },
    });
    await page.start("de");
    assert.equal(await page.page.$eval("#initial", (p) => p.innerHTML), '<span class="first">E</span>s war einmal.');
    assert.equal(await page.page.$eval("#ruby", (p) => (p.textContent ?? "").replace(/\s+/gu, " ").trim()), "Read the signs");
    assert.equal(await page.page.$eval("#ruby rt", (rt) => rt.textContent), "");
    await page.send({ type: "set_mode", mode: "both" });
    await page.settled();
    assert.equal(await page.page.$eval("#ruby rt", (rt) => rt.textContent), "かんじ");
    assert.match(await page.text("#initial"), /^Once upon a time\.Es war einmal\.$/u);
  }],
];
