// Cuts a part of a stream into frames that stay below the limit. Pure.

import { MAX_FRAME_BYTES, MAX_SEGMENT_UTF16 } from "../shared/wire.js";

/**
 * @typedef {import("../shared/wire.js").Segment} Segment
 * @typedef {import("../shared/wire.js").Translate} Translate
 */

const encoder = new TextEncoder();

/** @param {unknown} value @returns {number} bytes of its JSON in UTF-8 */
export function frameBytes(value) {
  return encoder.encode(JSON.stringify(value)).length;
}

/**
 * A copy whose text is well-formed and no longer than what the host needs to
 * see that it is too long: half an emoji is refused by parsers, and a text of
 * megabytes would not fit a frame.
 * @param {Segment} segment
 * @returns {Segment}
 */
function safeSegment(segment) {
  return { ...segment, text: segment.text.slice(0, MAX_SEGMENT_UTF16 + 1).toWellFormed() };
}

/**
 * @param {Translate} message
 * @param {number} [limit] bytes
 * @returns {Translate[]} in order; all but the last say that others follow
 */
export function splitTranslate(message, limit = MAX_FRAME_BYTES) {
  const fixed = frameBytes({ ...message, segments: [], more: true });
  /** @type {Segment[][]} */
  const parts = [[]];
  let room = limit - fixed;
  for (const segment of message.segments.map(safeSegment)) {
    const bytes = frameBytes(segment) + 1;
    if (bytes >= room && parts.at(-1)?.length) {
      parts.push([]);
      room = limit - fixed;
    }
    parts.at(-1)?.push(segment);
    room -= bytes;
  }
  return parts.map((segments, index) => {
    const { more, ...rest } = message;
    return { ...rest, segments, ...(more || index < parts.length - 1 ? { more: true } : {}) };
  });
}
