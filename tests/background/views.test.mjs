// What the popup shows and what the background answers it, decided by pure functions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { answer } from "../../extension/background/requests.js";
import { viewOf } from "../../extension/popup/view.js";
import { languages } from "../../extension/shared/languages.js";
import { KINDS } from "../lib/kinds.mjs";

/** @param {string} key @param {...(string | number)} values */
const say = (key, ...values) => [key, ...values].join(" ");
const PAGE = {
  ...{ active: true, mode: "translation", target: "ko", total: 520, translated: 312, failed: 0, failures: [] },
  ...{ frames_left_out: 0, done: false, calls: 0, tokens: { input: 0, output: 0 }, from_cache: 0 },
};
const GEMINI = { name: "gemini", kind: "gemini", state: "ready" };
/** @type {any} */
const HOST = { version: "0.1.0", cache: { state: "ok" }, providers: [GEMINI], usage: {} };
/** @type {any} */
const NOTHING = {
  ...{ host: null, fault: null, page: null, addresses: {}, kinds: KINDS, limit: undefined },
  ...{ settingsProblem: "", refusal: "", isStarting: false, hostNotice: null },
};

/** @param {object} known */
const view = (known) => viewOf({ ...NOTHING, ...known }, 1000, say, "en");

test("first the host is looked for, and the reader may press at once", () => {
  assert.equal(view({}).provider, "looking_for_host");
  assert.ok(view({}).hasControls);
});

test("no provider means the first run, a missing host what to do about it", () => {
  assert.ok(view({ host: { ...HOST, providers: [] } }).isFirstRun);
  const fault = { code: "host_missing", message: "m", hint: "h", command: "c" };
  const missing = view({ fault });
  assert.deepEqual([missing.fault, missing.isFirstRun, missing.hasControls], [fault, false, false]);
  assert.ok(view({ fault, page: PAGE }).hasControls);
});

test("what the host told stands beside everything else", () => {
  const hostNotice = { code: "cache_full", message: "The disk is full.", hint: "Make room." };
  assert.equal(view({ hostNotice }).hostNotice, "The disk is full. Make room.");
  assert.equal(view({ hostNotice: { ...hostNotice, hint: undefined }, host: HOST, page: PAGE }).hostNotice, "The disk is full.");
  assert.equal(view({ host: HOST }).hostNotice, "");
});

test("a notice is dismissed by the background", async () => {
  /** @type {any[]} */
  const dismissed = [];
  const notice = { code: "a", message: "m" };
  const means = meansWith({ dismiss: async (/** @type {any} */ one) => void dismissed.push(one) });
  assert.deepEqual(await answer(means, { type: "dismiss_notice", notice }), { ok: true });
  assert.deepEqual(dismissed, [notice]);
});

test("the button does what the page's state allows", () => {
  assert.equal(view({ host: HOST }).main.label, "translate");
  assert.equal(view({ host: HOST, page: PAGE }).main.label, "show_original");
  assert.equal(view({ host: HOST, page: { ...PAGE, active: false } }).main.label, "translate");
  assert.equal(view({ host: HOST, page: { ...PAGE, active: false } }).page, null);
  assert.ok(!view({ host: HOST, isStarting: true }).main.isEnabled);
});

test("who gets the page's text is named, and where that is", () => {
  const line = (/** @type {object} */ known) => view(known).provider;
  const local = { ...GEMINI, name: "local", kind: "openai" };
  assert.equal(line({ host: HOST }), "provided_by gemini (generativelanguage.googleapis.com)");
  assert.equal(line({ host: { ...HOST, providers: [local, GEMINI] }, addresses: { local: { base_url: "http://127.0.0.1:8080/v1" } } }),
    "provided_by_then local (127.0.0.1:8080) gemini");
  assert.equal(line({ host: { ...HOST, providers: [local] } }), "provided_by local (api.openai.com)");
  assert.equal(line({ host: { ...HOST, providers: [{ ...GEMINI, name: "try", kind: "sample" }] } }), "stays_here try");
  const unknown = { ...GEMINI, name: "a", kind: "new" };
  assert.equal(line({ host: { ...HOST, providers: [unknown] }, addresses: { a: { base_url: "no address" } } }), "provided_by a");
});

test("the bar tells what failed from what was translated", () => {
  const page = { ...PAGE, total: 8, translated: 2, failed: 4 };
  assert.deepEqual(view({ page }).page?.shares, { translated: 25, failed: 50 });
  assert.deepEqual(view({ page: { ...PAGE, total: 0, translated: 0 } }).page?.shares, { translated: 0, failed: 0 });
});

