/**
 * The soak: four hosts on one small cache, over pipes, that translate page after
 * page while three of them are killed or hung up on now and then, and while the
 * provider has faults. What a host says is checked as it comes; sizes and
 * memory are sampled. The first host lives from the beginning to the end.
 */

import fs from 'node:fs';
import path from 'node:path';
import { chanceOf } from '../pages/steam-guide.mjs';
import { isStandInOf } from '../pages/stand-in.mjs';
import { PipedHost } from './piped-host.mjs';
import { isRefused, pick, textOf } from './soak-texts.mjs';
import { pause } from './wait.mjs';

/** @typedef {import('../pages/steam-guide.mjs').Chance} Chance */
/** @typedef {import('./piped-host.mjs').Page} Page */
/** @typedef {{origin: string, target: string, numbers: number[]}} Asked */
/** @typedef {{ms: number, memory: number, descriptors: number, file: number, journal: number}} Sample */

const HOSTS = 4;
const ORIGINS = ['https://one.example', 'https://two.example', 'https://three.example:8443'];
const TARGETS = ['ko', 'fr'];
/** Texts that pages are picked from, and by how many a second they move on. */
const WINDOW = 600;
const NEW_A_SECOND = 40;
/** How many texts a page has, at most. */
const MOST_ON_A_PAGE = 160;
/** A page in so many ends with its host. */
const ENDING = 4;
/** Chromium kills a host that is still there so long after the hang-up. */
const LAST_MS = 2000;

const SPEED = { latency_ms: 120, ms_per_char: 0.01 };
export const FAULTS = {
  ...SPEED,
  refuse: ['zarglefrak'],
  faults: { empty: 1, dropped: 3, short: 3, truncated: 3 },
};
/** One second long: each makes all hosts wait for ten. */
const SPELLS = [
  { ...FAULTS, faults: { unavailable: 100 } },
  { ...FAULTS, max_concurrent: 1 },
];
const SPELL_MS = 1000;
const SPELL_EVERY_MS = 25_000;

export class Soak {
  /**
   * @param {{home: string, provider: import('./provider.mjs').Provider, seed: number, seconds: number}} what
   */
  constructor({ home, provider, seed, seconds }) {
    this.home = home;
    this.provider = provider;
    this.seed = seed;
    this.ms = seconds * 1000;
    this.chance = chanceOf(seed);
    this.began = Date.now();
    this.counts = { pages: 0, cutShort: 0, segments: 0, refused: 0, fromCache: 0, starts: 0, kills: 0, hangUps: 0, spells: 0 };
    /** @type {Set<string>} what must not have happened */
    this.faults = new Set();
    /** @type {Set<string>} entries that were made */
    this.made = new Set();
    /** @type {number[]} every process that was started */
    this.pids = [];
    /** @type {Sample[]} */
    this.samples = [];
    /** @type {PipedHost | undefined} */
    this.eldest = undefined;
  }

  get isOver() {
    return this.elapsed >= this.ms;
  }

  get elapsed() {
    return Date.now() - this.began;
  }

  /** Runs it; returns when every host has ended. */
  async run() {
    await this.provider.script({ ...FAULTS, seed: this.seed });
    this.began = Date.now();
    const places = Array.from({ length: HOSTS }, (_, place) => this.place(place));
    await Promise.all([...places, this.sampler(), this.weather()]);
  }

  /**
   * What happens at one of the four places: a host, its pages, its end, the next.
   *
   * @param {number} place
   */
  async place(place) {
    while (!this.isOver) {
      const host = await PipedHost.start(this.home);
      this.counts.starts += 1;
      this.pids.push(host.pid);
      if (place === 0) this.eldest = host;
      await this.pages(host, place > 0);
    }
  }

  /**
   * Lets a host translate pages until its end has come.
   *
   * @param {PipedHost} host
   * @param {boolean} isMortal
   */
  async pages(host, isMortal) {
    let isEnding = false;
    while (!isEnding && !this.isOver) {
      isEnding = isMortal && this.chance.below(ENDING) === 0;
      // Two tabs now and then; both have the same host.
      const tabs = Array.from({ length: 1 + this.chance.below(2) }, () => this.page(host, isEnding));
      if (isEnding) await this.cut(host);
      await Promise.all(tabs);
    }
    if (!isEnding) await this.hangUp(host);
    for (const fault of host.faults) this.faults.add(fault);
  }

