/**
 * Folders for WEBTRANSLATOR_HOME. A browser's environment is fixed when it
 * starts, so it is given the path of a link; what the link points to is chosen
 * for each run, and the next host that starts finds that folder.
 */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** The provider's name in the settings, and the variable that holds its key. */
export const PROVIDER = 'scripted';
export const KEY_VARIABLE = 'WEBTRANSLATOR_KEY_SCRIPTED';
export const KEY = 'test-key-1234';

/**
 * Makes an empty home with settings for one provider.
 *
 * @param {string} settings the text of settings.toml
 * @returns {string} the folder
 */
export function makeHome(settings) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'webtranslator-home-'));
  fs.writeFileSync(path.join(folder, 'settings.toml'), settings);
  return folder;
}

/**
 * Returns settings that name one provider at this address.
 *
 * @param {string} baseUrl
 * @param {{name?: string, kind?: string, target?: string, extra?: string}} [options]
 * @returns {string}
 */
export function settingsFor(baseUrl, { name = PROVIDER, kind = 'gemini', target = 'ko', extra = '' } = {}) {
  return [
    `target = "${target}"`,
    `providers = ["${name}"]`,
    '',
    `[provider.${name}]`,
    `kind = "${kind}"`,
    'model = "scripted-1"',
    `base_url = "${baseUrl}"`,
    extra,
    '',
  ].join('\n');
}

/** A path whose meaning can be changed while a browser runs. */
export class HomeLink {
  constructor() {
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'webtranslator-link-'));
    this.path = path.join(this.folder, 'home');
  }

  /** @param {string} home */
  pointTo(home) {
    const fresh = path.join(this.folder, 'next');
    fs.symlinkSync(home, fresh);
    fs.renameSync(fresh, this.path);
  }

  remove() {
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}
