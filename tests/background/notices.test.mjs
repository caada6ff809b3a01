// What the host has told, kept for the browser's session and shown once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Notices } from "../../extension/background/notices.js";

const FULL = { code: "cache_full", message: "The disk is full.", hint: "Make room." };
const BACK = { code: "cache_back", message: "It can be written again." };
const ASIDE = { code: "cache_set_aside", message: "It was damaged." };

/** A store of the browser's session, and what stands in it. */
function session() {
  /** @type {any} */
  let kept;
  return {
    load: async () => structuredClone(kept),
    save: async (/** @type {any} */ now) => void (kept = structuredClone(now)),
  };
}

/** A worker that starts; what it shows after each change. */
function worker(keeper = session()) {
  /** @type {(string | undefined)[]} */
  const shown = [];
  const notices = new Notices(keeper, () => void shown.push(notices?.latest?.code));
  return { notices, shown, keeper };
}

test("the last one is shown, with what to do", async () => {
  const { notices } = worker();
  await notices.add(ASIDE);
  await notices.add(FULL);
  assert.deepEqual(notices.latest, FULL);
  assert.equal(worker().notices.latest, null);
});

test("what ten tabs and three hosts tell is shown once, and what was dismissed not again", async () => {
  const { notices } = worker();
  for (let i = 0; i < 10; i += 1) await notices.add(FULL);
  await notices.dismiss(FULL);
  await notices.add(FULL);
  const before = notices.latest;
  await notices.add(ASIDE);
  assert.deepEqual([before, notices.latest], [null, ASIDE], "only another one is news");
});

test("a worker that was stopped knows what was told and what was dismissed", async () => {
  const { notices, keeper } = worker();
  await notices.add(ASIDE);
  await notices.add(FULL);
  const second = worker(keeper);
  // What a host says while the store is still being read comes after it.
  await second.notices.add(FULL);
  assert.equal(second.notices.latest?.code, "cache_full");
  await second.notices.dismiss(FULL);
  const third = worker(keeper);
  await third.notices.add(FULL);
  await third.notices.add(ASIDE);
  assert.equal(third.notices.latest, null, "with the last one, those before it were seen");
});

test("a trouble that is over is shown no more, and is news when it comes again", async () => {
  const { notices } = worker();
  const code = () => notices.latest?.code;
  await notices.add(ASIDE);
  await notices.add(FULL);
  await notices.add(BACK);
  assert.equal(code(), "cache_back");
  await notices.add(FULL);
  assert.equal(code(), "cache_full");
  await notices.add(BACK);
  await notices.dismiss(BACK);
  assert.equal(notices.latest, null);
});

test("an open popup hears of each change", async () => {
  const { notices, shown } = worker();
  await notices.add(FULL);
  await notices.dismiss(FULL);
  assert.deepEqual(shown.slice(-2), ["cache_full", undefined]);
});

test("a dismissal of something unknown changes nothing", async () => {
  const { notices } = worker();
  await notices.add(FULL);
  await notices.dismiss({ code: "other", message: "m" });
  assert.equal(notices.latest?.code, "cache_full");
});