  /**
   * @param {PipedHost} host
   * @param {boolean} isEnding
   */
  async page(host, isEnding) {
    const origin = String(this.chance.pick(ORIGINS));
    const target = String(this.chance.pick(TARGETS));
    const window = { start: Math.floor((this.elapsed / 1000) * NEW_A_SECOND), length: WINDOW };
    const numbers = pick(this.chance, window, 1 + this.chance.below(MOST_ON_A_PAGE));
    const page = await host.translate({ texts: numbers.map(textOf), target, origin, part: 64 });
    if (!page.isDone && !isEnding) this.faults.add('a host ended by itself');
    this.judge(page, { origin, target, numbers });
  }

  /**
   * Judges whatever came of a page, all or some of it.
   *
   * @param {Page} page
   * @param {Asked} asked
   */
  judge({ isDone, translated, failed, message, done }, { origin, target, numbers }) {
    for (const [i, { text, from }] of translated) {
      const n = Number(numbers[i]);
      if (isRefused(n) || !isStandInOf(textOf(n), text)) this.faults.add(`${textOf(n)} is shown as ${text}`);
      if (from === 'provider') this.made.add(`${origin} ${target} ${n}`);
    }
    for (const [i, code] of failed) {
      const n = Number(numbers[i]);
      if (!isRefused(n) || code !== 'refused') this.faults.add(`${textOf(n)} failed: ${code} ${message}`);
    }
    this.counts.pages += isDone ? 1 : 0;
    this.counts.cutShort += isDone ? 0 : 1;
    this.counts.segments += translated.size + failed.size;
    this.counts.refused += failed.size;
    this.counts.fromCache += done.from_cache;
  }

  /**
   * Ends a host in the middle of its pages.
   *
   * @param {PipedHost} host
   */
  async cut(host) {
    await pause(this.chance.below(600));
    if (this.chance.below(2) === 0) return this.hangUp(host);
    this.counts.kills += 1;
    host.kill();
    await host.ended;
  }

  /** @param {PipedHost} host */
  async hangUp(host) {
    this.counts.hangUps += 1;
    const began = Date.now();
    host.hangUp();
    const { code, signal } = await host.ended;
    if (code !== 0) this.faults.add(`a host ended with ${code} ${signal}`);
    // Its own limit is below; a busy machine may be late to tell.
    if (Date.now() - began > 2 * LAST_MS) this.faults.add('a host took seconds to end');
  }

  /** Brings a spell of bad weather now and then: 503 or 429 for all. */
  async weather() {
    const every = Math.min(SPELL_EVERY_MS, this.ms * 0.6);
    while (this.elapsed + every < this.ms) {
      await pause(every);
      const script = SPELLS[this.counts.spells % SPELLS.length];
      this.counts.spells += 1;
      await this.provider.follow({ ...script, seed: this.seed });
      await pause(SPELL_MS);
      await this.provider.follow({ ...FAULTS, seed: this.seed });
    }
  }

  async sampler() {
    while (!this.isOver) {
      const size = (/** @type {string} */ name) =>
        fs.statSync(path.join(this.home, name), { throwIfNoEntry: false })?.size ?? 0;
      const [file, journal] = [size('cache.db'), size('cache.db-wal')];
      const [memory, descriptors] = [this.eldest?.memory() ?? 0, this.eldest?.descriptors() ?? 0];
      this.samples.push({ ms: this.elapsed, memory, descriptors, file, journal });
      await pause(200);
    }
  }

  /**
   * @param {'memory' | 'descriptors' | 'file' | 'journal'} what
   * @returns {number} the largest that was seen
   */
  most(what) {
    return Math.max(...this.samples.map((sample) => sample[what]));
  }

  /**
   * @param {'memory' | 'descriptors'} what
   * @param {number} third 0 to 2
   * @returns {number} the median of that third of the time
   */
  median(what, third) {
    const seen = this.samples.filter(({ ms, memory }) => memory > 0 && Math.floor((3 * ms) / this.ms) === third);
    const sorted = seen.map((sample) => sample[what]).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  }
}
