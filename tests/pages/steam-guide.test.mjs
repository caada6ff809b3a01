// Pins the guide: a change of one byte would make runs incomparable.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import { REFUSED_WORD, guideHtml, guideTexts } from './steam-guide.mjs';

/** @param {string} text */
const sha256 = (text) => createHash('sha256').update(text).digest('hex');

test('the same arguments give the same bytes', () => {
  const page = guideHtml();
  assert.equal(sha256(page), 'd55d99e1ef3ad57f5a580d9eeab2efbfb3fe286774767f26de60d066fe54d0d0');
  assert.equal(
    sha256(guideHtml({ comments: 100, seed: 42 })),
    '782c5b588b291fdefb2a55fd05c965c20dadf96b635bd1bff3e842c7c8a09aa6',
  );
  assert.equal(
    sha256(`${JSON.stringify(guideTexts(page))}\n`),
    '25c5016a35e575a3477c17c510c2bf06b3a6496cac573c20cecb2d5121ed3ebc',
  );
});

test('six texts carry the refused word, or fewer where there are fewer comments', () => {
  const refused = (/** @type {number} */ comments) =>
    guideTexts(guideHtml({ comments })).filter((text) => text.includes(REFUSED_WORD)).length;
  assert.deepEqual([520, 6, 2, 0].map(refused), [6, 6, 2, 0]);
});
