// How the extension's own pages speak to the background.

import { api } from "./api.js";

/**
 * @typedef {import("../background/requests.js").Answer} Answer
 */

/**
 * Asks the background. Never rejects: a fault is an answer.
 * @param {string} type
 * @param {Record<string, unknown>} [fields]
 * @returns {Promise<Answer>}
 */
export async function ask(type, fields = {}) {
  try {
    return await api.runtime.sendMessage({ ...fields, type });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, code: "internal", message, hint: "" };
  }
}
