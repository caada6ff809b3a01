// What passes between a page and the background over the port named "page",
// and what the popup is told about a page. Types and the checks of what a page
// may say: a page's renderer can be taken over, so its messages are rebuilt
// from known fields, and whatever does not fit is nothing.

import { isCount, isObject, isText, shape } from "./wire.js";

/**
 * `paused`: the page made more text than it may without the reader; `start`
 * with the same target goes on.
 *
 * @typedef {import("./wire.js").Segment} Segment
 * @typedef {{type: "translate", stream: number, target: string, source?: string, lang?: string, segments: Segment[],
 *   more: boolean, fresh?: boolean, retry?: boolean}} PageTranslate
 * @typedef {{type: "prioritize", stream: number, segments: number[], rank: number}} PagePrioritize
 * @typedef {{type: "cancel", stream: number}} PageCancel
 * @typedef {{type: "state", state: PageState}} PageReport
 * @typedef {PageTranslate | PagePrioritize | PageCancel | PageReport} PageMessage
 * @typedef {"translation" | "both" | "hover"} Mode
 * @typedef {{active: boolean, mode: string, target: string, total: number, translated: number,
 *   failed: number, failures: {code: string, count: number}[], message?: string,
 *   waiting?: {code: string, provider: string, until: number}, frames_left_out: number, done: boolean, paused?: boolean,
 *   calls: number, tokens: {input: number, output: number}, cost?: number, saved?: number, from_cache: number,
 *   by?: {provider: string, count: number}[]}} PageState
 */

/** A part of a stream carries at most this many segments; the page keeps 512 open. */
const MAX_PART_SEGMENTS = 4096;

const LANGUAGE = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,8}$/;

/** @param {unknown} value @returns {value is string} */
export const isLanguage = (value) => typeof value === "string" && LANGUAGE.test(value);

/** @param {unknown} value */
const isIndex = (value) => isCount(value) && Number(value) <= 0xffff_ffff;

/** @param {unknown} value */
const isRank = (value) => value === 0 || value === 1 || value === 2;

/** @param {unknown} value @returns {Segment | null} */
function readSegment(value) {
  if (!isObject(value)) return null;
  const { i, text, tags, rank = 2, kind } = /** @type {Record<string, any>} */ (value);
  if (!isIndex(i) || !isText(text) || !isRank(rank)) return null;
  if (tags !== undefined && !isIndex(tags)) return null;
  return {
    i,
    text: text.toWellFormed(),
    ...(tags === undefined ? {} : { tags }),
    rank,
    ...(kind === "ui" ? { kind } : {}),
  };
}

/** @param {Record<string, any>} message @returns {PageTranslate | null} */
function readTranslate(message) {
  const { stream, target, source, lang, segments, more, fresh, retry } = message;
  if (!isLanguage(target) || (source !== undefined && source !== null && !isLanguage(source))) return null;
  if (!Array.isArray(segments) || segments.length > MAX_PART_SEGMENTS) return null;
  const read = segments.map(readSegment);
  if (read.includes(null)) return null;
  return {
    type: "translate",
    stream,
    target,
    ...(source ? { source } : {}),
    // What the page calls itself; it may be nonsense, and then it is nothing.
    ...(isLanguage(lang) ? { lang } : {}),
    segments: /** @type {Segment[]} */ (read),
    more: more === true,
    ...(fresh === true ? { fresh } : {}),
    ...(retry === true ? { retry } : {}),
  };
}

/** @param {Record<string, any>} message @returns {PagePrioritize | null} */
function readPrioritize({ stream, segments, rank }) {
  if (!Array.isArray(segments) || segments.length > MAX_PART_SEGMENTS) return null;
  if (!segments.every(isIndex) || !isRank(rank)) return null;
  return { type: "prioritize", stream, segments: [...segments], rank };
}

const isState = shape({
  active: (value) => typeof value === "boolean",
  mode: isText,
  target: isText,
  total: isCount,
  translated: isCount,
  failed: isCount,
  failures: (value) => Array.isArray(value) && value.every(shape({ code: isText, count: isCount })),
  frames_left_out: isCount,
  done: (value) => typeof value === "boolean",
  calls: isCount,
  tokens: shape({ input: isCount, output: isCount }),
  from_cache: isCount,
});

/** A page's texts come from the reader's providers, and those are few. */
const MAX_PROVIDERS = 64;

const isShare = shape({ provider: isText, count: isCount });

/** @param {unknown} by @returns {{provider: string, count: number}[]} who translated how many texts */
function readShares(by) {
  if (!Array.isArray(by) || by.length > MAX_PROVIDERS || !by.every(isShare)) return [];
  return by.map(({ provider, count }) => ({ provider: provider.slice(0, 64), count }));
}

const isWaiting = shape({ code: isText, provider: isText, until: Number.isFinite });

/** @param {Record<string, any>} message @returns {PageReport | null} */
function readState({ state }) {
  if (!isState(state)) return null;
  const { active, mode, target, total, translated, failed, frames_left_out, done, calls, from_cache } = state;
  const by = readShares(state.by);
  return {
    type: "state",
    state: {
      ...{ active, mode, target, total, translated, failed, frames_left_out, done, calls, from_cache },
      failures: state.failures.map((/** @type {any} */ { code, count }) => ({ code, count })),
      tokens: { input: state.tokens.input, output: state.tokens.output },
      ...(isText(state.message) ? { message: state.message.slice(0, 1000) } : {}),
      ...(isWaiting(state.waiting) ? { waiting: state.waiting } : {}),
      ...(state.paused === true ? { paused: true } : {}),
      ...(Number.isFinite(state.cost) ? { cost: state.cost } : {}),
      ...(Number.isFinite(state.saved) ? { saved: state.saved } : {}),
      ...(by.length > 0 ? { by } : {}),
    },
  };
}

/**
 * Reads what a page says.
 * @param {unknown} message
 * @returns {PageMessage | null} null for everything that a page may not say
 */
export function readPageMessage(message) {
  if (!isObject(message)) return null;
  const said = /** @type {Record<string, any>} */ (message);
  if (said.type === "state") return readState(said);
  if (!isCount(said.stream)) return null;
  switch (said.type) {
    case "translate":
      return readTranslate(said);
    case "prioritize":
      return readPrioritize(said);
    case "cancel":
      return { type: "cancel", stream: said.stream };
    default:
      return null;
  }
}
