// Holds the stand-in of the pages against the pairs that the provider's is held against.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { isStandInOf, original, standIn } from './stand-in.mjs';

const vectors = JSON.parse(readFileSync(new URL('./stand-in.json', import.meta.url), 'utf8'));

test('a stand-in is what the shared vectors say and undoes to its source', () => {
  for (const { source, translated } of vectors.stand_ins) {
    assert.equal(standIn(source), translated);
    assert.equal(original(translated), source);
    assert.ok(isStandInOf(source, translated), source);
  }
});

test('marks that leave out an opaque token are accepted', () => {
  for (const { source, translated } of vectors.also_accepted) assert.ok(isStandInOf(source, translated), source);
});

test('a double, a shifted and a missing translation are not accepted', () => {
  for (const { source, translated } of vectors.not_accepted) assert.ok(!isStandInOf(source, translated), source);
});
