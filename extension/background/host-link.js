// The one native port: opens it when it is needed, says hello, notices that it
// is lost or silent, and comes back. What is asked of the host is not kept
// here: after a loss the owner of a stream sends again, a request is refused.
//
//   idle ──connect──► greeting ──welcome──► ready
//    ▲                   │ lost               │ lost
//    └── nothing wanted ─┴─────► waiting ◄────┘     waiting ──3 s──► greeting
//                                   └─ a fourth loss without a welcome: gone
//
// Invariants: at most one port is open; a port that is given up is closed; no
// time is read but through the clock that is handed in.

import { hello, PROTOCOL, readReply } from "../shared/wire.js";

/** The pause before the port is opened again. */
export const RETRY_MS = 3000;

/** So often in a row without a `welcome`. */
export const MAX_RETRIES = 3;

/** A host that greets and dies is not started for ever: losses without an answer between. */
export const MAX_FRUITLESS_LOSSES = 8;

/** A host that runs greets within 30 ms; ten seconds are for a machine that swaps. */
export const GREETING_MS = 10_000;

/** Silence before a `ping`, while something is awaited. */
export const SILENCE_MS = 20_000;

/** The time that a `pong` may take. */
export const PONG_MS = 10_000;

/** A request is answered by then. */
export const REQUEST_MS = 90_000;

/** `test_provider` waits for a call's own deadline, which the settings may set to ten minutes. */
export const TEST_MS = 630_000;

/**
 * @typedef {import("../shared/wire.js").Reply} Reply
 * @typedef {import("../shared/wire.js").Welcome} Welcome
 * @typedef {import("./fault.js").Fault} Fault
 * @typedef {{postMessage(message: unknown): void, disconnect(): void,
 *   onMessage: {addListener(listener: (message: any) => void): void},
 *   onDisconnect: {addListener(listener: () => void): void}}} NativePort
 * @typedef {{after(ms: number, act: () => void): () => void}} Clock `after` returns what stops it
 * @typedef {object} Outside
 * @property {() => NativePort} connect opens a native port; may throw
 * @property {(port: NativePort | null) => string} reason why a port closed, in the browser's words
 * @property {Clock} clock
 * @property {{version: string, browser: string}} client
 * @property {(code: string, text: string) => Fault} linkFault
 * @property {(theirs: number) => Fault} protocolFault
 * @property {() => boolean} isAwaited whether a stream waits for an answer
 * @property {(reply: Reply) => void} onReply what belongs to a stream
 * @property {(welcome: Welcome) => void} onReady the host greeted: send what is unanswered
 * @property {(notice: import("../shared/wire.js").NoticeReply) => void} onNotice what the reader should know
 * @property {() => void} onLost every id is dead
 * @property {(fault: Fault) => void} onGone given up; nothing more happens by itself
 */

/** @typedef {{resolve: (reply: Reply) => void, reject: (fault: Fault) => void, stop: () => void}} Asked */

export class HostLink {
  /** @type {"idle" | "greeting" | "ready" | "waiting"} */
  #state = "idle";
  /** @type {NativePort | null} */
  #port = null;
  /** @type {Welcome | null} */
  #welcome = null;
  /** @type {Fault | null} */
  #fault = null;
  #lastId = 0;
  #retries = 0;
  #fruitless = 0;
  /** @type {Map<number, Asked>} */
  #asked = new Map();
  /** @type {{resolve: (welcome: Welcome) => void, reject: (fault: Fault) => void}[]} */
  #greeted = [];
  /** Stops the one timer that runs: greeting, silence, pong or the pause. */
  #stopTimer = () => {};

  /** @param {Outside} outside */
  constructor(outside) {
    this.outside = outside;
  }

  /** The host's greeting, while the port is open. */
  get welcome() {
    return this.#state === "ready" ? this.#welcome : null;
  }

  /** Why the last port was lost; null since a host greeted. */
  get fault() {
    return this.#fault;
  }

  /** @returns {boolean} whether a message would reach a host now */
  get isReady() {
    return this.#state === "ready";
  }

