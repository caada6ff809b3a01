/**
 * A reader's way through the options page: adds a provider, fills its fields,
 * agrees to terms, looks for engines and tries a provider out, by typing and
 * clicking in the real page.
 */

import { until } from './wait.mjs';

/** @typedef {import('puppeteer-core').Page} Page */

/**
 * @typedef {object} Wish
 * @property {string} name
 * @property {string} kind
 * @property {Record<string, string>} fields what is typed, by the field's name
 */

/**
 * Adds a provider and types its fields, each saved when it is left.
 *
 * @param {Page} page the options
 * @param {Wish} wish
 */
export async function addProvider(page, { name, kind, fields }) {
  await until('the options', () => page.evaluate(() => document.getElementById('sections')?.hidden === false));
  await page.select('#add-kind', kind);
  await page.type('#add-name', name);
  await page.click('#add-button');
  const card = `#providers [data-name="${name}"]`;
  await until('the new provider', () => page.evaluate((at) => document.querySelector(at) !== null, card));
  for (const [field, value] of Object.entries(fields)) {
    const at = `${card} [data-field="${field}"]`;
    await page.type(at, value);
    await page.evaluate((input) => /** @type {HTMLElement} */ (document.querySelector(input)).blur(), at);
    await until(`${field} to be saved`, () => page.evaluate((input) => {
      const control = /** @type {HTMLInputElement} */ (document.querySelector(input));
      return control.getAttribute('aria-invalid') === null && document.getElementById('status')?.textContent !== '';
    }, at));
  }
}

/**
 * Presses a provider's test button and returns what it says.
 *
 * @param {Page} page the options
 * @param {string} name
 * @returns {Promise<string>}
 */
export async function tryOut(page, name) {
  const card = `#providers [data-name="${name}"]`;
  const button = `${card} [data-act="test"]`;
  await page.click(button);
  return testWords(page, button);
}

/**
 * Waits until a test has ended and returns what it says.
 *
 * @param {Page} page
 * @param {string} button that starts the test
 * @returns {Promise<string>}
 */
async function testWords(page, button) {
  return until('a word on the test', () => page.evaluate((at) => {
    const pressed = document.querySelector(at);
    const words = pressed?.parentElement?.querySelector('[role="status"]')?.textContent ?? '';
    return pressed?.getAttribute('aria-disabled') === 'true' ? '' : words.trim();
  }, button));
}

/**
 * Returns the state that a provider's card shows.
 *
 * @param {Page} page the options
 * @param {string} name
 * @returns {Promise<string>}
 */
export async function stateOf(page, name) {
  return page.evaluate((at) => document.querySelector(at)?.textContent ?? '', `#providers [data-name="${name}"] .chip`);
}

/**
 * Ticks the box that agrees to a provider's terms.
 *
 * @param {Page} page the options
 * @param {string} name
 */
export async function agree(page, name) {
  await page.click(`#providers [data-name="${name}"] [data-field="accept_terms"]`);
}

/**
 * Presses the button that looks for engines on this machine, and waits for its end.
 *
 * @param {Page} page the options
 */
export async function lookForEngines(page) {
  await until('the options', () => page.evaluate(() => document.getElementById('sections')?.hidden === false));
  await page.click('#detect');
  await until('the end of the search', () => page.evaluate(() =>
    document.getElementById('detect')?.getAttribute('aria-disabled') !== 'true' &&
    /\S/.test(document.getElementById('detect-status')?.textContent ?? '')));
}

/**
 * Adds an engine that was found, and returns what its first test says.
 *
 * @param {Page} page the options
 * @param {string} name of the engine, and of the provider
 * @returns {Promise<string>}
 */
export async function addFound(page, name) {
  await page.click(`#found [data-found="${name}"] [data-act="add"]`);
  const card = `#providers [data-name="${name}"]`;
  await until('the new provider', () => page.evaluate((at) => document.querySelector(at) !== null, card));
  return testWords(page, `${card} [data-act="test"]`);
}
