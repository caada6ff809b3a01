/**
 * The port to the background, opened again when it was lost.
 *
 * What for: a service worker may stop at any time; what is unanswered is
 * sent again under a new stream. What not: it knows no stream. What must
 * stay true: at most three tries without an answer in between; a port that
 * nobody needs stays closed, so that the worker can sleep.
 */
var portModule = (() => {
  const TRIES = 3;
  const PAUSE_MS = 3_000;

  /**
   * @typedef {object} PortOptions
   * @property {(message: PortMessage) => void} onMessage
   * @property {() => void} onOrphaned The extension of this script is gone.
   * @property {() => void} onLost
   * @property {() => boolean} isNeeded
   * @property {() => void} onReopened
   * @property {() => void} onGivenUp
   */

  /** @typedef {ReturnType<typeof browserApiModule.connect>} Port */

  /**
   * @param {(message: PortMessage) => void} onMessage
   * @param {() => void} onDisconnect
   * @returns {Port|null}
   */
  const connect = (onMessage, onDisconnect) => {
    try {
      return webtranslator.browserApi.connect(onMessage, onDisconnect);
    } catch {
      return null; // The extension was updated or removed; this script is the old one's.
    }
  };

  /** @param {Port|null} port */
  const close = (port) => {
    try {
      port?.disconnect();
    } catch {
      return; // It was dead.
    }
  };

  /**
   * @param {PortOptions} options
   */
  const createPort = (options) => {
    /** @type {Port|null} */
    let port = null;
    let tries = 0;
    let timer = 0;

    const open = () => {
      if (port) return true;
      const mine = connect((message) => {
        tries = 0;
        options.onMessage(message);
      }, () => { if (port === mine) lost(); });
      port = mine;
      return port !== null;
    };

    const lost = () => {
      port = null;
      if (webtranslator.browserApi.isOrphaned()) return void options.onOrphaned();
      options.onLost();
      if (options.isNeeded()) again();
    };

    // The first try is made at once: a worker that was stopped starts with the next message.
    const again = () => {
      if (timer) return;
      tries += 1;
      if (tries > TRIES) {
        tries = 0;
        options.onGivenUp();
        return;
      }
      timer = setTimeout(() => {
        timer = 0;
        if (open()) options.onReopened();
        else again();
      }, tries === 1 ? 0 : PAUSE_MS);
    };

    /**
     * Sends a message, over a new port if need be. What cannot be sent is
     * lost here; the caller has it in its queue and hears of it by `onLost`.
     * @param {PortMessage} message
     */
    const post = (message) => {
      if (timer) return;
      try {
        if (open()) port?.postMessage(message);
        else lost();
      } catch {
        lost(); // A port may close between its last message and the event that says so.
      }
    };

    /**
     * Sends a message if a port is open; nobody needs it otherwise.
     * @param {PortMessage} message
     */
    const tell = (message) => {
      if (port) post(message);
    };

    /** Opens a new port in place of one that may be dead without our knowledge. */
    const renew = () => {
      close(port);
      port = null;
      options.onLost();
      if (open()) options.onReopened();
    };

    return { open, renew, post, tell, isReady: () => timer === 0 };
  };

  return { createPort };
})();
webtranslator.port = portModule;
