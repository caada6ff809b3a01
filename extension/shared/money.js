// Amounts of US dollars as the reader's language writes them. Pure.

/** Less than this is told as "less than". */
const LEAST = 0.0001;

/**
 * Two digits after the point, or as many as it takes to show two that count.
 * @param {number} amount above zero
 * @param {string} language
 */
export function dollars(amount, language) {
  const shown = Math.max(amount, LEAST);
  const digits = shown >= 0.1 ? 2 : Math.ceil(-Math.log10(shown)) + 1;
  const format = { style: /** @type {const} */ ("currency"), currency: "USD", maximumFractionDigits: digits };
  const words = new Intl.NumberFormat(language, { ...format, minimumFractionDigits: 2 }).format(shown);
  return amount < LEAST ? `<${words}` : words;
}
