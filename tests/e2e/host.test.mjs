/**
 * What goes wrong, as the reader sees it in the popup of both browsers: no
 * host, no key, a wrong address, a provider that is down, a mistake in the
 * settings, a cache that cannot be used. The page stays readable each time.
 */

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { judge } from './check.mjs';
import { BROWSERS } from './driver.mjs';
import { addProvider, tryOut } from './options.mjs';
import { hold, look } from './page-probe.mjs';
import { servePages } from './page-server.mjs';
import { DISMISS, MAIN, readState } from './popup.mjs';
import { startProvider } from './provider.mjs';
import { closeReaders, openReader } from './reader.mjs';
import { makeHome, settingsFor } from './store.mjs';
import { useHome } from './translation.mjs';
import { until } from './wait.mjs';

/** @typedef {import('./driver.mjs').Driver} Driver */
/** @typedef {import('./popup.mjs').State} State */

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {() => string} home makes the folder that WEBTRANSLATOR_HOME names
 * @property {RegExp} says what the popup shows, wherever it shows it
 * @property {boolean} translates whether the page is translated in spite of it
 * @property {boolean} [notice] whether the host tells it once, and the reader dismisses it
 */

const PROVIDER = process.env.SCRIPTED_PROVIDER ?? 'target/fast/scripted-provider';
const OUT = 'tests/e2e/out';
/** A port of the privileged range that nothing listens on. */
const NOBODY = 'http://127.0.0.1:9';
const PAGE =
  '<!doctype html><html lang="en"><title>A short page</title><body><h1>The long winter</h1>' +
  '<p>This patch loses the quest markers every time the autosave runs.</p><p>Please fix it before the weekend.</p></body></html>';

/** @type {Awaited<ReturnType<typeof servePages>>} */
let pages;
/** @type {Awaited<ReturnType<typeof startProvider>>} */
let provider;
/** @type {Map<string, import('./reader.mjs').Reader>} */
const browsers = new Map();
/** @type {string[]} */
const homes = [];

before(async () => {
  fs.mkdirSync(OUT, { recursive: true });
  pages = await servePages({ 'short.html': PAGE });
  provider = await startProvider(PROVIDER, {});
  await Promise.all(BROWSERS.map(startBrowser));
});

after(async () => {
  await closeReaders(browsers.values());
  await provider?.close();
  await pages?.close();
  for (const home of homes) fs.rmSync(home, { recursive: true, force: true });
});

/** @type {Case[]} */
const CASES = [
  { name: 'nothing_is_wrong', home: () => homeWith(settingsFor(provider.url)), says: /scripted/, translates: true },
  {
    name: 'a_key_is_missing',
    // Without an address of its own it is Google's: nothing is sent there without a key.
    home: () => homeWith('target = "ko"\nproviders = ["keyless"]\n[provider.keyless]\nkind = "gemini"\n'),
    says: /\bkey\b/i,
    translates: false,
  },
  {
    name: 'the_base_url_is_wrong',
    home: () => homeWith(settingsFor(`${pages.url}wrong`)),
    says: /address|base_url/i,
    translates: false,
  },
  {
    name: 'the_provider_is_down',
    home: () => homeWith(settingsFor(NOBODY)),
    says: /does not run|nobody answers|no connection|not running|start the server/i,
    translates: false,
  },
  {
    name: 'the_settings_have_a_mistake',
    home: () => homeWith('target = "ko"\nproviders = [\n'),
    says: /line \d|settings\.toml/i,
    translates: false,
  },
  { name: 'no_provider_is_set_up', home: () => homeWith('target = "ko"\n'), says: /provider/i, translates: false },
  {
    name: 'the_cache_is_damaged',
    home: () => {
      const home = homeWith(settingsFor(provider.url));
      fs.writeFileSync(path.join(home, 'cache.db'), 'this is no database '.repeat(1000));
      return home;
    },
    says: /cache was damaged[^]*kept as/i,
    translates: true,
    notice: true,
  },
  {
    name: 'the_cache_cannot_be_written',
    home: () => {
      const home = homeWith(settingsFor(provider.url));
      // Root may write everywhere, but nobody opens a folder as a file.
      fs.mkdirSync(path.join(home, 'cache.db', 'in-the-way'), { recursive: true });
      return home;
    },
    says: /kept in memory/i,
    translates: true,
    notice: true,
  },
];

