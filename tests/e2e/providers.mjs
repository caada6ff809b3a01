/**
 * Providers of every form, as a reader sets them up in both browsers with the
 * real host: fields that only one kind has, terms that must be agreed to, an
 * engine that is found on this machine, and a provider that stands in.
 */

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { judge } from './check.mjs';
import { BROWSERS } from './driver.mjs';
import { startEngine } from './engine.mjs';
import { addFound, addProvider, agree, lookForEngines, stateOf, tryOut } from './options.mjs';
import { look } from './page-probe.mjs';
import { servePages } from './page-server.mjs';
import { startProvider } from './provider.mjs';
import { closeReaders, openReader } from './reader.mjs';
import { makeHome, settingsFor } from './store.mjs';
import { translatePage, useHome } from './translation.mjs';
import { until } from './wait.mjs';

const PROVIDER = process.env.SCRIPTED_PROVIDER ?? 'target/fast/scripted-provider';
const OUT = 'tests/e2e/out';
/** A port of the privileged range that nothing listens on. */
const NOBODY = 'http://127.0.0.1:9';
const PAGE =
  '<!doctype html><html lang="en"><title>A short page</title><body><h1>The long winter</h1>' +
  '<p>This patch loses the quest markers every time the autosave runs.</p></body></html>';

/**
 * One kind of each form, with what is typed for it; no key, so that nothing is asked of anybody.
 *
 * @type {{kind: string, fields: Record<string, string>}[]}
 */
const FORMS = [
  { kind: 'anthropic', fields: { model: 'claude-haiku-5-5' } },
  { kind: 'ollama', fields: { model: 'qwen3', context_tokens: '8192' } },
  { kind: 'google-cloud', fields: { project: 'my-project', location: 'europe-west1' } },
  { kind: 'azure', fields: { region: 'koreacentral' } },
  { kind: 'yandex', fields: { folder: 'b1gfolder' } },
  { kind: 'libretranslate', fields: { base_url: 'http://127.0.0.1:5001' } },
  { kind: 'sample', fields: {} },
];

/** @type {Awaited<ReturnType<typeof servePages>>} */
let pages;
/** @type {Awaited<ReturnType<typeof startProvider>>} */
let provider;
/** @type {Awaited<ReturnType<typeof startEngine>>} */
let engine;
/** @type {Map<string, import('./reader.mjs').Reader>} */
const browsers = new Map();
/** @type {string[]} */
const homes = [];

before(async () => {
  fs.mkdirSync(OUT, { recursive: true });
  pages = await servePages({ 'short.html': PAGE });
  provider = await startProvider(PROVIDER, {});
  engine = await startEngine();
  await Promise.all(BROWSERS.map(async (name) => browsers.set(name, await openReader(name))));
});

after(async () => {
  await closeReaders(browsers.values());
  await engine?.close();
  await provider?.close();
  await pages?.close();
  for (const home of homes) fs.rmSync(home, { recursive: true, force: true });
});

for (const name of BROWSERS) {
  test(`${name}: a provider of each form is added with what it needs`, () => eachForm(name));
  test(`${name}: an unofficial kind is off until the reader agrees to its terms`, () => unofficial(name));
  test(`${name}: an engine on this machine is found, added, tried out and used`, () => foundEngine(name));
  test(`${name}: the popup names who stood in for the first provider, and why`, () => stoodIn(name));
}

/** @param {string} name */
async function eachForm(name) {
  const { options, home } = await openOptions(name, 'target = "ko"\n');
  for (const { kind, fields } of FORMS) await addProvider(options, { name: `my-${kind}`, kind, fields });
  const file = settingsOf(home);
  for (const { kind, fields } of FORMS) {
    const section = sectionOf(file, `my-${kind}`);
    assert.match(section, new RegExp(`^kind = "${kind}"$`, 'm'));
    for (const [field, value] of Object.entries(fields)) {
      const written = field === 'context_tokens' ? value : JSON.stringify(value);
      assert.ok(section.split('\n').includes(`${field} = ${written}`), `${kind}: ${section}`);
    }
  }
  await options.close();
}

