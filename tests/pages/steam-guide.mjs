/**
 * Writes a page with the DOM shape of a Steam guide and its comment thread.
 * The same arguments give the same bytes, and those of `shared/steam-guide.mjs`:
 * so every change to the order in which words are picked is a change of the page.
 *
 *     node steam-guide.mjs [comments=520] [seed=7] [--texts] > guide.html
 *
 * Six comments carry the made-up word "zarglefrak"; the scripted provider
 * refuses texts with it.
 */
import process from 'node:process';
import { pathToFileURL } from 'node:url';

/** The word that no provider will translate. */
export const REFUSED_WORD = 'zarglefrak';

const REFUSED_COMMENTS = 6;
const SECTIONS = 42;

const SUBJECTS = [
  'The mod', 'This patch', 'My save file', 'The new crafting bench', 'Every second raid', 'The load order tool',
  'A clean install', 'The texture pack', 'The dedicated server', 'Our whole group', 'The beta branch',
  'The workshop page',
];
const VERBS = [
  'crashes', 'stops responding', 'works fine', 'drops to ten frames per second', 'loses the quest markers',
  'resets my key bindings', 'keeps the old shadows', 'duplicates items', 'refuses to start', 'loads twice as fast',
  'breaks the tutorial', 'ignores the config file',
];
const TIMES = [
  'after the last update', 'when I join a friend', 'as soon as I open the map', 'on Linux with Proton',
  'if the night falls', 'with more than forty mods', 'during the final boss', 'since version 1.4.2',
  'every time the autosave runs', 'unless I verify the files first',
];
const TAILS = [
  'Any idea what could cause this?', 'Thanks for the hard work!', 'I attached my log below.',
  'Please fix it before the weekend.', 'Otherwise a fantastic guide.', 'I had to reinstall everything.',
  'Deleting the cache folder helped.', 'Nobody in the forum has an answer.', 'It took me three hours to find out.',
  'You saved my evening.',
];
const SHORT_COMMENTS = [
  'Nice guide!', '+1', 'Does this still work?', 'Thank you so much!', 'First!', 'Awesome work.',
  'Please update this guide.', 'bump', 'Same problem here.', 'lol',
];
const LINKS = ['this link', 'my screenshot', 'the fixed file'];

const STYLE =
  'body{background:#1b2838;color:#c6d4df;font:14px/1.5 Arial;width:940px;margin:0 auto}' +
  '.subSectionTitle{font-size:20px;color:#fff}.detailBox{background:#000a;padding:12px;margin:8px 0}' +
  '.commentthread_comment{padding:8px;border-top:1px solid #0006}.bb_link{color:#67c1f5}' +
  '.bb_table{border:1px solid #456}';
const EMOTICON =
  '<img class="emoticon" alt=":steamhappy:" ' +
  'src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7">';

/**
 * Where the words of a page come from.
 *
 * @typedef {object} Chance
 * @property {() => number} number from 0 up to 1
 * @property {(count: number) => number} below a whole number below `count`
 * @property {(words: string[]) => string} pick
 * @property {() => string} sentence
 */

/**
 * Returns the guide as HTML.
 *
 * @param {{comments?: number, seed?: number}} [options]
 * @returns {string}
 */
export function guideHtml({ comments = 520, seed = 7 } = {}) {
  const chance = chanceOf(seed);
  const refused = new Set();
  while (refused.size < Math.min(REFUSED_COMMENTS, comments)) refused.add(chance.below(comments));
  const sections = Array.from({ length: SECTIONS }, (_, index) => section(chance, index));
  const texts = Array.from({ length: comments }, (_, index) => commentText(chance, index, refused.has(index)));
  return page(sections.join('\n'), comments, texts.map((text, index) => comment(index, text)).join('\n'));
}

/**
 * Returns the texts that a reader of this page sees as one: what stands between
 * block tags and `<br>`, without authors and timestamps, and only where there
 * are Latin letters outside code.
 *
 * @param {string} html a page of {@link guideHtml}
 * @returns {string[]}
 */
export function guideTexts(html) {
  return html
    .slice(html.indexOf('<body>') + '<body>'.length)
    .replace(/<div class="commentthread_comment_author">[\s\S]*?<\/div>/g, '<div></div>')
    .split(/<br>|<\/?(?:div|ul|li|table|tr|th|td|body|html)\b[^>]*>/)
    .filter((run) => run.split(/<code>[\s\S]*?<\/code>/).some((piece) => /[A-Za-z]/.test(textOf(piece))))
    .map((run) => textOf(run).replace(/\s+/g, ' ').trim());
}

/**
 * Returns a mulberry32 generator: 32 bits of state, the same in every engine.
 *
 * @param {number} seed
 * @returns {Chance}
 */
export function chanceOf(seed) {
  let state = seed | 0;
  const number = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (/** @type {number} */ count) => Math.floor(number() * count);
  const pick = (/** @type {string[]} */ words) => words[below(words.length)] ?? '';
  const sentence = () => `${pick(SUBJECTS)} ${pick(VERBS)} ${pick(TIMES)}.`;
  return { number, below, pick, sentence };
}

/**
 * @param {Chance} chance
 * @param {number} index
 * @returns {string} one section of the guide
 */
function section(chance, index) {
  const paragraphs = [];
  // The count is drawn again before each paragraph.
  while (paragraphs.length < 2 + chance.below(3)) paragraphs.push(paragraph(chance, index));
  const title = `Step ${index + 1}: ${subject(chance)} and ${subject(chance)}`;
  const list = index % 7 === 3 ? sectionList(chance) : '';
  const table = index % 9 === 4 ? sectionTable(chance) : '';
  return (
    `<div class="subSection detailBox" id="${1000 + index}"><div class="subSectionTitle">${title}</div>` +
    `<div class="subSectionDesc">${paragraphs.join('<br><br>')}${list}${table}` +
    '<div style="clear:both"></div></div></div>'
  );
}

