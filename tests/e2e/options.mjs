/**
 * A reader's way through the options page: adds a provider, fills its fields
 * and tries it out, by typing and clicking in the real page.
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
  const isOver = () => page.evaluate((at) => {
    const pressed = /** @type {HTMLButtonElement} */ (document.querySelector(at));
    return !pressed.disabled && /\S/.test(pressed.parentElement?.querySelector('[role="status"]')?.textContent ?? '');
  }, button);
  await until('a word on the test', isOver);
  return page.evaluate((at) => document.querySelector(at)?.parentElement?.querySelector('[role="status"]')?.textContent ?? '', button);
}
