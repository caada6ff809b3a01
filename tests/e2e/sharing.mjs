/**
 * One cache for all: two browsers on one page at the same moment, and eight
 * hosts on one text, from the shell and as browsers start them. Each text is
 * paid for once, all of them finish, and the calls are those of one alone.
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { guideHtml, guideTexts, REFUSED_WORD } from '../pages/steam-guide.mjs';
import { isStandInOf } from '../pages/stand-in.mjs';
import { BROWSERS } from './driver.mjs';
import { guidePage } from './guide-page.mjs';
import { servePages } from './page-server.mjs';
import { PipedHost } from './piped-host.mjs';
import { paidTwice, startProvider } from './provider.mjs';
import { closeReaders, openReader } from './reader.mjs';
import { KEY, KEY_VARIABLE, makeHome, settingsFor } from './store.mjs';
import { translatePage, useHome } from './translation.mjs';
import { until } from './wait.mjs';

/** @typedef {import('./driver.mjs').BrowserName} BrowserName */
/** @typedef {import('./piped-host.mjs').Page} Page */
/** @typedef {import('./translation.mjs').Translation} Translation */
/** @typedef {{calls: number, most: number}} Paid calls, and how often the text that was paid most often was */

const HOST = process.env.WEBTRANSLATOR_HOST ?? 'target/fast/webtranslator';
const PROVIDER = process.env.SCRIPTED_PROVIDER ?? 'target/fast/scripted-provider';
const COMMENTS = Number(process.env.GUIDE_COMMENTS ?? 520);
/** Slow enough that all of them want the same text while it is paid for. */
const SLOW = { latency_ms: 1000 };
const HOSTS = 8;
/** A host makes at most so many calls at a time to this kind of provider. */
const CONCURRENCY = 4;
/**
 * What a host may add to the calls of one alone: its own small first batch, and
 * batches that are smaller since another host was at some of their texts.
 */
const MORE_CALLS = 3;
const TEXTS = guideTexts(guideHtml({ comments: 260 })).filter((text) => !text.includes(REFUSED_WORD));

/** @type {Awaited<ReturnType<typeof servePages>>} */
let pages;
/** @type {import('./provider.mjs').Provider} */
let provider;
/** @type {Map<BrowserName, import('./reader.mjs').Reader>} */
const browsers = new Map();
/** @type {string[]} */
const homes = [];

before(async () => {
  pages = await servePages({ 'guide.html': guidePage({ comments: COMMENTS }) });
  provider = await startProvider(PROVIDER, SLOW);
  await Promise.all(BROWSERS.map(async (name) => browsers.set(name, await openReader(name))));
});

after(async () => {
  PipedHost.killAll();
  await closeReaders(browsers.values());
  await provider?.close();
  await pages?.close();
  for (const home of homes) fs.rmSync(home, { recursive: true, force: true });
});

test('two_browsers_on_one_page_at_the_same_moment_pay_once', async () => {
  const alone = await inBrowsers(['chromium']);
  const together = await inBrowsers(BROWSERS);
  console.log(`sharing guide: calls of one browser ${alone.calls}, of two ${together.calls}`);
  assert.equal(together.most, 1, 'a text was paid for twice');
  assertFew(alone, together, BROWSERS.length);
});

for (const [name, run] of /** @type {const} */ ([
  ['from_the_shell', byCommand],
  ['over_pipes', overPipes],
])) {
  test(`eight_hosts_${name}_pay_once`, async () => {
    const alone = await paidBy(() => run(freshHome(), 1));
    const together = await paidBy(() => run(freshHome(), HOSTS));
    console.log(`sharing ${name}: ${TEXTS.length} texts, calls of one ${alone.calls}, of eight ${together.calls}`);
    assert.equal(together.most, 1, 'a text was paid for twice');
    assertFew(alone, together, HOSTS);
  });
}

test('when_one_of_eight_is_killed_the_others_finish_and_only_its_calls_are_paid_again', async () => {
  await provider.script(SLOW);
  const home = freshHome();
  const hosts = await Promise.all(Array.from({ length: HOSTS }, () => PipedHost.start(home)));
  const running = hosts.map((host) => host.translate({ texts: TEXTS }));
  const victim = /** @type {PipedHost} */ (hosts[0]);
  // Some of its answers have come, and calls are under way.
  await until('the middle of the page', async () => isInTheMiddle(victim) && (await provider.stats()).in_flight > 1, { every: 5 });
  victim.kill();
  const [killed, ...others] = await Promise.all(running);
  assert.equal(killed?.isDone, false, 'it was killed in the middle of its page');
  for (const page of others) assertWhole(page);
  const twice = paidTwice(await provider.log());
  console.log(`sharing, one killed: paid twice ${twice.texts} texts of ${twice.calls} calls`);
  assert.ok(twice.calls <= CONCURRENCY, `paid twice for ${twice.calls} calls`);
  await endAll(hosts.slice(1));
});

