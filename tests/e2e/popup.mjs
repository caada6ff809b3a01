/** What the popup says, read from what it shows. */

/** @typedef {import('./driver.mjs').Driver} Driver */

/** The popup's main button: translates, or shows the original. */
export const MAIN = '#toggle';
export const RETRY = '#retry';
export const FAULT = '#fault';
export const DISMISS = '#host-notice-dismiss';

/**
 * @typedef {object} State texts are empty while their element is hidden
 * @property {string} main label of the main button
 * @property {string} provider
 * @property {string} notice
 * @property {string} hostNotice what the host told, until it is dismissed
 * @property {string} fault
 * @property {string} firstRun
 * @property {string} counts
 * @property {string} by
 * @property {string} waiting
 * @property {string} message
 * @property {string} failures
 * @property {number} total of the progress bar
 * @property {number} answered
 * @property {number} failed
 * @property {number} translated
 * @property {boolean} isDone
 * @property {boolean} isReady whether the host has answered, well or not
 */

/**
 * @param {Driver} driver
 * @returns {Promise<State>}
 */
export async function readState(driver) {
  return driver.popup(() => {
    const text = (/** @type {string} */ id) => {
      const element = document.getElementById(id);
      return !element || element.closest('[hidden]') ? '' : (element.innerText ?? element.textContent).trim();
    };
    const bar = document.getElementById('bar');
    const number = (/** @type {string} */ name) => Number(bar?.getAttribute(name) ?? 0);
    // "1,203 not translated": digits only, whatever the language groups them with.
    const failed = Number(text('failed-title').replace(/\D/g, ''));
    const answered = number('aria-valuenow');
    const [provider, fault, firstRun] = [text('provider'), text('fault'), text('first-run')];
    const isLooking = provider.endsWith('…');
    return {
      ...{ main: text('toggle'), provider, notice: text('notice'), hostNotice: text('host-notice-text'), fault, firstRun },
      ...{ counts: text('counts'), by: text('by'), waiting: text('waiting'), message: text('message'), failures: text('failures') },
      ...{ total: number('aria-valuemax'), answered, failed, translated: answered - failed },
      // It is said once, to screen readers, when a page has ended.
      isDone: document.getElementById('live')?.textContent !== '' && text('page') !== '',
      isReady: fault !== '' || firstRun !== '' || (text('controls') !== '' && !isLooking),
    };
  });
}
