/**
 * Finds and ends processes by id, from /proc. Nothing here matches by a broad
 * name: a host is one whose arguments name our binary and whose environment
 * names the home that this test made.
 */

import fs from 'node:fs';
import { until } from './wait.mjs';

/**
 * Returns the ids of the processes that run `program` with HOME=`home`.
 *
 * @param {string} program absolute path of the host
 * @param {string} home
 * @returns {number[]}
 */
export function pidsOf(program, home) {
  const real = realPath(program);
  return fs
    .readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)
    .filter((pid) => runs(pid, [program, real]) && environment(pid).includes(`HOME=${home}`));
}

/**
 * Says whether a process is there and not a zombie.
 *
 * @param {number} pid
 * @returns {boolean}
 */
export function isAlive(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return false;
  }
}

/**
 * Sends a signal to one process; one that is gone already is no fault.
 *
 * @param {number} pid
 * @param {NodeJS.Signals} [signal]
 */
export function signal(pid, signal = 'SIGTERM') {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}

/**
 * Ends a process: SIGTERM, and SIGKILL when it is still there at the deadline.
 *
 * @param {number} pid
 * @param {number} [ms]
 */
export async function end(pid, ms = 3000) {
  signal(pid, 'SIGTERM');
  try {
    await until(`the end of ${pid}`, () => !isAlive(pid), { ms });
  } catch {
    signal(pid, 'SIGKILL');
  }
}

/**
 * @param {number} pid
 * @param {string[]} programs
 * @returns {boolean}
 */
function runs(pid, programs) {
  try {
    const exe = fs.readlinkSync(`/proc/${pid}/exe`);
    // A script is run by its interpreter, which has the script as an argument.
    const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, 2);
    return programs.some((program) => exe === program || words.includes(program));
  } catch {
    return false;
  }
}

/**
 * @param {number} pid
 * @returns {string[]}
 */
function environment(pid) {
  try {
    return fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/**
 * @param {string} file
 * @returns {string}
 */
function realPath(file) {
  try {
    return fs.realpathSync(file);
  } catch {
    return file;
  }
}
