// What the options show and save, decided by pure functions.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  added, freeName, isFreeName, moved, nameOfFound, providerFrom, providerNames, removed, styleShown, typedField,
} from "../../extension/options/changes.js";
import { fieldsOf, kindOf, placeOf } from "../../extension/shared/kinds.js";
import { dollars } from "../../extension/shared/money.js";
import { FOUND, KINDS } from "../lib/kinds.mjs";

test("providers are added, moved and removed by partial settings", () => {
  const settings = { providers: ["b", "gone", "a"], provider: { a: { kind: "openai" }, b: { kind: "gemini" }, c: { kind: "sample" } } };
  const names = providerNames(settings);
  assert.deepEqual(names, ["b", "a", "c"]);
  assert.deepEqual(added(settings, "d", { kind: "apertium" }, "ko"), { providers: ["b", "a", "c", "d"], provider: { d: { kind: "apertium" } } });
  assert.deepEqual(removed(names, "a"), { providers: ["b", "c"], provider: { a: null } });
  assert.deepEqual(moved(names, "c", -1), { providers: ["b", "c", "a"] });
  assert.deepEqual(moved(names, "b", 1), { providers: ["a", "b", "c"] });
  assert.equal(moved(names, "b", -1), null);
  assert.equal(moved(names, "c", 1), null);
  assert.equal(freeName("a", names), "a-2");
  assert.ok(isFreeName("my-server-2", names));
  for (const name of ["a", "", "A", "a b", "-a", "a-", "a.b", "__proto__", "x".repeat(41)]) assert.ok(!isFreeName(name, names), name);
});

test("the first provider brings the browser's language as target, unless one was chosen", () => {
  /** @param {object} settings @param {string} browser @param {string | undefined} target */
  const check = (settings, browser, target) =>
    assert.equal(added(settings, "a", { kind: "sample" }, browser).target, target, `${JSON.stringify(settings)} ${browser}`);
  check({ target: "en" }, "ko", "ko");
  check({}, "ko-KR", "ko");
  check({}, "zh-HK", "zh-CN");
  check({}, "en-US", "en");
  check({}, "tlh", "en");
  check({ target: "ja" }, "ko", undefined);
  check({ target: "en", provider: { b: { kind: "sample" } } }, "ko", undefined);
});

test("a field is read as it was typed", () => {
  assert.deepEqual(typedField("model", "  qwen "), { value: "qwen" });
  assert.deepEqual(typedField("model", " "), { value: null });
  assert.deepEqual(typedField("requests_per_minute", "15"), { value: 15 });
  for (const typed of ["0", "-1", "1.5", "many", "1e3"]) {
    assert.deepEqual(typedField("requests_per_minute", typed), { fault: "number_wrong" }, typed);
  }
  assert.deepEqual(typedField("base_url", "http://127.0.0.1:8080/v1"), { value: "http://127.0.0.1:8080/v1" });
  assert.deepEqual(typedField("context_tokens", "8192"), { value: 8192 });
  assert.deepEqual(typedField("max_days", "90"), { value: 90 });
  assert.deepEqual(typedField("max_days", "soon"), { fault: "number_wrong" });
  for (const typed of ["127.0.0.1", "ftp://a", "javascript:alert(1)", "http://a b"]) {
    assert.deepEqual(typedField("base_url", typed), { fault: "address_wrong" }, typed);
  }
});

test("an amount of dollars is read as people write it, and a doubtful one is asked again", () => {
  /** @param {string} typed @param {number} value */
  const check = (typed, value) => assert.deepEqual(typedField("usd_per_day", typed), { value }, typed);
  check("1", 1);
  check("$0.5", 0.5);
  check("$ .25", 0.25);
  check("0,75", 0.75);
  check("10000", 10_000);
  assert.deepEqual(typedField("usd_per_day", ""), { value: null });
  for (const typed of ["0", "0.00", "-1", "1,000", "1e3", "10000.01", "$", "free", "1.2.3"]) {
    assert.deepEqual(typedField("usd_per_day", typed), { fault: "amount_wrong" }, typed);
  }
});

