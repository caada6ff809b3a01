/** Documents that are no ordinary HTML, and pages that are made to break scripts. */
import assert from "node:assert/strict";

const FAILS = { "Words that fail": "refused" };

/** @type {import("../content.test.mjs").Case[]} */
export const oddCases = [
  ["a_drawing_that_is_a_document_is_translated_and_restored", async (browser) => {
    const page = await browser.open("drawing.svg", { fails: FAILS });
    const before = await page.html();
    await page.start();
    assert.equal(await page.text("#drawn"), "⟦Drawn words alone⟧");
    await page.restore();
    assert.equal(await page.html(), before);
  }],

  ["a_document_in_xml_gets_its_marks_and_translations_and_its_language_is_told", async (browser) => {
    const page = await browser.open("book.xml", { fails: FAILS });
    const before = await page.html();
    await page.start("ko", "both");
    assert.equal(await page.text("#good"), "Words that are fine⟦Words that are fine⟧");
    assert.equal(await page.page.$$eval("webtranslator-mark", (all) => all.length), 1);
    assert.equal(await page.page.evaluate(() => globalThis.background.parts()[0]?.lang), "en");
    await page.restore();
    assert.equal(await page.html(), before);
  }],

  ["a_document_without_a_root_has_nothing_to_translate_until_it_gets_one", async (browser) => {
    const page = await browser.open("empty");
    await page.page.evaluate(() => { globalThis.kept = document.documentElement; document.documentElement.remove(); });
    await page.start();
    await page.page.evaluate(() => {
      globalThis.kept.append(Object.assign(document.createElement("p"), { id: "late", textContent: "Words that came late" }));
      document.append(globalThis.kept);
    });
    await page.settled();
    assert.equal(await page.text("#late"), "⟦Words that came late⟧");
  }],

  ["a_form_whose_fields_hide_its_own_properties_harms_nothing_else", async (browser) => {
    const page = await browser.open("empty");
    const html = (/** @type {string} */ id) => `<form id=${id}><input name=childNodes><input name=parentNode><input name=nodeType>` +
      `<input name=localName><p>In a form</p></form><form><input name=childNodes><input name=parentNode><p>In another form</p></form>`;
    await page.page.evaluate((first) => {
      document.body.innerHTML = `<p id=before>Words before it</p>${first}<p id=after>Words after it</p>`;
    }, html("one"));
    await page.start();
    await page.page.evaluate((second) => {
      document.querySelector("#after").insertAdjacentHTML("afterend", `<div>${second}</div><p id=late>Words that came late</p>`);
      for (const p of document.querySelectorAll("form p")) p.append(" and more");
    }, html("two"));
    await page.settled();
    for (const id of ["before", "after"]) assert.equal(await page.text(`#${id}`), `⟦Words ${id} it⟧`);
    assert.equal(await page.text("#late"), "⟦Words that came late⟧");
    await page.restore();
    assert.equal(await page.text("#before"), "Words before it");
  }],

  ["a_text_whose_place_throws_is_counted_as_failed_and_the_others_are_shown", async (browser) => {
    const page = await browser.open("empty", { answers: { "The <1>first</1> and the <2>second</2> word": "<2>zwei</2> vor <1>eins</1>" } });
    await page.page.evaluate(() => {
      document.body.innerHTML = "<p id=bad>The <b>first</b> and the <i>second</i> word</p><p id=good>Words that are fine</p>";
      const bad = document.querySelector("#bad");
      bad.moveBefore = bad.insertBefore = () => { throw new Error("the page's own"); };
    });
    page.page.removeAllListeners("pageerror");
    const before = await page.html();
    await page.start();
    assert.equal(await page.text("#good"), "⟦Words that are fine⟧");
    await page.page.waitForFunction(() => globalThis.background.lastState()?.done && globalThis.background.lastState()?.failed);
    assert.deepEqual((await page.state()).failures, [{ code: "internal", count: 1 }]);
    await page.restore();
    assert.equal(await page.html(), before);
  }],

  ["what_a_gone_frame_leaves_behind_stops_nothing", async (browser) => {
    const page = await browser.open("empty", { silent: true });
    await page.page.evaluate(() => {
      document.body.innerHTML = "<p>Words in a frame</p><div style='height:3000px'></div><p id=far>Words far below</p>";
    });
    const before = await page.html();
    await page.start();
    // In Firefox, each use of a node of a closed frame throws.
    await page.page.evaluate(() => {
      const unit = /** @type {any} */ ([...globalThis.webtranslator.page.self.units].find((one) => /** @type {any} */ (one).plain.includes("frame")));
      unit.container = new Proxy({}, { get: () => { throw new TypeError("can't access dead object"); } });
      scrollTo(0, 9999);
    });
    await page.page.waitForFunction(() => globalThis.background.posted.some(({ type }) => type === "prioritize"));
    await page.page.evaluate(() => {
      const { background: b } = globalThis;
      b.send({ type: "failed", stream: 1, segments: b.sent.map(({ i }) => ({ i, code: "refused" })), message: "No." });
      scrollTo(0, 0);
    });
    await page.settled();
    await page.send({ type: "show_failed" });
    await page.page.waitForFunction(() => scrollY > 0);
    await page.restore();
    assert.equal(await page.html(), before);
  }],

  ["frames_of_a_frame_set_are_translated", async (browser) => {
    const page = await browser.open("frameset");
    await page.start();
    assert.equal(await page.page.evaluate(() => document.querySelector("frame").contentDocument.body.textContent.trim()), "⟦Words in a frame⟧");
  }],

  ["a_plain_text_is_translated_line_by_line", async (browser) => {
    const page = await browser.open("lines.txt");
    const before = await page.html();
    await page.start();
    assert.equal(await page.text("pre"), "⟦The first line of it.⟧\n\n⟦The second line of it.⟧\n");
    await page.restore();
    assert.equal(await page.html(), before);
  }],
];
