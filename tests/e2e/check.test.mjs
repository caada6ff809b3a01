/** The checker itself: right pages pass, and each kind of wrong page is seen. */

import assert from 'node:assert/strict';
import test from 'node:test';
import { standIn } from '../pages/stand-in.mjs';
import { judge } from './check.mjs';

/** @typedef {import('./check.mjs').Seen} Seen */

const TEXTS = ['Press the red button.', 'Press the red button.', 'Press the red buttons.', 'Read the ', 'notes', ' first.'];
const BLOCKS = [0, 1, 2, 3, 3, 3];

/**
 * @param {(string | null)[]} shown
 * @returns {Seen[]}
 */
function page(shown) {
  return TEXTS.map((before, i) => ({ before, after: shown[i] ?? null, block: Number(BLOCKS[i]), fixed: false }));
}

/** @returns {string[]} */
const right = () => TEXTS.map((text) => standIn(text));

test('a_page_with_each_text_in_its_place_is_right', () => {
  assert.deepEqual(judge(page(right())), { translated: 6, kept: [], wrong: [], lost: [] });
});

test('white_space_at_the_ends_may_differ', () => {
  const shown = right();
  shown[3] = '가«Read the»';
  assert.equal(judge(page(shown)).wrong.length, 0);
});

test('a_text_that_stands_in_the_original_is_kept', () => {
  const shown = right();
  shown[2] = String(TEXTS[2]);
  assert.deepEqual(judge(page(shown)).kept, ['Press the red buttons.']);
});

test('a_neighbours_translation_is_wrong', () => {
  const shown = right();
  shown[1] = standIn('Press the red buttons.');
  assert.equal(judge(page(shown)).wrong.length, 1);
});

test('a_shift_by_one_is_wrong_wherever_the_texts_differ', () => {
  const texts = right();
  const shown = [...texts.slice(1), String(texts[0])];
  assert.ok(judge(page(shown)).wrong.length >= 3);
});

test('a_double_translation_is_wrong', () => {
  const shown = right().map((text) => standIn(text));
  assert.equal(judge(page(shown)).wrong.length, 4);
});

test('a_translation_that_is_there_twice_is_wrong', () => {
  const shown = right();
  shown[0] = `${shown[0]}${shown[0]}`;
  shown[3] = `${shown[3]}${shown[3]}`;
  assert.equal(judge(page(shown)).wrong.length, 2);
});

test('a_cut_text_is_wrong', () => {
  const shown = right();
  shown[5] = '가«fir»';
  assert.equal(judge(page(shown)).wrong.length, 1);
});

test('a_text_that_was_emptied_is_wrong', () => {
  const shown = right();
  shown[4] = '';
  assert.equal(judge(page(shown)).wrong.length, 1);
});

test('words_may_stand_in_another_node_of_their_block', () => {
  const shown = right();
  shown.splice(3, 3, '가«Read the» 가«notes» ', '', '가«first.»');
  assert.deepEqual(judge(page(shown)).wrong, []);
});

test('words_that_changed_their_order_within_a_block_are_wrong', () => {
  const shown = right();
  shown.splice(3, 3, '가«first.» ', '가«notes»', ' 가«Read the»');
  assert.equal(judge(page(shown)).wrong.length, 1);
});

test('code_that_was_touched_is_wrong', () => {
  const nodes = [{ before: 'r_shadows 1', after: '가«r_shadows 1»', block: 0, fixed: true }];
  assert.equal(judge(nodes).wrong.length, 1);
});

test('a_node_that_is_gone_is_lost', () => {
  assert.deepEqual(judge(page([...right().slice(0, 5), null])).lost, [' first.']);
});
