/**
 * Firefox as the driver needs it. The popup is no WebDriver BiDi context, so
 * it is opened and reached through the window of the browser itself: by the
 * toolbar action, and by frame scripts in the popup's own process.
 */

import fs from 'node:fs';
import path from 'node:path';
import puppeteer from 'puppeteer-core';
import { idsOf } from '../registration.mjs';
import { until, within } from '../wait.mjs';

/** @typedef {import('../driver.mjs').Start} Start */
/** @typedef {import('../driver.mjs').Engine} Engine */
/** @typedef {import('puppeteer-core').Browser} Browser */

/** Fixes the addresses of the extension's own pages. */
const UUID = '5f1b8f6a-6f0e-4c5b-9a52-0d6c2f3f9e11';
const POPUP = `document.querySelector('browser.webextension-popup-browser')`;

/**
 * @param {Start} start
 * @returns {string} the folder that this browser reads host manifests from
 */
export function registrationFolder(start) {
  return path.join(start.home, '.mozilla', 'native-messaging-hosts');
}

/**
 * @param {Start} start
 * @returns {Promise<Engine>}
 */
export async function launch(start) {
  const id = idsOf(start.extension).gecko;
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: start.executable,
    headless: start.headless,
    userDataDir: start.profile,
    args: ['-remote-allow-system-access', '--width=1200', '--height=900'],
    env: { ...start.env, MOZ_CRASHREPORTER_DISABLE: '1' },
    extraPrefsFirefox: {
      'datareporting.policy.dataSubmissionEnabled': false,
      'app.update.enabled': false,
      'extensions.webextensions.uuids': JSON.stringify({ [id]: UUID }),
      'extensions.webextOptionalPermissionPrompts': false,
    },
    protocolTimeout: 120_000,
  });
  await browser.installExtension(start.extension);
  const chrome = await chromeScope(browser);
  return { browser, base: `moz-extension://${UUID}/`, ...popupOf(chrome, id), ...ownPages(browser, chrome, id) };
}

/**
 * @param {Chrome} chrome
 * @param {string} id
 * @returns {Pick<Engine, 'openPopup' | 'evaluatePopup' | 'closePopup' | 'shootPopup'>}
 */
function popupOf(chrome, id) {
  return {
    async openPopup(page) {
      if (await chrome(`!!${POPUP}`)) return;
      await page.bringToFront();
      await chrome(`ChromeUtils.importESModule('resource://gre/modules/ExtensionParent.sys.mjs').ExtensionParent.apiManager.global
        .browserActionFor(WebExtensionPolicy.getByID(${JSON.stringify(id)}).extension).triggerAction(window)`);
      await until('the popup of Firefox', () =>
        chrome(`!!${POPUP} && ${POPUP}.currentURI.spec.includes('/popup/') && !${POPUP}.webProgress.isLoadingDocument`),
      );
    },
    evaluatePopup: (source) => within('the popup’s answer', chrome(frameScript(source)), 15_000),
    async closePopup() {
      await chrome(`${POPUP}?.closest('panel')?.hidePopup()`);
      await until('the popup to close', async () => !(await chrome(`!!${POPUP}`)));
    },
    async shootPopup(file, scheme) {
      await chrome(`void (${POPUP}.browsingContext.prefersColorSchemeOverride = ${JSON.stringify(scheme)})`);
      const url = await chrome(`(async () => {
        const image = await ${POPUP}.browsingContext.currentWindowGlobal.drawSnapshot(null, 1, 'white');
        const canvas = document.createElementNS('http://www.w3.org/1999/xhtml', 'canvas');
        [canvas.width, canvas.height] = [image.width, image.height];
        canvas.getContext('2d').drawImage(image, 0, 0);
        return canvas.toDataURL();
      })()`);
      fs.writeFileSync(file, Buffer.from(String(url).replace(/^.*,/, ''), 'base64'));
    },
  };
}

/**
 * @param {Browser} browser
 * @param {Chrome} chrome
 * @param {string} id
 * @returns {Pick<Engine, 'stopBackground' | 'visitOwn'>}
 */
function ownPages(browser, chrome, id) {
  return {
    async stopBackground() {
      const extension = `WebExtensionPolicy.getByID(${JSON.stringify(id)}).extension`;
      const wasRunning = await chrome(`${extension}.backgroundState !== 'stopped'`);
      await chrome(`${extension}.terminateBackground({ignoreDevToolsAttached: true, disableResetIdleForTest: true})`);
      return Boolean(wasRunning);
    },
    async visitOwn(relative) {
      const page = await browser.newPage();
      // The address loads, but puppeteer never learns of it.
      await page.goto(`moz-extension://${UUID}/${relative}`, { timeout: 3000 }).catch(() => undefined);
      await until('the page of the extension', () => page.evaluate(`document.readyState === 'complete'`));
      return page;
    },
  };
}

/** @typedef {(expression: string) => Promise<unknown>} Chrome */

/**
 * Returns a function that evaluates in the browser's own window. Values come
 * back as JSON, so only plain data does.
 *
 * @param {Browser} browser
 * @returns {Promise<Chrome>}
 */
async function chromeScope(browser) {
  // Puppeteer has no name for the chrome scope; its BiDi connection has.
  const { connection } = /** @type {{connection: {send(method: string, params: object): Promise<any>}}} */ (
    /** @type {unknown} */ (browser)
  );
  const tree = await connection.send('browsingContext.getTree', { 'moz:scope': 'chrome' });
  const { context } = tree.result.contexts[0];
  return async (expression) => {
    const answer = await connection.send('script.evaluate', {
      expression: `(async () => JSON.stringify((await (${expression})) ?? null))()`,
      target: { context },
      awaitPromise: true,
    });
    if (answer.result.type !== 'success') throw new Error(answer.result.exceptionDetails.text);
    return JSON.parse(answer.result.result.value);
  };
}

/**
 * Returns an expression for the browser's window that runs a function in the
 * popup and gives its value.
 *
 * @param {string} source of a function that uses only `document` and `window`
 * @returns {string}
 */
function frameScript(source) {
  const inPopup = `
    const window = content, document = content.document;
    Promise.resolve().then(() => (${source})()).then(
      (value) => sendAsyncMessage('NAME', {value: JSON.stringify(value ?? null)}),
      (error) => sendAsyncMessage('NAME', {error: String(error)}));`;
  return `new Promise((resolve, reject) => {
    const browser = ${POPUP};
    if (!browser) throw new Error('the popup is not open');
    const name = 'webtranslator-test-' + Math.random();
    browser.messageManager.addMessageListener(name, function once({data}) {
      browser.messageManager.removeMessageListener(name, once);
      if (data.error) reject(new Error(data.error)); else resolve(JSON.parse(data.value));
    });
    const script = ${JSON.stringify(`(() => {${inPopup}})()`)}.replaceAll('NAME', name);
    browser.messageManager.loadFrameScript('data:application/javascript;charset=utf-8,' + encodeURIComponent(script), false);
  })`;
}
