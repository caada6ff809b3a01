/** A scripted engine on this machine: it speaks as Apertium's APY does, on its usual port. */

import http from 'node:http';

/** Where an APY listens unless told otherwise; a reader's host looks there. */
const PORT = 2737;

/**
 * @typedef {object} Engine
 * @property {string} url
 * @property {() => string[]} asked the paths that were asked for
 * @property {() => Promise<void>} close
 */

/**
 * Starts the engine. It puts marks around the words of each paragraph.
 *
 * @returns {Promise<Engine>}
 */
export async function startEngine() {
  /** @type {string[]} */
  const asked = [];
  const server = http.createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    asked.push(pathname);
    let body = '';
    for await (const chunk of request) body += chunk;
    const answer = answerTo(pathname, body);
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { status: 'error', code: 404 }));
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(PORT, '127.0.0.1', () => resolve(undefined));
  });
  return {
    url: `http://127.0.0.1:${PORT}`,
    asked: () => asked,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * @param {string} pathname
 * @param {string} body
 * @returns {object | undefined}
 */
function answerTo(pathname, body) {
  const pairs = [{ sourceLanguage: 'eng', targetLanguage: 'kor' }];
  if (pathname === '/listPairs') return { responseData: pairs, responseDetails: null, responseStatus: 200 };
  if (pathname !== '/translate') return undefined;
  const html = new URLSearchParams(body).get('q') ?? '';
  const translatedText = html.replaceAll(/>([^<]+)</g, '>⟦$1⟧<');
  return { responseData: { translatedText }, responseDetails: null, responseStatus: 200 };
}
