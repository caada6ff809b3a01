/**
 * What the text alone says: is there anything to translate, in which
 * language is it, which way is it written.
 *
 * What for: the decision to send a text. What not: it sees no element. What
 * must stay true: in doubt the text is sent.
 */
var languageModule = (() => {
  const RIGHT_TO_LEFT = new Set(["ar", "arc", "ckb", "dv", "fa", "he", "iw", "ks", "ps", "sd", "syr", "ug", "ur", "yi"]);

  /** Scripts that say enough about the language: the text is in it, or it is not. */
  const OWN_SCRIPT = new Map([
    ["ko", /\p{Script=Hangul}/gu],
    ["ja", /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
    ["th", /\p{Script=Thai}/gu],
    ["el", /\p{Script=Greek}/gu],
    ["he", /\p{Script=Hebrew}/gu],
    ["hy", /\p{Script=Armenian}/gu],
    ["ka", /\p{Script=Georgian}/gu],
    ["km", /\p{Script=Khmer}/gu],
    ["lo", /\p{Script=Lao}/gu],
    ["my", /\p{Script=Myanmar}/gu],
    ["ta", /\p{Script=Tamil}/gu],
    ["te", /\p{Script=Telugu}/gu],
  ]);

  /** Languages of scripts that several share; all others are written in Latin letters. */
  const SHARED_SCRIPT = new Map([
    ["zh", /\p{Script=Han}/gu],
    ...["ru", "uk", "be", "bg", "mk", "kk", "ky", "mn", "tg"].map(
      (tag) => /** @type {[string, RegExp]} */ ([tag, /\p{Script=Cyrillic}/gu])),
    ...["ar", "fa", "ur", "ps", "ug", "sd", "ckb"].map(
      (tag) => /** @type {[string, RegExp]} */ ([tag, /\p{Script=Arabic}/gu])),
    ...["hi", "mr", "ne"].map((tag) => /** @type {[string, RegExp]} */ ([tag, /\p{Script=Devanagari}/gu])),
  ]);
  const LATIN = /\p{Script=Latin}/gu;
  const LETTER = /\p{L}/gu;
  const TWO_LETTERS = /\p{L}[^\p{L}]*\p{L}/u;

  const UNIT = "%|°[CF]?|[kKMGTP]?i?[bB](?:ps)?|[kcmµn]?m[²³23]?|[kmµ]?g|[mµn]?s|min|hr?s?|px|r?em|p[tc]|fps|" +
    "[kMG]?Hz|k?Wh?|m?A|k?V|[mck]?[lL]|mph|km\\/h|am|pm|AM|PM|[A-Z]{3}";
  const CURRENCY = "(?:USD|EUR|GBP|JPY|CNY|KRW|CHF|AUD|CAD|INR|BRL|RUB|PLN|SEK|NOK|DKK|CZK|HUF|(?:US|CA|A|R)\\$|kr\\.?|zł|Rs\\.?)";
  const NO_PROSE = [
    /^(?:[a-z][a-z0-9+.-]*:\/\/|www\.)\S+$/iu,
    /^[\w-]+(?:\.[\w-]+)+(?:\/\S*)?$/u,
    /^[^\s@]+@[^\s@]+\.[^\s@]+$/u,
    /^[@#][\w.-]+$/u,
    /^:[\w+-]+:$/u,
    /^[A-Za-z0-9.-]*_[A-Za-z0-9_.-]*$/u,
    /^[A-Za-z]+\d{2,}$/u,
    // Names on Reddit, paths, check sums, points in time, formulas in TeX.
    /^[ur]\/[\w-]+$/u,
    /^(?:~|\.{1,2})?(?:\/[\w.@+~-]+){2,}\/?$/u,
    /^[A-Za-z]:\\\S+$/u,
    /^(?=.*\d)[0-9a-f]{7,}(?:-[0-9a-f]+)*$/iu,
    /^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+−-]\d{2}:?\d{2})?$/u,
    /^(?:\$.*[\\^_].*\$|\\\(.*\\\)|\\\[.*\\\]|\{\\[a-z]+ .*\})$/su,
    new RegExp(`^(?:${CURRENCY}|[\\p{Sc}~≈<>±+−-])?\\s*\\d[\\d\\s.,:/×x−–-]*(?:${UNIT})?\\p{Sc}?$`, "u"),
  ];

  /**
   * Returns the primary subtag in lower case: "pt-BR" is "pt".
   * @param {string} tag
   * @returns {string}
   */
  const primary = (tag) => tag.trim().toLowerCase().split(/[-_]/u)[0] ?? "";

  /**
   * Says whether a reader may want this text translated at all: it has two
   * letters and is no address, number, identifier or emoticon.
   * @param {string} text
   * @returns {boolean}
   */
  const isProse = (text) => TWO_LETTERS.test(text) && !NO_PROSE.some((pattern) => pattern.test(text));

  /**
   * @param {string} text
   * @param {RegExp} pattern
   * @returns {number}
   */
  const count = (text, pattern) => text.match(pattern)?.length ?? 0;

  /**
   * Says what the letters tell: "target", "other", or "" when they tell nothing.
   * @param {string} text
   * @param {string} target
   * @returns {"target"|"other"|""}
   */
  const byScript = (text, target) => {
    const wanted = primary(target);
    const letters = count(text, LETTER);
    const own = OWN_SCRIPT.get(wanted);
    if (own) {
      const share = count(text, own) / letters;
      // Japanese is half Han; a quarter of kana is plenty.
      if (share >= (wanted === "ja" ? 0.25 : 0.5)) return "target";
      return share === 0 && (wanted !== "ja" || count(text, /\p{Script=Han}/gu) === 0) ? "other" : "";
    }
    return count(text, SHARED_SCRIPT.get(wanted) ?? LATIN) === 0 ? "other" : "";
  };

  /**
   * Says whether the text is in the target language already. Clear evidence
   * of the text beats the attribute; the attribute decides short texts.
   * @param {string} text
   * @param {string} lang The nearest `lang` attribute, or "".
   * @param {string} target
   * @param {(text: string) => Promise<string>} detect
   * @returns {boolean|Promise<boolean>} A promise only when the browser had to be asked.
   */
  const isInTarget = (text, lang, target, detect) => {
    const script = byScript(text, target);
    if (script) return script === "target";
    const declared = lang !== "" && primary(lang) === primary(target) && sameChinese(lang, target);
    if (count(text, LETTER) < 60) return declared;
    return detect(text).then((tag) => {
      const found = primary(tag);
      return found === "" ? declared : found === primary(target) && sameChinese(lang, target);
    }, () => declared);
  };

  /**
   * Chinese comes in two scripts, and the reader of one may want the other translated.
   * @param {string} lang
   * @param {string} target
   * @returns {boolean}
   */
  const sameChinese = (lang, target) => {
    if (primary(target) !== "zh" || lang === "") return true;
    const traditional = /hant|tw|hk|mo/iu;
    return traditional.test(lang) === traditional.test(target);
  };

  /**
   * @param {string} tag
   * @returns {"rtl"|"ltr"}
   */
  const directionOf = (tag) => (RIGHT_TO_LEFT.has(primary(tag)) ? "rtl" : "ltr");

  const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\uff01-\uff65]/u;

  /**
   * Says whether a character is of a script, or a mark of one, that writes
   * words and sentences together.
   * @param {string} character
   * @returns {boolean}
   */
  const isUnspaced = (character) => UNSPACED.test(character);

  return { primary, isProse, isUnspaced, byScript, isInTarget, directionOf };
})();
webtranslator.language = languageModule;
