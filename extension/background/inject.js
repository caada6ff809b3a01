// Brings the content scripts into a page and waits until they have connected;
// finds those that are there and lost their port when the worker was stopped.

/**
 * @typedef {import("./fault.js").Fault} Fault
 * @typedef {import("./page-hub.js").Page} Page
 * @typedef {object} Means
 * @property {(tabId: number) => Page | null} page
 * @property {(tabId: number) => Promise<unknown>} inject rejects where the browser forbids it
 * @property {(tabId: number) => Promise<boolean>} wake makes scripts that are there connect; false when there are none
 * @property {(ms: number, act: () => void) => () => void} after
 * @property {(key: string) => string} say
 */

/** The scripts connect within milliseconds; a page that is busy loading may take longer. */
export const CONNECT_MS = 5000;

export class Reach {
  /** @type {Map<number, Set<(page: Page) => void>>} */
  #awaited = new Map();
  /** The same, for a page that has told its state. @type {Map<number, Set<(page: Page) => void>>} */
  #awaitedState = new Map();

  /** @param {Means} means */
  constructor(means) {
    this.means = means;
  }

  /** A page connected. @param {Page} page */
  joined(page) {
    release(this.#awaited, page);
  }

  /** A page told its state. @param {Page} page */
  told(page) {
    release(this.#awaitedState, page);
  }

  /**
   * The page of a tab and its state, if the content scripts are in it. Nothing
   * is brought into a page that was not translated.
   * @param {number} tabId
   * @returns {Promise<Page | null>}
   */
  async find(tabId) {
    const known = this.means.page(tabId);
    if (known?.state) return known;
    const told = this.#awaiting(this.#awaitedState, tabId);
    try {
      return (await this.means.wake(tabId)) ? await told : null;
    } catch {
      return null;
    }
  }

  /**
   * The page of a tab, with the content scripts in it.
   * @param {number} tabId
   * @returns {Promise<Page>} rejected with a `Fault` where scripts are not let in
   */
  async page(tabId) {
    const known = this.means.page(tabId);
    if (known) return known;
    const connected = this.#awaiting(this.#awaited, tabId);
    try {
      await this.means.inject(tabId);
    } catch {
      throw this.#fault();
    }
    return this.means.page(tabId) ?? connected;
  }

  /**
   * @param {Map<number, Set<(page: Page) => void>>} awaited
   * @param {number} tabId
   * @returns {Promise<Page>}
   */
  #awaiting(awaited, tabId) {
    const promise = new Promise((/** @type {(page: Page) => void} */ resolve, reject) => {
      const stop = this.means.after(CONNECT_MS, () => reject(this.#fault()));
      const waiting = awaited.get(tabId) ?? new Set();
      awaited.set(tabId, waiting);
      waiting.add((page) => {
        stop();
        resolve(page);
      });
    });
    // Nobody waits for it when the injection itself is refused.
    promise.catch(() => {});
    return promise;
  }

  /** @returns {Fault} */
  #fault() {
    return { code: "cannot_inject", message: this.means.say("fault_cannot_inject"), hint: "" };
  }
}

/** @param {Map<number, Set<(page: Page) => void>>} awaited @param {Page} page */
function release(awaited, page) {
  const waiting = awaited.get(page.tabId);
  awaited.delete(page.tabId);
  waiting?.forEach((resolve) => resolve(page));
}
