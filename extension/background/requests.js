// What the popup and the options may ask, one function a request. Every answer
// is a value: `{ok: true, …}` or `{ok: false, code, message, hint}`, so that
// the pages show a fault and never have to catch one.

/**
 * @typedef {import("./fault.js").Fault} Fault
 * @typedef {import("./page-hub.js").Page} Page
 * @typedef {import("../shared/wire.js").Settings} Settings
 * @typedef {{ok: true, [field: string]: unknown} | ({ok: false} & Fault)} Answer
 * @typedef {Record<string, any>} Asked
 * @typedef {object} Means
 * @property {import("./host-link.js").HostLink} link
 * @property {(tabId: number) => Promise<Page>} reach injects the content scripts if they are not there
 * @property {(tabId: number) => Promise<Page | null>} find the page, if the content scripts are there
 * @property {(notice: import("./notices.js").Notice) => Promise<void>} dismiss
 * @property {(settings: Settings) => void} remember for a popup that opens before the host has greeted
 */

/** Requests that go to the host as they are; the value says which fields. */
const PASSED_ON = /** @type {Record<string, string[]>} */ ({
  cache_stats: [],
  cache_clear: ["filter"],
  cache_find: ["text", "target", "source", "site", "limit"],
  cache_correct: ["source", "marked", "translation", "source_language", "target", "site"],
  cache_forget: ["text", "target"],
  test_provider: ["provider"],
  detect_providers: [],
});

/** Requests that go to the page as they are. */
const TO_PAGE = /** @type {Record<string, string[]>} */ ({
  restore: [],
  set_mode: ["mode"],
  retry_failed: [],
  show_failed: [],
});

/** What the own pages are told of the settings. */
const SETTINGS_FIELDS = ["settings", "path", "problem", "warnings", "kinds"];

/** @param {Asked} asked @param {string[]} names */
function pick(asked, names) {
  return Object.fromEntries(names.filter((name) => asked[name] !== undefined).map((name) => [name, asked[name]]));
}

/**
 * Starts a page: the host is asked first, so that a page is not touched when
 * nothing could translate it.
 * @param {Means} means
 * @param {Asked} asked
 * @returns {Promise<Answer>}
 */
export async function start(means, asked) {
  const welcome = await means.link.greeting();
  const { settings } = await settingsOf(means, "get_settings", {});
  const page = await means.reach(asked.tabId);
  page.post({
    type: "start",
    target: asked.target ?? settings.target ?? welcome.target,
    ...(asked.source ? { source: asked.source } : {}),
    mode: asked.mode ?? settings.page?.mode ?? "translation",
  });
  return { ok: true };
}

/**
 * @param {Means} means
 * @param {"get_settings" | "set_settings"} type
 * @param {object} fields
 * @returns {Promise<import("../shared/wire.js").SettingsReply>}
 */
async function settingsOf(means, type, fields) {
  const reply = /** @type {any} */ (await means.link.request(type, fields));
  means.remember(reply.settings);
  return reply;
}

/** @type {Record<string, (means: Means, asked: Asked) => Promise<Answer>>} */
const OWN = {
  start,

  async toggle(means, asked) {
    const page = await means.find(asked.tabId);
    if (!page?.state?.active) return start(means, asked);
    page.post({ type: "restore" });
    return { ok: true };
  },

  async host(means) {
    const welcome = await means.link.greeting();
    return { ok: true, reply: await means.link.request("status"), target: welcome.target };
  },

  async dismiss_notice(means, asked) {
    await means.dismiss(asked.notice);
    return { ok: true };
  },

  async get_settings(means) {
    return { ok: true, ...pick(await settingsOf(means, "get_settings", {}), SETTINGS_FIELDS) };
  },

  async set_settings(means, asked) {
    const reply = await settingsOf(means, "set_settings", { settings: asked.settings });
    return { ok: true, ...pick(reply, SETTINGS_FIELDS) };
  },
};

/**
 * Answers one request of the extension's own pages.
 * @param {Means} means
 * @param {Asked} asked
 * @returns {Promise<Answer>}
 */
export async function answer(means, asked) {
  try {
    const type = String(asked.type);
    if (Object.hasOwn(OWN, type)) return await /** @type {any} */ (OWN[type])(means, asked);
    if (Object.hasOwn(PASSED_ON, type)) {
      return { ok: true, reply: await means.link.request(type, pick(asked, PASSED_ON[type] ?? [])) };
    }
    if (Object.hasOwn(TO_PAGE, type)) {
      // A worker that was stopped does not know its pages any more.
      const page = await means.find(asked.tabId);
      page?.post({ type, ...pick(asked, TO_PAGE[type] ?? []) });
      return { ok: true };
    }
    return { ok: false, code: "unknown_type", message: type, hint: "" };
  } catch (fault) {
    return { ok: false, ...asFault(fault) };
  }
}

/** @param {unknown} fault @returns {Fault} */
function asFault(fault) {
  const known = /** @type {Partial<Fault>} */ (fault);
  if (typeof known?.code === "string") return /** @type {Fault} */ (fault);
  return { code: "internal", message: fault instanceof Error ? fault.message : String(fault), hint: "" };
}
