/**
 * Judges a translated page: every text node of it against the stand-in of its
 * own source. A text that is its neighbour's, is translated twice, is cut or
 * is gone is always seen; `check.test.mjs` holds wrong pages that prove it.
 */

import { isStandInOf, original } from '../pages/stand-in.mjs';

/**
 * @typedef {object} Seen a text node of the page, before and after
 * @property {string} before
 * @property {string | null} after null when the node is no longer in its place
 * @property {number} block which block it stands in
 * @property {boolean} fixed whether it is nothing to translate: code, names
 */

/**
 * @typedef {object} Judgement
 * @property {number} translated
 * @property {string[]} kept texts that stand in the original
 * @property {string[]} wrong what is shown in the wrong place or form
 * @property {string[]} lost texts whose node is gone
 */

/**
 * @param {Seen[]} nodes in document order
 * @returns {Judgement}
 */
export function judge(nodes) {
  /** @type {Judgement} */
  const result = { translated: 0, kept: [], wrong: [], lost: [] };
  /** @type {Set<number>} */
  const suspects = new Set();
  for (const node of nodes) {
    if (node.after === null) result.lost.push(node.before);
    else if (node.after === node.before) {
      if (!node.fixed && hasLetters(node.before)) result.kept.push(collapse(node.before));
    } else if (node.fixed || !fits(node.before, node.after)) suspects.add(node.block);
    else result.translated += 1;
  }
  for (const block of suspects) {
    const inBlock = nodes.filter((node) => node.block === block);
    const fault = judgeBlock(inBlock);
    if (fault) result.wrong.push(fault);
    else result.translated += inBlock.filter((node) => node.after !== node.before).length;
  }
  return result;
}

/**
 * Judges a block whose nodes do not fit one by one: a translation may put its
 * words into other nodes of the block, but the block as a whole must hold the
 * stand-in of its whole source, each mark once.
 *
 * @param {Seen[]} nodes
 * @returns {string | undefined} the fault
 */
function judgeBlock(nodes) {
  const isFixedTouched = nodes.some((node) => node.fixed && node.after !== node.before);
  const before = collapse(nodes.map((node) => node.before).join(''));
  const after = collapse(nodes.map((node) => node.after ?? '').join(''));
  if (!isFixedTouched && squeeze(original(after)) === squeeze(before)) return undefined;
  return `${JSON.stringify(before.slice(0, 160))} is shown as ${JSON.stringify(after.slice(0, 200))}`;
}

/**
 * @param {string} before
 * @param {string} after
 * @returns {boolean}
 */
function fits(before, after) {
  return isStandInOf(collapse(before), collapse(after));
}

/**
 * Makes white space what the reader sees of it.
 *
 * @param {string} text
 * @returns {string}
 */
export function collapse(text) {
  return text.replace(/[ \t\r\n\f]+/g, ' ').trim();
}

/**
 * @param {string} text
 * @returns {string} without any white space: where it went is not judged in a block
 */
function squeeze(text) {
  return text.replace(/\s+/g, '');
}

/**
 * @param {string} text
 * @returns {boolean}
 */
function hasLetters(text) {
  return /\p{Alphabetic}/u.test(text);
}
