/**
 * What is done inside a page under test, in the page's own world: references
 * held before the translation, times of the first and last change, and the
 * comparison afterwards. Nothing here changes the page's bytes.
 */

/** @typedef {import('puppeteer-core').Page} Page */
/** @typedef {import('./check.mjs').Seen} Seen */

/**
 * @typedef {object} Held what the page keeps in a variable of its own
 * @property {string} html
 * @property {Node[]} nodes every node of the document
 * @property {Text[]} texts
 * @property {string[]} before the text of each
 * @property {(Node | null)[]} parents of the texts
 * @property {Map<string, number>} changes
 * @property {Map<Node, number>} times when each text node was first translated
 * @property {number} clicks
 * @property {Node | null} anchor of the selection; null when the field has the focus
 */

/**
 * @typedef {object} Restored how the page stands after the reader took the original back
 * @property {boolean} sameBytes
 * @property {string} difference where the bytes differ
 * @property {number} changedNodes nodes that are others than before, or elsewhere
 * @property {boolean} listenerWorks
 * @property {boolean} focusStays
 * @property {boolean} selectionStays
 */

/**
 * Holds references to everything in the page, puts a listener on a link, and a
 * selection into a paragraph or the focus into a field: Chromium has but one of
 * the two at a time.
 *
 * @param {Page} page
 * @param {'focus' | 'selection'} [attention]
 * @returns {Promise<number>} how many text nodes there are
 */
export async function hold(page, attention = 'focus') {
  return page.evaluate((wanted) => {
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
    /** @type {Node[]} */
    const nodes = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) nodes.push(node);
    const texts = /** @type {Text[]} */ (nodes.filter((node) => node.nodeType === Node.TEXT_NODE));
    const field = /** @type {HTMLInputElement | null} */ (document.querySelector('#field'));
    if (field) field.value = 'typed by the reader';
    const chosen = wanted === 'selection' ? (document.querySelector('#chosen')?.firstChild ?? null) : null;
    if (chosen) getSelection()?.setBaseAndExtent(chosen, 2, chosen, 9);
    else {
      field?.focus();
      field?.setSelectionRange(2, 5);
    }
    const held = {
      ...{ html: document.documentElement.outerHTML, nodes, texts, changes: new Map(), times: new Map(), clicks: 0 },
      ...{ before: texts.map((text) => text.data), parents: texts.map((text) => text.parentNode), anchor: chosen },
    };
    document.querySelector('#listened')?.addEventListener('click', (/** @type {Event} */ event) => {
      event.preventDefault();
      held.clicks += 1;
    });
    const observer = new MutationObserver((records) => {
      for (const { target } of records) {
        if (target.nodeValue?.includes('가«') && !held.times.has(target)) held.times.set(target, Date.now());
      }
    });
    observer.observe(document, { subtree: true, characterData: true });
    Object.assign(window, { held });
    return texts.length;
  }, attention);
}

/**
 * Returns the times at which text nodes were first translated, in order.
 *
 * @param {Page} page
 * @returns {Promise<number[]>} epoch milliseconds
 */
export async function times(page) {
  const json = await page.evaluate(() => {
    const { held } = /** @type {{held: Held}} */ (/** @type {unknown} */ (window));
    return JSON.stringify([...held.times.values()].sort((a, b) => a - b));
  });
  return JSON.parse(json);
}

/**
 * Returns how many text nodes have been translated so far.
 *
 * @param {Page} page
 * @returns {Promise<number>}
 */
export async function countChanged(page) {
  return page.evaluate(() => /** @type {{held: Held}} */ (/** @type {unknown} */ (window)).held.times.size);
}

/**
 * Returns each text node that was held, with what it says now.
 *
 * @param {Page} page
 * @returns {Promise<Seen[]>}
 */
export async function look(page) {
  // One string: a BiDi value of some thousand objects takes seconds.
  const json = await page.evaluate(() => {
    const { held } = /** @type {{held: Held}} */ (/** @type {unknown} */ (window));
    const inline = 'a,abbr,b,bdi,code,em,i,mark,small,span,strong,sub,sup,u';
    const fixed = 'code,pre,script,style,bdi,textarea,[translate="no"],.notranslate';
    /** @type {Map<unknown, number>} */
    const blocks = new Map();
    const seen = held.texts.map((text, i) => {
      const parent = /** @type {Element | null} */ (held.parents[i]);
      let block = parent;
      while (block?.matches(inline)) block = block.parentElement;
      if (!blocks.has(block)) blocks.set(block, blocks.size);
      const isInPlace = text.isConnected && text.parentNode === parent;
      return {
        before: held.before[i],
        after: isInPlace ? text.data : null,
        block: blocks.get(block),
        fixed: parent?.closest(fixed) !== null,
      };
    });
    return JSON.stringify(seen);
  });
  return JSON.parse(json);
}

/**
 * Returns the words that stand in the page now in nodes that it did not have.
 *
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
export async function addedTexts(page) {
  return page.evaluate(() => {
    const { held } = /** @type {{held: Held}} */ (/** @type {unknown} */ (window));
    const known = new Set(held.nodes);
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
    const added = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!known.has(node) && /\p{Alphabetic}/u.test(node.nodeValue ?? '')) added.push(node.nodeValue ?? '');
    }
    return added;
  });
}

/**
 * Compares the page with what was held before the translation.
 *
 * @param {Page} page
 * @returns {Promise<Restored>}
 */
export async function compareRestored(page) {
  return page.evaluate(() => {
    const { held } = /** @type {{held: Held}} */ (/** @type {unknown} */ (window));
    const html = document.documentElement.outerHTML;
    let at = 0;
    while (at < html.length && html[at] === held.html[at]) at += 1;
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
    /** @type {Node[]} */
    const nodes = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) nodes.push(node);
    const clicksBefore = held.clicks;
    /** @type {HTMLElement | null} */ (document.querySelector('#listened'))?.click();
    const field = /** @type {HTMLInputElement | null} */ (document.querySelector('#field'));
    return {
      sameBytes: html === held.html,
      difference: html === held.html ? '' : `${held.html.slice(at - 80, at + 80)} | ${html.slice(at - 80, at + 80)}`,
      changedNodes: held.nodes.filter((node, i) => node !== nodes[i]).length + Math.abs(nodes.length - held.nodes.length),
      listenerWorks: held.clicks === clicksBefore + 1,
      focusStays:
        field?.value === 'typed by the reader' &&
        (held.anchor !== null || (document.activeElement === field && field.selectionStart === 2)),
      selectionStays: !held.anchor || getSelection()?.anchorNode === held.anchor,
    };
  });
}
