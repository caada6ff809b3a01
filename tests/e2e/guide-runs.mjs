/**
 * The runs of the guide: what the provider is told, what is done to the
 * browser meanwhile, and the line that is printed.
 */

import { countChanged } from './page-probe.mjs';
import { until } from './wait.mjs';

/** @typedef {import('puppeteer-core').Page} Page */
/** @typedef {import('./driver.mjs').Driver} Driver */
/** @typedef {import('./provider.mjs').Provider} Provider */
/** @typedef {import('./translation.mjs').Translation} Translation */

/** How fast the provider is: as a quick model is, in a tenth of the time. */
const SPEED = { latency_ms: 120, ms_per_char: 0.05 };

/** Schedules of the scripted provider. */
export const SCRIPTS = {
  plain: { ...SPEED },
  faults: {
    ...SPEED,
    seed: 7,
    requests_per_minute: 60,
    refuse: ['zarglefrak'],
    faults: { empty: 8, dropped: 4, short: 4, truncated: 3, unavailable: 3 },
  },
  // Slow enough that the crashes come in the middle.
  crashes: { latency_ms: 400, ms_per_char: 0.1 },
};

/**
 * Kills the host, and stops the background, each after a tenth, a half and
 * nine tenths of the answers.
 *
 * @param {{driver: Driver, provider: Provider, page: Page, nodes: number}} run
 *   `nodes`: how many text nodes a whole translation changes
 * @returns {Promise<number>} how many calls were in flight at the crashes, all together
 */
export async function crash({ driver, provider, page, nodes }) {
  let inFlight = 0;
  for (const share of [0.1, 0.5, 0.9]) {
    const changed = await reach(page, Math.ceil(nodes * share));
    inFlight += await inFlightAt(provider, async () => {
      if ((await driver.killHosts()) === 0) throw new Error(`no host runs after ${share} of the answers`);
    });
    // Only a page that goes on has got over it; the last answers may have come
    // together with those that were waited for.
    await reach(page, Math.min(changed + 1, nodes));
    inFlight += await inFlightAt(provider, async () => {
      const former = driver.hostPids();
      if (!(await driver.stopBackground())) throw new Error(`no background runs after ${share} of the answers`);
      await successor(driver, former, page, nodes);
    });
  }
  return inFlight;
}

/**
 * Waits for another host, or for the end of the page, which needs none. The
 * former host goes on until its port is closed, and that is before the next one
 * is opened.
 *
 * @param {Driver} driver
 * @param {number[]} former
 * @param {Page} page
 * @param {number} nodes
 * @returns {Promise<unknown>}
 */
function successor(driver, former, page, nodes) {
  const isThere = async () =>
    driver.hostPids().some((pid) => !former.includes(pid)) || (await countChanged(page)) >= nodes;
  return until('the next host', isThere, { ms: 20_000, every: 5 });
}

/**
 * Does something that takes a moment, and returns how many calls were in flight
 * when it began or started before it was done.
 *
 * @param {Provider} provider
 * @param {() => Promise<void>} act
 * @returns {Promise<number>}
 */
async function inFlightAt(provider, act) {
  const before = await provider.stats();
  await act();
  const after = await provider.stats();
  return before.in_flight + after.calls - before.calls;
}

/**
 * @param {Page} page
 * @param {number} wanted
 * @returns {Promise<number>} how many text nodes are translated
 */
function reach(page, wanted) {
  return until(
    `${wanted} translated nodes`,
    async () => {
      const count = await countChanged(page);
      return count >= wanted ? count : 0;
    },
    { ms: 60_000, every: 20 },
  );
}

/**
 * Returns the line of a run.
 *
 * @param {string} name
 * @param {Driver} driver
 * @param {Translation} translation
 * @param {number} calls
 * @returns {string}
 */
export function lineOf(name, driver, { state, judgement, seconds }, calls) {
  const times = [seconds.first, seconds.half, seconds.last].map((value) => value.toFixed(2)).join(' / ');
  return [
    `guide ${name.padEnd(16)} ${driver.name.padEnd(8)}: segments ${state.total}, translated ${state.translated},`,
    `failed ${state.failed}, wrong ${judgement.wrong.length}, lost ${judgement.lost.length}, calls ${calls},`,
    `first / half / last ${times} s`,
  ].join(' ');
}