for (const name of BROWSERS) {
  test(`${name}_says_what_to_do_when_the_host_is_missing`, () => hostMissing(name));
  for (const each of CASES) test(`${name}: ${each.name}`, () => checkCase(name, each));
  test(`${name}_lets_a_reader_set_up_a_provider_and_translate`, () => firstProvider(name));
  test(`${name}_shows_its_own_pages_in_light_and_dark`, () => pictures(name));
}

/** @param {import('./driver.mjs').BrowserName} name */
async function startBrowser(name) {
  browsers.set(name, await openReader(name));
}

/** @param {string} name */
async function hostMissing(name) {
  const { driver, link } = browser(name);
  await useHome(driver, link, homeWith(settingsFor(provider.url)));
  driver.unregister();
  const page = await driver.page(`${pages.url}short.html`);
  await driver.openPopup(page);
  const state = await until('the fault in the popup', async () => shown(driver, (seen) => seen.fault !== ''), { ms: 30_000 });
  await driver.shootPopup(`${OUT}/popup-missing-${name}.png`, 'light');
  assert.match(state.fault, /not installed/);
  assert.match(state.fault, /installer\/install\.sh/);
  driver.register();
  await driver.closePopup();
  await page.close();
}

/**
 * @param {string} name
 * @param {Case} wanted
 */
async function checkCase(name, { name: caseName, home, says, translates, notice }) {
  const { driver, link } = browser(name);
  await useHome(driver, link, home());
  const page = await driver.page(`${pages.url}short.html`);
  await hold(page);
  await driver.openPopup(page);
  const first = await until('a popup that knows its host', () => shown(driver, (seen) => seen.isReady));
  if (first.main) await driver.click(MAIN);
  const state = await until(
    `${says} in the popup`,
    () => shown(driver, (seen) => says.test(wordsOf(seen)) && (seen.isDone || !translates)),
    { ms: 12_000 },
  )
    .catch(async (error) => assert.fail(`${error}; it says: ${wordsOf(await readState(driver))}`))
    .finally(() => driver.shootPopup(`${OUT}/popup-${caseName}-${name}.png`, 'light'));
  const { wrong, lost, kept } = judge(await look(page));
  assert.deepEqual({ wrong, lost }, { wrong: [], lost: [] }, 'the page stays readable');
  assert.equal(kept.length === 0, translates, `in the original: ${kept.join(' | ')}; ${wordsOf(state)}`);
  assert.equal(state.hostNotice !== '', notice === true, state.hostNotice);
  if (notice) await dismiss(driver, page, caseName, name);
  await driver.closePopup();
  await page.close();
}

/**
 * What the host told once goes with a press, and stays away: in a popup that is
 * opened anew, and when another host meets the same trouble.
 *
 * @param {Driver} driver
 * @param {Awaited<ReturnType<Driver['page']>>} page
 * @param {string} caseName
 * @param {string} name
 */
async function dismiss(driver, page, caseName, name) {
  await driver.shootPopup(`${OUT}/popup-${caseName}-dark-${name}.png`, 'dark');
  await driver.click(DISMISS);
  await until('the end of the notice', () => shown(driver, (seen) => seen.hostNotice === ''));
  await driver.closePopup();
  await driver.killHosts();
  await driver.openPopup(page);
  const again = await until('a popup that knows its host', () => shown(driver, (seen) => seen.isReady));
  assert.equal(again.hostNotice, '', 'dismissed is dismissed');
}

/**
 * Nothing is set up; the reader does it all in the options.
 *
 * @param {string} name
 */