/**
 * Translates the guide in these browsers, with one fresh cache for all of them;
 * the button is pressed when each of them is ready.
 *
 * @param {BrowserName[]} names
 * @returns {Promise<Paid>}
 */
async function inBrowsers(names) {
  const home = freshHome();
  let waiting = names.length;
  const ready = async () => {
    waiting -= 1;
    await until('the other browser', () => waiting === 0, { ms: 60_000, every: 5 });
  };
  return paidBy(async () => {
    const translations = names.map(async (name) => {
      const { driver, link } = /** @type {import('./reader.mjs').Reader} */ (browsers.get(name));
      await useHome(driver, link, home);
      const result = await translatePage(driver, `${pages.url}guide.html`, { ready });
      await driver.closePopup();
      await result.page.close();
      return result;
    });
    for (const { state, judgement } of await Promise.all(translations)) {
      assert.deepEqual([judgement.wrong, judgement.lost, judgement.kept], [[], [], []]);
      assert.deepEqual([state.failed, state.answered], [0, state.total]);
      assert.ok(state.total > COMMENTS, `only ${state.total} segments`);
    }
  });
}

/**
 * @param {() => Promise<void>} work
 * @returns {Promise<Paid>}
 */
async function paidBy(work) {
  await provider.script(SLOW);
  await work();
  const paid = await provider.paid();
  return { calls: (await provider.stats()).calls, most: Math.max(...paid.values()) };
}

/**
 * @param {Paid} alone
 * @param {Paid} together
 * @param {number} hosts
 */
function assertFew(alone, together, hosts) {
  const most = alone.calls + hosts * MORE_CALLS;
  assert.ok(together.calls <= most, `one made ${alone.calls} calls, ${hosts} made ${together.calls}`);
}

/** @returns {string} */
function freshHome() {
  const home = makeHome(settingsFor(provider.url));
  homes.push(home);
  return home;
}

/**
 * @param {string} home
 * @param {number} count
 */
async function byCommand(home, count) {
  const file = path.join(home, 'text.txt');
  fs.writeFileSync(file, TEXTS.join('\n'));
  const outputs = await Promise.all(Array.from({ length: count }, () => command(home, ['translate', '--from', 'en', '--to', 'ko', file])));
  for (const output of outputs) {
    const lines = output.split('\n');
    assert.equal(lines.length, TEXTS.length);
    TEXTS.forEach((text, i) => assert.ok(isStandInOf(text, String(lines[i])), `${text} is shown as ${lines[i]}`));
  }
}

/**
 * @param {string} home
 * @param {string[]} words
 * @returns {Promise<string>} what it wrote
 */
function command(home, words) {
  const env = { ...process.env, WEBTRANSLATOR_HOME: home, [KEY_VARIABLE]: KEY };
  const child = spawn(HOST, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => (output += text));
  return new Promise((resolve, reject) => {
    child.once('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`${words[0]} ended with ${code}`))));
  });
}

/**
 * @param {string} home
 * @param {number} count
 */
async function overPipes(home, count) {
  const hosts = await Promise.all(Array.from({ length: count }, () => PipedHost.start(home)));
  const done = await Promise.all(hosts.map((host) => host.translate({ texts: TEXTS })));
  done.forEach(assertWhole);
  await endAll(hosts);
}

/** @param {PipedHost[]} hosts */
async function endAll(hosts) {
  for (const host of hosts) host.hangUp();
  for (const host of hosts) {
    assert.deepEqual(await host.ended, { code: 0, signal: null });
    assert.deepEqual(host.faults, []);
  }
}

/** @param {Page} page */
function assertWhole({ isDone, translated, failed, message }) {
  assert.ok(isDone, 'a page did not finish');
  assert.deepEqual([...failed], [], message);
  TEXTS.forEach((text, i) => {
    const shown = translated.get(i)?.text ?? '';
    assert.ok(isStandInOf(text, shown), `${text} is shown as ${shown}`);
  });
}

/** @param {PipedHost} host */
function isInTheMiddle(host) {
  const answered = [...host.open.values()].reduce((sum, { page }) => sum + page.translated.size, 0);
  return answered > TEXTS.length / 10;
}
