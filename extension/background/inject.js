// Brings the content scripts into a page and waits until they have connected.

/**
 * @typedef {import("./fault.js").Fault} Fault
 * @typedef {import("./page-hub.js").Page} Page
 * @typedef {object} Means
 * @property {(tabId: number) => Page | null} page
 * @property {(tabId: number) => Promise<unknown>} inject rejects where the browser forbids it
 * @property {(ms: number, act: () => void) => () => void} after
 * @property {(key: string) => string} say
 */

/** The scripts connect within milliseconds; a page that is busy loading may take longer. */
export const CONNECT_MS = 5000;

export class Reach {
  /** @type {Map<number, Set<(page: Page) => void>>} */
  #awaited = new Map();

  /** @param {Means} means */
  constructor(means) {
    this.means = means;
  }

  /** A page connected. @param {Page} page */
  joined(page) {
    const waiting = this.#awaited.get(page.tabId);
    this.#awaited.delete(page.tabId);
    waiting?.forEach((resolve) => resolve(page));
  }

  /**
   * The page of a tab, with the content scripts in it.
   * @param {number} tabId
   * @returns {Promise<Page>} rejected with a `Fault` where scripts are not let in
   */
  async page(tabId) {
    const known = this.means.page(tabId);
    if (known) return known;
    const connected = this.#connected(tabId);
    try {
      await this.means.inject(tabId);
    } catch {
      throw this.#fault();
    }
    return this.means.page(tabId) ?? connected;
  }

  /** @param {number} tabId @returns {Promise<Page>} */
  #connected(tabId) {
    const promise = new Promise((/** @type {(page: Page) => void} */ resolve, reject) => {
      const stop = this.means.after(CONNECT_MS, () => reject(this.#fault()));
      const waiting = this.#awaited.get(tabId) ?? new Set();
      this.#awaited.set(tabId, waiting);
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
