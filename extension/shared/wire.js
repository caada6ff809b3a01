// The wire as the extension sees it: shapes of docs/PROTOCOL.md and the
// reading of what the host says. No behaviour, no browser API. A field that is
// not known is carried along untouched; a message that does not fit is refused
// whole, so that nothing behind this file has to check a shape again.

/** The version that `hello` and `welcome` exchange. */
export const PROTOCOL = 1;

/** A frame towards the host stays below this many bytes of UTF-8. */
export const MAX_FRAME_BYTES = 256 * 1024;

/** A segment has at most this many UTF-16 units; the host fails a longer one. */
export const MAX_SEGMENT_UTF16 = 8000;

/** Every code of the wire; append-only. */
export const CODES = /** @type {const} */ ([
  "bad_message",
  "unknown_type",
  "frame_too_large",
  "unsupported_protocol",
  "not_configured",
  "unauthorized",
  "misconfigured",
  "rate_limited",
  "quota_exhausted",
  "refused",
  "unavailable",
  "network",
  "timeout",
  "bad_reply",
  "too_long",
  "unsupported_pair",
  "cancelled",
  "internal",
]);

/** What can be wrong with the way to the host; never on the wire. */
export const LINK_CODES = /** @type {const} */ ([
  "host_missing",
  "host_forbidden",
  "host_exited",
  "host_silent",
]);

/**
 * @typedef {{i: number, text: string, tags?: number, rank: number, kind?: string}} Segment
 * @typedef {{origin: string, title: string, lang?: string}} PageInfo
 * @typedef {{type: "translate", id: number, target: string, source?: string, segments: Segment[],
 *   page?: PageInfo, more?: boolean, fresh?: boolean, retry?: boolean, private?: boolean,
 *   provider?: string}} Translate
 * @typedef {{code: string, provider: string, until: number}} Waiting
 * @typedef {{state: string, reason?: string,
 *   remote?: {state: string, reason?: string}}} CacheState
 * @typedef {{name: string, kind: string, ready: boolean, reason?: string}} ProviderInfo
 * @typedef {{name: string, kind: string, state: string, until?: number, code?: string,
 *   message?: string}} ProviderStatus
 * @typedef {{type: "welcome", protocol: number, version: string, cache: CacheState,
 *   providers: ProviderInfo[], target: string}} Welcome
 * @typedef {{type: "settings", id: number, settings: Settings, path: string, problem?: string,
 *   warnings?: string[], kinds?: Kind[]}} SettingsReply
 * @typedef {{name: string, title: string, base_url: string, model: string, has_model: boolean,
 *   key: "needed" | "optional" | "unused", fields: string[], terms?: string}} Kind of providers
 * @typedef {{kind: string, title: string, name: string, base_url: string, models: string[], model?: string,
 *   concurrency?: number, context_tokens?: number}} Found an engine on this machine
 * @typedef {{type: "providers_detected", id: number, found: Found[], looked_at: string[]}} DetectedReply
 * @typedef {{type: "cache", id: number, entries: number, bytes: number, hits: number, misses: number,
 *   removed: number}} CacheReply
 * @typedef {{source: string, translation: string, source_language: string, target: string, engine?: string,
 *   site?: string, marked: boolean, created?: string, used?: string, corrected?: boolean}} CacheEntry
 * @typedef {{type: "cache_found", id: number, entries: CacheEntry[], more?: boolean}} CacheFound
 * @typedef {{type: "provider_tested", id: number, ok: boolean, latency_ms: number, text?: string,
 *   code?: string, message?: string, hint?: string}} ProviderTested
 * @typedef {{type: "status", id: number, version: string, cache: CacheState,
 *   providers: ProviderStatus[], usage: Usage, by_provider?: ProviderUsage[]}} StatusReply
 * @typedef {{calls?: number, input?: number, output?: number, from_cache?: number, characters?: number,
 *   cost?: number, saved?: number}} Usage of today; money in US dollars
 * @typedef {{provider: string, model: string, calls: number, input: number, output: number, characters: number,
 *   cost?: number}} ProviderUsage of today, by provider and model
 * @typedef {{type: "usage", id: number, first: string, last: string, days: (ProviderUsage & {day: string})[],
 *   more?: boolean}} UsageReply
 * @typedef {{type: "notice", code: string, message: string, hint?: string}} NoticeReply unasked
 * @typedef {{type: "error", id?: number, code: string, message: string, hint?: string}} ErrorReply
 * @typedef {{type: string, id?: number, [field: string]: unknown}} Reply
 * @typedef {{kind: string, model?: string, base_url?: string, requests_per_minute?: number, concurrency?: number,
 *   region?: string, project?: string, location?: string, folder?: string, context_tokens?: number,
 *   accept_terms?: boolean, has_key?: boolean, key_tail?: string}} ProviderSettings
 * @typedef {{target?: string, style?: string, page?: {mode?: string}, providers?: string[],
 *   provider?: Record<string, ProviderSettings>, budget?: {usd_per_day?: number},
 *   cache?: {mode?: string, reuse?: string, max_mb?: number, max_days?: number, remote?: string,
 *     remote_prefix?: string}}} Settings
 */

/** @typedef {(value: unknown) => boolean} Check */

