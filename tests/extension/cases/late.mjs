/** What comes after the walk: roots, frames, rows, words that are still being typed. */
import assert from "node:assert/strict";

/** Waits in the page until a selector's text is this; `within` is a host whose root is meant. */
const shows = (/** @type {import("../harness.mjs").Opened} */ page, /** @type {string} */ selector, /** @type {string} */ text) =>
  page.page.waitForFunction((at, wanted) => document.querySelector(at)?.textContent === wanted, { timeout: 10_000, polling: 30 }, selector, text);

/** @type {import("../content.test.mjs").Case[]} */
export const lateCases = [
  ["a_root_that_is_attached_after_the_walk_is_read_without_any_other_change", async (browser) => {
    const page = await browser.open("empty");
    await page.page.evaluate(() => {
      document.body.innerHTML = `<div id=plain></div><late-open></late-open><late-closed>Light words</late-closed>
        <p>Words before <late-inline></late-inline> and after</p>`;
    });
    await page.start();
    await page.page.evaluate(() => {
      const fill = (/** @type {Element} */ host, /** @type {ShadowRootMode} */ mode, /** @type {string} */ text) => {
        const root = host.attachShadow({ mode });
        root.append(Object.assign(document.createElement("p"), { textContent: text }));
      };
      fill(document.querySelector("#plain"), "closed", "Words of a plain host");
      for (const [name, mode] of /** @type {[string, ShadowRootMode][]} */ ([["late-open", "open"], ["late-closed", "closed"], ["late-inline", "open"]])) {
        customElements.define(name, class extends HTMLElement {
          connectedCallback() { fill(this, mode, `Words of ${name}`); }
        });
      }
    });
    const wanted = ["Words of a plain host", "Words of late-open", "Words of late-closed", "Words of late-inline"];
    await page.page.waitForFunction((texts) => texts.every((text) => globalThis.background.texts().includes(text)), { timeout: 10_000 }, wanted);
    await page.settled();
    const roots = () => page.page.evaluate(() => ["#plain", "late-open", "late-closed", "late-inline"].map((name) =>
      globalThis.background.roots.get(document.querySelector(name))?.textContent));
    assert.deepEqual(await roots(), wanted.map((text) => `⟦${text}⟧`));
    await page.restore();
    assert.deepEqual(await roots(), wanted);
  }],

  ["text_right_in_a_shadow_root_is_one_sentence_and_follows_its_changes", async (browser) => {
    const page = await browser.open("empty");
    await page.page.evaluate(() => {
      const root = document.body.appendChild(document.createElement("div")).attachShadow({ mode: "open" });
      root.append("Some ", Object.assign(document.createElement("b"), { textContent: "bold" }), " words");
    });
    await page.start();
    assert.ok((await page.sent()).includes("Some <1>bold</1> words"));
    const root = () => page.page.$eval("div", (host) => host.shadowRoot?.textContent);
    await page.page.$eval("div", (host) => host.shadowRoot?.append(" and more"));
    await page.settled();
    assert.equal(await root(), "⟦Some bold words and more⟧");
    await page.page.$eval("div", (host) => host.shadowRoot?.lastChild?.remove());
    await page.settled();
    assert.equal(await root(), "⟦Some bold words⟧");
    await page.restore();
    assert.equal(await page.page.$eval("div", (host) => host.shadowRoot?.innerHTML), "Some <b>bold</b> words");
  }],

  ["a_frame_that_comes_later_or_goes_to_another_page_is_read_and_a_gone_one_is_not_counted", async (browser) => {
    const page = await browser.open("empty");
    await page.start();
    await page.page.evaluate(() => { document.body.append(Object.assign(document.createElement("iframe"), { id: "f", srcdoc: "<p>First frame words</p>" })); });
    const inFrame = () => page.page.waitForFunction(() => document.querySelector("#f").contentDocument.querySelector("p")?.textContent.startsWith("⟦"), { timeout: 10_000 });
    await inFrame();
    await page.page.evaluate(() => {
      globalThis.kept = document.querySelector("#f").contentDocument.body;
      document.querySelector("#f").srcdoc = "<p>Second frame words</p>";
    });
    await page.page.waitForFunction(() => globalThis.background.texts().includes("Second frame words"), { timeout: 10_000 });
    await page.settled();
    const held = await page.page.evaluate(() => globalThis.webtranslator.page.self.units.size);
    assert.equal(held, 2, "the title and the second frame's words");
    await page.page.evaluate(() => document.querySelector("#f").remove());
    await page.settled();
    assert.equal(await page.page.evaluate(() => globalThis.webtranslator.page.self.units.size), 1);
    await page.page.waitForFunction(() => globalThis.background.lastState()?.frames_left_out === 0);
  }],

  ["words_that_are_still_being_typed_are_asked_when_they_are_complete", async (browser) => {
    const page = await browser.open("empty");
    await page.start();
    const full = "This answer is written word by word and takes its time.";
    await page.page.evaluate(async (text) => {
      const p = document.body.appendChild(Object.assign(document.createElement("p"), { id: "typed" }));
      const spans = document.body.appendChild(Object.assign(document.createElement("p"), { id: "spans" }));
      let written = "";
      for (const word of text.split(/(?<= )/u)) {
        p.textContent = written += word;
        spans.append(Object.assign(document.createElement("span"), { textContent: word }));
        await new Promise((resolve) => { setTimeout(resolve, 80); });
      }
    }, full);
    await shows(page, "#typed", `⟦${full}⟧`);
    await shows(page, "#spans", `⟦${full}⟧`);
    const asked = (await page.sent()).filter((text) => text !== "A page about empty");
    assert.ok(asked.length <= 6, asked.join("|"));
  }],

  ["the_rows_of_a_virtual_list_are_translated_where_scrolling_ends", async (browser) => {
    const page = await browser.open("empty");
    await page.page.evaluate(() => {
      for (let k = 0; k < 10; k += 1) document.body.append(Object.assign(document.createElement("p"), { className: "row", textContent: `Entry at ${"abcdefghij"[k]} in front` }));
    });
    await page.start();
    const scroll = async (/** @type {string} */ word) => {
      await page.page.evaluate(async (end) => {
        const rows = [...document.querySelectorAll(".row")];
        for (const step of ["one", "two", "three", "four", "five", end]) {
          for (const [k, row] of rows.entries()) /** @type {Text} */ (row.firstChild).data = `Entry ${"abcdefghij"[k]} of ${step}`;
          await new Promise((resolve) => { setTimeout(resolve, 50); });
        }
      }, word);
      await page.page.waitForFunction((end) => [...document.querySelectorAll(".row")].every((row, k) =>
        row.textContent === `⟦Entry ${"abcdefghij"[k]} of ${end}⟧`), { timeout: 10_000 }, word);
    };
    for (const word of ["alpha", "beta", "gamma", "delta"]) await scroll(word);
    const asked = await page.sent();
    assert.equal(asked.length, new Set(asked).size);
    await page.restore();
    assert.equal(await page.text(".row"), "Entry a of delta");
  }],

  ["a_count_of_seconds_is_left_to_the_page", async (browser) => {
    const page = await browser.open("watch");
    await page.page.evaluate(() => {
      let left = 59;
      globalThis.writes = 0;
      const tick = () => {
        const text = document.querySelector("#t").firstChild;
        if (text.data.startsWith("⟦")) { text.data = `${left} seconds left`; left -= 1; globalThis.writes += 1; }
      };
      document.querySelector("#t").textContent = "60 seconds left";
      setInterval(tick, 40);
    });
    await page.start();
    await page.page.waitForFunction(() => globalThis.writes === 3, { timeout: 10_000 });
    await page.settled();
    assert.match(await page.text("#t"), /^57 seconds left$/u);
    assert.equal((await page.sent()).filter((text) => text.endsWith("seconds left")).length, 3);
  }],

  ["what_becomes_editable_gets_its_own_text_first_and_a_published_text_is_translated", async (browser) => {
    const page = await browser.open("empty");
    await page.page.evaluate(() => { document.body.innerHTML = "<div id=e><p>Words to <b>edit</b></p></div><p>A line with <span id=s>a name</span> in it</p>"; });
    await page.start();
    await page.page.evaluate(() => {
      document.querySelector("#e").contentEditable = "true";
      document.querySelector("#s").translate = false;
    });
    await page.settled();
    assert.equal(await page.page.$eval("#e", (e) => e.innerHTML), "<p>Words to <b>edit</b></p>");
    assert.equal(await page.text("#s"), "a name");
    assert.ok((await page.sent()).includes("A line with <1/> in it"));
    await page.page.evaluate(() => {
      document.querySelector("#e").contentEditable = "false";
      document.querySelector("#s").translate = true;
    });
    await page.settled();
    assert.equal(await page.text("#e"), "⟦Words to edit⟧");
    assert.equal(await page.text("#s"), "a name");
    assert.equal(await page.page.$eval("#s", (e) => e.parentElement?.textContent), "⟦A line with a name in it⟧");
  }],

  ["a_part_that_moves_into_another_sentence_leaves_both_whole", async (browser) => {
    const page = await browser.open("empty");
    await page.page.evaluate(() => { document.body.innerHTML = "<p id=one>From here <b>goes this</b> today</p><p id=two>To this sentence</p>"; });
    await page.start();
    await page.page.evaluate(() => document.querySelector("#two").append(document.querySelector("b")));
    await page.settled();
    assert.equal(await page.text("#two"), "⟦To this sentencegoes this⟧");
    assert.equal(await page.text("#one"), "⟦From here  today⟧".replace("  ", " "));
    await page.restore();
    assert.equal(await page.page.$eval("body", (e) => e.innerHTML), '<p id="one">From here  today</p><p id="two">To this sentence<b>goes this</b></p>');
  }],

  ["a_page_that_marks_a_word_of_the_translation_gets_its_text_back_whole", async (browser) => {
    const page = await browser.open("empty");
    await page.page.evaluate(() => { document.body.innerHTML = "<p id=p>Some words to search in</p>"; });
    const before = await page.html();
    const mark = () => page.page.evaluate(() => {
      const text = document.querySelector("#p").firstChild;
      const word = text.splitText(text.data.indexOf("words"));
      word.splitText(5);
      const around = document.createElement("mark");
      word.replaceWith(around);
      around.append(word);
    });
    await page.start();
    const sent = await page.sent();
    await mark();
    await page.settled();
    assert.deepEqual([await page.sent(), await page.text("#p"), await page.text("mark")], [sent, "⟦Some words to search in⟧", "words"]);
    await page.restore();
    assert.equal(await page.page.$eval("#p", (p) => p.innerHTML), "Some words to search in<mark></mark>");
    await page.page.evaluate(() => { document.querySelector("mark").remove(); document.body.normalize(); });
    assert.equal(await page.html(), before);
    await page.start();
    await mark();
    await page.settled();
    await page.page.evaluate(() => {
      document.querySelector("mark").replaceWith(...document.querySelector("mark").childNodes);
      document.querySelector("#p").normalize();
    });
    await page.settled();
    assert.equal(await page.text("#p"), "⟦Some words to search in⟧");
    await page.restore();
    assert.equal(await page.html(), before);
    assert.equal((await page.sent()).filter((text) => text.includes("⟦")).length, 0);
  }],

  ["a_page_that_tidies_its_text_nodes_loses_none_and_keeps_its_translation", async (browser) => {
    const source = "Read <1>the notes</1> and <2>the rest</2> now.";
    const page = await browser.open("empty", { answers: { [source]: "<1>노트</1><2>나머지</2>" } });
    await page.page.evaluate(() => {
      document.body.innerHTML = "<p id=gaps>Read <b>the notes</b> and <i>the rest</i> now.</p><p id=split></p><p id=gone></p>";
      document.querySelector("#split").append("One text ", "in three ", "nodes");
      document.querySelector("#gone").append("Read ", Object.assign(document.createElement("b"), { textContent: "the notes" }), " and ",
        Object.assign(document.createElement("i"), { textContent: "the rest" }), " now.");
      globalThis.held = [...document.querySelector("#gaps").childNodes];
    });
    await page.start();
    assert.equal(await page.text("#gaps"), "노트나머지");
    await page.page.evaluate(() => {
      document.querySelector("#gone").childNodes[0].remove();
      document.body.normalize();
    });
    await page.settled();
    assert.equal(await page.text("#gaps"), "노트나머지");
    assert.equal(await page.text("#split"), "⟦One text in three nodes⟧");
    assert.equal((await page.sent()).filter((text) => text === "One text in three nodes" || text === source).length, 2);
    await page.restore();
    assert.equal(await page.page.$eval("#gaps", (p) => p.innerHTML), "Read <b>the notes</b> and <i>the rest</i> now.");
    assert.ok(await page.page.evaluate(() => {
      const now = [...document.querySelector("#gaps").childNodes];
      return now.length === globalThis.held.length && now.every((node, k) => node === globalThis.held[k]);
    }));
    assert.equal(await page.text("#split"), "One text in three nodes");
    assert.equal(await page.text("#gone"), "the notes and the rest now.", "the page took the first text out itself");
  }],
];
