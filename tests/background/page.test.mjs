// What a page may say, who it is, and what becomes of its streams.
import assert from "node:assert/strict";
import { test } from "node:test";
import { badgeOf } from "../../extension/background/badge.js";
import { CONNECT_MS, Reach } from "../../extension/background/inject.js";
import { PageHub } from "../../extension/background/page-hub.js";
import { isContentScript, isOwnPage, originOf, pageOf } from "../../extension/background/sender.js";
import { readPageMessage } from "../../extension/shared/page-contract.js";

const ID = "kpopcgmoijlicjfahkcjmppaliiomibo";
const BASE = `chrome-extension://${ID}/`;
const STATE = {
  ...{ active: true, mode: "translation", target: "ko", total: 10, translated: 4, failed: 1, frames_left_out: 0 },
  ...{ failures: [{ code: "refused", count: 1 }], done: false, calls: 1, tokens: { input: 1, output: 2 }, from_cache: 0 },
};
const SEGMENTS = [
  { i: 0, text: "Hello", rank: 0 },
  { i: 1, text: "World", rank: 2 },
];
const PART = { type: "translate", stream: 1, target: "ko", segments: SEGMENTS, more: true };

test("a page may say four things and nothing else", () => {
  for (const type of ["hello", "set_settings", "get_settings", "cache_clear", "test_provider", "detect_providers", "ping", "start", "", 7]) {
    assert.equal(readPageMessage({ ...PART, type, settings: {} }), null, String(type));
  }
  for (const value of [null, [], "translate", 1, {}]) assert.equal(readPageMessage(value), null);
  assert.equal(readPageMessage(PART)?.type, "translate");
  assert.equal(readPageMessage({ type: "prioritize", stream: 1, segments: [3], rank: 0 })?.type, "prioritize");
  assert.equal(readPageMessage({ type: "cancel", stream: 1 })?.type, "cancel");
  assert.equal(readPageMessage({ type: "state", state: STATE })?.type, "state");
});

test("a message of a page is rebuilt from known fields", () => {
  const forged = { page: { origin: "https://bank.test" }, private: false, provider: "dear", id: 9, fresh: true };
  assert.deepEqual(readPageMessage({ ...PART, ...forged }), { ...PART, fresh: true });
  const state = { ...STATE, page: "x", waiting: { code: "rate_limited", provider: "g" }, message: 3 };
  assert.deepEqual(readPageMessage({ type: "state", state }), { type: "state", state: STATE });
});

test("a page tells money and who translated, rebuilt as well", () => {
  const by = [{ provider: "deepl", count: 3, later: 1 }, { provider: "x".repeat(100), count: 1 }];
  const read = /** @type {any} */ (readPageMessage({ type: "state", state: { ...STATE, cost: 0.5, saved: 0.25, by } }));
  const { cost, saved } = read.state;
  assert.deepEqual([cost, saved], [0.5, 0.25]);
  assert.deepEqual(read.state.by, [{ provider: "deepl", count: 3 }, { provider: "x".repeat(64), count: 1 }]);
  for (const wrong of ["deepl", [{ provider: 1, count: 1 }], [{ provider: "a", count: -1 }], new Array(65).fill(by[0])]) {
    const kept = readPageMessage({ type: "state", state: { ...STATE, saved: "much", by: wrong } });
    assert.deepEqual(kept, { type: "state", state: STATE }, JSON.stringify(wrong));
  }
});

test("a message that does not fit its type is nothing", () => {
  const wrong = [
    { stream: -1 }, { stream: "1" }, { target: "" }, { target: "ko\n" }, { target: 1 }, { source: "e" },
    { segments: {} }, { segments: [{ i: 0 }] }, { segments: [{ i: -1, text: "a" }] },
    { segments: [{ i: 2 ** 32, text: "a" }] }, { segments: [{ i: 0, text: "a", rank: 3 }] },
    { segments: [{ i: 0, text: "a", tags: -1 }] }, { segments: new Array(5000).fill(SEGMENTS[0]) },
  ];
  for (const fields of wrong) assert.equal(readPageMessage({ ...PART, ...fields }), null, JSON.stringify(fields));
  assert.equal(readPageMessage({ type: "prioritize", stream: 1, segments: ["0"], rank: 0 }), null);
  assert.equal(readPageMessage({ type: "prioritize", stream: 1, segments: [0], rank: 9 }), null);
  assert.equal(readPageMessage({ type: "state", state: { ...STATE, total: -1 } }), null);
});

/** @param {object} fields @returns {any} */
const sender = (fields) => ({ id: ID, frameId: 0, tab: { id: 1, title: "T", incognito: false }, ...fields });

