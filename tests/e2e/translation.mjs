/** One translation of a page in a browser, from the click to the account. */

import { judge } from './check.mjs';
import { addedTexts, hold, look, times } from './page-probe.mjs';
import { MAIN, readState } from './popup.mjs';
import { until } from './wait.mjs';

/** @typedef {import('puppeteer-core').Page} Page */
/** @typedef {import('./driver.mjs').Driver} Driver */
/** @typedef {import('./popup.mjs').State} State */

/**
 * @typedef {object} Translation
 * @property {Page} page
 * @property {State} state what the popup says at the end
 * @property {import('./check.mjs').Judgement} judgement
 * @property {string[]} added words in nodes that the page did not have
 * @property {{first: number, half: number, last: number}} seconds since the click
 */

/**
 * Lets the next host of this browser start with another home.
 *
 * @param {Driver} driver
 * @param {import('./store.mjs').HomeLink} link
 * @param {string} home
 */
export async function useHome(driver, link, home) {
  await driver.closePopup();
  await driver.stopBackground();
  await until('the end of the last host', () => driver.hostPids().length === 0);
  link.pointTo(home);
}

/**
 * Opens a page, presses the popup's main button and waits until the popup says
 * that the page is finished.
 *
 * @param {Driver} driver
 * @param {string} url
 * @param {{ms?: number, attention?: 'focus' | 'selection', ready?: () => Promise<unknown>, meanwhile?: (page: Page) => Promise<void>}} [options]
 *   `ready`: waited for before the click
 * @returns {Promise<Translation>}
 */
export async function translatePage(driver, url, { ms = 120_000, attention, ready, meanwhile } = {}) {
  const page = await driver.page(url);
  await hold(page, attention);
  await driver.openPopup(page);
  await until('a host that greets', async () => (await readState(driver)).isReady);
  await ready?.();
  const clicked = Date.now();
  await driver.click(MAIN);
  await meanwhile?.(page);
  await driver.openPopup(page);
  const state = await until('the end of the page', () => finished(driver), { ms, every: 100 });
  const judgement = judge(await look(page));
  return { page, state, judgement, added: await addedTexts(page), seconds: spans(clicked, await times(page)) };
}

/**
 * @param {Driver} driver
 * @returns {Promise<State | undefined>}
 */
async function finished(driver) {
  const state = await readState(driver);
  return state.isDone ? state : undefined;
}

/**
 * @param {number} start
 * @param {number[]} changes in order
 * @returns {Translation['seconds']}
 */
function spans(start, changes) {
  const at = (/** @type {number} */ index) => ((changes[index] ?? NaN) - start) / 1000;
  return { first: at(0), half: at(Math.floor((changes.length - 1) / 2)), last: at(changes.length - 1) };
}
