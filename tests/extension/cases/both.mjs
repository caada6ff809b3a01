/** The translation beside its original. */
import assert from "node:assert/strict";

/** @type {import("../content.test.mjs").Case[]} */
export const bothCases = [
  ["both_texts_are_shown_where_there_is_room_and_links_of_ours_work", async (browser) => {
    const page = await browser.open("both");
    const before = await page.html();
    await page.start("ko", "both");
    const source = 'A block of words with <a href="https://example.invalid/x">a link</a>.';
    assert.equal(await page.page.$eval("#block", (e) => e.innerHTML.replace(/<webtranslator-text.*/u, "")), source);
    assert.equal(await page.page.$eval("#block webtranslator-text", (e) => e.innerHTML),
      '<br>⟦A block of words with <a href="https://example.invalid/x">a link</a>.⟧');
    assert.equal(await page.page.$eval("#block webtranslator-text", (e) => {
      const { lang, dir } = /** @type {HTMLElement} */ (e);
      return `${getComputedStyle(e).display} ${lang} ${dir}`;
    }), "inline ko ltr");
    assert.equal(await page.page.$$eval("#flex > *", (all) => all.length), 1);
    assert.ok((await page.text("#flex")).startsWith("Flex words ⟦Flex words⟧"));
    assert.equal(await page.text("#pre"), "Pre one\n⟦Pre one⟧\nPre two\n⟦Pre two⟧");
    assert.equal(await page.text("#o"), "⟦Option words⟧");
    assert.equal(await page.text("#cell"), "Cell words⟦Cell words⟧");
    assert.equal(await page.page.$$eval("#lines br", (all) => all.length), 3);
    assert.equal(await page.page.$$eval("webtranslator-text a[href^='javascript']", (all) => all.length), 0);
    await page.send({ type: "set_mode", mode: "translation" });
    await page.settled();
    assert.equal(await page.page.$$eval("webtranslator-text", (all) => all.length), 0);
    assert.equal(await page.text("#cell"), "⟦Cell words⟧");
    await page.send({ type: "set_mode", mode: "both" });
    await page.settled();
    assert.equal(await page.text("#cell"), "Cell words⟦Cell words⟧");
    await page.restore();
    assert.equal(await page.html(), before);
  }],
];