test("only the extension's own pages are its own pages", () => {
  assert.ok(isOwnPage(sender({ url: `${BASE}popup/popup.html` }), ID, BASE));
  for (const url of [undefined, "", "https://a.test/", `https://a.test/?${BASE}`, `chrome-extension://${ID}x/`, BASE.slice(0, -1)]) {
    assert.ok(!isOwnPage(sender({ url }), ID, BASE), String(url));
  }
  assert.ok(!isOwnPage(sender({ id: "another", url: `${BASE}popup/popup.html` }), ID, BASE));
  assert.ok(!isOwnPage(undefined, ID, BASE));
});

test("a content script is one of ours in the top frame of a tab", () => {
  assert.ok(isContentScript(sender({ url: "https://a.test/" }), ID, BASE));
  assert.ok(!isContentScript(sender({ url: "https://a.test/", id: "another" }), ID, BASE));
  assert.ok(!isContentScript(sender({ url: "https://a.test/", tab: undefined }), ID, BASE));
  assert.ok(!isContentScript(sender({ url: "https://a.test/", frameId: 3 }), ID, BASE));
  assert.ok(!isContentScript(sender({ url: `${BASE}options/options.html` }), ID, BASE));
});

test("the origin is the address's, a file's is the whole address, an opaque one is null", () => {
  /** @param {string | undefined} address @param {string} expected */
  const check = (address, expected) => assert.equal(originOf(address), expected, String(address));
  check("https://a.test:8443/x?y#z", "https://a.test:8443");
  check("http://a.test:80/", "http://a.test");
  check("file:///home/r/guide.html#part", "file:///home/r/guide.html");
  check("data:text/html,x", "null");
  check("about:blank", "null");
  check("blob:https://a.test/1-2", "https://a.test");
  check("", "null");
  check(undefined, "null");
});

test("a private window tells no title", () => {
  const url = "https://a.test/x";
  assert.deepEqual(pageOf(sender({ url })), { page: { origin: "https://a.test", title: "T" }, isPrivate: false });
  const tab = { id: 1, title: "Secret", incognito: true };
  assert.deepEqual(pageOf(sender({ url, tab })), { page: { origin: "https://a.test", title: "" }, isPrivate: true });
});

test("the badge counts, is empty at the end, and warns of what failed", () => {
  /** @param {object | null} fields @param {string} text */
  const check = (fields, text) => assert.equal(badgeOf(fields && { ...STATE, ...fields }).text, text);
  check(null, "");
  check({ active: false }, "");
  check({}, "50%");
  check({ total: 0, translated: 0, failed: 0 }, "0%");
  check({ translated: 9 }, "99%");
  check({ done: true, failed: 0 }, "");
  check({ done: true }, "!");
});

function hubWithLink() {
  /** @type {any[]} */
  const sent = [];
  const link = {
    isReady: true,
    opened: 0,
    last: 0,
    nextId: () => (link.last += 1),
    open: () => void (link.opened += 1),
    send: (/** @type {object} */ message) => link.isReady && sent.push(structuredClone(message)) > 0,
  };
  const hub = new PageHub(link, () => {});
  /** @param {number} tabId */
  const join = (tabId, isPrivate = false) => {
    /** @type {any[]} */
    const got = [];
    const page = hub.join(tabId, { page: { origin: "https://a.test", title: "" }, isPrivate }, (m) => got.push(m));
    return { page, got, say: (/** @type {any} */ message) => hub.hear(page, message) };
  };
  return { hub, link, sent, join };
}

test("the same stream number of two tabs gets two ids, and each its own answers", () => {
  const { hub, sent, join } = hubWithLink();
  const [a, b] = [join(1), join(2, true)];
  a.say(PART);
  b.say(PART);
  a.say({ ...PART, segments: [], more: false });
  assert.deepEqual(sent.map(({ id }) => id), [1, 2, 1]);
  assert.deepEqual(sent.map((message) => message.private), [undefined, true, undefined]);
  assert.deepEqual(sent.map(({ more }) => more), [true, true, undefined]);
  hub.deliver({ type: "translated", id: 2, segments: [{ i: 0, text: "x", from: "cache" }] });
  assert.deepEqual(a.got, []);
  assert.deepEqual(b.got, [{ type: "translated", stream: 1, segments: [{ i: 0, text: "x", from: "cache" }] }]);
});

test("a stream is awaited until it is done, and its number is free afterwards", () => {
  const { hub, sent, join } = hubWithLink();
  const a = join(1);
  a.say({ ...PART, more: false });
  assert.ok(hub.isAwaited());
  hub.deliver({ type: "translated", id: 1, segments: [{ i: 0 }] });
  hub.deliver({ type: "failed", id: 1, segments: [{ i: 1 }], message: "" });
  assert.ok(hub.isAwaited());
  hub.deliver({ type: "done", id: 1 });
  assert.ok(!hub.isAwaited());
  a.say(PART);
  assert.equal(sent.at(-1).id, 2);
  hub.deliver({ type: "error", id: 2, code: "bad_message", message: "" });
  assert.ok(!hub.isAwaited());
  assert.deepEqual(a.got.map(({ type }) => type), ["translated", "failed", "done", "error"]);
});

