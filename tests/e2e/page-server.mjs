/** Serves pages from memory on a loopback port of its own choice. */

import http from 'node:http';

/**
 * @typedef {object} PageServer
 * @property {string} url ends with a slash
 * @property {() => Promise<void>} close
 */

/**
 * @param {Record<string, string>} pages path without the leading slash → HTML
 * @returns {Promise<PageServer>}
 */
export async function servePages(pages) {
  const server = http.createServer((request, response) => {
    const name = new URL(request.url ?? '/', 'http://localhost').pathname.slice(1);
    const html = pages[name];
    response.writeHead(html === undefined ? 404 : 200, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    });
    response.end(html ?? '<!doctype html><html lang="en"><title>404 Not Found</title><h1>Not Found</h1></html>');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
