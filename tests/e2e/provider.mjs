/** Starts the scripted provider and asks it what it was asked. */

import { spawn } from 'node:child_process';
import path from 'node:path';
import { end } from './processes.mjs';
import { within } from './wait.mjs';

/**
 * @typedef {object} Call
 * @property {number} n
 * @property {number} time_ms
 * @property {string[]} texts
 * @property {string} outcome
 */

/**
 * @typedef {object} Provider
 * @property {string} url without a path
 * @property {() => Promise<Call[]>} log
 * @property {() => Promise<{calls: number, in_flight: number, max_concurrent: number}>} stats
 * @property {() => Promise<Map<string, number>>} paid how often each text was paid for
 * @property {(script: object) => Promise<void>} script a new schedule, and an empty log
 * @property {(script: object) => Promise<void>} follow a new schedule; the log goes on
 * @property {() => Promise<void>} close
 */

/**
 * @param {string} binary
 * @param {object} script as `tests/provider/src/script.rs` has it
 * @returns {Promise<Provider>}
 */
export async function startProvider(binary, script) {
  const child = spawn(path.resolve(binary), ['--stdin'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const port = await within('the start of the provider', firstLine(child), 10_000);
  const url = `http://127.0.0.1:${JSON.parse(port).port}`;
  /** @type {Provider} */
  const provider = {
    url,
    async log() {
      const lines = await (await fetch(`${url}/__log`)).text();
      return lines.split('\n').filter(Boolean).map((line) => JSON.parse(line));
    },
    async stats() {
      return /** @type {any} */ (await (await fetch(`${url}/__stats`)).json());
    },
    async paid() {
      return new Map(Object.entries(/** @type {any} */ (await (await fetch(`${url}/__paid`)).json())));
    },
    async follow(next) {
      await post(`${url}/__script`, next);
    },
    async script(next) {
      await provider.follow(next);
      await post(`${url}/__reset`, {});
    },
    async close() {
      if (child.pid && child.exitCode === null) await end(child.pid);
    },
  };
  await provider.script(script);
  return provider;
}

/**
 * Returns the texts that were paid for again, with the calls that had paid for
 * them before: only calls that were in flight at a crash may be among these.
 *
 * @param {Call[]} log
 * @returns {{texts: number, calls: number}}
 */
export function paidTwice(log) {
  /** @type {Map<string, number>} */
  const payer = new Map();
  const again = new Set();
  let texts = 0;
  for (const call of log.filter(({ outcome }) => outcome === 'ok')) {
    for (const text of new Set(call.texts)) {
      const first = payer.get(text);
      if (first === undefined) payer.set(text, call.n);
      else {
        texts += 1;
        again.add(first);
        payer.set(text, call.n);
      }
    }
  }
  return { texts, calls: again.size };
}

/**
 * @param {string} url
 * @param {object} body
 */
async function post(url, body) {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<string>}
 */
function firstLine(child) {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(text);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the provider ended with ${code}`)));
  });
}
