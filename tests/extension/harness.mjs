/**
 * Drives the content scripts in real browsers, with a background that the test plays.
 *
 * What for: each browser is started once; a test opens a page of
 * `tests/pages`, in which the shipped content files run. What not: no
 * extension and no host; `tests/e2e` has them. What must stay true: the
 * content files are loaded unchanged, in the order that ships.
 */
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import puppeteer from "puppeteer-core";
import { contentFiles } from "../../extension/shared/content-files.js";
import { playBackground } from "./background-stand-in.mjs";

const ROOT = path.resolve(import.meta.dirname, "../..");
const PAGES = path.join(ROOT, "tests/pages");
/** A page is named without `.html`; what is no HTML by its whole name. */
const TYPES = new Map([[".svg", "image/svg+xml"], [".xml", "application/xml"], [".txt", "text/plain"]]);

/** @returns {Promise<{url: string, close: () => void}>} */
const servePages = async () => {
  const server = http.createServer((request, response) => {
    const name = path.basename(new URL(request.url ?? "/", "http://localhost").pathname);
    const file = path.join(PAGES, path.extname(name) ? name : `${name}.html`);
    response.setHeader("content-type", `${TYPES.get(path.extname(name)) ?? "text/html"}; charset=utf-8`);
    response.statusCode = fs.existsSync(file) ? 200 : 404;
    response.end(fs.existsSync(file) ? fs.readFileSync(file) : "");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${address.port}/`, close: () => server.close() };
};

/** @param {"chromium"|"firefox"} name @param {string} profile */
const launch = (name, profile) => {
  const env = { ...process.env, HOME: profile, MOZ_CRASHREPORTER_DISABLE: "1" };
  return name === "chromium"
    ? puppeteer.launch({
      executablePath: "/usr/bin/chromium", headless: true, pipe: true, userDataDir: profile, env,
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync"],
    })
    : puppeteer.launch({
      browser: "firefox", executablePath: "/usr/bin/firefox-esr", headless: true, userDataDir: profile, env,
      extraPrefsFirefox: { "datareporting.policy.dataSubmissionEnabled": false, "app.update.enabled": false },
    });
};

/**
 * Starts a browser.
 * @param {"chromium"|"firefox"} name
 */
export const startBrowser = async (name) => {
  const server = await servePages();
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), `webtranslator-${name}-`));
  const browser = await launch(name, profile);
  const page = await browser.newPage();
  await page.setViewport({ width: 900, height: 700 });
  return {
    name, page,
    /** @param {string} file @param {import("./background-stand-in.mjs").Options} [options] */
    open: (file, options) => open(page, `${server.url}${file}`, options ?? {}),
    close: async () => {
      await browser.close();
      server.close();
      // A browser that has closed may still write for a moment.
      fs.rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
};

/**
 * Opens a page and runs the content files in it.
 * @param {import("puppeteer-core").Page} page
 * @param {string} url
 * @param {import("./background-stand-in.mjs").Options} options For the stand-in of the background.
 */
const open = async (page, url, options) => {
  const errors = /** @type {string[]} */ ([]);
  page.removeAllListeners("pageerror");
  page.on("pageerror", (error) => errors.push(String(/** @type {Error} */ (error).stack ?? error)));
  await page.goto(url);
  await page.evaluate(playBackground, options);
  const inject = async () => {
    for (const file of contentFiles) {
      await page.evaluate(fs.readFileSync(path.join(ROOT, "extension", file), "utf8") + "\n;undefined");
    }
  };
  await inject();
  const send = (/** @type {import("./background-stand-in.mjs").Told} */ message) => page.evaluate((m) => globalThis.background.send(m), message);
  return {
    page, errors, inject, send,
    /** @param {string} [target] @param {string} [mode] */
    start: async (target = "ko", mode = "translation") => {
      await send({ type: "start", target, mode });
      await settled(page);
    },
    restore: async () => {
      await send({ type: "restore" });
      await page.evaluate(() => globalThis.webtranslator.page.self.chain);
    },
    settled: () => settled(page),
    /** @returns {Promise<string[]>} Each text that was sent, in order. */
    sent: () => page.evaluate(() => globalThis.background.texts()),
    state: async () => {
      const state = await page.evaluate(() => globalThis.background.lastState());
      if (!state) throw new Error("the page told no state");
      return state;
    },
    /** @param {string} selector @returns {Promise<string>} */
    text: (selector) => page.$eval(selector, (element) => element.textContent ?? ""),
    /** @returns {Promise<string>} */
    html: () => page.evaluate(() => document.documentElement.outerHTML),
  };
};

/**
 * Waits until nothing is collected, asked, shown or watched any more.
 * @param {import("puppeteer-core").Page} page
 */
const settled = (page) => page.evaluate(async () => {
  const pause = (/** @type {number} */ ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
  const { self, parts } = globalThis.webtranslator.page;
  const isBusy = () => parts.queue.self.collecting || self.detecting > 0 || self.pumping || self.rendering ||
    self.ready.length > 0 || !parts.watch.isQuiet() || (!globalThis.background.silent && parts.queue.self.openSegments > 0);
  const end = performance.now() + 20_000;
  await self.chain;
  for (let quiet = 0; quiet < 3;) {
    if (performance.now() > end) throw new Error("the page does not come to rest");
    await pause(20);
    quiet = isBusy() ? 0 : quiet + 1;
  }
});

/** @typedef {Awaited<ReturnType<typeof open>>} Opened */
/** @typedef {Awaited<ReturnType<typeof startBrowser>>} TestBrowser */
