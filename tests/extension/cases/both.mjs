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

  ["code_names_and_buttons_in_a_sentence_are_not_missing_beside_it", async (browser) => {
    const page = await browser.open("empty");
    await page.page.evaluate(() => {
      document.body.innerHTML = `<p id=p>Run <code>x &lt; 1</code> as <span translate=no>Acme Inc</span> and press <button>Save it</button> then <math><mi>q</mi></math> ends</p>
        <div id=pre style="white-space:pre-wrap">Run <code>y</code> here</div>`;
    });
    const before = await page.html();
    await page.start("ko", "both");
    assert.equal(await page.page.$eval("#p > webtranslator-text", (e) => e.innerHTML),
      "<br>⟦Run <code>x &lt; 1</code> as Acme Inc and press Save it then  ends⟧");
    assert.equal(await page.text("#pre"), "Run y here\n⟦Run y here⟧");
    await page.restore();
    assert.equal(await page.html(), before);
  }],
];
