/**
 * A host as a browser starts it: the built program with its frames over pipes,
 * without a browser. Holds what the wire promises: each segment of a page is
 * answered exactly once, and nothing follows a `done`.
 */

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { KEY, KEY_VARIABLE } from './store.mjs';
import { within } from './wait.mjs';

/**
 * @typedef {object} Wish
 * @property {string[]} texts
 * @property {string} [target]
 * @property {string} [origin]
 * @property {number} [part] segments in one message
 */

/**
 * @typedef {object} Page what became of one
 * @property {boolean} isDone false when the host ended before
 * @property {Map<number, {text: string, from: string}>} translated
 * @property {Map<number, string>} failed codes
 * @property {string} message of the last failure
 * @property {{calls: number, from_cache: number}} done
 */

/** @typedef {{page: Page, total: number, resolve: (page: Page) => void}} Open */

const PROGRAM = process.env.WEBTRANSLATOR_HOST ?? 'target/fast/webtranslator';
const ORIGIN = 'chrome-extension://abcdefghijklmnopabcdefghijklmnop/';
/** As the extension: at most so many in one message. */
const PART = 256;

export class PipedHost {
  /**
   * Starts a host and greets it.
   *
   * @param {string} home
   * @returns {Promise<PipedHost>}
   */
  static async start(home) {
    const host = new PipedHost(home);
    const welcome = new Promise((resolve) => {
      host.welcomed = resolve;
    });
    host.send({ type: 'hello', protocol: 1, client: { version: '0.1.0', browser: 'chromium' } });
    await within('a welcome', Promise.race([welcome, host.ended]), 20_000);
    return host;
  }

  /** @param {string} home */
  constructor(home) {
    const env = { ...process.env, WEBTRANSLATOR_HOME: home, [KEY_VARIABLE]: KEY };
    this.child = spawn(fs.realpathSync(PROGRAM), [ORIGIN], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    if (!this.child.pid) throw new Error('the host does not start');
    this.pid = this.child.pid;
    /** @type {Map<number, Open>} */
    this.open = new Map();
    this.next = 1;
    this.unread = Buffer.alloc(0);
    /** @type {(value?: unknown) => void} */
    this.welcomed = () => undefined;
    /** @type {string[]} what must not happen */
    this.faults = [];
    this.child.stdout.on('data', (chunk) => this.read(chunk));
    // A killed host takes no more; its end is seen below.
    this.child.stdin.on('error', () => undefined);
    /** @type {Promise<{code: number | null, signal: string | null}>} */
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code, signal) => {
        for (const { page, resolve: give } of this.open.values()) give(page);
        this.open.clear();
        resolve({ code, signal });
      });
    });
  }

  /** @param {object} message */
  send(message) {
    const body = Buffer.from(JSON.stringify(message));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(body.length);
    this.child.stdin.write(Buffer.concat([length, body]));
  }

  /**
   * Translates a page; resolves when it is done or the host has ended.
   *
   * @param {Wish} wish
   * @returns {Promise<Page>}
   */
  translate({ texts, target = 'ko', origin = 'https://example.org', part = PART }) {
    const id = this.next;
    this.next += 1;
    /** @type {Page} */
    const page = { isDone: false, translated: new Map(), failed: new Map(), message: '', done: { calls: 0, from_cache: 0 } };
    const result = new Promise((/** @type {(page: Page) => void} */ resolve) => {
      this.open.set(id, { page, total: texts.length, resolve });
    });
    const segments = texts.map((text, i) => ({ i, text, rank: i < 20 ? 0 : 2 }));
    for (let at = 0; at < segments.length; at += part) {
      const more = at + part < segments.length;
      const about = { origin, title: 'A page' };
      this.send({ type: 'translate', id, target, source: 'en', page: about, segments: segments.slice(at, at + part), more });
    }
    return result;
  }

  /** Closes stdin, as a browser does that goes away. */
  hangUp() {
    this.child.stdin.end();
  }

  kill() {
    this.child.kill('SIGKILL');
  }

  /** @returns {number} resident bytes; 0 when it is gone */
  memory() {
    const pages = this.ask(() => Number(fs.readFileSync(`/proc/${this.pid}/statm`, 'utf8').split(' ')[1]));
    return pages * 4096;
  }

  /** @returns {number} open descriptors; 0 when it is gone */
  descriptors() {
    return this.ask(() => fs.readdirSync(`/proc/${this.pid}/fd`).length);
  }

  /** @param {() => number} look at /proc, which may be gone by now */
  ask(look) {
    try {
      return look();
    } catch {
      return 0;
    }
  }

  /** @param {Buffer} chunk */
  read(chunk) {
    this.unread = Buffer.concat([this.unread, chunk]);
    while (this.unread.length >= 4) {
      const end = 4 + this.unread.readUInt32LE(0);
      if (this.unread.length < end) return;
      const body = this.unread.subarray(4, end).toString();
      this.unread = this.unread.subarray(end);
      this.take(JSON.parse(body));
    }
  }

  /** @param {any} message */
  take(message) {
    if (message.type === 'welcome') return this.welcomed();
    const open = this.open.get(message.id);
    if (message.type === 'error' || !open) return void this.faults.push(JSON.stringify(message).slice(0, 300));
    if (message.type === 'translated' || message.type === 'failed') this.note(open, message);
    if (message.type === 'done') this.end(open, message);
  }

  /**
   * @param {Open} open
   * @param {any} message
   */
  note({ page, total }, message) {
    for (const { i, text, from, code } of message.segments) {
      const isKnown = page.translated.has(i) || page.failed.has(i);
      if (isKnown || i >= total) this.faults.push(`segment ${i} of ${total} is answered twice or is none`);
      if (message.type === 'translated') page.translated.set(i, { text, from });
      else page.failed.set(i, code);
    }
    page.message = message.message ?? page.message;
  }

  /**
   * @param {Open} open
   * @param {any} done
   */
  end({ page, total, resolve }, done) {
    const answered = page.translated.size + page.failed.size;
    if (answered !== total) this.faults.push(`${answered} of ${total} segments are answered at the end`);
    this.open.delete(done.id);
    resolve({ ...page, isDone: true, done });
  }
}
