/** The bubble: the translation of what is pointed at, or the original. */
import assert from "node:assert/strict";

/** @typedef {import("../harness.mjs").Opened} Opened */

/**
 * What the bubbles say that are shown, in the page and in its frame.
 * @param {Opened} opened
 * @returns {Promise<string[]>}
 */
const bubbles = ({ page }) => page.evaluate(() => {
  const frame = /** @type {HTMLIFrameElement} */ (document.querySelector("#frame"));
  const all = [document, frame.contentDocument].flatMap((at) => [...at?.querySelectorAll("webtranslator-bubble") ?? []]);
  return all.filter((host) => host.checkVisibility() && host.getBoundingClientRect().height > 10)
    .map((host) => globalThis.background.roots.get(host)?.textContent ?? "");
});

/**
 * @param {Opened} opened
 * @param {string[]} expected
 */
const shows = async (opened, expected) => {
  const end = Date.now() + 5000;
  let found = await bubbles(opened);
  while (JSON.stringify(found) !== JSON.stringify(expected) && Date.now() < end) {
    await new Promise((resolve) => { setTimeout(resolve, 20); });
    found = await bubbles(opened);
  }
  assert.deepEqual(found, expected);
};

/**
 * Moves the pointer to the first letters in an element.
 * @param {Opened} opened
 * @param {string} selector
 */
const pointAt = async ({ page }, selector) => {
  const at = await page.$eval(selector, (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const area = element.localName === "input" ? element.getBoundingClientRect() : range.getClientRects()[0];
    return { x: (area?.left ?? 0) + 5, y: (area?.top ?? 0) + 8 };
  });
  await page.mouse.move(at.x, at.y, { steps: 3 });
};

const NOWHERE = { x: 890, y: 690 };

/** @type {import("../content.test.mjs").Case[]} */
export const hoverCases = [
  ["in_hover_mode_the_page_stays_as_it_is_and_the_bubble_has_the_translation", async (browser) => {
    const opened = await browser.open("hover", { answers: { "First words with <1>bold ones</1> here.": "여기 <1>굵은 말</1>이 있다." } });
    const before = await opened.html();
    await opened.start("ko", "hover");
    assert.equal(await opened.html(), before);
    assert.equal((await opened.state()).translated, (await opened.state()).total);
    await pointAt(opened, "#bold");
    await shows(opened, ["여기 굵은 말이 있다."]);
    await pointAt(opened, "#lines");
    await shows(opened, ["⟦Upper line⟧"]);
    await opened.page.mouse.move(NOWHERE.x, NOWHERE.y);
    await shows(opened, []);
    await pointAt(opened, "#field");
    await shows(opened, ["⟦Your name here⟧"]);
    await opened.page.keyboard.press("Escape");
    await shows(opened, []);
    assert.equal(await opened.html(), before);
    await opened.restore();
    assert.deepEqual(opened.errors, []);
  }],

  ["the_bubble_can_be_reached_and_goes_with_the_scroll_and_the_restore", async (browser) => {
    const opened = await browser.open("hover");
    const before = await opened.html();
    await opened.start("ko", "hover");
    await pointAt(opened, "#one");
    await shows(opened, ["⟦First words with bold ones here.⟧"]);
    const inside = await opened.page.$eval("webtranslator-bubble", (host) => {
      const { left, top } = host.getBoundingClientRect();
      return { x: left + 9, y: top + 9 };
    });
    await opened.page.mouse.move(inside.x, inside.y, { steps: 4 });
    await opened.page.evaluate(() => new Promise((resolve) => { setTimeout(resolve, 600); }));
    await shows(opened, ["⟦First words with bold ones here.⟧"]);
    await opened.page.evaluate(() => document.dispatchEvent(new Event("scroll")));
    await shows(opened, []);
    await pointAt(opened, "#last");
    await shows(opened, ["⟦Last words⟧"]);
    await opened.restore();
    await shows(opened, []);
    assert.equal(await opened.html(), before);
  }],

  ["shadow_roots_frames_and_dialogs_have_their_bubbles_too", async (browser) => {
    const opened = await browser.open("hover");
    await opened.page.evaluate(() => {
      const root = /** @type {Element} */ (document.querySelector("#closed")).attachShadow({ mode: "closed" });
      root.append(Object.assign(document.createElement("p"), { textContent: "Words in the shade" }));
      // So that the test sees into the frame's bubble as well.
      const frame = /** @type {HTMLIFrameElement} */ (document.querySelector("#frame"));
      const { Element: Framed } = /** @type {Window & typeof globalThis} */ (frame.contentWindow);
      Framed.prototype.attachShadow = Element.prototype.attachShadow;
    });
    await opened.start("ko", "hover");
    const box = await opened.page.$eval("#closed", (host) => host.getBoundingClientRect().toJSON());
    await opened.page.mouse.move(box.left + 12, box.top + 15, { steps: 2 });
    await shows(opened, ["⟦Words in the shade⟧"]);
    const frame = await opened.page.$eval("#frame", (element) => element.getBoundingClientRect().toJSON());
    await opened.page.mouse.move(NOWHERE.x, NOWHERE.y);
    await shows(opened, []);
    await opened.page.mouse.move(frame.left + 14, frame.top + 20, { steps: 2 });
    await shows(opened, ["⟦Words in a frame⟧"]);
    await opened.page.mouse.move(NOWHERE.x, NOWHERE.y);
    await opened.page.$eval("#dialog", (dialog) => /** @type {HTMLDialogElement} */ (dialog).showModal());
    await opened.settled();
    await pointAt(opened, "#asked");
    await shows(opened, ["⟦Words in a dialog⟧"]);
    assert.ok(await opened.page.evaluate(() => {
      const host = /** @type {Element} */ (document.querySelector("webtranslator-bubble"));
      const { left, top } = host.getBoundingClientRect();
      return document.elementFromPoint(left + 9, top + 9) === host;
    }), "the bubble is above the dialog");
  }],

  ["what_has_the_focus_is_told_as_well", async (browser) => {
    const opened = await browser.open("hover");
    await opened.start("ko", "hover");
    await opened.page.focus("#link");
    await shows(opened, ["⟦A link to there⟧"]);
    await opened.page.$eval("#link", (link) => /** @type {HTMLElement} */ (link).blur());
    await shows(opened, []);
  }],

  ["with_shift_the_original_of_a_translation_is_shown", async (browser) => {
    const opened = await browser.open("hover");
    const before = await opened.html();
    await opened.start("ko", "hover");
    await opened.send({ type: "set_mode", mode: "translation" });
    await opened.settled();
    assert.equal(await opened.text("#last"), "⟦Last words⟧");
    await pointAt(opened, "#last");
    await opened.page.keyboard.down("Shift");
    await pointAt(opened, "#lines");
    await shows(opened, ["Upper line"]);
    await opened.page.keyboard.up("Shift");
    await opened.send({ type: "set_mode", mode: "hover" });
    await opened.settled();
    assert.equal(await opened.html(), before);
  }],
];
