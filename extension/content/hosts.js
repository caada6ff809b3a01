/**
 * Elements that may get a shadow root after they were walked.
 *
 * What for: no mutation tells of `attachShadow`; what appears in a root
 * changes the size of its host or of what is around it. What not: it walks
 * nothing. What must stay true: no timer; without a change nothing runs.
 */
var hostsModule = (() => {
  /** A page with more elements that wait for a root uses their names for something else. */
  const MAX_HOSTS = 2_000;
  const LOOK_PAUSE_MS = 500;

  /**
   * @param {(hosts: Element[]) => void} found
   */
  const createHosts = (found) => {
    /** @type {Set<Element>} */
    const hosts = new Set();
    let looked = 0;
    const observer = new ResizeObserver((entries) => {
      look(entries.flatMap(({ target }) => [target, ...target.children]).filter((element) => hosts.has(element)));
    });
    const look = (/** @type {Iterable<Element>} */ elements) => {
      const ready = [];
      for (const element of elements) {
        const isGone = !element.isConnected;
        if (!isGone && !webtranslator.browserApi.shadowRootOf(element)) continue;
        hosts.delete(element);
        observer.unobserve(element);
        if (!isGone) ready.push(element);
      }
      if (hosts.size === 0) observer.disconnect();
      if (ready.length > 0) found(ready);
    };
    return {
      /** @param {Element} element It has no root yet. */
      note: (element) => {
        if (hosts.size >= MAX_HOSTS || hosts.has(element) || !mayGetRoot(element)) return;
        hosts.add(element);
        observer.observe(element);
        // An element within a line has no size of its own.
        if (element.parentElement) observer.observe(element.parentElement);
      },
      /** Looks at all, now and then: something in the page changed, or the reader did something. */
      look: () => {
        const now = performance.now();
        if (now - looked < LOOK_PAUSE_MS) return;
        looked = now;
        look([...hosts]);
      },
      stop: () => {
        observer.disconnect();
        hosts.clear();
      },
    };
  };

  /**
   * @param {Element} element
   * @returns {boolean} It is empty, or waits for the script that makes it.
   */
  const mayGetRoot = (element) => {
    const { firstChild } = element;
    if (!firstChild) return true;
    if (firstChild === element.lastChild && firstChild.nodeType === 3 && !/\S/u.test(firstChild.nodeValue ?? "")) return true;
    return element.localName.includes("-") && !element.matches(":defined");
  };

  return { createHosts };
})();
webtranslator.hosts = hostsModule;
