/** What goes over the port, how much at a time, and what happens when it breaks. */
import assert from "node:assert/strict";

/** Runs in the page: adds numbered paragraphs. */
const fill = (/** @type {number} */ count) => {
  for (let k = 0; k < count; k += 1) document.body.append(Object.assign(document.createElement("p"), { textContent: `Paragraph number ${k}` }));
};

/** Runs in the page: waits until the background was asked about so many segments. */
const asked = async (/** @type {number} */ count) => {
  const end = performance.now() + 1_500;
  while (globalThis.background.sent.length < count && performance.now() < end) {
    await new Promise((resolve) => { setTimeout(resolve, 10); });
  }
  return globalThis.background.sent.length;
};

const answerAll = () => { const { background: b } = globalThis; b.silent = false; b.answer(b.parts().splice(0)); };

/** @type {import("../content.test.mjs").Case[]} */
export const streamCases = [
  ["a_bounded_amount_is_unanswered_and_each_stream_is_closed", async (browser) => {
    const page = await browser.open("empty", { silent: true });
    await page.page.evaluate(fill, 1_500);
    await page.start();
    const open = await page.page.evaluate(asked, 513);
    assert.ok(open > 480 && open <= 512, String(open));
    await page.page.evaluate(answerAll);
    await page.settled();
    assert.equal((await page.sent()).length, 1_501);
    const parts = await page.page.evaluate(() => globalThis.background.parts());
    assert.deepEqual([...new Set(parts.map(({ stream }) => stream))], [1]);
    assert.ok(parts.slice(0, -1).every(({ more }) => more) && parts.at(-1)?.more === false);
    assert.ok(parts.every((part) => JSON.stringify(part).length < 200 * 1024));
    assert.equal(new Set(parts.flatMap(({ segments }) => segments.map(({ i }) => i))).size, 1_501);
    await new Promise((resolve) => { setTimeout(resolve, 300); });
    const state = await page.state();
    assert.deepEqual([state.total, state.translated, state.failed, state.done], [1_501, 1_501, 0, true]);
    assert.ok(await page.page.$$eval("p", (all) => all.every((e, k) => e.textContent === `⟦Paragraph number ${k}⟧`)));
  }],

  ["large_texts_keep_parts_and_the_window_small", async (browser) => {
    const page = await browser.open("empty", { silent: true });
    await page.page.evaluate(() => {
      for (let k = 0; k < 120; k += 1) document.body.append(Object.assign(document.createElement("p"), { textContent: `${k} ${"한글 말 ".repeat(1_500)}` }));
    });
    await page.start("en");
    await page.page.evaluate(asked, 50);
    await page.settled();
    const sizes = await page.page.evaluate(() => globalThis.background.parts().map((part) => new TextEncoder().encode(JSON.stringify(part)).length));
    assert.ok(sizes.every((size) => size < 200 * 1024), String(sizes));
    assert.ok(sizes.reduce((sum, size) => sum + size, 0) < 540 * 1024, String(sizes));
  }],

  ["the_visible_is_sent_first_and_scrolling_moves_what_is_in_view_to_the_front", async (browser) => {
    const page = await browser.open("empty", { silent: true });
    await page.page.evaluate(fill, 900);
    await page.start();
    await page.page.evaluate(asked, 512);
    const ranks = await page.page.evaluate(() => globalThis.background.sent.map(({ rank }) => rank));
    assert.equal(ranks[0], 0);
    assert.ok(ranks.filter((rank) => rank === 0).length >= 10 && ranks.includes(1) && ranks.includes(2));
    await page.page.evaluate(() => document.querySelectorAll("p")[800]?.scrollIntoView());
    const moved = await page.page.waitForFunction(() => [...globalThis.webtranslator.page.parts.queue.self.entries.values()].some(({ text, rank }) => text === "Paragraph number 800" && rank === 0), { timeout: 5_000, polling: 50 });
    assert.ok(moved);
    await page.page.evaluate(() => document.querySelectorAll("p")[300]?.scrollIntoView());
    await page.page.waitForFunction(() => globalThis.background.posted.some((said) => said.type === "prioritize" && said.rank === 0), { timeout: 5_000, polling: 50 });
    const message = await page.page.evaluate(() => globalThis.background.posted.filter((said) => said.type === "prioritize").find(({ rank }) => rank === 0));
    assert.ok(message);
    const texts = await page.page.evaluate((list) => list.map((i) => globalThis.background.sent[i]?.text), message.segments);
    assert.ok(texts.includes("Paragraph number 300"), String(texts.slice(0, 5)));
  }],

  ["a_lost_port_loses_no_answer_and_asks_only_for_the_rest", async (browser) => {
    const page = await browser.open("empty", { silent: true });
    await page.page.evaluate(fill, 40);
    await page.start();
    await page.page.evaluate(asked, 41);
    await page.page.evaluate(() => {
      const { background: b } = globalThis;
      const segments = b.parts().flatMap((part) => part.segments);
      b.answer([{ stream: 1, more: true, segments: segments.slice(0, 30) }]);
      b.silent = false;
      b.closePort();
    });
    await page.settled();
    await page.page.waitForFunction(() => globalThis.webtranslator.page.parts.queue.isIdle(), { polling: 50, timeout: 5_000 });
    await page.settled();
    const parts = await page.page.evaluate(() => globalThis.background.parts());
    const total = parts.reduce((sum, { segments }) => sum + segments.length, 0);
    assert.equal(total, 41 + 41 - 30);
    assert.equal(new Set(parts.map(({ stream }) => stream)).size, 2);
    assert.ok(await page.page.$$eval("p", (all) => all.every((e) => /^⟦[^⟦]*⟧$/u.test(e.textContent))));
  }],

  ["a_finished_page_that_comes_back_from_the_history_tells_its_state_over_a_new_port", async (browser) => {
    const page = await browser.open("restore");
    await page.start();
    await page.page.waitForFunction(() => globalThis.background.lastState()?.done);
    // The browser closes the port of a page that it keeps, and may not tell it.
    const comeBack = () => page.page.evaluate(() => {
      Object.assign(globalThis.background, { open: null, posted: [] });
      dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
      return globalThis.background.ports.length;
    });
    assert.equal(await comeBack(), 2);
    await page.page.waitForFunction(() => globalThis.background.lastState()?.done);
    await page.restore();
    assert.equal(await comeBack(), 2, "a page in the original needs no port");
  }],

  ["resend_asks_for_the_rest_under_a_new_stream_and_an_error_fails_it", async (browser) => {
    const page = await browser.open("watch", { silent: true });
    await page.start();
    await page.page.evaluate(asked, 4);
    await page.send({ type: "resend", stream: 1 });
    await page.page.evaluate(asked, 8);
    const streams = await page.page.evaluate(() => globalThis.background.parts().map(({ stream }) => stream));
    assert.deepEqual([...new Set(streams)], [1, 2]);
    await page.send({ type: "error", stream: 2, code: "internal", message: "Out of order." });
    await page.settled();
    await new Promise((resolve) => { setTimeout(resolve, 300); });
    const state = await page.state();
    assert.deepEqual([state.failures, state.total, state.done], [[{ code: "internal", count: 4 }], 4, true]);
    await page.page.evaluate(() => { globalThis.background.silent = false; });
    await page.send({ type: "retry_failed" });
    await page.settled();
    assert.equal(await page.text("#p"), "⟦Some words here⟧");
    assert.ok(await page.page.evaluate(() => globalThis.background.parts().at(-1)?.retry));
  }],

  ["a_port_that_cannot_be_opened_is_tried_three_times_then_all_is_failed_and_readable", async (browser) => {
    const page = await browser.open("watch", { silent: true });
    await page.start();
    await page.page.evaluate(asked, 4);
    await page.page.evaluate(() => { globalThis.background.refusePorts = 99; globalThis.background.closePort(); });
    await page.page.waitForFunction(() => [...globalThis.webtranslator.page.parts.queue.self.entries.values()].every(({ state }) => state === "failed"),
      { polling: 100, timeout: 12_000 });
    assert.equal(await page.page.evaluate(() => 99 - globalThis.background.refusePorts), 3);
    await page.settled();
    assert.equal(await page.page.$eval("#p", (e) => e.firstChild?.nodeValue), "Some words here");
  }],

  ["a_gone_host_fails_what_is_unanswered", async (browser) => {
    const page = await browser.open("watch", { silent: true });
    await page.start();
    await page.page.evaluate(asked, 4);
    await page.send({ type: "host_gone", code: "unavailable", message: "The host is gone.", hint: "Install it." });
    await new Promise((resolve) => { setTimeout(resolve, 300); });
    const state = await page.state();
    assert.deepEqual([state.failed, state.message, state.done], [4, "The host is gone.", true]);
  }],

  ["a_failed_text_has_a_mark_without_layout_and_only_a_real_click_retries", async (browser) => {
    const page = await browser.open("marks", {
      answers: { "Good words here": "Fine words here", "Bad words here": "Better words here" },
      fails: { "Bad words here": "refused", "Bad <1>words</1> too": "refused" }, retryWorks: true,
    });
    const boxes = () => page.page.$$eval("p", (all) => all.map((e) => { const { x, y, width, height } = e.getBoundingClientRect(); return [x, y, width, height]; }));
    const size = () => page.page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
    const before = await page.html();
    const [boxesBefore, sizeBefore] = [await boxes(), await size()];
    // Another script would bring another font and line height.
    await page.start("de");
    const mark = await page.page.$("#bad webtranslator-mark");
    assert.ok(mark);
    assert.deepEqual(await boxes(), boxesBefore);
    assert.deepEqual(await size(), sizeBefore);
    const button = await page.page.evaluateHandle(() => globalThis.background.roots.get(document.querySelector("#bad webtranslator-mark"))?.querySelector("button"));
    assert.match(await button.evaluate((b) => `${b.title}|${b.getAttribute("aria-label")}`), /^No\. – retry\|No\. – retry$/u);
    await button.evaluate((b) => b.click());
    await page.settled();
    assert.equal(await page.page.$eval("#bad", (e) => e.firstChild?.nodeValue), "Bad words here");
    const box = await button.evaluate((b) => { const { x, y, width, height } = b.getBoundingClientRect(); return [x + width / 2, y + height / 2]; });
    await page.page.mouse.click(box[0], box[1]);
    await page.settled();
    assert.equal(await page.page.$eval("#bad", (e) => e.innerHTML), "Better words here");
    assert.ok(await page.page.$("#bad2 webtranslator-mark"));
    await page.send({ type: "show_failed" });
    await page.restore();
    assert.equal(await page.html(), before);
  }],

  ["a_click_beside_the_button_of_a_mark_in_a_link_does_not_follow_the_link", async (browser) => {
    const page = await browser.open("empty", { fails: { "Words of a link": "refused" } });
    await page.page.evaluate(() => { document.body.innerHTML = "<p><a href='#followed'>Words of a link</a></p>"; });
    await page.start();
    await page.page.evaluate(() => document.querySelector("webtranslator-mark").click());
    assert.equal(await page.page.evaluate(() => location.hash), "");
    const [x, y] = await page.page.$eval("webtranslator-mark", (e) => { const r = e.getBoundingClientRect(); return [r.x, r.y + r.height / 2]; });
    await page.page.mouse.click(Number(x) + 1, Number(y));
    await page.settled();
    assert.deepEqual(await page.page.evaluate(() => [location.hash, globalThis.background.parts().some(({ retry }) => retry)]), ["", true]);
  }],

  ["a_mark_shows_the_keyboards_focus_and_show_me_leads_to_a_text_that_can_be_seen", async (browser) => {
    const fails = Object.fromEntries(["Hidden words here", "Words within details", "Words far below"].map((text) => [text, "refused"]));
    const page = await browser.open("empty", { fails });
    await page.page.evaluate(() => {
      document.body.innerHTML = `<p hidden>Hidden words here</p><details><summary>Open me</summary><p>Words within details</p></details>
        <div style="height:3000px"></div><p id=far>Words far below</p>`;
    });
    await page.start();
    await page.send({ type: "show_failed" });
    await page.page.waitForFunction(() => {
      const { top, bottom } = document.querySelector("#far").getBoundingClientRect();
      return top > 0 && bottom < innerHeight;
    });
    await page.page.keyboard.press("Tab");
    const outlines = () => page.page.evaluate(() => [...document.querySelectorAll("webtranslator-mark")].map((mark) =>
      globalThis.background.roots.get(mark)?.querySelector("button")?.style.outlineStyle));
    for (let k = 0; k < 4 && !(await outlines()).includes("solid"); k += 1) await page.page.keyboard.press("Tab");
    assert.deepEqual((await outlines()).filter((style) => style === "solid").length, 1);
    await page.page.keyboard.press("Enter");
    await page.settled();
    assert.equal(await page.page.evaluate(() => globalThis.background.parts().filter(({ retry }) => retry).length), 1);
  }],

  ["a_restless_page_goes_on_when_the_reader_scrolls_or_clicks", async (browser) => {
    const page = await browser.open("empty");
    await page.start();
    for (const act of ["click", "scroll"]) {
      await page.page.evaluate((id) => {
        const { self } = globalThis.webtranslator.page;
        const budget = globalThis.webtranslator.budget.createBudget({ perMinute: -1, minutes: 1 });
        budget.spend(1, 1, performance.now());
        self.budget = budget;
        document.body.append(Object.assign(document.createElement("p"), { id, textContent: `Text before a ${id}` }));
        document.body.style.height = "3000px";
      }, act);
      await page.page.waitForFunction(() => globalThis.background.lastState()?.paused);
      if (act === "click") await page.page.mouse.click(5, 300);
      else await page.page.evaluate(() => scrollBy(0, 1));
      await page.page.waitForFunction((id) => document.querySelector(`#${id}`).textContent.startsWith("⟦"), {}, act);
    }
  }],

  ["who_translated_is_counted_and_the_money_of_all_streams_is_added_up", async (browser) => {
    const by = { "Paragraph number 1": "second", "Paragraph number 2": "cache" };
    const page = await browser.open("empty", { by, money: { cost: 0.25, saved: 0.5 }, fails: { "Paragraph number 3": "refused" }, retryWorks: true });
    await page.page.evaluate(fill, 4);
    await page.start();
    await page.page.waitForFunction(() => globalThis.background.lastState()?.done);
    const known = async () => {
      const { by: shares, cost, saved } = await page.state();
      return { shares: shares?.map(({ provider, count }) => `${provider} ${count}`), cost, saved };
    };
    // The page's title is a text as well.
    assert.deepEqual(await known(), { shares: ["first 2", "second 1"], cost: 0.25, saved: 0.5 });
    await page.send({ type: "retry_failed" });
    await page.page.waitForFunction(() => globalThis.background.lastState()?.failed === 0);
    await page.page.waitForFunction(() => globalThis.background.lastState()?.cost === 0.5);
    assert.deepEqual(await known(), { shares: ["first 3", "second 1"], cost: 0.5, saved: 1 });
  }],

  ["a_page_that_makes_text_without_end_waits_for_the_reader", async (browser) => {
    const page = await browser.open("empty");
    await page.page.evaluate(() => {
      const { self } = globalThis.webtranslator.page;
      self.budget = globalThis.webtranslator.budget.createBudget({ segments: 50 });
    });
    await page.page.evaluate(fill, 10);
    await page.start();
    await page.page.evaluate(fill, 60);
    await page.settled();
    await page.page.evaluate(() => document.body.append(Object.assign(document.createElement("p"), { id: "late", textContent: "One more text" })));
    await page.settled();
    await new Promise((resolve) => { setTimeout(resolve, 300); });
    assert.equal(await page.text("#late"), "One more text");
    const waits = await page.state();
    assert.match(waits.message ?? "", /without end/u);
    assert.deepEqual([waits.paused, waits.done], [true, false]);
    await page.start();
    assert.equal(await page.text("#late"), "⟦One more text⟧");
    await page.page.waitForFunction(() => globalThis.background.lastState()?.done);
    assert.equal((await page.state()).paused, undefined);
  }],
];