/** @param {string} name */
async function unofficial(name) {
  const { options, home } = await openOptions(name, 'target = "ko"\n');
  for (const kind of ['google-web', 'edge-web']) {
    await addProvider(options, { name: kind, kind, fields: {} });
    assert.equal(await stateOf(options, kind), 'Off');
    assert.doesNotMatch(sectionOf(settingsOf(home), kind), /accept_terms/);
    await agree(options, kind);
    await until(`${kind} to be on`, async () => (await stateOf(options, kind)) === 'Ready');
    assert.match(sectionOf(settingsOf(home), kind), /^accept_terms = true$/m);
  }
  await options.close();
}

/** @param {string} name */
async function foundEngine(name) {
  const { options, home, driver } = await openOptions(name, 'target = "ko"\n');
  await lookForEngines(options);
  const words = await addFound(options, 'apertium');
  assert.match(words, /⟦.+⟧/, 'it is tried out once by itself');
  assert.match(await tryOut(options, 'apertium'), /⟦.+⟧/);
  const file = settingsOf(home);
  assert.match(file, /^providers = \["apertium"\]$/m);
  assert.match(sectionOf(file, 'apertium'), /^base_url = "http:\/\/127\.0\.0\.1:2737"$/m);
  await options.screenshot({ path: `${OUT}/options-engine-${name}.png` });
  await options.close();
  const { page, state } = await translatePage(driver, `${pages.url}short.html`, { ms: 30_000 });
  assert.deepEqual([state.failed, state.by], [0, '']);
  assert.ok(state.translated > 0);
  await driver.closePopup();
  await page.close();
}

/** @param {string} name */
async function stoodIn(name) {
  const down = `[provider.dear]\nkind = "openai"\nbase_url = "${NOBODY}/v1"\nmodel = "dear-1"\n`;
  const order = settingsFor(provider.url).replace('providers = [', 'providers = ["dear", ');
  const { driver } = await homeFor(name, `${order}\n${down}`);
  const { page, state } = await translatePage(driver, `${pages.url}short.html`, { ms: 60_000 });
  assert.deepEqual(judge(await look(page)).kept, []);
  const told = await until('who stood in', () => byLine(driver));
  await driver.shootPopup(`${OUT}/popup-stood-in-${name}.png`, 'light');
  assert.match(told, /scripted \(\d+\)\. dear\b.*(?:network|server)/, state.notice);
  await driver.closePopup();
  await page.close();
}

/** @param {import('./driver.mjs').Driver} driver */
const byLine = (driver) => driver.popup(() => {
  const line = document.getElementById('by');
  // The reason comes with the host's next status.
  return line && !line.hidden && / dear\b/.test(line.textContent) ? line.textContent : '';
});

/**
 * @param {string} name
 * @param {string} settings
 */
async function homeFor(name, settings) {
  const reader = browsers.get(name);
  assert.ok(reader, `${name} did not start`);
  const home = makeHome(settings);
  homes.push(home);
  await useHome(reader.driver, reader.link, home);
  return { driver: reader.driver, home };
}

/**
 * @param {string} name
 * @param {string} settings
 */
async function openOptions(name, settings) {
  const { driver, home } = await homeFor(name, settings);
  return { driver, home, options: await driver.visitOwn('options/options.html') };
}

/**
 * @param {string} home
 * @returns {string}
 */
function settingsOf(home) {
  return fs.readFileSync(path.join(home, 'settings.toml'), 'utf8');
}

/**
 * @param {string} file the settings
 * @param {string} name of a provider
 * @returns {string} what stands in its table
 */
function sectionOf(file, name) {
  const [, section] = file.split(`[provider.${name}]\n`);
  assert.ok(section !== undefined, `no provider ${name} in ${file}`);
  return section.split('\n[')[0] ?? '';
}
