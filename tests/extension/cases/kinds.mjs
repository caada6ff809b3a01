/** A page with each kind of text that readers want, and each kind that they do not. */
import assert from "node:assert/strict";

/** Each kind, and what is sent of it. */
const WANTED = /** @type {[string, ...string[]][]} */ ([
  ["title of the page", "A page about kinds"], ["navigation", "News desk", "Weather map"], ["heading", "A heading here"],
  ["paragraph", "A plain paragraph."], ["links and emphasis in a sentence", "Read the <1>long notes</1> and <2>the rest</2>."],
  ["list", "First entry", "Second entry"], ["list in a list", "Entry within it"], ["numbered list", "Numbered entry"],
  ["term", "Term of a list"], ["definition", "What the term means"],
  ["caption of a table", "The caption"], ["head of a table", "Option name"], ["cell", "Cell text"], ["foot of a table", "Sum of all"],
  ["alt", "A red barn"], ["tool tip", "Barn title"], ["caption of a figure", "Under the picture"],
  ["alt in a picture element", "A green barn"], ["alt of a map's area", "Door of the barn"],
  ["quotation", "Words of another <1>and who said so</1>"], ["summary", "More to see"], ["details", "Inside of details"],
  ["open dialog", "Open dialog words"], ["closed dialog", "Shut dialog words"], ["popover", "Words that pop up"],
  ["label", "Mister", "Madam"], ["button", "Delete it", "Cancel it"], ["legend", "Legend of a group"],
  ["group of options", "Group label"], ["option", "Deutschland"], ["option without a value", "Frankreich"],
  ["option with a label", "Italien"], ["placeholder", "Your name"], ["button input", "Push me"], ["reset", "Start over"],
  ["submit that is not submitted", "Free submit"], ["placeholder of an area", "Hint of an area"], ["aria-label", "Label text"],
  ["aria-description", "Description for screen readers"], ["abbreviation and its meaning", "WTLM", "What the letters mean"],
  ["aria-label of a drawing", "Name of a drawing"], ["title of a drawing", "Title of a drawing"],
  ["aria-label within a drawing", "Part of a drawing"], ["text in a drawing", "Drawn words"],
  ["lines in a drawing", "Upper drawn line", "Lower drawn line"], ["HTML in a drawing", "Foreign words"],
  ["display: contents", "Words without a box"], ["display: contents in a sentence", "Some of it in <1>no box <2>at all</2></1>."],
  ["a block that is shown within a line", "A block <1>within a line</1> of words"],
  ["sentence with code", "Set <1/> in the console."], ["sentence with a formula", "The value is <1/> in total."],
  ["sentence with an image and a field", "Look at <1/> this <2/> row."], ["sentence with a kept name", "Mail <1/> about it."],
  ["translate=yes within translate=no", "but this one"], ["contenteditable=false", "Fixed words"],
  ["published, not editable", "Published words"], ["words beside an icon", "Start page"],
  ["initial", "Once upon a time."], ["underlined letter", "File menu"], ["ruby", "<1>漢字</1>を読む"],
  ["signs of markup", "He said <b> & left.", "Less &lt; <1>more</1> &amp; done."], ["br", "Line before it", "Line after it"],
  ["inline-block", "Press <1/> first.", "a box"], ["pre-wrap", "Kept line one", "Kept line two"],
  ["pre-line within a line", "Short line one", "Short line two"], ["aria-hidden, but seen", "Seen but not heard"],
  ["for screen readers only", "Heard but not seen"], ["text-transform", "shouted words"], ["another language", "Des mots courts"],
  ["time in words", "last Wednesday"], ["output", "Result of it"], ["marquee", "Words that run"],
  ["wbr, no-break space, soft hyphen", "Very long\u00a0word, soft\u00adly."],
  ["open shadow root", "Words of a root"], ["closed shadow root", "Words of a shut root"],
  ["slotted", "Slotted words"], ["fallback of a slot", "Fallback words"],
  ["text and tags right in a shadow root", "Loose <1>root</1> words"],
  ["late shadow root", "Words of a late root"], ["late custom element", "Words of a late element"],
  ["srcdoc frame", "Words of a srcdoc"], ["frame of the same site", "Words in a frame"],
  ["hidden attribute", "Hidden words"], ["display: none", "Words in a shut menu"], ["aside", "Words at the side"], ["footer", "Imprint line"],
  ["sentence beside another translator's output", "Words beside it"],
]);

/** Each kind, and words of it that stand in the page. */
const UNWANTED = /** @type {[string, ...string[]][]} */ ([
  ["code", "for item in list"], ["code in a sentence", "r_shadows"], ["kbd", "Ctrl Shift"], ["samp", "sample output"], ["var", "width of it"],
  ["tt", "teletype words"], ["listing", "listing words"], ["lines of code editors", "editor line words", "ace line words"],
  ["lines of a code viewer", "viewer line words"], ["KaTeX", "tau_1 here"], ["MathJax", "formula text"], ["MathML", "only math text"],
  ["formula as an image", "displaystyle"], ["role=math", "spoken formula"], ["TeX", "$words_1 of it$"],
  ["editable region", "Editable words"], ["text box", "Text box words"], ["typed text", "Typed area text"], ["value of a field", "typed text"],
  ["submitted value", "Submitted text"], ["translate=no", "Never this one", "bold one"], ["notranslate", "Nor this one"], ["kept name", "Acme Corp"],
  ["URL", "https://example.invalid/x/y?z=1", "www.example.invalid"], ["address", "someone@example.invalid"], ["path", "/usr/local/bin/thing", "C:\\Users\\thing"],
  ["number with a unit", "1,234.5 km"], ["price", "USD 12.99"], ["point in time", "2024-05-01T10:00:00Z", "11:05"],
  ["emoticon", ":steamhappy:"], ["emoji", "✓ 😀"], ["bdi", "Some Name"], ["identifier", "player_557"], ["mention", "@some.name", "u/some_name"],
  ["icon", "home</i>"], ["icon by its font", "shopping"], ["icon element", "settings</mat-icon>"], ["symbol", "hamburger"],
  ["reading of a word", "かんじ"], ["target language", "이미 한국어로 쓴 글"], ["suggestion of a field", "Suggested words"],
  ["script", "script text"], ["style", "style-text"], ["noscript", "No script text"], ["template", "Template words"],
  ["fallback of canvas and video", "Canvas fallback", "Video fallback"], ["text of CSS", "Words made by style"],
  ["description of the page", "Words of a description"], ["Google's output", "Words of Google"], ["Edge's output", "Words of Edge"],
  ["another extension's output", "Words of another extension"], ["comment", "Words of a comment"],
]);