/** @type {Check} */
export const isText = (value) => typeof value === "string";

/** @type {Check} */
export const isCount = (value) => Number.isSafeInteger(value) && Number(value) >= 0;

/** @type {Check} */
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @type {Check} */
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

/** @type {Check} */
const isBoolean = (value) => typeof value === "boolean";

/** @param {Check} check @returns {Check} */
const maybe = (check) => (value) => value === undefined || value === null || check(value);

/** @param {Check} check @returns {Check} */
const listOf = (check) => (value) => Array.isArray(value) && value.every(check);

/**
 * @param {Record<string, Check>} fields
 * @returns {Check}
 */
export function shape(fields) {
  return (value) =>
    isObject(value) &&
    Object.entries(fields).every(([name, check]) => check(/** @type {Record<string, unknown>} */ (value)[name]));
}

const cacheState = shape({ state: isText, reason: maybe(isText) });
const waiting = shape({ code: isText, provider: isText, until: isNumber });
const tokens = shape({ input: isCount, output: isCount });
const kind = shape({
  ...{ name: isText, title: isText, base_url: isText, model: isText, has_model: isBoolean, key: isText },
  fields: listOf(isText),
  terms: maybe(isText),
});
const found = shape({
  ...{ kind: isText, title: isText, name: isText, base_url: isText, models: listOf(isText), model: maybe(isText) },
  concurrency: maybe(isCount),
  context_tokens: maybe(isCount),
});
const used = {
  ...{ provider: isText, model: isText, calls: isCount, input: isCount, output: isCount, characters: isCount },
  cost: maybe(isNumber),
};
const providerUsage = shape(used);
const usageDay = shape({ day: isText, ...used });
const usage = shape({ cost: maybe(isNumber), saved: maybe(isNumber) });
const cacheEntry = shape({
  ...{ source: isText, translation: isText, source_language: isText, target: isText, marked: isBoolean },
  ...{ engine: maybe(isText), site: maybe(isText), created: maybe(isText), used: maybe(isText), corrected: maybe(isBoolean) },
});
const counts = { id: isCount, total: isCount, translated: isCount, failed: isCount };

/** One check for each type that the host may send. */
const REPLIES = /** @type {Record<string, Check>} */ ({
  welcome: shape({
    protocol: isCount,
    version: isText,
    cache: cacheState,
    providers: listOf(shape({ name: isText, kind: isText, ready: isBoolean, reason: maybe(isText) })),
    target: isText,
  }),
  translated: shape({
    id: isCount,
    segments: listOf(shape({ i: isCount, text: isText, from: isText, provider: maybe(isText) })),
  }),
  failed: shape({
    id: isCount,
    segments: listOf(shape({ i: isCount, code: isText, retryable: isBoolean })),
    message: isText,
  }),
  progress: shape({ ...counts, waiting: maybe(waiting) }),
  done: shape({
    ...counts,
    ...{ cancelled: isCount, from_cache: isCount, calls: isCount, tokens, cost: maybe(isNumber), saved: maybe(isNumber) },
  }),
  settings: shape({
    ...{ id: isCount, settings: isObject, path: isText, problem: maybe(isText), warnings: maybe(listOf(isText)) },
    kinds: maybe(listOf(kind)),
  }),
  providers_detected: shape({ id: isCount, found: listOf(found), looked_at: listOf(isText) }),
  dictionary: shape({ id: isCount, toml: isText, entries: isCount, problems: listOf(isText) }),
  dictionary_tested: shape({ id: isCount, text: isText, fired: listOf(isText), skipped: listOf(isText) }),
  cache_found: shape({ id: isCount, entries: listOf(cacheEntry), more: maybe(isBoolean) }),
  cache_corrected: shape({ id: isCount, corrections: isCount }),
  cache: shape({ id: isCount, entries: isCount, bytes: isCount, hits: isCount, misses: isCount, removed: isCount }),
  provider_tested: shape({ id: isCount, ok: isBoolean, latency_ms: isCount, text: maybe(isText), code: maybe(isText) }),
  status: shape({
    id: isCount,
    version: isText,
    cache: cacheState,
    providers: listOf(shape({ name: isText, kind: isText, state: isText, until: maybe(isNumber), message: maybe(isText) })),
    usage,
    by_provider: maybe(listOf(providerUsage)),
  }),
  usage: shape({ id: isCount, first: isText, last: isText, days: listOf(usageDay), more: maybe(isBoolean) }),
  pong: shape({ id: isCount }),
  notice: shape({ code: isText, message: isText, hint: maybe(isText) }),
  error: shape({ id: maybe(isCount), code: isText, message: isText, hint: maybe(isText) }),
});

/**
 * Reads one message of the host.
 * @param {unknown} message
 * @returns {Reply | null} null when the type is not known or a field does not fit
 */
export function readReply(message) {
  if (!isObject(message)) return null;
  const reply = /** @type {Reply} */ (message);
  const fits = typeof reply.type === "string" && Object.hasOwn(REPLIES, reply.type) ? REPLIES[reply.type] : undefined;
  return fits?.(reply) ? reply : null;
}

/**
 * The first message.
 * @param {{version: string, browser: string}} client
 */
export function hello(client) {
  return { type: "hello", protocol: PROTOCOL, client };
}
