/**
 * The stand-in for a translation, the same function as in the scripted
 * provider (`tests/provider/src/stand_in.rs`, which says why it looks so).
 * `stand-in.json` holds the pairs that both are tested with.
 */

const OPEN = '가«';
const NUMBERED_TAG = /(<\/?[0-9]+>|<[0-9]+\/>)/u;
// The look-ahead makes the run atomic, so that a doubled guillemet never ends it.
const MARK = /가«(?=((?:««|»»|[^»])*))\1»/gu;

/**
 * Returns the stand-in translation of a text, its numbered tags at their places.
 *
 * @param {string} text plain or marked text
 * @returns {string}
 */
export function standIn(text) {
  const parts = text.split(NUMBERED_TAG);
  // Text and tags alternate, since the tag is a capture group of the split.
  return parts.map((part, index) => (index % 2 === 1 ? part : markRun(part))).join('');
}

/**
 * Returns what a text is the stand-in of: one layer of marks is undone.
 *
 * @param {string} translated
 * @returns {string}
 */
export function original(translated) {
  return translated.replace(MARK, (_, run) => run.replace(/««|»»/gu, (/** @type {string} */ pair) => pair[0]));
}

/**
 * Says whether a text is the stand-in of this source and of nothing else.
 * Marks may leave out an opaque token, such as a URL, that the host put back.
 *
 * @param {string} source
 * @param {string} translated
 * @returns {boolean}
 */
export function isStandInOf(source, translated) {
  const isMarked = translated !== source;
  return original(translated) === source && isMarked === hasLetters(source);
}

/**
 * @param {string} run text without a tag
 * @returns {string}
 */
function markRun(run) {
  if (!hasLetters(run)) return run;
  // `trim` would take U+FEFF for white space, and not U+0085; Rust says otherwise.
  const start = run.search(/\P{White_Space}/u);
  const body = run.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, '');
  const doubled = body.replace(/[«»]/gu, '$&$&');
  return `${run.slice(0, start)}${OPEN}${doubled}»${run.slice(start + body.length)}`;
}

/**
 * Says whether there is a letter outside the two entities of marked text.
 *
 * @param {string} run
 * @returns {boolean}
 */
function hasLetters(run) {
  return /\p{Alphabetic}/u.test(run.replace(/&(?:lt|amp);/gu, ' '));
}
