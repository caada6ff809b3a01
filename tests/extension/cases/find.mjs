/** What is sent, what is not, and in which form. */
import assert from "node:assert/strict";

/** @type {import("../content.test.mjs").Case[]} */
export const findCases = [
  ["code_and_formulas_stay_the_same_node_in_their_sentence", async (browser) => {
    const page = await browser.open("kinds", {
      answers: { "Set <1/> in the console.": "콘솔에서 <1/> 을 넣으세요.", "The value is <1/> in total.": "<1/> 값" },
    });
    await page.page.evaluate(() => {
      globalThis.held = [document.querySelector("#code code"), document.querySelector("#math .katex")];
    });
    await page.start();
    assert.equal(await page.text("#code"), "콘솔에서 r_shadows 1 을 넣으세요.");
    assert.ok(await page.page.evaluate(() => globalThis.held[0] === document.querySelector("#code code") &&
      globalThis.held[1] === document.querySelector("#math .katex") && globalThis.held[1]?.textContent?.includes("tau_1 here")));
    assert.equal(await page.text("pre"), "for item in list: print(item)");
  }],

  ["an_editable_region_is_never_touched", async (browser) => {
    const page = await browser.open("kinds");
    await page.page.evaluate(() => {
      globalThis.saved = new Set();
      new MutationObserver(() => globalThis.saved.add("changed")).observe(document.querySelector("#editable"), { subtree: true, childList: true, characterData: true, attributes: true });
    });
    await page.start();
    assert.equal(await page.text("#editable"), "Editable words");
    assert.equal(await page.text("textarea"), "Typed area text");
    assert.equal(await page.page.evaluate(() => globalThis.saved.size), 0);
  }],

  ["controls_and_labels_stay_and_keep_their_state", async (browser) => {
    const page = await browser.open("kinds");
    await page.start();
    assert.deepEqual(await page.page.evaluate(() => ({
      radios: document.querySelectorAll("#labels input").length,
      checked: document.querySelector("#labels input:checked").value,
      labels: [...document.querySelectorAll("#labels label, #buttons button")].map((e) => e.textContent),
      typed: document.querySelector("#field").value,
      hint: document.querySelector("#field").placeholder,
      submitted: document.querySelector("input[name=s]").value,
    })), {
      radios: 2, checked: "f", labels: ["⟦Mister⟧", "⟦Madam⟧", "⟦Delete it⟧", "⟦Cancel it⟧"], typed: "typed text",
      hint: "⟦Your name⟧", submitted: "Submitted text",
    });
  }],

  ["an_option_submits_what_it_did_before", async (browser) => {
    const page = await browser.open("kinds");
    await page.start();
    assert.deepEqual(await page.page.$eval("#bare", (o) => [o.textContent, /** @type {HTMLOptionElement} */ (o).value]), ["⟦Frankreich⟧", "Frankreich"]);
    await page.restore();
    assert.equal(await page.page.$eval("#bare", (o) => o.outerHTML), '<option id="bare">Frankreich</option>');
  }],

  ["white_space_is_sent_as_css_shows_it_and_kept_outside", async (browser) => {
    const page = await browser.open("spaces");
    await page.start();
    const sent = await page.sent();
    for (const text of ["Comment count", "See <1>the docs</1> for <2>details</2>.", "First line. Second line."]) {
      assert.ok(sent.includes(text), text);
    }
    assert.equal(await page.text("#tabs"), "\n\t\t\t\t⟦Comment count⟧\n\t\t\t");
    assert.equal(await page.text("#edges"), "  ⟦See the docs for details.⟧ ");
  }],

  ["lines_and_breaks_separate_and_stay", async (browser) => {
    const page = await browser.open("spaces");
    await page.start();
    assert.equal(await page.text("#pre"), "⟦First line.⟧\n  ⟦Second line.⟧\n\n⟦Third bold⟧\n⟦next line.⟧");
    assert.equal(await page.page.$eval("#br", (e) => e.innerHTML), "⟦One here.⟧<br>⟦Two here.⟧<br>⟦Three here.⟧");
    assert.equal(await page.page.$eval("#inner", (e) => e.textContent), "⟦Start bold one⟧⟦bold two end.⟧");
    assert.equal(await page.page.$$eval("#block-in-link span", (all) => all.map((e) => e.textContent).join("|")), "⟦Block one⟧|⟦Block two⟧");
    assert.equal(await page.text("#inline-block"), "⟦Press ⟦this box⟧ to start.⟧");
  }],

  ["a_lone_surrogate_is_replaced_in_what_is_sent", async (browser) => {
    const page = await browser.open("spaces");
    await page.start();
    assert.ok((await page.sent()).includes("Half a \ufffd face here"));
    const before = await page.page.evaluate(async () => {
      globalThis.webtranslator.page.parts.port.post({ type: "none" });
      return document.querySelector("#surrogate").firstChild.data.includes("\ufffd face here⟧");
    });
    assert.ok(before);
    await page.restore();
    assert.ok(await page.page.evaluate(() => document.querySelector("#surrogate").firstChild.data === "Half a \ud83d face here"));
  }],

  ["a_very_long_text_is_cut_at_sentence_ends_and_joined", async (browser) => {
    const page = await browser.open("spaces");
    await page.start();
    const parts = (await page.sent()).filter((text) => text.startsWith("Sentence number"));
    assert.ok(parts.length > 1 && parts.every((text) => text.length <= 8_000 && text.endsWith(".")));
    assert.equal(await page.text("#long"), parts.map((text) => `⟦${text}⟧`).join(" "));
  }],

  ["sentences_that_followed_each_other_without_a_space_get_one_where_words_have_them", async (browser) => {
    const source = "这是很短的一句话。".repeat(1_000);
    const dense = async (/** @type {Record<string, string>} */ answers) => {
      const page = await browser.open("empty", { answers });
      await page.page.evaluate((textContent) => {
        document.body.append(Object.assign(document.createElement("p"), { id: "dense", textContent }));
      }, source);
      await page.start("en");
      return page;
    };
    const parts = (await (await dense({})).sent()).filter((text) => text.startsWith("这"));
    assert.equal(parts.length, 2, "equal parts are sent once");
    const shown = async (/** @type {string[]} */ texts) => {
      const page = await dense(Object.fromEntries(parts.map((part, k) => [part, texts[k] ?? ""])));
      const text = await page.text("#dense");
      await page.restore();
      assert.equal(await page.text("#dense"), source);
      return text;
    };
    assert.match(await shown(["Short ones.", "More of them."]), /^(?:Short ones\. )+More of them\.$/u);
    assert.match(await shown(["短文です。", "まだあります。"]), /^(?:短文です。)+まだあります。$/u);
  }],

  ["text_in_the_target_language_is_not_sent", async (browser) => {
    const long = "This paragraph is written in the target language and has more than sixty letters in it.";
    const turkish = "Bu metin yeterince uzun ve her zaman dogru dili gostermek icin yazilmis bir cumledir.";
    const page = await browser.open("languages", { detects: { [long]: "en", [turkish]: "tr" } });
    await page.start("en");
    assert.deepEqual((await page.sent()).sort(), ["A page about languages", "Ein kurzer deutscher Satz", turkish, "이미 한국어로 쓴 글입니다"].sort());
    await page.restore();
    await page.start("ko");
    assert.ok(!(await page.sent()).slice(4).includes("이미 한국어로 쓴 글입니다"));
  }],

  ["shadow_roots_open_and_closed_slots_and_frames_are_read", async (browser) => {
    const page = await browser.open("shadow");
    await page.page.evaluate(() => {
      const fill = (/** @type {ShadowRoot} */ root, /** @type {string} */ text) => { const p = document.createElement("p"); p.textContent = text; root.append(p); return p; };
      globalThis.inOpen = fill(document.querySelector("#open").attachShadow({ mode: "open" }), "Open root words");
      globalThis.inClosed = fill(document.querySelector("#closed").attachShadow({ mode: "closed" }), "Closed root words");
      const box = document.querySelector("#slotted").attachShadow({ mode: "open" });
      fill(box, "Box title");
      box.append(document.createElement("slot"));
      fill(document.querySelector("x-tag").attachShadow({ mode: "open" }), "Tag words");
    });
    await page.start();
    for (const text of ["Open root words", "Closed root words", "Box title", "Slotted words", "Tag words", "Words in a frame",
      "Outer frame <1>text</1>", "Before it <1/> after it."]) assert.ok((await page.sent()).includes(text), text);
    const shown = () => page.page.evaluate(() => [globalThis.inOpen.textContent, globalThis.inClosed.textContent,
      document.querySelector("#srcdoc").contentDocument.querySelector("#q").textContent]);
    assert.deepEqual(await shown(), ["⟦Open root words⟧", "⟦Closed root words⟧", "⟦Words in a frame⟧"]);
    await page.page.evaluate(() => {
      globalThis.inClosed.textContent = "Later closed words";
      document.querySelector("#srcdoc").contentDocument.querySelector("#q").textContent = "Later frame words";
    });
    await page.settled();
    assert.deepEqual((await shown()).slice(1), ["⟦Later closed words⟧", "⟦Later frame words⟧"]);
    await page.restore();
    assert.deepEqual(await shown(), ["Open root words", "Later closed words", "Later frame words"]);
  }],

  ["button_texts_are_marked_as_ui_and_hidden_text_comes_last", async (browser) => {
    const page = await browser.open("kinds");
    await page.start();
    const sent = await page.page.evaluate(() => globalThis.background.sent);
    assert.equal(sent.find(({ text }) => text === "Delete it")?.kind, "ui");
    assert.equal(sent.find(({ text }) => text === "A plain paragraph.")?.kind, undefined);
    assert.equal(sent.find(({ text }) => text === "A plain paragraph.")?.rank, 0);
    assert.equal(sent.find(({ text }) => text === "Hidden words")?.rank, 2);
  }],
];
