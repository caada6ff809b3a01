/**
 * How much a page may ask before it waits for the reader.
 *
 * What for: a page that makes text without end must not spend without end.
 * What not: it stops nothing itself. What must stay true: `mayAsk` is false
 * from the moment a limit is reached until the reader acts.
 */
var budgetModule = (() => {
  const LIMITS = { segments: 20_000, characters: 2_000_000, perMinute: 200, minutes: 5 };
  const MINUTE_MS = 60_000;

  /** @param {Partial<typeof LIMITS>} [given] */
  const createBudget = (given) => {
    const limits = { ...LIMITS, ...given };
    let segments = 0;
    let characters = 0;
    /** @type {number[]} Segments in each minute since the reader last did something. */
    let minutes = [];
    let since = 0;

    return {
      /**
       * @param {number} count
       * @param {number} length
       * @param {number} now
       */
      spend: (count, length, now) => {
        segments += count;
        characters += length;
        const minute = Math.floor((now - since) / MINUTE_MS);
        minutes[minute] = (minutes[minute] ?? 0) + count;
      },
      /** The reader scrolled or clicked. @param {number} now */
      readerActed: (now) => {
        since = now;
        minutes = [];
      },
      /** The reader asked for more. @param {number} now */
      refill: (now) => {
        segments = 0;
        characters = 0;
        since = now;
        minutes = [];
      },
      mayAsk: () => segments < limits.segments && characters < limits.characters && !isRestless(minutes, limits),
    };
  };

  /**
   * @param {number[]} minutes
   * @param {typeof LIMITS} limits
   * @returns {boolean} Each of the last minutes brought more than a page should.
   */
  const isRestless = (minutes, limits) => {
    if (minutes.length < limits.minutes) return false;
    for (let k = minutes.length - limits.minutes; k < minutes.length; k += 1) {
      if ((minutes[k] ?? 0) <= limits.perMinute) return false;
    }
    return true;
  };

  return { createBudget };
})();
webtranslator.budget = budgetModule;