/** Runs in the page. */
const attachRoots = () => {
  const add = (/** @type {Node} */ parent, /** @type {string} */ name, /** @type {string} */ text) =>
    parent.appendChild(Object.assign(document.createElement(name), { textContent: text }));
  add(document.querySelector("#host").attachShadow({ mode: "open" }), "p", "Words of a root");
  add(document.querySelector("#shut-host").attachShadow({ mode: "closed" }), "p", "Words of a shut root");
  const card = document.querySelector("x-card").attachShadow({ mode: "open" });
  card.append("Loose ");
  add(card, "b", "root");
  card.append(" words");
  add(card, "div", "").append(document.createElement("slot"));
  const spare = document.createElement("slot");
  spare.name = "spare";
  add(spare, "p", "Fallback words");
  card.append(spare);
};

/** Runs in the page, after the walk. */
const attachLate = () => {
  const late = document.querySelector("#late-host").attachShadow({ mode: "closed" });
  late.append(Object.assign(document.createElement("p"), { textContent: "Words of a late root" }));
  customElements.define("x-late", class extends HTMLElement {
    connectedCallback() {
      this.attachShadow({ mode: "open" }).append(Object.assign(document.createElement("p"), { textContent: "Words of a late element" }));
    }
  });
};

/** Runs in the page: every node of it, in frames and shadow roots as well. */
const holdNodes = () => {
  const nodes = /** @type {Node[]} */ ([]);
  const see = (/** @type {Node} */ node) => {
    nodes.push(node);
    const { contentDocument } = /** @type {HTMLIFrameElement} */ (node);
    if (contentDocument) see(contentDocument);
    const root = node.nodeType === 1 && globalThis.background.roots.get(/** @type {Element} */ (node));
    if (root) see(root);
    node.childNodes.forEach(see);
  };
  see(document);
  const state = nodes.map((node) => node.nodeType === 1 ? /** @type {Element} */ (node.cloneNode(false)).outerHTML : node.nodeValue);
  const { held, heldState } = globalThis;
  Object.assign(globalThis, { held: nodes, heldState: state });
  const isSame = held?.length === nodes.length && nodes.every((node, k) => node === held[k]);
  return { isSame, changed: isSame ? state.filter((text, k) => text !== heldState[k]) : [] };
};

/** @type {import("../content.test.mjs").Case[]} */
export const kindsCases = [
  ["every_kind_of_text_is_sent_and_nothing_else", async (browser) => {
    assert.ok(WANTED.length >= 54 && UNWANTED.length >= 30);
    const page = await browser.open("kinds");
    await page.page.evaluate(attachRoots);
    await page.start();
    await page.page.evaluate(attachLate);
    await page.page.waitForFunction(() => globalThis.background.texts().includes("Words of a late element"));
    await page.settled();
    const sent = await page.sent();
    assert.deepEqual([...sent].sort(), WANTED.flatMap(([, ...texts]) => texts).sort());
    const source = await (await fetch(page.page.url())).text();
    for (const [kind, ...texts] of UNWANTED) {
      for (const text of texts) {
        assert.ok(source.includes(text), `${kind} is not in the page`);
        assert.ok(!sent.some((one) => one.includes(text.replace(/<.*/u, ""))), kind);
      }
    }
    assert.deepEqual(page.errors, []);
  }],

  ["whatever_kind_it_was_restore_gives_it_back", async (browser) => {
    const page = await browser.open("kinds");
    await page.page.evaluate(attachRoots);
    await page.page.evaluate(attachLate);
    await page.page.evaluate(holdNodes);
    await page.start();
    assert.equal(await page.text("#initial"), "⟦Once upon a time.⟧");
    assert.equal(await page.page.$eval("#ruby", (p) => p.textContent), "⟦漢字を読む⟧");
    await page.restore();
    assert.deepEqual(await page.page.evaluate(holdNodes), { isSame: true, changed: [] });
  }],

  ["what_is_not_shown_is_asked_last", async (browser) => {
    const page = await browser.open("empty", { silent: true });
    await page.page.evaluate(() => {
      document.body.innerHTML = `<div hidden><p>Hidden words first</p></div><details><summary>A summary</summary><p>Closed words</p></details>
        ${Array.from({ length: 700 }, (_, k) => `<p>Row number ${k}</p>`).join("")}`;
    });
    await page.start();
    assert.ok(!(await page.sent()).some((text) => text === "Hidden words first" || text === "Closed words"));
    await page.page.evaluate(() => { const { background: b } = globalThis; b.silent = false; b.answer(b.parts().splice(0)); });
    await page.settled();
    assert.deepEqual((await page.sent()).slice(-2), ["Hidden words first", "Closed words"]);
    assert.ok((await page.page.evaluate(() => globalThis.background.sent)).every(({ rank }) => (rank ?? 0) <= 2));
  }],
];
