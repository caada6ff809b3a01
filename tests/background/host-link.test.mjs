// The native port under made-up time: greeting, loss, silence, giving up.
import assert from "node:assert/strict";
import { test } from "node:test";
import { linkCode, linkFault, mendingCommand, strayOutput } from "../../extension/background/fault.js";
import { HostLink } from "../../extension/background/host-link.js";

const WELCOME = { type: "welcome", protocol: 1, version: "0.1.0", cache: { state: "ok" }, providers: [], target: "ko" };

/** Time that passes only when it is told to. */
class Clock {
  now = 0;
  /** @type {{at: number, act: () => void}[]} */
  timers = [];

  /** @param {number} ms @param {() => void} act */
  after(ms, act) {
    const timer = { at: this.now + ms, act };
    this.timers.push(timer);
    return () => void (this.timers = this.timers.filter((other) => other !== timer));
  }

  /** @param {number} ms */
  pass(ms) {
    const end = this.now + ms;
    for (;;) {
      const next = this.timers.toSorted((a, b) => a.at - b.at)[0];
      if (!next || next.at > end) break;
      this.timers = this.timers.filter((timer) => timer !== next);
      this.now = next.at;
      next.act();
    }
    this.now = end;
  }
}

/** A native port whose other end is the test. */
class Port {
  /** @type {any[]} */
  sent = [];
  isClosed = false;
  reason = "";
  /** @type {(message: any) => void} */
  say = () => {};
  /** @type {() => void} */
  #closed = () => {};
  onMessage = { addListener: (/** @type {(message: any) => void} */ listener) => void (this.say = listener) };
  onDisconnect = { addListener: (/** @type {() => void} */ listener) => void (this.#closed = listener) };

  /** @param {any} message */
  postMessage(message) {
    if (this.isClosed) throw new Error("Attempting to use a disconnected port object");
    this.sent.push(message);
  }

  disconnect() {
    this.isClosed = true;
  }

  die(reason = "Native host has exited.") {
    this.isClosed = true;
    this.reason = reason;
    this.#closed();
  }
}

function setUp() {
  const clock = new Clock();
  /** @type {Port[]} */
  const ports = [];
  /** @type {string[]} */
  const events = [];
  const world = { clock, ports, events, isAwaited: false, port: () => /** @type {Port} */ (ports.at(-1)) };
  const fault = (/** @type {string} */ code) => ({ code, message: code, hint: "" });
  const link = new HostLink({
    connect: () => ports[ports.push(new Port()) - 1] ?? new Port(),
    reason: (port) => /** @type {any} */ (port).reason,
    clock,
    client: { version: "0.1.0", browser: "chromium" },
    linkFault: (code, text) => fault(code || linkCode(text)),
    protocolFault: (theirs) => fault(theirs < 1 ? "host_too_old" : "extension_too_old"),
    isAwaited: () => world.isAwaited,
    onReply: ({ type }) => void events.push(type),
    onReady: () => void events.push("ready"),
    onNotice: ({ code }) => void events.push(`notice ${code}`),
    onLost: () => void events.push("lost"),
    onGone: ({ code }) => void events.push(`gone ${code}`),
  });
  return { ...world, world, link };
}

test("hello goes first, and nothing else before the host has greeted", () => {
  const { link, port } = setUp();
  link.open();
  assert.equal(link.send({ type: "cancel", id: 1 }), false);
  assert.deepEqual(port().sent.map(({ type }) => type), ["hello"]);
  port().say(WELCOME);
  assert.equal(link.send({ type: "cancel", id: 1 }), true);
  assert.equal(link.welcome?.target, "ko");
});

test("what the host tells unasked is passed on, and answers nothing", async () => {
  const { link, port, events } = setUp();
  link.open();
  port().say(WELCOME);
  const asked = link.request("status");
  await link.greeting();
  port().say({ type: "notice", code: "cache_full", message: "The disk is full." });
  port().say({ type: "notice", code: "cache_full" });
  assert.deepEqual(events, ["ready", "notice cache_full"], "one that does not fit is dropped");
  const id = port().sent.at(-1).id;
  port().say({ type: "error", id, code: "internal", message: "m" });
  await assert.rejects(asked, { code: "internal" });
});

test("however often it is wanted, one port is opened", async () => {
  const { link, ports, port } = setUp();
  const greetings = [link.greeting(), link.greeting()];
  link.open();
  port().say(WELCOME);
  link.open();
  await Promise.all([...greetings, link.greeting()]);
  assert.equal(ports.length, 1);
});

test("nothing is opened again when nobody waits", () => {
  const { link, ports, port, clock, events } = setUp();
  link.open();
  port().say(WELCOME);
  port().die();
  clock.pass(600_000);
  assert.equal(ports.length, 1);
  assert.deepEqual(events, ["ready", "lost"]);
});

test("a lost port is opened again after three seconds, three times, then given up", () => {
  const { link, world, ports, port, clock, events } = setUp();
  link.open();
  port().say(WELCOME);
  world.isAwaited = true;
  port().die();
  clock.pass(2999);
  assert.equal(ports.length, 1);
  clock.pass(1);
  assert.equal(ports.length, 2);
  for (let n = 2; n <= 4; n += 1) {
    assert.equal(ports.length, n);
    port().die("Specified native messaging host not found.");
    clock.pass(3000);
  }
  clock.pass(600_000);
  assert.equal(ports.length, 4);
  assert.deepEqual(events, ["ready", "lost", "lost", "lost", "lost", "gone host_missing"]);
});

test("a welcome in between starts the count anew", () => {
  const { link, world, port, clock, events } = setUp();
  world.isAwaited = true;
  link.open();
  for (let n = 0; n < 3; n += 1) {
    port().die();
    clock.pass(3000);
    port().die();
    clock.pass(3000);
    port().say(WELCOME);
    port().say({ type: "translated", id: 1, segments: [] });
  }
  assert.ok(!events.some((event) => event.startsWith("gone")));
});

test("a host that greets and dies is not started for ever", () => {
  const { link, world, ports, port, clock, events } = setUp();
  world.isAwaited = true;
  link.open();
  for (let n = 0; n < 30 && !port().isClosed; n += 1) {
    port().say(WELCOME);
    port().die();
    clock.pass(3000);
  }
  assert.equal(ports.length, 9);
  assert.equal(events.at(-1), "gone host_exited");
});

test("a host that does not greet is closed as lost", () => {
  const { link, world, ports, port, clock } = setUp();
  world.isAwaited = true;
  link.open();
  const first = port();
  clock.pass(10_000);
  assert.ok(first.isClosed);
  assert.equal(link.fault?.code, "host_silent");
  clock.pass(3000);
  assert.equal(ports.length, 2);
});

test("a host of another version is not asked again", async () => {
  for (const [reply, code] of /** @type {const} */ ([
    [{ ...WELCOME, protocol: 2 }, "extension_too_old"],
    [{ ...WELCOME, protocol: 0 }, "host_too_old"],
    [{ type: "error", code: "unsupported_protocol", message: "m", hint: "h" }, "host_too_old"],
  ])) {
    const { link, world, ports, port, clock, events } = setUp();
    world.isAwaited = true;
    const greeting = link.greeting();
    port().say(reply);
    await assert.rejects(greeting, { code });
    clock.pass(60_000);
    assert.equal(ports.length, 1);
    assert.ok(port().isClosed);
    assert.equal(events.at(-1), `gone ${code}`);
  }
});

test("silence is met with a ping after 20 s, and without a pong the port is closed 10 s later", () => {
  const { link, world, ports, port, clock, events } = setUp();
  link.open();
  port().say(WELCOME);
  world.isAwaited = true;
  link.send({ type: "translate", id: link.nextId(), segments: [] });
  clock.pass(19_999);
  assert.equal(port().sent.at(-1).type, "translate");
  clock.pass(1);
  assert.equal(port().sent.at(-1).type, "ping");
  port().say({ type: "pong", id: port().sent.at(-1).id });
  clock.pass(20_000);
  assert.equal(port().sent.filter(({ type }) => type === "ping").length, 2);
  const silent = port();
  clock.pass(10_000);
  assert.ok(silent.isClosed);
  assert.deepEqual(events, ["ready", "lost"]);
  clock.pass(3000);
  assert.equal(ports.length, 2);
});

test("sending does not count as hearing", () => {
  const { link, world, port, clock } = setUp();
  link.open();
  port().say(WELCOME);
  world.isAwaited = true;
  for (let n = 0; n < 10; n += 1) {
    link.send({ type: "translate", id: 1, segments: [] });
    clock.pass(2000);
  }
  assert.equal(port().sent.at(-1).type, "ping");
});

test("nobody is pinged while nothing is awaited", () => {
  const { link, world, port, clock } = setUp();
  link.open();
  port().say(WELCOME);
  world.isAwaited = true;
  link.send({ type: "translate", id: 1, segments: [] });
  world.isAwaited = false;
  port().say({ type: "done", id: 1, total: 0, translated: 0, failed: 0, cancelled: 0, from_cache: 0, calls: 0, tokens: { input: 0, output: 0 } });
  clock.pass(600_000);
  assert.ok(!port().sent.some(({ type }) => type === "ping"));
});

test("a request gets its own answer, and a fault is a rejection", async () => {
  const { link, port } = setUp();
  const first = link.request("cache_stats");
  port().say(WELCOME);
  await Promise.resolve();
  const second = link.request("test_provider", { provider: "gemini", id: 77, type: "forged" });
  await new Promise(setImmediate);
  const [, one, two] = port().sent;
  assert.deepEqual([one.type, two.type, two.provider], ["cache_stats", "test_provider", "gemini"]);
  assert.notEqual(one.id, two.id);
  port().say({ type: "error", id: two.id, code: "misconfigured", message: "no such provider" });
  port().say({ type: "cache", id: one.id, entries: 1, bytes: 2, hits: 3, misses: 4, removed: 0 });
  assert.equal((await first).entries, 1);
  await assert.rejects(second, { code: "misconfigured", message: "no such provider", hint: "" });
});

test("a request is refused when the port is lost, when it never opens, and in the end by time", async () => {
  const { link, port, clock } = setUp();
  const never = link.request("status");
  port().die("Specified native messaging host not found.");
  await assert.rejects(never, { code: "host_missing" });
  const lost = link.request("status");
  port().say(WELCOME);
  await new Promise(setImmediate);
  port().die();
  await assert.rejects(lost, { code: "host_exited" });
  const late = link.request("status");
  port().say(WELCOME);
  await new Promise(setImmediate);
  for (let n = 0; n < 9; n += 1) {
    clock.pass(10_000);
    if (!port().isClosed) port().say({ type: "pong", id: 999 });
  }
  await assert.rejects(late, { code: "host_silent" });
});

test("a test of a provider may take as long as a call", async () => {
  const { link, port, clock } = setUp();
  const slow = link.request("test_provider", { provider: "local" });
  port().say(WELCOME);
  await new Promise(setImmediate);
  for (let n = 0; n < 60; n += 1) {
    clock.pass(10_000);
    port().say({ type: "pong", id: 999 });
  }
  port().say({ type: "provider_tested", id: port().sent[1].id, ok: true, latency_ms: 600_000, text: "안녕" });
  assert.equal((await slow).latency_ms, 600_000);
});

test("a closed port's late words are not heard", () => {
  const { link, port, events, clock, world } = setUp();
  link.open();
  const old = port();
  world.isAwaited = true;
  clock.pass(13_000);
  old.say(WELCOME);
  old.die();
  assert.deepEqual(events, ["lost"]);
});

test("asking in the middle of a pause opens the port at once", async () => {
  const { link, world, ports, port } = setUp();
  world.isAwaited = true;
  link.open();
  port().die();
  const greeting = link.greeting();
  assert.equal(ports.length, 2);
  port().say(WELCOME);
  await greeting;
});

test("each sentence of a browser has its code", () => {
  /** @param {string} text @param {string} code */
  const check = (text, code) => assert.equal(linkCode(text), code, text);
  check("Specified native messaging host not found.", "host_missing");
  check("No such native application org.webtranslator.host", "host_missing");
  check("Access to the specified native messaging host is forbidden.", "host_forbidden");
  check("Native host has exited.", "host_exited");
  check("Error when communicating with the native messaging host.", "host_exited");
  check("An unexpected error occurred", "host_exited");
  check("", "host_exited");
});

test("what a host printed is read out of the browser's complaint", () => {
  const complaint = (/** @type {number} */ n) =>
    `Native application tried to send a message of ${n} bytes, which exceeds the limit of 1048576 bytes.`;
  assert.equal(strayOutput(complaint(1836017711)), "/hom");
  assert.equal(strayOutput(complaint(858927154)), "2023");
  assert.equal(strayOutput(complaint(1048577)), "");
  assert.equal(strayOutput("Native host has exited."), "");
});

test("the command that mends is this system's", () => {
  const place = { os: "linux", extensionId: "abc" };
  assert.equal(mendingCommand("host_missing", place), "./installer/install.sh");
  assert.equal(mendingCommand("host_missing", { ...place, os: "win" }), "installer\\install.ps1");
  const forbidden = linkFault("host_forbidden", "", place, (key, ...values) => [key, ...values].join(" "));
  assert.equal(forbidden.hint, "hint_host_forbidden abc");
  assert.match(forbidden.command ?? "", /abc$/);
});
