/**
 * The start of the content scripts.
 *
 * What for: one page object for the life of the document, and its port. What
 * not: it starts no translation; the background says so over the port. What
 * must stay true: injected twice, it only tells the state again.
 */
if (globalThis.self === globalThis.top) {
  webtranslator.page ??= webtranslator.pages.createPage();
  webtranslator.page.connect();
}
