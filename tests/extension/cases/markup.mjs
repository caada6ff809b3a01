/** What a translation may do: be text in its own place, and nothing else. */
import assert from "node:assert/strict";

/** @type {import("../content.test.mjs").Case[]} */
export const markupCases = [
  ["a_hostile_translation_is_text", async (browser) => {
    const page = await browser.open("hostile", {
      answers: {
        "Harmless text": "<img src=x onerror=window.pwned=1><svg onload=window.pwned=1>",
        "Harmless <1>bold</1> text": "&lt;script>window.pwned=1&lt;/script> <1>&lt;img src=x onerror=window.pwned=1></1>",
      },
    });
    await page.start();
    assert.equal(await page.text("#harmless"), "<img src=x onerror=window.pwned=1><svg onload=window.pwned=1>");
    assert.equal(await page.text("#shown"), "⟦<img src=x onerror=window.pwned=1> and text⟧");
    assert.equal(await page.text("#tagged"), "<script>window.pwned=1</script> <img src=x onerror=window.pwned=1>");
    assert.equal(await page.page.evaluate(() => document.querySelectorAll("img, svg, script").length), 0);
    assert.equal(await page.page.evaluate(() => window.pwned), undefined);
  }],

  ["neighbouring_links_keep_their_own_labels", async (browser) => {
    const page = await browser.open("empty");
    await page.page.evaluate(() => {
      const add = (/** @type {Element} */ parent, /** @type {string} */ name, /** @type {string} */ text) => { const e = document.createElement(name); e.textContent = text; parent.append(e); return e; };
      const menu = add(document.body, "p", "");
      menu.id = "menu";
      for (const text of ["Start ", "Preise", "Kontakt"]) add(menu, "a", text);
      const sentence = add(document.body, "p", "Go to ");
      sentence.id = "sentence";
      for (const text of ["start ", "prices", "contact"]) add(sentence, "a", text);
    });
    await page.start();
    assert.deepEqual(await page.page.$$eval("#menu a", (all) => all.map((e) => e.textContent)), ["⟦Start⟧ ", "⟦Preise⟧", "⟦Kontakt⟧"]);
    assert.deepEqual(await page.page.$$eval("#sentence a", (all) => all.map((e) => e.textContent)), ["start ", "prices", "contact"]);
  }],

  ["spoilt_tags_are_refused_and_the_original_stays", async (browser) => {
    const source = "Read <1>the notes</1> and <2>the rest</2> now.";
    const spoilt = [
      "Read <1>the notes</1> and the rest now.", "Read <1>the notes and <2>the rest</1></2> now.", "<1>a</1><2>b</2><3>c</3>",
      "<1>a</1><1>b</1><2>c</2>", "<1>a</1> <2/>", "<1>a</1><2></2>", "<1>a</1><2> </2>", "<1><2>a</2></1>", "<1>a</1><2>b", "",
      "<1>a</1><2>b</2><b>c</b>", "</1><1>a</1><2>b</2>",
    ];
    for (const answer of spoilt) {
      const page = await browser.open("empty", { answers: { [source]: answer } });
      await page.page.evaluate(() => {
        const p = document.createElement("p");
        p.append("Read ", Object.assign(document.createElement("a"), { textContent: "the notes" }), " and ",
          Object.assign(document.createElement("b"), { textContent: "the rest" }), " now.");
        document.body.append(p);
      });
      await page.start();
      const shown = await page.page.$eval("p", (e) => e.innerHTML.replace(/<webtranslator-mark.*?<\/webtranslator-mark>/u, ""));
      assert.equal(shown, "Read <a>the notes</a> and <b>the rest</b> now.", answer);
      await new Promise((resolve) => { setTimeout(resolve, 300); });
      assert.deepEqual((await page.state()).failures, [{ code: "bad_reply", count: 1 }], answer);
    }
  }],
];