/**
 * @param {Chance} chance
 * @param {number} index of the section
 * @returns {string}
 */
function paragraph(chance, index) {
  const first = chance.sentence();
  const second = chance.sentence();
  switch (chance.below(5)) {
    case 0:
      return `${first} Read the ${link(String(index), `${subject(chance)} notes`)} first. ${second}`;
    case 1:
      return `${first} <b>${second}</b> ${chance.pick(TAILS)}`;
    case 2:
      return `${first} Set <code>r_shadows ${index}</code> in the console. ${second}`;
    case 3:
      return `${first} <i>${chance.pick(TAILS)}</i>`;
    default:
      return `${first} ${second}`;
  }
}

/**
 * @param {string} path
 * @param {string} text
 * @returns {string}
 */
function link(path, text) {
  return `<a class="bb_link" href="https://example.invalid/${path}">${text}</a>`;
}

/**
 * @param {Chance} chance
 * @returns {string} a subject as it stands inside a sentence
 */
function subject(chance) {
  return chance.pick(SUBJECTS).toLowerCase();
}

/**
 * @param {Chance} chance
 * @returns {string}
 */
function sectionList(chance) {
  const entries = [chance.sentence(), chance.sentence(), chance.pick(TAILS)];
  return `<ul class="bb_ul">${entries.map((entry) => `<li>${entry}</li>`).join('')}</ul>`;
}

/**
 * @param {Chance} chance
 * @returns {string}
 */
function sectionTable(chance) {
  const row = (/** @type {string} */ tag, /** @type {string[]} */ cells) =>
    `<tr class="bb_table_tr">${cells.map((cell) => `<${tag} class="bb_table_${tag}">${cell}</${tag}>`).join('')}</tr>`;
  return `<table class="bb_table">${row('th', ['Option', 'Effect'])}${row('td', ['High', chance.sentence()])}</table>`;
}

/**
 * @param {Chance} chance
 * @param {number} index
 * @param {boolean} isRefused
 * @returns {string} what a comment says, as HTML
 */
function commentText(chance, index, isRefused) {
  if (isRefused) return `Honestly the ${REFUSED_WORD} developers ${chance.pick(VERBS)} again, case ${index}.`;
  if (chance.number() < 0.18) return chance.pick(SHORT_COMMENTS);
  const parts = [chance.sentence()];
  if (chance.number() < 0.7) parts.push(chance.pick(TAILS));
  if (chance.number() < 0.35) parts.push(`Report ${index}: ${chance.sentence()}`);
  if (chance.number() < 0.15) {
    parts.push(`${link(`c/${index}`, chance.pick(LINKS))} shows it.`);
  }
  if (chance.number() < 0.1) parts.push(EMOTICON);
  if (chance.number() < 0.1) parts.push('😀👍');
  return parts.join(chance.number() < 0.2 ? '<br>' : ' ');
}

/**
 * @param {number} index
 * @param {string} text
 * @returns {string} a comment with its author and time
 */
function comment(index, text) {
  const time = `11:${String(index % 60).padStart(2, '0')}am`;
  const author =
    `<a class="hoverunderline commentthread_author_link" href="#" data-miniprofile="${index}">` +
    `<bdi>player_${(index * 7919) % 1000}</bdi></a>`;
  const timestamp =
    `<span class="commentthread_comment_timestamp" title="26 Nov, 2026 @ ${time}" ` +
    `data-timestamp="${1795690000 + index}">26 Nov @ ${time}</span>`;
  return (
    `<div class="commentthread_comment responsive_body_text" id="comment_${5000 + index}">` +
    '<div class="commentthread_comment_avatar playerAvatar offline">' +
    `<a href="#" data-miniprofile="${index}"></a></div><div class="commentthread_comment_content">` +
    `<div class="commentthread_comment_author">${author} ${timestamp}</div>` +
    `<div class="commentthread_comment_text" id="comment_content_${5000 + index}">\n\t\t\t${text}\t\t</div></div></div>`
  );
}

/**
 * @param {string} sections
 * @param {number} comments
 * @param {string} thread
 * @returns {string}
 */
function page(sections, comments, thread) {
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    `<title>Steam Community :: Guide :: Surviving the long winter</title><style>${STYLE}</style></head><body>` +
    '<div class="workshopItemTitle">Surviving the long winter</div>' +
    '<div class="guideTopContent"><div class="guideTopDescription">A complete walkthrough for new players, ' +
    'with load order, performance settings and every hidden quest.</div></div>' +
    `<div class="guide subSections">${sections}</div>` +
    `<div class="commentthread_area"><div class="commentthread_count">${comments} Comments</div>` +
    `<div class="commentthread_comments">${thread}</div></div></body></html>\n`
  );
}

/**
 * @param {string} html
 * @returns {string} its text, without tags and entities
 */
function textOf(html) {
  return html.replace(/<[^>]*>/g, '').replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&');
}

/** Writes the page, or its texts as JSON, to stdout. */
function main() {
  const [comments = 520, seed = 7] = process.argv.slice(2).filter((word) => !word.startsWith('--')).map(Number);
  const html = guideHtml({ comments, seed });
  process.stdout.write(process.argv.includes('--texts') ? `${JSON.stringify(guideTexts(html))}\n` : html);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) main();
