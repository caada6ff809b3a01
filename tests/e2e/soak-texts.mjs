/**
 * The texts of the soak: an endless row of them, each the same whenever it is
 * asked for. Pages are picked from a window that moves along, so that they
 * overlap, and what has left the window is not asked for again.
 */

import { REFUSED_WORD } from '../pages/steam-guide.mjs';

const SUBJECTS = ['The server', 'This patch', 'My save file', 'A clean install', 'Our whole group', 'The workshop page'];
const VERBS = ['crashes', 'works fine', 'resets my bindings', 'loads twice as fast', 'needs https://example.com/help', 'ignores it'];
const TIMES = ['after the last update', 'on Linux with Proton', 'since version 1.4.2', 'during the final boss', 'every time'];
const LABELS = ['Sign in', 'Load order', 'Read more', 'Rate this'];
/** One text of so many is refused by every provider. */
const REFUSED_EVERY = 211;

/** @typedef {import('../pages/steam-guide.mjs').Chance} Chance */

/**
 * @param {number} n below zero for what no page has
 * @returns {string} at 2, 9, 16… a label, else one to ten sentences
 */
export function textOf(n) {
  if (n < 0) return `${sentence(-n)}, as ${-n} others say. ${sentence(-7 * n)}.`;
  if (isRefused(n)) return `${sentence(n)} ${REFUSED_WORD} ${n}.`;
  if (n % 7 === 2) return `${LABELS[n % LABELS.length]} ${n}`;
  const count = 1 + ((n * 7) % 11 === 0 ? 9 : n % 4);
  return Array.from({ length: count }, (_, k) => `${sentence(n + 31 * k)} ${n}.`).join(' ');
}

/**
 * @param {number} n
 * @returns {boolean}
 */
export function isRefused(n) {
  return n % REFUSED_EVERY === 17;
}

/**
 * Picks different texts of a window.
 *
 * @param {Chance} chance
 * @param {{start: number, length: number}} window
 * @param {number} count
 * @returns {number[]}
 */
export function pick(chance, { start, length }, count) {
  const picked = new Set();
  while (picked.size < count) picked.add(start + chance.below(length));
  return [...picked];
}

/**
 * @param {number} n
 * @returns {string}
 */
function sentence(n) {
  return [SUBJECTS, VERBS, TIMES].map((words, k) => words[Math.floor(n / (1 + 5 * k)) % words.length]).join(' ');
}
