/**
 * Cuts a run into what is sent as one: lines where the page shows lines, and
 * parts of a text that is too long.
 *
 * What for: the tokens of each segment, before tags are numbered. What not:
 * it knows no tag and no segment. What must stay true: what is cut joins to
 * the whole again; a part holds at most 8,000 UTF-16 units.
 */
var cutModule = (() => {
  const { escape } = webtranslator.markup;
  const { styleOf } = webtranslator.elements;
  /** The host refuses above 8,000; escapes are counted at their full length. */
  const MAX_UNITS = 7_800;

  /**
   * @param {Run} run
   * @returns {Token[][]}
   */
  const linesOf = (run) => {
    let hasLines = false;
    for (const token of run.tokens) {
      if (token.kind !== "text") continue;
      token.spaces = spacesOf(run.block, token.node);
      hasLines ||= keepsLines(token.spaces);
    }
    if (!hasLines) return cutLong([run.tokens]);
    const places = run.block.element.ownerDocument.contentType === "text/plain" ? paragraphsIn : newlinesIn;
    return cutLong(cutAt(run.tokens, (text, { spaces }) => (keepsLines(spaces) ? places(text) : [])));
  };

  /**
   * Returns how white space counts in a text. An inline element may differ
   * from its block; it is asked only where that makes a difference.
   * @param {Block} block
   * @param {Text} node
   * @returns {string} `white-space-collapse`
   */
  const spacesOf = (block, node) => {
    const parent = node.parentElement;
    if (!parent || parent === block.element || !/[\t\r\n]| {2}/u.test(node.data)) return block.spaces;
    return styleOf(parent).getPropertyValue("white-space-collapse") || block.spaces;
  };

  /**
   * @param {string} spaces
   * @returns {boolean} A new line in the source is one on the screen.
   */
  const keepsLines = (spaces) => spaces.startsWith("preserve") || spaces === "break-spaces";

  /** @typedef {{end: number, next: number}[]} Places Where a line ends and the next begins. */

  /**
   * @param {string} text
   * @returns {Places}
   */
  const newlinesIn = (text) => placesOf(text, /\r\n?|\n/gu);

  /**
   * Cuts a plain text at its blank lines: other lines are the writer's, not the sentence's.
   * @param {string} text
   * @returns {Places}
   */
  const paragraphsIn = (text) => placesOf(text, /(?:\r\n?|\n)(?:[ \t\f]*(?:\r\n?|\n))+/gu);

  /**
   * @param {string} text
   * @param {RegExp} between
   * @returns {Places}
   */
  const placesOf = (text, between) => [...text.matchAll(between)].map((match) =>
    ({ end: match.index, next: match.index + match[0].length }));

  /**
   * Cuts tokens in several runs at places within texts; elements that are
   * open there are in both, as partial ones.
   * @param {Token[]} tokens
   * @param {(text: string, token: {spaces: string}) => Places} placesIn
   * @returns {Token[][]}
   */
  const cutAt = (tokens, placesIn) => {
    /** @type {Token[]} */
    let line = [];
    const lines = [line];
    /** @type {Element[]} */
    const open = [];
    const cut = () => {
      for (const token of line) if (token.kind === "open" && open.includes(token.element)) token.partial = true;
      line.push(...open.toReversed().map((element) => ({ kind: /** @type {const} */ ("close"), element, partial: true })));
      line = open.map((element) => ({ kind: /** @type {const} */ ("open"), element, partial: true }));
      lines.push(line);
    };
    for (const token of tokens) {
      if (token.kind === "open") open.push(token.element);
      if (token.kind === "close") open.pop();
      if (token.kind !== "text") {
        line.push(token.kind === "open" ? { ...token } : token);
        continue;
      }
      let start = token.start;
      for (const { end, next } of placesIn(token.node.data.slice(token.start, token.end), token)) {
        line.push({ ...token, start, end: token.start + end });
        cut();
        start = token.start + next;
      }
      line.push({ ...token, start });
    }
    return lines;
  };

  /**
   * Cuts what is too long for one segment at sentence ends, else at spaces,
   * else between characters.
   * @param {Token[][]} lines
   * @returns {Token[][]}
   */
  const cutLong = (lines) => lines.flatMap((tokens) => {
    if (tokens.reduce((sum, token) => sum + weightOf(token), 0) <= MAX_UNITS) return [tokens];
    let weight = 0;
    return cutAt(tokens, (text) => {
      const places = [];
      for (const { segment, index } of sentencesOf(text)) {
        const more = escape(segment).length + 20;
        if (weight > 0 && weight + more > MAX_UNITS) {
          places.push({ end: index, next: index });
          weight = 0;
        }
        weight += more;
      }
      return places;
    });
  });

  /**
   * @param {Token} token
   * @returns {number}
   */
  const weightOf = (token) => (token.kind === "text" ? escape(token.node.data.slice(token.start, token.end)).length : 8);

  /**
   * @param {string} text
   * @returns {{segment: string, index: number}[]} Sentences; one that is too long by itself in parts.
   */
  const sentencesOf = (text) => {
    const sentences = [...new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(text)];
    return sentences.flatMap(({ segment, index }) => {
      if (escape(segment).length + 20 <= MAX_UNITS) return [{ segment, index }];
      return [...new Intl.Segmenter(undefined, { granularity: /\s/u.test(segment) ? "word" : "grapheme" }).segment(segment)]
        .map((part) => ({ segment: part.segment, index: index + part.index }));
    });
  };

  return { linesOf, MAX_UNITS };
})();
webtranslator.cut = cutModule;