async function firstProvider(name) {
  const { driver, link } = browser(name);
  const home = homeWith('target = "ko"\n');
  await useHome(driver, link, home);
  const options = await driver.visitOwn('options/options.html');
  const key = 'canary-typed-7777';
  const strict = await startProvider(PROVIDER, { key });
  await addProvider(options, { name: 'mine', kind: 'gemini', fields: { base_url: NOBODY, key } });
  assert.match(await tryOut(options, 'mine'), /start the server|nobody answers/i);
  await options.$eval('[data-name="mine"] [data-field="base_url"]', (input) => /** @type {HTMLInputElement} */ (input).select());
  await options.type('[data-name="mine"] [data-field="base_url"]', strict.url);
  await options.$eval('[data-name="mine"] [data-field="base_url"]', (input) => /** @type {HTMLElement} */ (input).blur());
  // The key was entered for another address, and is not sent to this one.
  await until('a word on the key', async () => /\bkey\b/i.test(await tryOut(options, 'mine')));
  await options.type('[data-name="mine"] [data-field="key"]', key);
  await options.$eval('[data-name="mine"] [data-field="key"]', (input) => /** @type {HTMLElement} */ (input).blur());
  await until('a test that works', async () => /가/.test(await tryOut(options, 'mine')));
  assert.ok(!(await options.content()).includes(key), 'the key is shown');
  assert.ok(!fs.readFileSync(path.join(home, 'settings.toml'), 'utf8').includes(key), 'the key is in the settings');
  assert.equal(fs.statSync(path.join(home, 'secrets.toml')).mode & 0o777, 0o600);
  await options.close();

  const page = await driver.page(`${pages.url}short.html`);
  await hold(page);
  await driver.openPopup(page);
  await until('a popup that knows its host', () => shown(driver, (seen) => seen.isReady));
  await driver.click(MAIN);
  await until('the end of the page', () => shown(driver, (seen) => seen.isDone));
  assert.deepEqual(judge(await look(page)).kept, []);
  await driver.closePopup();
  await page.close();
  await strict.close();
}

/** @param {string} name */
async function pictures(name) {
  const { driver, link } = browser(name);
  await useHome(driver, link, homeWith(settingsFor(provider.url)));
  const page = await driver.page(`${pages.url}short.html`);
  await driver.openPopup(page);
  await until('a popup that knows its host', () => shown(driver, (seen) => seen.isReady));
  await driver.click(MAIN);
  await until('the end of the page', () => shown(driver, (seen) => seen.isDone));
  for (const scheme of /** @type {const} */ (['light', 'dark'])) {
    await driver.shootPopup(`${OUT}/popup-${scheme}-${name}.png`, scheme);
  }
  await driver.closePopup();
  const options = await driver.visitOwn('options/options.html');
  await until('the provider in the options', () =>
    options.evaluate(() => /scripted/.test(document.body.innerText) || document.querySelector('input[value="scripted"]') !== null),
  );
  for (const scheme of /** @type {const} */ (['light', 'dark'])) {
    if (name === 'chromium') await options.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    else if (scheme === 'dark') continue;
    await options.screenshot({ path: `${OUT}/options-${scheme}-${name}.png`, fullPage: name === 'chromium' });
  }
  await options.close();
  await page.close();
}

/**
 * @param {Driver} driver
 * @param {(state: State) => boolean} isWanted
 * @returns {Promise<State | undefined>}
 */
async function shown(driver, isWanted) {
  const state = await readState(driver);
  return isWanted(state) ? state : undefined;
}

/**
 * @param {State} state
 * @returns {string} all words of the popup that tell how things stand
 */
function wordsOf({ provider: by, notice, hostNotice, fault, firstRun, counts, waiting, message, failures }) {
  return [by, notice, hostNotice, fault, firstRun, counts, waiting, message, failures].filter(Boolean).join('\n');
}

/**
 * @param {string} settings
 * @returns {string}
 */
function homeWith(settings) {
  const home = makeHome(settings);
  homes.push(home);
  return home;
}

/** @param {string} name */
function browser(name) {
  const found = browsers.get(name);
  assert.ok(found, `${name} did not start`);
  return found;
}