test("a page that waits for the reader says so, and the last fault's words stand with the failed", () => {
  const waits = view({ page: { ...PAGE, paused: true, failed: 2, message: "It waits." } }).page;
  assert.deepEqual([waits?.paused, waits?.message], ["It waits.", ""]);
  const failedWith = (/** @type {string} */ code) =>
    view({ page: { ...PAGE, failed: 2, failures: [{ code, count: 2 }], message: "The server does not run." } }).page;
  assert.deepEqual([failedWith("network")?.paused, failedWith("network")?.message], ["", "The server does not run."]);
  assert.equal(failedWith("refused")?.message, "", "the reason says it already");
  assert.equal(view({ page: PAGE }).page?.message, "");
});

test("the countdown ends with its second", () => {
  const waiting = { code: "rate_limited", provider: "gemini", until: 8400 };
  assert.equal(view({ page: { ...PAGE, waiting } }).page?.waiting, "waiting_rate_limited gemini in_seconds 8");
  assert.equal(view({ page: { ...PAGE, waiting: { ...waiting, code: "new" } } }).page?.waiting, "waiting_other gemini in_seconds 8");
  const tomorrow = view({ page: { ...PAGE, waiting: { ...waiting, until: 86_400_000 } } }).page?.waiting ?? "";
  assert.match(tomorrow, /^waiting_rate_limited gemini at_time \d+:\d\d/);
  assert.equal(view({ page: { ...PAGE, waiting: { ...waiting, until: 1000 } } }).page?.waiting, "");
  assert.equal(view({ page: { ...PAGE, waiting, done: true } }).page?.waiting, "");
});

test("failures are counted by reason, also by one that is not known yet", () => {
  const words = (/** @type {string} */ key) => (key === "failed_refused" ? "Refused." : key);
  const failures = [{ code: "refused", count: 4 }, { code: "invented", count: 2 }];
  const shown = viewOf({ ...NOTHING, page: { ...PAGE, failed: 6, failures } }, 0, words, "en").page;
  assert.deepEqual(shown?.failures, [{ count: "4", reason: "Refused." }, { count: "2", reason: "failed_unknown" }]);
});

test("the account names only what there is", () => {
  const page = { ...PAGE, calls: 12, tokens: { input: 3400, output: 2100 }, cost: 0.00147, saved: 0.004, from_cache: 83 };
  assert.deepEqual(view({ page }).page?.account, [
    ["account_calls", "12"],
    ["account_tokens", "3,400 / 2,100"],
    ["account_cost", "$0.0015"],
    ["account_cache", "83"],
    ["account_saved", "$0.004"],
  ]);
  for (const known of [PAGE, { ...PAGE, cost: 0, saved: 0 }]) assert.deepEqual(view({ page: known }).page?.account, []);
});

test("who stood in for the first provider is told with what keeps that one away, and told once", () => {
  const first = { ...GEMINI, state: "out", message: "Its quota is used up." };
  const host = { ...HOST, providers: [first, { ...GEMINI, name: "deepl", kind: "deepl" }] };
  const by = [{ provider: "deepl", count: 12 }, { provider: "gemini", count: 1030 }];
  const shown = view({ host, page: { ...PAGE, by } });
  assert.equal(shown.page?.by, "translated_by gemini (1,030) and deepl (12) gemini: Its quota is used up.");
  assert.equal(shown.notice, "");
  const back = view({ host: { ...host, providers: [GEMINI, host.providers[1]] }, page: { ...PAGE, by: by.slice(0, 1) } });
  assert.equal(back.page?.by, "translated_by deepl (12)");
  const alone = view({ host, page: { ...PAGE, by: by.slice(1) } });
  assert.deepEqual([alone.page?.by, alone.notice], ["", "gemini: Its quota is used up."]);
  assert.equal(view({ page: { ...PAGE, by } }).page?.by, "", "nothing is known of the order");
});

test("a day's limit that is reached is said before all that it causes", () => {
  const out = { ...GEMINI, state: "out", message: "The limit is reached." };
  const notice = (/** @type {number} */ cost, /** @type {number | undefined} */ limit) =>
    view({ host: { ...HOST, providers: [out], usage: { cost } }, limit }).notice;
  assert.equal(notice(1.02, 1), "daily_limit $1.00 $1.02");
  assert.equal(notice(0.99, 1), "gemini: The limit is reached.");
  assert.equal(notice(1.02, undefined), "gemini: The limit is reached.");
});

test("what stands in the way is said in words", () => {
  const state = { ...GEMINI, state: "misconfigured", message: "No key." };
  assert.equal(view({ host: { ...HOST, providers: [state] } }).notice, "gemini: No key.");
  const named = { ...state, message: "gemini has no key." };
  assert.equal(view({ host: { ...HOST, providers: [named] } }).notice, "gemini has no key.");
  assert.equal(view({ host: HOST, settingsProblem: "line 3" }).notice, "settings_file_problem line 3");
  assert.equal(view({ host: { ...HOST, cache: { state: "memory", reason: "full" } } }).notice, "", "that is told by a notice");
  assert.equal(view({ host: HOST, refusal: "no" }).notice, "no");
  assert.equal(view({ host: HOST, page: { ...PAGE, total: 0, done: true } }).page?.counts, "progress_nothing");
});

