/**
 * What the docs say about files, messages and codes, held against them.
 */

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { CODES } from '../../extension/shared/wire.js';

const root = path.join(import.meta.dirname, '..', '..');
const read = (/** @type {string} */ name) => fs.readFileSync(path.join(root, name), 'utf8');
const pages = ['README.md', ...fs.readdirSync(path.join(root, 'docs')).map((name) => `docs/${name}`)];
const protocol = read('docs/PROTOCOL.md');

/**
 * @param {string} title of a section
 * @returns {Map<string, string>} the rows of its table, by the word in their first cell
 */
function rows(title) {
  const section = protocol.split(/^## /m).find((part) => part.startsWith(title)) ?? '';
  return new Map([...section.matchAll(/^\| `(\w+)` \|(.*)$/gm)].map(([, word = '', rest = '']) => [word, rest]));
}

test('each file that the docs name is there', () => {
  let seen = 0;
  for (const page of pages) {
    const text = read(page);
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, to = '']) => path.join(path.dirname(page), to));
    const named = [...text.matchAll(/`(?:\.\/)?((?:docs|host|tests|extension|installer)\/[\w./-]*)/g)].map(([, to = '']) => to);
    for (const name of [...links, ...named]) {
      seen += 1;
      const there = [name, `${name}.rs`].some((file) => fs.existsSync(path.join(root, file)));
      assert.ok(there, `${page} names ${name}`);
    }
  }
  assert.ok(seen > 30, `the scan found only ${seen} names`);
});

test('each message of the fixtures stands in the contract, with each of its fields', () => {
  const described = { to_host: rows('Extension → host'), to_extension: rows('Host → extension') };
  const fixtures = fs.readdirSync(path.join(root, 'tests/protocol'));
  for (const name of fixtures) {
    const { direction, message } = JSON.parse(read(`tests/protocol/${name}`));
    const { type, ...fields } = message;
    const row = described[/** @type {'to_host'} */ (direction)].get(type);
    assert.ok(row, `${name}: ${type} is not described`);
    for (const field of Object.keys(fields)) assert.match(row, new RegExp(`\\b${field}\\b`), `${name}: ${field}`);
  }
  for (const [direction, table] of Object.entries(described)) {
    for (const type of table.keys()) {
      const has = (/** @type {string} */ name) => {
        const fixture = JSON.parse(read(`tests/protocol/${name}`));
        return fixture.direction === direction && fixture.message.type === type;
      };
      assert.ok(fixtures.some(has), `${type} has no fixture`);
    }
  }
});

test('the codes of the contract are those of the extension, in their order', () => {
  assert.deepEqual([...rows('Codes').keys()], [...CODES]);
});
