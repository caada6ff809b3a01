/**
 * Waiting with a deadline: tests poll for what they expect and never sleep
 * for a time that "should be enough".
 */

/**
 * Resolves after so many milliseconds. Only pollers use it.
 *
 * @param {number} ms
 * @returns {Promise<void>}
 */
export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Polls until `probe` returns something truthy, and returns that.
 *
 * A probe that throws counts as "not yet": pages navigate and popups close
 * while they are asked. The last error is part of the message at the deadline.
 *
 * @template T
 * @param {string} what what is waited for, for the message
 * @param {() => T | Promise<T>} probe
 * @param {{ms?: number, every?: number}} [options]
 * @returns {Promise<NonNullable<T>>}
 */
export async function until(what, probe, { ms = 15_000, every = 50 } = {}) {
  const end = Date.now() + ms;
  /** @type {unknown} */
  let last;
  for (;;) {
    try {
      const value = await probe();
      if (value) return value;
      last = value;
    } catch (error) {
      last = error;
    }
    if (Date.now() >= end) throw new Error(`Waited ${ms} ms for ${what}; last: ${describe(last)}`);
    await pause(every);
  }
}

/**
 * Settles as the promise does, or rejects when the time is over.
 *
 * @template T
 * @param {string} what
 * @param {Promise<T>} promise
 * @param {number} ms
 * @returns {Promise<T>}
 */
export async function within(what, promise, ms) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than ${ms} ms`)), ms);
  });
  try {
    return /** @type {T} */ (await Promise.race([promise, late]));
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function describe(value) {
  if (value instanceof Error) return value.message;
  return JSON.stringify(value) ?? String(value);
}
