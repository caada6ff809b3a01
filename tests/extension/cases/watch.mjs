/** What the page does while a translation is shown. */
import assert from "node:assert/strict";

const pause = (/** @type {number} */ ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/** @type {import("../content.test.mjs").Case[]} */
export const watchCases = [
  ["our_own_writes_are_never_taken_for_the_pages", async (browser) => {
    const page = await browser.open("watch");
    await page.start();
    await pause(500);
    const sent = await page.sent();
    assert.equal(sent.length, new Set(sent).size);
    assert.ok(!sent.some((text) => text.includes("⟦")));
    await page.send({ type: "set_mode", mode: "both" });
    await page.settled();
    await page.send({ type: "set_mode", mode: "translation" });
    await page.settled();
    assert.deepEqual(await page.sent(), sent);
  }],

  ["attribute_writes_of_ours_start_no_new_round", async (browser) => {
    const page = await browser.open("empty");
    await page.page.evaluate(() => {
      const select = document.createElement("select");
      for (let k = 0; k < 500; k += 1) {
        const option = Object.assign(document.createElement("option"), { value: `x${k}`, textContent: `Option words ${k}`, title: "Same title" });
        select.append(option);
      }
      document.body.append(select);
    });
    await page.start();
    await pause(300);
    assert.equal((await page.sent()).length, 502);
    assert.equal(await page.page.$eval("option", (o) => `${o.value} ${o.title}`), "x0 ⟦Same title⟧");
  }],

  ["added_and_moved_content_is_translated_once", async (browser) => {
    const page = await browser.open("watch", { delay: 200 });
    await page.start();
    await page.page.evaluate(async () => {
      const box = document.createElement("div");
      box.innerHTML = "<p id=late>Late <b>words</b> here</p>";
      document.querySelector("#main").append(box);
      await new Promise((resolve) => { setTimeout(resolve, 20); });
      document.body.append(box);
    });
    await page.settled();
    await page.settled();
    assert.equal(await page.text("#late"), "⟦Late words here⟧");
    assert.equal((await page.sent()).filter((text) => text.startsWith("Late")).length, 1);
  }],

  ["a_replaced_body_and_an_endless_list_are_translated", async (browser) => {
    const page = await browser.open("watch");
    await page.start();
    for (let round = 0; round < 3; round += 1) {
      await page.page.evaluate((n) => {
        const list = document.createElement("ul");
        for (let k = 0; k < 20; k += 1) list.append(Object.assign(document.createElement("li"), { textContent: `Row ${n} and ${k}` }));
        if (n === 0) document.body.replaceChildren(list);
        else document.body.append(list);
        history.pushState(null, "", `#${n}`);
      }, round);
      await page.settled();
    }
    assert.ok(await page.page.$$eval("li", (all) => all.length === 60 && all.every((e) => /^⟦Row \d and \d+⟧$/u.test(e.textContent))));
    await page.restore();
    assert.ok(await page.page.$$eval("li", (all) => all.every((e) => /^Row \d and \d+$/u.test(e.textContent))));
  }],

  ["a_replaced_document_element_is_translated", async (browser) => {
    const page = await browser.open("watch");
    await page.start();
    await page.page.evaluate(() => {
      const html = document.createElement("html");
      const body = document.createElement("body");
      body.append(Object.assign(document.createElement("p"), { textContent: "Brand new words" }));
      html.append(body);
      document.replaceChild(html, document.documentElement);
    });
    await page.settled();
    assert.equal(await page.text("p"), "⟦Brand new words⟧");
  }],

  ["the_pages_newer_text_wins_over_the_translation_and_over_restore", async (browser) => {
    const page = await browser.open("watch");
    await page.start();
    await page.page.evaluate(() => { document.querySelector("#p").firstChild.data = "Four new items"; });
    await page.settled();
    assert.equal(await page.text("#p"), "⟦Four new items⟧");
    await page.page.evaluate(() => { document.querySelector("#p").firstChild.data = "Five new items"; });
    await page.restore();
    assert.equal(await page.text("#p"), "Five new items");
  }],

  ["a_late_answer_for_a_changed_text_is_dropped", async (browser) => {
    const page = await browser.open("watch", { silent: true });
    await page.start();
    await page.page.evaluate(() => { document.querySelector("#p").firstChild.data = "Newer words"; });
    await page.page.evaluate(() => globalThis.background.answer(globalThis.background.parts()));
    await page.settled();
    assert.ok((await page.sent()).includes("Newer words"));
    assert.equal(await page.text("#p"), "Newer words");
    await page.page.evaluate(() => globalThis.background.answer(globalThis.background.parts()));
    await page.settled();
    assert.equal(await page.text("#p"), "⟦Newer words⟧");
  }],

  ["a_text_that_the_page_fights_for_is_left_to_it_after_one_request", async (browser) => {
    const page = await browser.open("watch");
    await page.page.evaluate(() => {
      globalThis.writes = 0;
      setInterval(() => {
        const text = document.querySelector("#t").firstChild;
        if (text.data !== "12 hours ago") { text.data = "12 hours ago"; globalThis.writes += 1; }
      }, 60);
    });
    await page.start();
    await pause(1_500);
    assert.equal(await page.text("#t"), "12 hours ago");
    assert.equal(await page.page.evaluate(() => globalThis.writes), 3);
    assert.equal((await page.sent()).filter((text) => text === "12 hours ago").length, 1);
    assert.equal(await page.text("#p"), "⟦Some words here⟧");
  }],

  ["a_page_that_undoes_each_write_at_once_gets_its_way", async (browser) => {
    const page = await browser.open("watch");
    await page.page.evaluate(() => {
      const texts = /** @type {Map<Node, string | null>} */ (new Map());
      globalThis.writes = 0;
      for (const { firstChild } of document.querySelectorAll("p, time")) if (firstChild) texts.set(firstChild, firstChild.nodeValue);
      new MutationObserver((records) => {
        for (const { target } of records) {
          const own = texts.get(target);
          if (own !== undefined && target.nodeValue !== own) { target.nodeValue = own; globalThis.writes += 1; }
        }
      }).observe(document, { subtree: true, characterData: true });
    });
    await page.start();
    await pause(800);
    assert.equal(await page.text("#p"), "Some words here");
    assert.ok(await page.page.evaluate(() => globalThis.writes) <= 6);
  }],

  ["a_page_that_removes_what_it_does_not_know_keeps_its_nodes_and_gets_the_text_in_place", async (browser) => {
    const page = await browser.open("watch");
    await page.page.evaluate(() => {
      const p = document.querySelector("#p");
      globalThis.removed = 0;
      new MutationObserver(() => {
        for (const child of [...p.children]) { child.remove(); globalThis.removed += 1; }
      }).observe(p, { childList: true });
    });
    await page.start("ko", "both");
    await pause(400);
    assert.equal(await page.text("#p"), "Some words here ⟦Some words here⟧");
    assert.equal(await page.page.evaluate(() => globalThis.removed), 1);
  }],

  ["changed_attributes_and_a_changed_title_are_translated_again", async (browser) => {
    const page = await browser.open("watch");
    await page.start();
    await page.page.evaluate(() => {
      document.querySelector("#field").placeholder = "New hint";
      document.title = "New title words";
    });
    await page.settled();
    assert.deepEqual(await page.page.evaluate(() => [document.querySelector("#field").placeholder, document.title]), ["⟦New hint⟧", "⟦New title words⟧"]);
    await page.restore();
    assert.deepEqual(await page.page.evaluate(() => [document.querySelector("#field").placeholder, document.title]), ["New hint", "New title words"]);
  }],

  ["text_added_to_a_translated_sentence_is_translated_with_it", async (browser) => {
    const page = await browser.open("watch");
    await page.start();
    await page.page.evaluate(() => {
      document.querySelector("#p").append(" and ", Object.assign(document.createElement("b"), { textContent: "more of it" }));
    });
    await page.settled();
    assert.equal(await page.text("#p"), "⟦Some words here and more of it⟧");
    assert.ok((await page.sent()).includes("Some words here and <1>more of it</1>"));
    await page.restore();
    assert.equal(await page.text("#p"), "Some words here and more of it");
  }],

  ["what_left_the_page_has_its_own_text_again", async (browser) => {
    const page = await browser.open("watch");
    await page.start();
    await page.page.evaluate(() => { globalThis.kept = document.querySelector("#p"); globalThis.kept.remove(); });
    await page.settled();
    assert.equal(await page.page.evaluate(() => globalThis.kept.outerHTML), '<p id="p">Some words here</p>');
    await page.page.evaluate(() => document.body.append(globalThis.kept));
    await page.settled();
    assert.equal(await page.text("#p"), "⟦Some words here⟧");
    assert.equal((await page.sent()).filter((text) => text === "Some words here").length, 1);
  }],

  ["before_the_reader_asks_nothing_is_read_or_watched", async (browser) => {
    const page = await browser.open("watch");
    await page.page.evaluate(() => document.body.append("More words here"));
    await pause(200);
    assert.deepEqual(await page.sent(), []);
    assert.equal(await page.page.evaluate(() => globalThis.webtranslator.page.self.units.size), 0);
  }],
];
