/**
 * The only door of the content scripts to the browser's extension API.
 *
 * What for: port, closed shadow roots, language detection, UI texts. What
 * not: no decisions. What must stay true: no other file in `content/` names
 * `chrome` or `browser`, and each call has an answer when the API is missing.
 */
var browserApiModule = (() => {
  // The types of both browsers' API are not the same; the few calls below are checked by the tests.
  /** @returns {any} */
  const api = () => /** @type {any} */ (globalThis).browser ?? /** @type {any} */ (globalThis).chrome;

  /**
   * Opens the port to the background. Throws when the extension was
   * updated or removed meanwhile.
   * @param {(message: PortMessage) => void} onMessage
   * @param {() => void} onDisconnect
   * @returns {{postMessage: (message: object) => void, disconnect: () => void}}
   */
  const connect = (onMessage, onDisconnect) => {
    const port = api().runtime.connect({ name: "page" });
    port.onMessage.addListener(onMessage);
    port.onDisconnect.addListener(() => {
      void api().runtime?.lastError;
      onDisconnect();
    });
    return port;
  };

  /**
   * Returns an element's shadow root, closed ones included.
   * @param {Element} element
   * @returns {ShadowRoot|null}
   */
  const shadowRootOf = (element) => {
    if ("openOrClosedShadowRoot" in element) {
      return /** @type {ShadowRoot|null} */ (element.openOrClosedShadowRoot);
    }
    try {
      return api()?.dom?.openOrClosedShadowRoot?.(element) ?? element.shadowRoot;
    } catch {
      return element.shadowRoot; // The extension was updated; a closed root stays closed.
    }
  };

  /**
   * Returns the language that the browser is sure of, or "".
   * @param {string} text
   * @returns {Promise<string>}
   */
  const detectLanguage = async (text) => {
    const found = await api()?.i18n?.detectLanguage?.(text);
    const best = found?.languages?.[0];
    return found?.isReliable && best && best.percentage >= 70 ? best.language : "";
  };

  /**
   * Returns a text of the user interface, or the fall-back.
   * @param {string} key
   * @param {string} fallback
   * @returns {string}
   */
  const uiText = (key, fallback) => api()?.i18n?.getMessage?.(key) || fallback;

  /**
   * Says whether the extension that this script is of was updated or removed.
   * @returns {boolean}
   */
  const isOrphaned = () => {
    const runtime = api()?.runtime;
    return !runtime || ("id" in runtime && !runtime.id);
  };

  return { isOrphaned, connect, shadowRootOf, detectLanguage, uiText };
})();
webtranslator.browserApi = browserApiModule;
