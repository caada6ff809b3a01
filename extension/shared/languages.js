// The languages that are offered as targets, with their names in the reader's
// language. Any BCP 47 tag of the settings that is not here is offered as well.

/** Widely read languages, as BCP 47. */
const LANGUAGES = (
  "af am ar az be bg bn bs ca cs cy da de el en en-GB eo es es-419 et eu fa fi fil fr fr-CA ga gl gu he hi hr hu hy " +
  "id is it ja ka kk km kn ko ky lo lt lv mk ml mn mr ms my nb ne nl nn pa pl pt-BR pt-PT ro ru sk sl sq sr sv sw ta te " +
  "th tr uk ur uz vi zh-CN zh-TW zu"
).split(" ");

/**
 * The offered language that is nearest to a browser's: itself, its language
 * with another region, else English.
 * @param {string} tag
 */
export function nearestLanguage(tag) {
  const base = tag.split("-")[0] ?? "";
  const isNear = (/** @type {string} */ one) => one === base || one.startsWith(`${base}-`);
  return LANGUAGES.find((one) => one === tag) ?? LANGUAGES.find(isNear) ?? "en";
}

/**
 * @param {string} tag
 * @param {string} uiLanguage
 */
export function languageName(tag, uiLanguage) {
  try {
    return new Intl.DisplayNames([uiLanguage], { type: "language" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/**
 * All languages by name; `also` is among them whatever it is.
 * @param {string} uiLanguage
 * @param {string} [also]
 * @returns {{tag: string, name: string}[]}
 */
export function languages(uiLanguage, also) {
  const tags = also && !LANGUAGES.includes(also) ? [...LANGUAGES, also] : LANGUAGES;
  return tags
    .map((tag) => ({ tag, name: languageName(tag, uiLanguage) }))
    .sort((a, b) => a.name.localeCompare(b.name, uiLanguage));
}