  /** A number that no message on this port has carried. */
  nextId() {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Opens the port unless it is open or about to be. */
  open() {
    if (this.#state === "idle") this.#connect();
  }

  /** Opens the port now, also in the middle of a pause. @returns {Promise<Welcome>} */
  greeting() {
    if (this.#state === "ready" && this.#welcome) return Promise.resolve(this.#welcome);
    return new Promise((resolve, reject) => {
      this.#greeted.push({ resolve, reject });
      if (this.#state === "idle" || this.#state === "waiting") this.#connect();
    });
  }

  /**
   * Sends a message of a stream. Returns false when there is no host to take
   * it: it is then forgotten, and sent again by its owner after `onReady`.
   * @param {object} message
   */
  send(message) {
    if (this.#state !== "ready" || !this.#port) return false;
    try {
      this.#port.postMessage(message);
    } catch {
      // The port died and its event has not come yet.
      this.#lose("");
      return false;
    }
    if (!this.#isSilenceTimed) this.#listen();
    return true;
  }

  /**
   * Sends a request and returns its answer.
   * @param {string} type
   * @param {object} [fields]
   * @returns {Promise<Reply>} rejected with a `Fault`, also for an `error` of the host
   */
  async request(type, fields = {}) {
    await this.greeting();
    const id = this.nextId();
    return new Promise((resolve, reject) => {
      const stop = this.outside.clock.after(type === "test_provider" ? TEST_MS : REQUEST_MS, () => {
        this.#asked.delete(id);
        reject(this.outside.linkFault("host_silent", ""));
      });
      this.#asked.set(id, { resolve, reject, stop });
      if (this.send({ ...fields, type, id })) return;
      this.#asked.delete(id);
      stop();
      reject(this.#fault ?? this.outside.linkFault("host_exited", ""));
    });
  }

  #connect() {
    this.#stopTimer();
    this.#state = "greeting";
    try {
      const port = this.outside.connect();
      this.#port = port;
      port.onMessage.addListener((message) => port === this.#port && this.#hear(message));
      port.onDisconnect.addListener(() => port === this.#port && this.#lose(this.outside.reason(port)));
      port.postMessage(hello(this.outside.client));
    } catch (error) {
      this.#lose(error instanceof Error ? error.message : String(error));
      return;
    }
    this.#time(GREETING_MS, () => this.#lose("", "host_silent"));
  }

  /** @param {unknown} message */
  #hear(message) {
    const reply = readReply(message);
    if (this.#state === "greeting") this.#hearGreeting(reply);
    else this.#hearAnswer(reply);
  }

  /** @param {Reply | null} reply */
  #hearGreeting(reply) {
    if (reply?.type === "error" && reply.code === "unsupported_protocol") {
      const { message, hint } = /** @type {import("../shared/wire.js").ErrorReply} */ (reply);
      const fault = this.outside.protocolFault(0);
      // Which side is too old, only the host can say.
      this.#giveUp(hint ? { code: fault.code, message: `${fault.message} ${message}`, hint } : fault);
    } else if (reply?.type === "welcome") {
      const welcome = /** @type {Welcome} */ (/** @type {unknown} */ (reply));
      if (welcome.protocol !== PROTOCOL) this.#giveUp(this.outside.protocolFault(welcome.protocol));
      else this.#greet(welcome);
    }
  }

  /** @param {Welcome} welcome */
  #greet(welcome) {
    this.#stopTimer();
    this.#state = "ready";
    this.#welcome = welcome;
    this.#fault = null;
    this.#retries = 0;
    for (const { resolve } of this.#greeted.splice(0)) resolve(welcome);
    this.outside.onReady(welcome);
  }

  /** @param {Reply | null} reply */
  #hearAnswer(reply) {
    this.#listen();
    if (reply?.type === "notice") this.outside.onNotice(/** @type {any} */ (reply));
    if (!reply || reply.id === undefined) return;
    if (reply.type === "translated" || reply.type === "failed") this.#fruitless = 0;
    const asked = this.#asked.get(reply.id);
    if (!asked) {
      if (reply.type !== "pong") this.outside.onReply(reply);
    } else {
      this.#asked.delete(reply.id);
      asked.stop();
      if (reply.type === "error") asked.reject(asFault(reply));
      else asked.resolve(reply);
    }
    if (!this.#isAwaited()) this.#listen();
  }

  #isAwaited() {
    return this.#asked.size > 0 || this.outside.isAwaited();
  }

  #isSilenceTimed = false;

  /** Starts to count the silence anew, while something is awaited. */
  #listen() {
    this.#stopTimer();
    if (this.#isAwaited()) {
      this.#time(SILENCE_MS, () => this.#ping());
      this.#isSilenceTimed = true;
    }
  }

  #ping() {
    this.#time(PONG_MS, () => this.#lose("", "host_silent"));
    this.#isSilenceTimed = true;
    try {
      this.#port?.postMessage({ type: "ping", id: this.nextId() });
    } catch {
      this.#lose("");
    }
  }

  /** @param {number} ms @param {() => void} act */
  #time(ms, act) {
    this.#stopTimer();
    const stop = this.outside.clock.after(ms, act);
    this.#stopTimer = () => {
      stop();
      this.#isSilenceTimed = false;
      this.#stopTimer = () => {};
    };
  }

  #close() {
    this.#stopTimer();
    const port = this.#port;
    this.#port = null;
    this.#welcome = null;
    this.#state = "idle";
    try {
      port?.disconnect();
    } catch {
      // Closed already.
      return;
    }
  }

  /**
   * The port is lost: requests are refused, and it is opened again after a
   * pause if a stream waits.
   * @param {string} text the browser's words
   * @param {string} [code] where we know better than the browser
   */
  #lose(text, code) {
    const fault = code ? this.outside.linkFault(code, "") : this.outside.linkFault("", text);
    this.#close();
    this.#fault = fault;
    this.#refuse(fault);
    this.#fruitless += 1;
    const isAwaited = this.outside.isAwaited();
    this.outside.onLost();
    if (!isAwaited) return;
    if (this.#retries >= MAX_RETRIES || this.#fruitless > MAX_FRUITLESS_LOSSES) {
      this.#giveUp(fault);
      return;
    }
    this.#retries += 1;
    this.#state = "waiting";
    this.#time(RETRY_MS, () => this.#connect());
  }

  /** @param {Fault} fault */
  #giveUp(fault) {
    this.#close();
    this.#fault = fault;
    this.#retries = 0;
    this.#fruitless = 0;
    this.#refuse(fault);
    this.outside.onGone(fault);
  }

  /** @param {Fault} fault */
  #refuse(fault) {
    for (const { reject } of this.#greeted.splice(0)) reject(fault);
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    for (const { reject, stop } of asked) {
      stop();
      reject(fault);
    }
  }
}

/** @param {Reply} reply @returns {Fault} */
function asFault(reply) {
  const { code, message, hint } = /** @type {import("../shared/wire.js").ErrorReply} */ (reply);
  return { code, message, hint: hint ?? "" };
}
