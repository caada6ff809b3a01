/**
 * Hosts that share one small cache for minutes, with faults, kills and
 * evictions; see `soak-run.mjs`. `SOAK_SECONDS` and `SOAK_SEED` choose how long
 * and which run.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { REFUSED_WORD } from '../pages/steam-guide.mjs';
import { isStandInOf, standIn } from '../pages/stand-in.mjs';
import { isAlive } from './processes.mjs';
import { startProvider } from './provider.mjs';
import { FAULTS, Soak } from './soak-run.mjs';
import { isRefused, textOf } from './soak-texts.mjs';
import { makeHome, settingsFor } from './store.mjs';

const HOST = process.env.WEBTRANSLATOR_HOST ?? 'target/fast/webtranslator';
const PROVIDER = process.env.SCRIPTED_PROVIDER ?? 'target/fast/scripted-provider';
const SECONDS = Number(process.env.SOAK_SECONDS ?? 300);
const SEED = Number(process.env.SOAK_SEED ?? Date.now() % 1_000_000);

const MIB = 1024 * 1024;
/** Entries of last year that fill the cache at the start: they go first. */
const OLD = 4000;
/** The least that the settings take: entries have to go all the time. */
const LIMIT_MB = 1;
/** Room is made after entries came, and pages come free later than entries go. */
const MOST_FILE = 2 * LIMIT_MB * MIB;
/** A few megabytes, as docs/CACHE.md says. */
const MOST_JOURNAL = 8 * MIB;
/** What memory may differ by between the first and the last third of the time. */
const MEMORY_SLACK = 4 * MIB;
const DESCRIPTOR_SLACK = 8;

test(`hosts_share_a_cache_for_${SECONDS}_seconds`, { timeout: (SECONDS + 120) * 1000 }, async () => {
  const provider = await startProvider(PROVIDER, FAULTS);
  const home = makeHome(settingsFor(provider.url, { extra: `\n[cache]\nmax_mb = ${LIMIT_MB}` }));
  console.log(`soak: ${SECONDS} s, seed ${SEED} (SOAK_SEED=${SEED} SOAK_SECONDS=${SECONDS} repeats it)`);
  const soak = new Soak({ home, provider, seed: SEED, seconds: SECONDS });
  try {
    fill(home);
    await soak.run();
    const { calls } = await provider.stats();
    const entries = exported(home);
    report(soak, { calls, entries });
    judge(soak, entries);
  } finally {
    await provider.close();
    fs.rmSync(home, { recursive: true, force: true });
  }
});

/** @typedef {{source: string, translation: string, engine: string}} Entry */

/** @param {string} home */
function fill(home) {
  const entry = (/** @type {number} */ n) => {
    const source = `${textOf(n)} It was read last year, on page ${n}.`;
    const of = { source, translation: standIn(source), source_language: 'en', target_language: 'ko' };
    return JSON.stringify({ ...of, created: '2024-10-04', used: '2024-10-05' });
  };
  const numbers = Array.from({ length: OLD }, (_, n) => -1 - n).filter((n) => !isRefused(n));
  run(home, { input: numbers.map(entry).join('\n') }, 'import', '-');
}

/**
 * Runs one of the commands that look after the cache.
 *
 * @param {string} home
 * @param {{input?: string}} options
 * @param {string[]} words
 * @returns {string} what it says
 */
function run(home, { input }, ...words) {
  const env = { ...process.env, WEBTRANSLATOR_HOME: home };
  return execFileSync(HOST, ['cache', ...words], { env, input, encoding: 'utf8', maxBuffer: 64 * MIB });
}

/**
 * Reads what is in the cache at the end, after the host itself found no fault
 * in it: each key is made again from the entry's own columns.
 *
 * @param {string} home
 * @returns {Entry[]}
 */
function exported(home) {
  console.log(`soak: ${run(home, {}, 'verify').trim()}`);
  return run(home, {}, 'export').split('\n').filter(Boolean).map((line) => JSON.parse(line));
}

/**
 * @param {Soak} soak
 * @param {{calls: number, entries: Entry[]}} end
 */
function report(soak, { calls, entries }) {
  const mib = (/** @type {number} */ bytes) => `${(bytes / MIB).toFixed(1)} MiB`;
  const { counts } = soak;
  const left = fs.readdirSync(path.join(soak.home, 'hosts')).length;
  console.log(
    [
      `pages ${counts.pages}, cut short ${counts.cutShort}, segments ${counts.segments}, refused ${counts.refused}`,
      `from the cache ${counts.fromCache}, calls ${calls}, bad spells ${counts.spells}`,
      `hosts started ${counts.starts}, killed ${counts.kills}, hung up on ${counts.hangUps}, files of theirs left ${left}`,
      `entries from before ${OLD}, of them left ${entries.filter(isOld).length}; made ${soak.made.size}, at the end ${entries.length}`,
      `file at most ${mib(soak.most('file'))}, journal at most ${mib(soak.most('journal'))}`,
      `memory of the eldest ${mib(soak.median('memory', 0))}, in the end ${mib(soak.median('memory', 2))}, at most ${mib(soak.most('memory'))}`,
      `its descriptors ${soak.median('descriptors', 0)}, in the end ${soak.median('descriptors', 2)}`,
    ]
      .map((line) => `soak: ${line}`)
      .join('\n'),
  );
}

/**
 * @param {Soak} soak
 * @param {Entry[]} entries
 */
function judge(soak, entries) {
  assert.deepEqual([...soak.faults].slice(0, 10), [], `${soak.faults.size} faults`);
  const wrong = entries.filter(({ source, translation }) => source.includes(REFUSED_WORD) || !isStandInOf(source, translation));
  assert.deepEqual(wrong, [], 'wrong entries');
  assert.ok(entries.filter(isOld).length < OLD / 2, 'what was not used for longest is still there');
  assert.ok(soak.most('file') <= MOST_FILE, `the file grew to ${soak.most('file')} bytes`);
  assert.ok(soak.most('journal') <= MOST_JOURNAL, `the journal grew to ${soak.most('journal')} bytes`);
  assert.deepEqual(soak.pids.filter(isAlive), [], 'hosts are left');
  const [memory, descriptors] = [growth(soak, 'memory'), growth(soak, 'descriptors')];
  assert.ok(memory <= MEMORY_SLACK, `the eldest host grew by ${memory} bytes`);
  assert.ok(descriptors <= DESCRIPTOR_SLACK, `the eldest host has ${descriptors} descriptors more`);
}

/** @param {Entry} entry */
function isOld({ engine }) {
  return engine.startsWith('import|');
}

/**
 * @param {Soak} soak
 * @param {'memory' | 'descriptors'} what
 * @returns {number}
 */
function growth(soak, what) {
  return soak.median(what, 2) - soak.median(what, 0);
}