test("languages have names, and a tag of the settings is offered whatever it is", () => {
  const all = languages("ko", "sco");
  assert.ok(all.length > 60);
  assert.equal(all.find(({ tag }) => tag === "ko")?.name, "한국어");
  assert.ok(all.some(({ tag }) => tag === "sco"));
  assert.equal(new Set(all.map(({ name }) => name)).size, all.length);
});

/** @param {object} fields @returns {any} */
function meansWith(fields) {
  const settings = { type: "settings", settings: { target: "ja", page: { mode: "both" } }, path: "/p" };
  return {
    link: { greeting: async () => ({ target: "ko" }), request: async () => settings },
    remember: () => {},
    ...fields,
  };
}

test("a page is started with what was chosen, else with what the settings say", async () => {
  /** @type {any[]} */
  const got = [];
  const page = { state: null, post: (/** @type {any} */ message) => got.push(message) };
  const means = meansWith({ reach: async () => page });
  await answer(means, { type: "start", tabId: 1 });
  await answer(means, { type: "start", tabId: 1, target: "fr", mode: "translation" });
  const fromSettings = { type: "start", target: "ja", mode: "both" };
  assert.deepEqual(got, [fromSettings, { type: "start", target: "fr", mode: "translation" }]);
});

test("settings are told with the kinds of providers, and engines are looked for on request", async () => {
  const reply = { type: "settings", id: 1, settings: {}, path: "/p", kinds: KINDS, later: 1 };
  /** @type {string[]} */
  const asked = [];
  const link = { request: async (/** @type {string} */ type) => asked.push(type) && reply };
  const known = { ok: true, settings: {}, path: "/p", kinds: KINDS };
  assert.deepEqual(await answer(meansWith({ link }), { type: "get_settings" }), known);
  assert.deepEqual(await answer(meansWith({ link }), { type: "set_settings", settings: {} }), known);
  assert.deepEqual(await answer(meansWith({ link }), { type: "detect_providers", id: 7 }), { ok: true, reply });
  assert.deepEqual(asked, ["get_settings", "set_settings", "detect_providers"]);
});

test("a correction and its removal reach the host as they are", async () => {
  /** @type {any[]} */
  const asked = [];
  const reply = { type: "cache_corrected", id: 1, corrections: 1 };
  const link = { request: async (/** @type {string} */ type, /** @type {object} */ fields) => asked.push([type, fields]) && reply };
  const means = meansWith({ link });
  const removal = { source: "a", marked: false, translation: null, target: "ko" };
  assert.deepEqual(await answer(means, { type: "cache_correct", ...removal, other: 1 }), { ok: true, reply });
  await answer(means, { type: "cache_find", text: "", id: 3 });
  await answer(means, { type: "cache_forget", text: "a", target: "ko" });
  assert.deepEqual(asked, [["cache_correct", removal], ["cache_find", { text: "" }], ["cache_forget", { text: "a", target: "ko" }]]);
});

test("the shortcut restores a translated page and starts any other", async () => {
  /** @type {string[]} */
  const got = [];
  const page = { state: PAGE, post: (/** @type {any} */ { type }) => got.push(type) };
  const reach = async () => page;
  await answer(meansWith({ reach, find: async () => page }), { type: "toggle", tabId: 1 });
  await answer(meansWith({ reach, find: async () => ({ ...page, state: { ...PAGE, active: false } }) }), { type: "toggle", tabId: 1 });
  await answer(meansWith({ reach, find: async () => null }), { type: "toggle", tabId: 1 });
  assert.deepEqual(got, ["restore", "start", "start"]);
});

test("what the popup asks of a page reaches one that lost its port with the worker", async () => {
  /** @type {any[]} */
  const got = [];
  const page = { state: PAGE, post: (/** @type {any} */ message) => got.push(message) };
  const means = meansWith({ find: async () => page });
  assert.ok((await answer(means, { type: "restore", tabId: 1 })).ok);
  assert.ok((await answer(means, { type: "set_mode", tabId: 1, mode: "both", other: 1 })).ok);
  assert.deepEqual(got, [{ type: "restore" }, { type: "set_mode", mode: "both" }]);
  assert.ok((await answer(meansWith({ find: async () => null }), { type: "retry_failed", tabId: 1 })).ok);
});

test("a page is not touched when there is no host, and a fault is an answer", async () => {
  const fault = { code: "host_missing", message: "m", hint: "h", command: "c" };
  const link = { greeting: () => Promise.reject(fault), request: () => Promise.reject(fault) };
  const reach = () => assert.fail("the page was touched");
  assert.deepEqual(await answer(meansWith({ link, reach }), { type: "start", tabId: 1 }), { ok: false, ...fault });
  assert.deepEqual(await answer(meansWith({ link }), { type: "cache_stats" }), { ok: false, ...fault });
  assert.equal(/** @type {any} */ (await answer(meansWith({}), { type: "constructor" })).code, "unknown_type");
});
