// The wire as the extension reads and writes it, against tests/protocol.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { frameBytes, splitTranslate } from "../../extension/background/frames.js";
import { readPageMessage } from "../../extension/shared/page-contract.js";
import { FOUND, KINDS } from "../lib/kinds.mjs";
import { CODES, hello, LINK_CODES, readReply } from "../../extension/shared/wire.js";

const FOLDER = new URL("../protocol/", import.meta.url);

/** @returns {{name: string, direction: string, message: any}[]} */
function fixtures() {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));
  return names.map((name) => ({ name, ...JSON.parse(readFileSync(new URL(name, FOLDER), "utf8")) }));
}

const toExtension = fixtures().filter(({ direction }) => direction === "to_extension");
const toHost = fixtures().filter(({ direction }) => direction === "to_host");

/** @param {string} name @returns {any} */
const fixture = (name) => structuredClone(fixtures().find((one) => one.name === name)?.message);

test("every message of the host is read as it stands", () => {
  assert.ok(toExtension.length >= 15);
  for (const { name, message } of toExtension) assert.deepEqual(readReply(message), message, name);
});

test("a field that is not known changes nothing", () => {
  for (const { name, message } of toExtension) {
    const later = { ...message, later: { x: 1 } };
    assert.deepEqual(readReply(later), later, name);
  }
});

test("a message without one of its fields is refused, unless the field may be absent", () => {
  const optional = new Set([
    ...["problem", "warnings", "kinds", "more", "waiting", "cost", "saved", "by_provider", "text", "code", "message", "hint", "id"],
    "provider_tested.tokens",
    "usage.more",
  ]);
  for (const { name, message } of toExtension) {
    for (const field of Object.keys(message)) {
      const { [field]: _, ...rest } = message;
      if (optional.has(field) || optional.has(`${message.type}.${field}`)) continue;
      assert.equal(readReply(rest), null, `${name} without ${field}`);
    }
  }
});

test("what is no message of the host is refused", () => {
  const values = [null, undefined, 1, "pong", [], {}, { type: 1 }, { type: "dance", id: 1 }, { type: "toString", id: 1 }];
  for (const value of [...values, ...toHost.map(({ message }) => message).filter(({ type }) => type !== "status")]) {
    assert.equal(readReply(value), null, JSON.stringify(value));
  }
  assert.equal(readReply({ ...fixture("translated.json"), segments: [{ i: 0, text: 1, from: "cache" }] }), null);
  assert.equal(readReply({ ...fixture("failed.json"), segments: [{ i: -1, code: "refused", retryable: true }] }), null);
});

test("kinds and found engines are read, and one that does not fit is refused", () => {
  const settings = { ...fixture("settings.json"), kinds: KINDS };
  const detected = { type: "providers_detected", id: 20, found: FOUND, looked_at: ["http://127.0.0.1:11434"] };
  assert.deepEqual(readReply(settings), settings);
  assert.deepEqual(readReply(detected), detected);
  for (const wrong of [{ name: 1 }, { fields: "region" }, { fields: [1] }, { has_model: "yes" }, { terms: 3 }]) {
    assert.equal(readReply({ ...settings, kinds: [{ ...KINDS[0], ...wrong }] }), null, JSON.stringify(wrong));
  }
  for (const wrong of [{ models: null }, { models: [1] }, { base_url: null }, { concurrency: "two" }]) {
    assert.equal(readReply({ ...detected, found: [{ ...FOUND[0], ...wrong }] }), null, JSON.stringify(wrong));
  }
  assert.equal(readReply({ ...fixture("done.json"), saved: "much" }), null);
  const row = { provider: "deepl", model: "", calls: 1, input: 0, output: 0, characters: 12 };
  const status = { ...fixture("status-reply.json"), by_provider: [row] };
  assert.deepEqual(readReply(status), status);
  assert.equal(readReply({ ...status, by_provider: [{ ...row, calls: "many" }] }), null);
  assert.equal(readReply({ ...fixture("status-reply.json"), usage: { cost: "much" } }), null);
});

test("hello is the fixture's", () => {
  assert.deepEqual(hello({ version: "0.1.0", browser: "chromium" }), fixture("hello.json"));
});

test("what a page sends becomes the fixture's translate", () => {
  const { id, page, ...fields } = fixture("translate.json");
  const read = /** @type {any} */ (readPageMessage({ ...fields, stream: 5 }));
  const { stream, ...rest } = read;
  const [frame] = splitTranslate({ ...rest, id, page });
  const expected = fixture("translate.json");
  expected.segments[2].rank = 2;
  assert.equal(stream, 5);
  assert.deepEqual(frame, expected);
});

test("every code has words in every language, and every language the same words", () => {
  const read = (/** @type {string} */ language) =>
    JSON.parse(readFileSync(new URL(`../../extension/_locales/${language}/messages.json`, import.meta.url), "utf8"));
  const english = read("en");
  for (const language of ["en", "ko"]) {
    const words = read(language);
    for (const code of [...CODES, ...LINK_CODES]) assert.ok(words[`failed_${code}`]?.message, `${language} ${code}`);
    assert.ok(words.retry?.message);
    assert.deepEqual(Object.keys(words), Object.keys(english), language);
    for (const [key, { message }] of Object.entries(words)) {
      const values = (/** @type {string} */ text) => [...text.matchAll(/\$\d/g)].map(String).sort();
      assert.deepEqual(values(message), values(english[key].message), `${language} ${key}`);
    }
  }
});

test("frames stay below the limit, lose nothing and say that others follow", () => {
  const texts = Array.from({ length: 1200 }, (_, i) => "한글 😀 \"quoted\" \u0001".repeat(1 + (i % 90)));
  const segments = texts.map((text, i) => ({ i, text, rank: 2 }));
  const message = { type: /** @type {const} */ ("translate"), id: 1, target: "ko", segments };
  const frames = splitTranslate(message);
  assert.ok(frames.length > 2);
  assert.deepEqual(frames.flatMap((frame) => frame.segments), segments);
  for (const frame of frames) assert.ok(frameBytes(frame) < 256 * 1024, String(frameBytes(frame)));
  assert.deepEqual(frames.map(({ more }) => more === true), [...frames.slice(1).map(() => true), false]);
  assert.ok(splitTranslate({ ...message, more: true }).every(({ more }) => more === true));
});

test("an empty last part is one frame", () => {
  const last = { type: /** @type {const} */ ("translate"), id: 1, target: "ko", segments: [] };
  assert.deepEqual(splitTranslate(last), [fixture("translate-last.json")]);
});

test("half an emoji and a text of megabytes become something that every host can read", () => {
  const segments = [
    { i: 0, text: "a\ud83d", rank: 0 },
    { i: 1, text: `${"x".repeat(8000)}😀${"y".repeat(5_000_000)}`, rank: 0 },
  ];
  const frames = splitTranslate({ type: "translate", id: 1, target: "ko", segments });
  assert.deepEqual(frames.flatMap((frame) => frame.segments.map(({ text }) => text.isWellFormed())), [true, true]);
  assert.equal(frames[0]?.segments[0]?.text, "a\ufffd");
  assert.equal(frames.at(-1)?.segments.at(-1)?.text.length, 8001);
});