test("a style is one of three, or the reader's own words up to two hundred characters", () => {
  assert.deepEqual(styleShown(undefined), { choice: "neutral", words: "" });
  assert.deepEqual(styleShown("casual"), { choice: "casual", words: "" });
  assert.deepEqual(styleShown("like a pirate"), { choice: "own", words: "like a pirate" });
  assert.deepEqual(typedField("style", "\u{1f3f4}".repeat(200)), { value: "\u{1f3f4}".repeat(200) });
  assert.deepEqual(typedField("style", "x".repeat(201)), { fault: "style_too_long" });
  assert.deepEqual(typedField("style", "  "), { value: null });
});

test("a provider has the fields of its kind and no others", () => {
  /** @param {string} name @param {string[]} fields */
  const check = (name, fields) => assert.deepEqual(fieldsOf(kindOf(KINDS, name)), fields, name);
  check("gemini", ["model", "key", "base_url", "requests_per_minute"]);
  check("ollama", ["model", "key", "context_tokens", "base_url", "requests_per_minute"]);
  check("google-cloud", ["key", "project", "location", "base_url", "requests_per_minute"]);
  check("azure", ["key", "region", "base_url", "requests_per_minute"]);
  check("apertium", ["base_url", "requests_per_minute"]);
  check("yandex", ["key", "folder", "base_url", "requests_per_minute"]);
  check("sample", []);
  check("of-tomorrow", ["model", "key", "base_url", "requests_per_minute"]);
});

test("where a provider's texts go is its own address, else that of its kind", () => {
  assert.equal(placeOf(KINDS, "openai", "http://127.0.0.1:8080/v1"), "127.0.0.1:8080");
  assert.equal(placeOf(KINDS, "openai", undefined), "api.openai.com");
  assert.equal(placeOf(KINDS, "sample", undefined), "");
  assert.equal(placeOf([], "openai", "no address"), "");
});

test("an engine that was found becomes a provider that is ready to use", () => {
  const [ollama, apertium] = /** @type {[any, any]} */ (FOUND);
  assert.deepEqual(providerFrom(ollama, "qwen3:0.6b"), {
    ...{ kind: "ollama", base_url: "http://127.0.0.1:11434", model: "qwen3:0.6b", concurrency: 1, context_tokens: 8192 },
  });
  assert.deepEqual(providerFrom(apertium, ""), { kind: "apertium", base_url: "http://127.0.0.1:2737" });
  const change = added({ target: "ko", providers: ["b"], provider: { b: { kind: "sample" } } }, "apertium", providerFrom(apertium, ""), "ko");
  assert.deepEqual(change.providers, ["b", "apertium"]);
});

test("an engine that is in the list already is known by kind and address, however they are written", () => {
  const [ollama, apertium] = /** @type {[any, any]} */ (FOUND);
  /** @param {object} provider @param {string} name @param {any} found */
  const check = (provider, name, found = ollama) => assert.equal(nameOfFound({ provider: /** @type {any} */ (provider) }, KINDS, found), name, JSON.stringify(provider));
  check({ mine: { kind: "ollama" } }, "mine");
  check({ mine: { kind: "ollama", base_url: "http://LOCALHOST:11434/" } }, "mine");
  check({ mine: { kind: "ollama", base_url: "http://127.0.0.1:11435" } }, "");
  check({ mine: { kind: "openai", base_url: "http://127.0.0.1:11434" } }, "");
  check({ a: { kind: "sample" }, b: { kind: "apertium" } }, "b", apertium);
  check({ ollama: { kind: "ollama", base_url: "http://[::1]:11434" } }, "ollama");
  check({ ollama: { kind: "gemini" } }, "");
  check({}, "");
});

test("small amounts show two digits that count, and none is rounded to nothing", () => {
  /** @param {number} amount @param {string} words */
  const check = (amount, words, language = "en") => assert.equal(dollars(amount, language), words, String(amount));
  check(0.00147, "$0.0015");
  check(0.004, "$0.004");
  check(0.0125, "$0.013");
  check(0.05, "$0.05");
  check(0.5, "$0.50");
  check(1234.5, "$1,234.50");
  check(0.00015, "$0.00015");
  check(0.0000004, "<$0.0001");
  check(0.004, "US$0.004", "ko");
});
