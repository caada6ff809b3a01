/** The counts that tests/run.sh adds up, from what each runner prints. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';

/**
 * @param {string} output of a runner
 * @param {number} code its exit code
 * @param {string} expected "passed failed"
 */
function check(output, code, expected) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'count-'));
  const file = path.join(folder, 'log');
  fs.writeFileSync(file, output);
  const run = spawnSync('bash', ['-c', '. tests/lib/count.sh && count_of "$1" "$2"', 'count', file, String(code)], {
    encoding: 'utf8',
  });
  fs.rmSync(folder, { recursive: true });
  assert.equal(run.stdout.trim(), expected, run.stderr);
}

test('cargo_test_prints_a_line_for_each_binary', () => {
  const ok = 'test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s\n';
  check(ok + ok.replace('ok. 12 passed; 0', 'FAILED. 3 passed; 2'), 101, '15 2');
});

test('nextest_prints_a_summary', () => {
  check('     Summary [   3.212s] 120 tests run: 118 passed (1 slow), 2 failed, 0 skipped\n', 100, '118 2');
  check('\u001b[32m     Summary\u001b[0m [   3.212s] 7 tests run: 7 passed, 0 skipped\n', 0, '7 0');
});

test('node_prints_pass_and_fail', () => {
  check('✔ a_test (1ms)\nℹ tests 3\nℹ pass 2\nℹ fail 1\n', 1, '2 1');
  check('# tests 3\n# pass 3\n# fail 0\n', 0, '3 0');
});

test('a_script_with_steps_prints_both_numbers', () => {
  check('   ok    clippy\n5 passed, 1 failed\n', 1, '5 1');
});

test('a_runner_without_a_count_is_one_test', () => {
  check('all is well\n', 0, '1 0');
  check('error: could not compile\n', 101, '0 1');
});

test('a_runner_that_died_after_its_tests_passed_has_failed', () => {
  check('ℹ pass 4\nℹ fail 0\n', 137, '4 1');
});
