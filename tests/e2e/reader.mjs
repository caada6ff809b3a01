/**
 * A reader's browser for a whole suite: the folder that ships, the real host,
 * and a store that is chosen anew for each run.
 */

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { open } from './driver.mjs';
import { HomeLink, KEY, KEY_VARIABLE } from './store.mjs';

/** @typedef {import('./driver.mjs').Driver} Driver */
/** @typedef {{driver: Driver, link: HomeLink}} Reader */

const HOST = process.env.WEBTRANSLATOR_HOST ?? 'target/fast/webtranslator';

/**
 * @param {import('./driver.mjs').BrowserName} browser
 * @returns {Promise<Reader>}
 */
export async function openReader(browser) {
  const link = new HomeLink();
  const env = { WEBTRANSLATOR_HOME: link.path, [KEY_VARIABLE]: KEY };
  const driver = await open({ browser, extension: 'extension', host: fs.realpathSync(HOST), env });
  return { driver, link };
}

/**
 * Closes the browsers of a suite; a host that outlives its browser is a fault.
 *
 * @param {Iterable<Reader>} readers
 */
export async function closeReaders(readers) {
  for (const { driver, link } of readers) {
    assert.deepEqual(await driver.close(), [], 'a host outlived its browser');
    link.remove();
  }
}
