/**
 * One interface to both browsers: starts them with a fresh home and profile,
 * registers the host for them alone, and operates the extension as a reader
 * does. What differs between the two is in `browsers/`.
 */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as chromium from './browsers/chromium.mjs';
import * as firefox from './browsers/firefox.mjs';
import { end, isAlive, pidsOf, signal } from './processes.mjs';
import { register } from './registration.mjs';
import { until, within } from './wait.mjs';

/** @typedef {import('puppeteer-core').Page} Page */
/** @typedef {'chromium' | 'firefox'} BrowserName */
/** @typedef {'light' | 'dark'} Scheme */

/**
 * @typedef {object} Start what a browser needs to start
 * @property {string} executable
 * @property {boolean} headless
 * @property {string} extension the folder that ships
 * @property {string} home
 * @property {string} profile
 * @property {Record<string, string | undefined>} env
 */

/**
 * @typedef {object} Engine what each browser does in its own way
 * @property {import('puppeteer-core').Browser} browser
 * @property {string} base address of the extension's own pages
 * @property {(page: Page) => Promise<void>} openPopup
 * @property {(source: string) => Promise<unknown>} evaluatePopup
 * @property {() => Promise<void>} closePopup
 * @property {(file: string, scheme: Scheme) => Promise<void>} shootPopup
 * @property {() => Promise<boolean>} stopBackground false when it was not running
 * @property {(relative: string) => Promise<Page>} visitOwn
 */

/**
 * @typedef {object} Options
 * @property {BrowserName} browser
 * @property {string} extension the folder that ships, loaded as it is
 * @property {string | undefined} host the binary; undefined: no registration
 * @property {Record<string, string | undefined>} [env] for the browser and so for the host
 * @property {boolean} [headless]
 * @property {(folder: string, family: BrowserName) => void} [registerHost] in place of our own manifest
 */

const ENGINES = { chromium, firefox };
const EXECUTABLES = {
  chromium: process.env.CHROMIUM ?? '/usr/bin/chromium',
  firefox: process.env.FIREFOX ?? '/usr/bin/firefox-esr',
};

/** @type {BrowserName[]} */
export const BROWSERS = ['chromium', 'firefox'];

/**
 * Starts a browser. Whoever opens it closes it.
 *
 * @param {Options} options
 * @returns {Promise<Driver>}
 */
export async function open(options) {
  const extension = path.resolve(options.extension);
  const root = fs.mkdtempSync(path.join(os.tmpdir(), `webtranslator-${options.browser}-`));
  const home = path.join(root, 'home');
  const start = {
    executable: EXECUTABLES[options.browser],
    headless: options.headless ?? true,
    extension,
    home,
    profile: path.join(root, 'profile'),
    env: { ...process.env, ...options.env, HOME: home, XDG_CONFIG_HOME: undefined, XDG_DATA_HOME: undefined },
  };
  fs.mkdirSync(start.home);
  fs.mkdirSync(start.profile);
  const { launch, registrationFolder } = ENGINES[options.browser];
  const registration = registrationFolder(start);
  const driver = new Driver({ ...options, extension }, await launch(start), { root, home, registration });
  driver.register();
  return driver;
}

/** A started browser with the extension in it. */
export class Driver {
  /**
   * @param {Options} options
   * @param {Engine} engine
   * @param {{root: string, home: string, registration: string}} folders
   */
  constructor(options, engine, folders) {
    this.name = options.browser;
    this.host = options.host;
    this.options = options;
    this.engine = engine;
    this.home = folders.home;
    this.root = folders.root;
    this.registration = folders.registration;
  }

  /** Makes the host known to this browser, and to no other. */
  register() {
    const { browser, extension, host, registerHost } = this.options;
    if (registerHost) registerHost(this.registration, browser);
    else if (host) register({ folder: this.registration, host, extension, family: browser });
  }

  /** Makes it unknown again; browsers read the folder at each connection. */
  unregister() {
    fs.rmSync(this.registration, { recursive: true, force: true });
  }

  /**
   * Opens a page in a new tab.
   *
   * @param {string} url
   * @returns {Promise<Page>}
   */
  async page(url) {
    const page = await this.engine.browser.newPage();
    await page.goto(url, { waitUntil: 'load' });
    return page;
  }

  /**
   * Opens the real popup by the toolbar action, for this tab.
   *
   * @param {Page} page
   */
  async openPopup(page) {
    await this.engine.openPopup(page);
    await until('the content of the popup', () => this.popup(() => document.readyState === 'complete'));
  }

  /** Closes the popup, as a click beside it does. */
  async closePopup() {
    await this.engine.closePopup();
  }

  /**
   * Runs a function in the popup. It may use only what is passed to it.
   *
   * @template {unknown[]} A
   * @template T
   * @param {(...args: A) => T | Promise<T>} body
   * @param {A} args plain data
   * @returns {Promise<T>}
   */
  async popup(body, ...args) {
    const source = `() => (${body})(...${JSON.stringify(args)})`;
    return /** @type {Promise<T>} */ (this.engine.evaluatePopup(source));
  }

  /**
   * Clicks an element of the popup.
   *
   * @param {string} selector
   */
  async click(selector) {
    await until(`${selector} in the popup`, () =>
      this.popup((wanted) => {
        const element = /** @type {HTMLButtonElement | null} */ (document.querySelector(wanted));
        if (!element || element.disabled || element.closest('[hidden]')) return false;
        element.click();
        return true;
      }, selector),
    );
  }

  /**
   * Writes a picture of the popup.
   *
   * @param {string} file
   * @param {Scheme} scheme
   */
  async shootPopup(file, scheme) {
    await this.engine.shootPopup(file, scheme);
  }

  /**
   * Opens one of the extension's own pages in a tab.
   *
   * @param {string} relative
   * @returns {Promise<Page>}
   */
  async visitOwn(relative) {
    return this.engine.visitOwn(relative);
  }

  /**
   * Stops the service worker or the event page.
   *
   * @returns {Promise<boolean>} false when it was not running
   */
  async stopBackground() {
    return within('stopping the background', this.engine.stopBackground(), 20_000);
  }

  /** @returns {number[]} the hosts that this browser has started */
  hostPids() {
    return this.host ? pidsOf(this.host, this.home) : [];
  }

  /**
   * Kills the hosts of this browser as a crash would.
   *
   * @returns {Promise<number>} how many were killed
   */
  async killHosts() {
    const pids = this.hostPids();
    for (const pid of pids) signal(pid, 'SIGKILL');
    await until('the end of the host', () => pids.every((pid) => !isAlive(pid)));
    return pids.length;
  }

  /**
   * Closes the browser and removes its folders. No process is left behind; a
   * host that had to be killed is returned, since that is a fault of ours.
   *
   * @returns {Promise<number[]>} hosts that outlived their browser
   */
  async close() {
    const child = this.engine.browser.process();
    await within('closing the browser', this.engine.browser.close(), 20_000).catch(() => undefined);
    if (child?.pid && isAlive(child.pid)) await end(child.pid);
    const left = await until('the hosts to end', () => this.hostPids().length === 0, { ms: 4000 })
      .then(() => /** @type {number[]} */ ([]))
      .catch(() => this.hostPids());
    for (const pid of left) signal(pid, 'SIGKILL');
    fs.rmSync(this.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    return left;
  }
}
