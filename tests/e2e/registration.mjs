/**
 * What a browser must find before it starts the host: the two strict host
 * manifests, and the fixed ids of the extension as its manifest gives them.
 */

import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** The name that the extension asks the browser for. */
export const HOST_NAME = 'org.webtranslator.host';

/**
 * Returns the ids that both browsers give the extension in this folder.
 *
 * @param {string} extension
 * @returns {{chromium: string, gecko: string}}
 */
export function idsOf(extension) {
  const manifest = JSON.parse(fs.readFileSync(path.join(extension, 'manifest.json'), 'utf8'));
  const digest = crypto.createHash('sha256').update(Buffer.from(manifest.key, 'base64')).digest('hex');
  const chromium = [...digest.slice(0, 32)].map((digit) => String.fromCharCode(97 + parseInt(digit, 16))).join('');
  return { chromium, gecko: manifest.browser_specific_settings.gecko.id };
}

/**
 * Writes the host manifest into a folder that only this test's browser reads.
 *
 * @param {{folder: string, host: string, extension: string, family: 'chromium' | 'firefox'}} what
 * @returns {string} the file
 */
export function register({ folder, host, extension, family }) {
  const ids = idsOf(extension);
  const allowed =
    family === 'chromium'
      ? { allowed_origins: [`chrome-extension://${ids.chromium}/`] }
      : { allowed_extensions: [ids.gecko] };
  const manifest = { name: HOST_NAME, description: 'WebTranslator host (test)', path: host, type: 'stdio', ...allowed };
  fs.mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${HOST_NAME}.json`);
  fs.writeFileSync(file, JSON.stringify(manifest, null, 2));
  return file;
}
