/**
 * `web-ext lint` on the folder that ships: no error, and no warning but the
 * two that a manifest for both browsers cannot avoid.
 */

import { spawnSync } from 'node:child_process';
import process from 'node:process';

/** Firefox ignores `service_worker`; Android is not a platform of ours. */
const ALLOWED = new Set([
  'BACKGROUND_SERVICE_WORKER_IGNORED',
  'KEY_FIREFOX_ANDROID_UNSUPPORTED_BY_MIN_VERSION',
  'PERMISSION_FIREFOX_ANDROID_UNSUPPORTED_BY_MIN_VERSION',
]);

const run = spawnSync('npx', ['--no-install', 'web-ext', 'lint', '-s', 'extension', '--output', 'json', '--no-config-discovery'], {
  encoding: 'utf8',
  env: { ...process.env, NO_UPDATE_NOTIFIER: '1' },
});
const start = run.stdout.indexOf('{');
if (start < 0) {
  console.error(run.stdout, run.stderr);
  process.exit(1);
}
const report = JSON.parse(run.stdout.slice(start));
/** @type {{code: string, message: string, file?: string, line?: number}[]} */
const faults = [...report.errors, ...report.warnings.filter((/** @type {any} */ { code }) => !ALLOWED.has(code))];
for (const { code, message, file, line } of faults) console.error(`${file ?? ''}:${line ?? ''} ${code}: ${message}`);
process.exit(faults.length === 0 ? 0 : 1);
