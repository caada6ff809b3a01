/**
 * Opens a page in a browser with a fresh profile, presses "Translate" in the
 * real popup, and waits for the end: with a window it stays open until the
 * reader closes it, without one it leaves a screenshot and a summary line.
 *
 * `install.sh --try` calls it; it starts nothing but the browser, through the
 * driver of the browser tests.
 */

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { open } from '../tests/e2e/driver.mjs';
import { servePages } from '../tests/e2e/page-server.mjs';
import { pause, until } from '../tests/e2e/wait.mjs';

/** A guide of this size takes seconds; a minute without an answer means that something is wrong. */
const LIMIT_MS = 60_000;

/**
 * @typedef {object} State what the popup shows
 * @property {number} total
 * @property {number} answered
 * @property {number} failed
 * @property {string[]} reasons of the failed ones
 * @property {boolean} done
 * @property {string} fault why it does not go on, in the popup's words
 */

const { values } = parseArgs({
  options: {
    host: { type: 'string' },
    browser: { type: 'string' },
    data: { type: 'string' },
    page: { type: 'string' },
    screenshot: { type: 'string' },
  },
});
const { host = '', data = '', page: file = '', screenshot } = values;
const extension = path.join(import.meta.dirname, '..', 'extension');

const server = await servePages({ guide: fs.readFileSync(file, 'utf8') });
const driver = await open({
  browser: values.browser === 'firefox' ? 'firefox' : 'chromium',
  extension,
  host,
  env: { WEBTRANSLATOR_HOME: data },
  headless: screenshot !== undefined,
  registerHost: (folder, family) => {
    execFileSync(host, ['install', '--manifest-dir', folder, '--family', family], { stdio: 'ignore' });
  },
}).catch(giveUp);
try {
  process.exitCode = await run();
} catch (error) {
  tell(error);
  process.exitCode = 1;
} finally {
  await driver.close().catch(() => undefined);
  await server.close();
}

/** @param {unknown} error */
function tell(error) {
  console.error(`webtranslator: ${error instanceof Error ? error.message : error}`);
}

/**
 * Ends when not even the browser started.
 *
 * @param {unknown} error
 * @returns {never}
 */
function giveUp(error) {
  tell(error);
  process.exit(1);
}

/** @returns {Promise<number>} the exit code */
async function run() {
  const page = await driver.page(`${server.url}guide`);
  await driver.openPopup(page);
  await until('the host to answer in the popup', ready, { ms: 30_000 });
  const begun = Date.now();
  await driver.click('#toggle');
  const state = await end(page);
  const seconds = ((Date.now() - begun) / 1000).toFixed(1);
  if (screenshot) await page.screenshot({ path: /** @type {`${string}.png`} */ (screenshot) });
  const translated = state.answered - state.failed;
  const picture = screenshot ? `, screenshot ${screenshot}` : '';
  console.log(`segments ${state.total}, translated ${translated}, failed ${state.failed}, ${seconds} s${picture}`);
  for (const reason of state.reasons) console.log(`  ${reason}`);
  if (!screenshot) await untilClosed();
  return state.total > 0 && translated === state.total ? 0 : 1;
}

/** The popup is ready when it has the settings; a fault it shows is ours to tell. */
async function ready() {
  const { fault, isReady } = await driver.popup(() => ({
    fault: document.querySelector('#fault:not([hidden])')?.textContent ?? '',
    isReady: /** @type {HTMLSelectElement | null} */ (document.querySelector('#controls:not([hidden]) #target'))?.value === 'es',
  }));
  return isReady || (fault !== '' && Promise.reject(new Error(fault)));
}

/**
 * Waits until every segment is answered, and says how far it is.
 *
 * @param {import('puppeteer-core').Page} page
 * @returns {Promise<State>}
 */
async function end(page) {
  let deadline = Date.now() + LIMIT_MS;
  let said = '';
  for (;;) {
    const state = await look(page);
    if (state?.done) return state;
    if (state?.fault) throw new Error(state.fault);
    if (Date.now() > deadline) throw new Error(`nothing came for a minute; the last was: ${said || 'nothing'}`);
    const line = state?.total ? `${state.answered} of ${state.total}` : said;
    if (line !== said) {
      console.log(line);
      deadline = Date.now() + LIMIT_MS;
    }
    said = line;
    await pause(500);
  }
}

/**
 * Reads the popup. A window that loses the focus closes it: it is opened
 * again, and that moment has no state.
 *
 * @param {import('puppeteer-core').Page} page
 * @returns {Promise<State | undefined>}
 */
async function look(page) {
  try {
    return await driver.popup(() => {
      const number = (/** @type {string} */ name) =>
        Number(document.querySelector('#bar')?.getAttribute(name) ?? 0);
      const counts = [...document.querySelectorAll('#failures b')].map((count) =>
        Number.parseInt(count.textContent ?? '', 10),
      );
      return {
        total: number('aria-valuemax'),
        answered: number('aria-valuenow'),
        failed: counts.reduce((sum, count) => sum + (count || 0), 0),
        reasons: [...document.querySelectorAll('#failures li')].map((line) =>
          [...line.children].map((part) => part.textContent).join(' '),
        ),
        done: (document.querySelector('#live')?.textContent ?? '') !== '',
        fault: document.querySelector('#fault:not([hidden]), #notice:not([hidden])')?.textContent ?? '',
      };
    });
  } catch {
    if (!driver.engine.browser.connected) throw new Error('the browser was closed before the end');
    await driver.openPopup(page).catch(() => undefined);
    return undefined;
  }
}

/** Waits for the reader to close the window. */
async function untilClosed() {
  console.log('The window stays until you close it.');
  await driver.closePopup().catch(() => undefined);
  const { browser } = driver.engine;
  if (browser.connected) await new Promise((resolve) => browser.once('disconnected', resolve));
}