test("a page that leaves cancels its streams, and only those", () => {
  const { hub, sent, join } = hubWithLink();
  const [a, b] = [join(1), join(2)];
  a.say(PART);
  b.say(PART);
  hub.leave(a.page);
  assert.deepEqual(sent.at(-1), { type: "cancel", id: 1 });
  assert.equal(hub.page(1), null);
  hub.deliver({ type: "translated", id: 1, segments: [{ i: 0 }] });
  assert.deepEqual(a.got, []);
  assert.ok(hub.isAwaited());
});

test("a new document in a tab is not removed by the old one's leaving", () => {
  const { hub, join } = hubWithLink();
  const old = join(1);
  const now = join(1);
  hub.leave(old.page);
  assert.equal(hub.page(1), now.page);
});

test("what waits at a loss is asked for again, and gets a new id", () => {
  const { hub, link, sent, join } = hubWithLink();
  const a = join(1);
  a.say(PART);
  a.say({ ...PART, stream: 2, segments: [] });
  link.isReady = false;
  hub.lose();
  a.say({ ...PART, stream: 3 });
  assert.equal(link.opened, 1);
  assert.ok(hub.isAwaited());
  link.isReady = true;
  hub.resend();
  assert.deepEqual(a.got, [{ type: "resend", stream: 1 }, { type: "resend", stream: 3 }]);
  assert.ok(!hub.isAwaited());
  a.say(PART);
  assert.equal(sent.at(-1).id, 3);
});

test("when the host is given up, the pages that wait are told once", () => {
  const { hub, link, join } = hubWithLink();
  const [a, b] = [join(1), join(2)];
  a.say(PART);
  a.say({ ...PART, stream: 2 });
  link.isReady = false;
  hub.giveUp({ code: "host_missing", message: "m", hint: "h" });
  assert.deepEqual(a.got, [{ type: "host_gone", code: "host_missing", message: "m", hint: "h" }]);
  assert.deepEqual(b.got, []);
  assert.equal(hub.page(1)?.fault?.code, "host_missing");
  assert.ok(!hub.isAwaited());
});

test("an order of an unknown stream is nothing", () => {
  const { sent, join } = hubWithLink();
  const a = join(1);
  a.say({ type: "prioritize", stream: 9, segments: [0], rank: 0 });
  a.say({ type: "cancel", stream: 9 });
  assert.deepEqual(sent, []);
});

function reachWith(fields = {}) {
  /** @type {(() => void)[]} */
  const timers = [];
  /** @type {any[]} */
  const done = [];
  const means = {
    page: () => null,
    inject: async () => void done.push("inject"),
    wake: async () => false,
    after: (/** @type {number} */ ms, /** @type {() => void} */ act) => {
      assert.equal(ms, CONNECT_MS);
      timers.push(act);
      return () => {};
    },
    say: (/** @type {string} */ key) => key,
    ...fields,
  };
  return { reach: new Reach(means), timers, done };
}

/** @type {any} */
const CONNECTED = { tabId: 1, state: STATE };

test("a page is reached when its scripts have connected, whichever comes first", async () => {
  const { reach, done } = reachWith();
  const reached = reach.page(1);
  reach.joined({ ...CONNECTED, tabId: 2 });
  reach.joined(CONNECTED);
  assert.equal(await reached, CONNECTED);
  assert.deepEqual(done, ["inject"]);
});

test("a page that lets no scripts in is said to be such, also when they never connect", async () => {
  const refused = reachWith({ inject: () => Promise.reject(new Error("Cannot access a chrome:// URL")) });
  await assert.rejects(refused.reach.page(1), { code: "cannot_inject", message: "fault_cannot_inject" });
  const { reach, timers } = reachWith();
  const reached = reach.page(1);
  timers.forEach((act) => act());
  await assert.rejects(reached, { code: "cannot_inject" });
});

test("a page that lost its port is found, and one without our scripts is left alone", async () => {
  const woken = reachWith({ wake: async () => true });
  const found = woken.reach.find(1);
  woken.reach.told(CONNECTED);
  assert.equal(await found, CONNECTED);
  const { reach, done } = reachWith();
  assert.equal(await reach.find(1), null);
  assert.equal(await reachWith({ wake: () => Promise.reject(new Error("no")) }).reach.find(1), null);
  assert.deepEqual(done, []);
});
