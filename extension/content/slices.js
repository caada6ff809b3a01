/**
 * Long work in short slices, so that the page stays responsive.
 *
 * What for: walking and rendering thousands of blocks without a task that
 * the reader would feel. What not: it knows nothing of the work. What must
 * stay true: a step of the work is small, and no slice lasts much longer
 * than its budget.
 */
var slicesModule = (() => {
  // A frame at 60 Hz is 16 ms; the page needs its part of it.
  const BUDGET_MS = 8;

  /** Of the slices since `reset`: the longest, their sum in ms and their number, for the tests and the bench. */
  const measured = { longest: 0, spent: 0, count: 0 };

  /** @returns {Promise<void>} Resolves in a new task, after input and painting had their turn. */
  const nextTask = () => {
    const scheduler = /** @type {any} */ (globalThis).scheduler;
    if (typeof scheduler?.yield === "function") return scheduler.yield();
    return new Promise((resolve) => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        channel.port1.close();
        resolve();
      };
      channel.port2.postMessage(null);
    });
  };

  /**
   * Runs the steps of a generator in slices; each `yield` is a place where
   * a slice may end.
   * @param {Iterator<void, void, void>} steps
   * @param {() => boolean} stopped Asked before each slice; true ends the work.
   * @returns {Promise<boolean>} False when it was stopped.
   */
  const run = async (steps, stopped) => {
    for (;;) {
      if (stopped()) {
        steps.return?.();
        return false;
      }
      const begun = performance.now();
      let finished;
      do finished = steps.next().done === true;
      while (!finished && performance.now() - begun < BUDGET_MS);
      const spent = performance.now() - begun;
      measured.longest = Math.max(measured.longest, spent);
      measured.spent += spent;
      measured.count += 1;
      if (finished) return true;
      await nextTask();
    }
  };

  /**
   * Tells a fault to the console and lets the caller go on.
   * @param {unknown} error
   */
  const tell = (error) => {
    setTimeout(() => { throw error; });
  };

  /**
   * Runs a step that must not end the others. A page can make any call to
   * its nodes throw, by its custom elements.
   * @param {() => void} step
   * @returns {boolean} False when it threw.
   */
  const attempt = (step) => {
    try {
      step();
      return true;
    } catch (error) {
      tell(error);
      return false;
    }
  };

  /** Forgets what was measured. */
  const reset = () => {
    measured.longest = 0;
    measured.spent = 0;
    measured.count = 0;
  };

  return { run, nextTask, tell, attempt, measured, reset };
})();
webtranslator.slices = slicesModule;
