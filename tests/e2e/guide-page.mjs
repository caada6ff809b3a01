/**
 * The page of the acceptance test: the Steam-like guide, and beside it what
 * the test holds on to. Two equal and two nearly equal texts stand side by
 * side, so that an answer given to the wrong one of them shows.
 */

import { guideHtml } from '../pages/steam-guide.mjs';

const SECTION = '<div class="guide subSections">';

const TWINS = [
  '<div class="twins">',
  '<p>Press the red button twice.</p><p>Press the red button twice.</p>',
  '<p>Press the red buttons twice.</p><p>Press the red button, twice.</p>',
  '<p>Press <b>the red button</b> twice.</p><p>Press the red <b>button</b> twice.</p>',
  '</div>',
  '<p id="chosen">These words are selected by the reader.</p>',
  '<p><a id="listened" href="#">A listener counts the clicks on this link.</a></p>',
  '<p><input id="field" type="text"></p>',
].join('');

/**
 * @param {{comments?: number, seed?: number}} [options]
 * @returns {string}
 */
export function guidePage(options) {
  const html = guideHtml(options);
  if (!html.includes(SECTION)) throw new Error('the guide has another shape than this test knows');
  return html.replace(SECTION, TWINS + SECTION);
}
