/**
 * Blocks in which the page writes faster than a reader reads.
 *
 * What for: an answer that is being typed, or rows that fly by, is
 * translated when it comes to rest, not at each step. What not: it decides
 * nothing about a page that takes its own text back; `ledger` counts that.
 * What must stay true: the first change of a block is never held up; what is
 * held is given back once it has been quiet.
 */
var restlessModule = (() => {
  const QUIET_MS = 500;

  const createRestless = () => {
    /** @type {WeakMap<Node, number>} When it was last written in. */
    const last = new WeakMap();
    /** @type {Map<Element, Set<Element>>} Held blocks, and what was added to their lines. */
    const held = new Map();
    return {
      QUIET_MS,
      isHolding: () => held.size > 0,
      /**
       * Takes out of the work what is not at rest, and puts in what has come to rest.
       * @param {Dirty} dirty
       * @param {number} now
       */
      sort: (dirty, now) => {
        for (const block of dirty.rewritten) {
          const before = last.get(block);
          last.set(block, now);
          if (before !== undefined && now - before < QUIET_MS && !held.has(block)) held.set(block, new Set());
        }
        for (const element of dirty.added) last.set(element, now);
        for (const [element, block] of dirty.inline) if (dirty.added.has(element)) held.get(block)?.add(element);
        for (const [block, added] of held) {
          const isQuiet = now - (last.get(block) ?? 0) >= QUIET_MS;
          if (isQuiet || !block.isConnected) held.delete(block);
          put(dirty.blocks, [block], isQuiet);
          put(dirty.added, added, isQuiet);
        }
      },
      clear: () => held.clear(),
    };
  };

  /**
   * @param {Set<Element>} set
   * @param {Iterable<Element>} elements
   * @param {boolean} isIn
   */
  const put = (set, elements, isIn) => {
    for (const element of elements) {
      if (isIn) set.add(element);
      else set.delete(element);
    }
  };

  return { createRestless };
})();
webtranslator.restless = restlessModule;
