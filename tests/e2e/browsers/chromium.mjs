/**
 * Chromium as the driver needs it: the shipped folder loaded unchanged, the
 * real popup opened by the toolbar action, the service worker stopped.
 */

import path from 'node:path';
import puppeteer from 'puppeteer-core';
import { idsOf } from '../registration.mjs';
import { until } from '../wait.mjs';

/** @typedef {import('../driver.mjs').Start} Start */
/** @typedef {import('../driver.mjs').Engine} Engine */
/** @typedef {import('puppeteer-core').Page} Page */

const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * @param {Start} start
 * @returns {string} the folder that this browser reads host manifests from
 */
export function registrationFolder(start) {
  return path.join(start.profile, 'NativeMessagingHosts');
}

/**
 * @param {Start} start
 * @returns {Promise<Engine>}
 */
export async function launch(start) {
  const browser = await puppeteer.launch({
    executablePath: start.executable,
    headless: start.headless,
    pipe: true,
    userDataDir: start.profile,
    enableExtensions: [start.extension],
    // As root there is no sandbox to be had; a reader's own account keeps it.
    args: process.getuid?.() === 0 ? ['--no-sandbox', ...FLAGS] : FLAGS,
    env: start.env,
    defaultViewport: { width: 1200, height: 900 },
    protocolTimeout: 120_000,
  });
  const id = idsOf(start.extension).chromium;
  const extension = await until('the extension in Chromium', async () => (await browser.extensions()).get(id));
  const base = `chrome-extension://${id}/`;
  /** @type {Page | undefined} */
  let popup;

  return {
    browser,
    base,
    async openPopup(page) {
      if (popup && !popup.isClosed()) return;
      const isPopup = (/** @type {import('puppeteer-core').Target} */ target) =>
        target.url().startsWith(`${base}popup/`);
      const wanted = browser.waitForTarget(isPopup, { timeout: 15_000 });
      await page.bringToFront();
      await page.triggerExtensionAction(extension);
      popup = await (await wanted).asPage();
    },
    async evaluatePopup(source) {
      if (!popup || popup.isClosed()) throw new Error('the popup is not open');
      return popup.evaluate(`(${source})()`);
    },
    async closePopup() {
      if (popup && !popup.isClosed()) await popup.close();
      popup = undefined;
    },
    async shootPopup(file, scheme) {
      if (!popup) throw new Error('the popup is not open');
      await popup.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      await popup.screenshot({ path: file });
    },
    async stopBackground() {
      const [worker] = await extension.workers();
      await worker?.close().catch((error) => {
        // It is closed first and detached from then; by that time it may be gone.
        if (!/No session with given id/.test(String(error))) throw error;
      });
      return worker !== undefined;
    },
    async visitOwn(relative) {
      const page = await browser.newPage();
      await page.goto(base + relative);
      return page;
    },
  };
}
