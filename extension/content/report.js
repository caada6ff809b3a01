/**
 * What the page tells the popup and the badge.
 *
 * What for: counts that reach their total, reasons, and what is waited for.
 * What not: it changes nothing. What must stay true: at most four messages a
 * second, and the last state is always sent.
 */
var reportModule = (() => {
  const MIN_PAUSE_MS = 250;

  /**
   * @typedef {{calls: number, tokens: {input: number, output: number}, cost: number|undefined, saved: number|undefined,
   *   from_cache: number}} Totals
   */

  /** @returns {Totals} */
  const createTotals = () => ({ calls: 0, tokens: { input: 0, output: 0 }, cost: undefined, saved: undefined, from_cache: 0 });

  /**
   * Adds what a stream's end says.
   * @param {Totals} totals
   * @param {PortMessage} done
   */
  const addDone = (totals, done) => {
    totals.calls += done.calls ?? 0;
    totals.tokens.input += done.tokens?.input ?? 0;
    totals.tokens.output += done.tokens?.output ?? 0;
    totals.from_cache += done.from_cache ?? 0;
    if (typeof done.cost === "number") totals.cost = (totals.cost ?? 0) + done.cost;
    if (typeof done.saved === "number") totals.saved = (totals.saved ?? 0) + done.saved;
  };

  /**
   * @param {Iterable<Entry>} entries
   * @returns {{total: number, translated: number, failed: number, failures: {code: string, count: number}[],
   *   by: {provider: string, count: number}[], message: string}}
   */
  const countOf = (entries) => {
    const codes = new Map();
    const providers = new Map();
    let total = 0;
    let translated = 0;
    let message = "";
    for (const entry of entries) {
      total += 1;
      if (entry.state === "translated") {
        translated += 1;
        if (entry.provider) providers.set(entry.provider, (providers.get(entry.provider) ?? 0) + 1);
      }
      if (entry.state !== "failed") continue;
      codes.set(entry.code, (codes.get(entry.code) ?? 0) + 1);
      message = entry.message || message;
    }
    const failures = [...codes].map(([code, count]) => ({ code, count }));
    const by = [...providers].map(([provider, count]) => ({ provider, count }));
    return { total, translated, failed: failures.reduce((sum, { count }) => sum + count, 0), failures, by, message };
  };

  /**
   * Returns a function that sends the state soon, and never too often.
   * @param {() => void} send
   * @returns {() => void}
   */
  const createThrottle = (send) => {
    let timer = 0;
    let last = -MIN_PAUSE_MS;
    return () => {
      if (timer) return;
      const pause = Math.max(0, last + MIN_PAUSE_MS - performance.now());
      timer = setTimeout(() => {
        timer = 0;
        last = performance.now();
        send();
      }, pause);
    };
  };

  return { createTotals, addDone, countOf, createThrottle };
})();
webtranslator.report = reportModule;
