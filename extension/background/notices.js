// What the host has told the reader about this machine, for as long as the
// browser runs. A worker that is stopped loses nothing: all of it stands in the
// store of the browser's session. The last one that was not dismissed is shown.

/** So many are kept: there are a dozen kinds, and each is told once by a host. */
const MAX_KEPT = 20;

/** What says that an earlier trouble is over. */
const BACK = "cache_back";

/** What is no trouble that could be over. */
const HAPPENED = ["cache_set_aside", "cache_journal_set_aside"];

/**
 * @typedef {{code: string, message: string, hint?: string}} Notice
 * @typedef {Notice & {isDismissed: boolean}} Kept
 * @typedef {{load: () => Promise<unknown>, save: (kept: Kept[]) => Promise<void>}} Keeper
 */

export class Notices {
  /** @type {Kept[]} */
  #kept = [];
  /** Work that waits for the one before it, the first look into the store first. */
  #last;

  /** @param {Keeper} keeper @param {() => void} onChange */
  constructor(keeper, onChange) {
    this.keeper = keeper;
    this.onChange = onChange;
    this.#last = keeper.load().then((kept) => {
      if (Array.isArray(kept)) this.#kept = kept;
      onChange();
    });
  }

  /** What is shown. @returns {Notice | null} */
  get latest() {
    const shown = this.#kept.findLast(({ isDismissed }) => !isDismissed);
    return shown ? { code: shown.code, message: shown.message, ...(shown.hint ? { hint: shown.hint } : {}) } : null;
  }

  /**
   * Takes what a host says. What was said before, to whatever tab and by whatever
   * host, is not news; a trouble that is over is shown no more.
   * @param {Notice} notice
   */
  add({ code, message, hint }) {
    return this.#change((kept) => {
      const isOver = (/** @type {Kept} */ one) =>
        !one.isDismissed && !HAPPENED.includes(code) && !HAPPENED.includes(one.code) && (code === BACK) !== (one.code === BACK);
      const rest = kept.filter((one) => !isOver(one));
      if (rest.some((one) => one.code === code && one.message === message)) return rest;
      return [...rest, { code, message, ...(hint ? { hint } : {}), isDismissed: false }].slice(-MAX_KEPT);
    });
  }

  /** The reader has seen this one, and with it those before it. @param {Notice} notice */
  dismiss({ code, message }) {
    return this.#change((kept) => {
      const seen = kept.findIndex((one) => one.code === code && one.message === message);
      return kept.map((one, place) => (place <= seen ? { ...one, isDismissed: true } : one));
    });
  }

  /** @param {(kept: Kept[]) => Kept[]} change */
  #change(change) {
    this.#last = this.#last.then(() => {
      const after = change(this.#kept);
      this.#kept = after;
      this.onChange();
      return this.keeper.save(after);
    });
    return this.#last;
  }
}
