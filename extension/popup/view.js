// What the popup shows, decided from what is known. Pure: the words come from
// the caller and the time is passed in.

/**
 * @typedef {import("../background/fault.js").Fault} Fault
 * @typedef {import("../shared/page-contract.js").PageState} PageState
 * @typedef {import("../shared/wire.js").StatusReply} StatusReply
 * @typedef {(key: string, ...values: (string | number)[]) => string} Say
 *
 * @typedef {object} Known
 * @property {StatusReply | null} host null until it has answered
 * @property {Fault | null} fault why the host cannot be reached
 * @property {PageState | null} page null while the page was not translated
 * @property {Record<string, {base_url?: string}>} addresses of the providers, by name
 * @property {import("../shared/wire.js").Kind[]} kinds of providers that the host knows
 * @property {number | undefined} limit of a day's cost in US dollars, where the reader set one
 * @property {string} settingsProblem "" or what is wrong with the file
 * @property {string} refusal "" or why this page cannot be translated
 * @property {boolean} isStarting
 * @property {import("../background/notices.js").Notice | null} hostNotice what the host told and was not dismissed
 *
 * @typedef {object} View
 * @property {Fault | null} fault
 * @property {boolean} isFirstRun
 * @property {boolean} hasControls
 * @property {{label: string, isEnabled: boolean}} main
 * @property {string} provider
 * @property {string} notice
 * @property {string} hostNotice "" or what the host told, with what to do
 * @property {PageView | null} page null: nothing to tell
 *
 * @typedef {object} PageView
 * @property {number} answered
 * @property {number} total
 * @property {{translated: number, failed: number}} shares in percent, for the bar
 * @property {string} counts
 * @property {string} waiting
 * @property {string} paused "" or why the page waits for the reader
 * @property {string} message more about what failed
 * @property {string} by "" or who translated, where it was not the first provider alone
 * @property {string} failedTitle "" when none failed
 * @property {{count: string, reason: string}[]} failures
 * @property {[string, string][]} account
 * @property {string} frames
 */

import { placeOf } from "../shared/kinds.js";
import { dollars } from "../shared/money.js";

/** Reasons to wait that have words of their own. */
const WAITING = ["rate_limited", "quota_exhausted", "unavailable", "network", "timeout"];

/** Seconds are counted down for this long; a longer wait is told by the clock. */
const COUNTDOWN_S = 180;

/**
 * @param {Known} known
 * @param {number} now epoch milliseconds
 * @param {Say} say
 * @param {string} uiLanguage
 * @returns {View}
 */
export function viewOf(known, now, say, uiLanguage) {
  const { host, fault, page } = known;
  // Settings with a mistake name no provider either; that is no first run.
  const isFirstRun = !fault && host !== null && host.providers.length === 0 && !known.settingsProblem;
  const isActive = page?.active === true;
  const by = isActive ? othersOf(known, say, uiLanguage) : "";
  const notice = noticeOf(known, say, uiLanguage);
  return {
    fault,
    isFirstRun,
    hasControls: isActive || (!fault && !isFirstRun),
    main: mainButton(known, say),
    provider: fault ? "" : providerLine(known, say),
    // What stands with the page already is not said twice.
    notice: by.endsWith(notice) ? "" : notice,
    hostNotice: [known.hostNotice?.message, known.hostNotice?.hint].filter(Boolean).join(" "),
    page: isActive ? { ...pageView(page, now, say, uiLanguage), by } : null,
  };
}

/** @param {Known} known @param {Say} say */
function mainButton({ page, isStarting }, say) {
  if (isStarting) return { label: say("starting"), isEnabled: false };
  return { label: say(page?.active ? "show_original" : "translate"), isEnabled: true };
}

/**
 * Who gets the page's text, and where that is.
 * @param {Known} known
 * @param {Say} say
 */
function providerLine({ host, addresses, kinds }, say) {
  if (!host) return say("looking_for_host");
  const [first, second] = host.providers.filter(({ state }) => state !== "misconfigured");
  if (!first) return "";
  const place = placeOf(kinds, first.kind, addresses[first.name]?.base_url);
  const words = place ? `${first.name} (${place})` : first.name;
  if (second) return say("provided_by_then", words, second.name);
  return say(first.kind === "sample" ? "stays_here" : "provided_by", words);
}

/**
 * What stands in the way, the most pressing only.
 * @param {Known} known
 * @param {Say} say
 * @param {string} uiLanguage
 */
function noticeOf({ host, limit, settingsProblem, refusal }, say, uiLanguage) {
  if (refusal) return refusal;
  if (settingsProblem) return say("settings_file_problem", settingsProblem);
  const spent = host?.usage.cost ?? 0;
  if (limit && spent >= limit) return say("daily_limit", dollars(limit, uiLanguage), dollars(spent, uiLanguage));
  const faulty = host?.providers.find(({ state }) => state === "misconfigured" || state === "out");
  if (faulty) return troubleOf(faulty, say);
  return "";
}

/**
 * A provider, and why it cannot be asked. Many of the host's sentences name it themselves.
 * @param {import("../shared/wire.js").ProviderStatus} provider
 * @param {Say} say
 */
function troubleOf({ name, message, code }, say) {
  const words = message ?? say(`failed_${code ?? "unknown"}`);
  return words.startsWith(`${name} `) ? words : `${name}: ${words}`;
}

/**
 * Who translated the page, when a provider stood in for the first one, and
 * what keeps the first one from it.
 * @param {Known} known
 * @param {Say} say
 * @param {string} uiLanguage
 */
function othersOf({ host, page }, say, uiLanguage) {
  const [first] = host?.providers ?? [];
  const by = page?.by ?? [];
  if (!first || by.every(({ provider }) => provider === first.name)) return "";
  const number = new Intl.NumberFormat(uiLanguage);
  const names = by.toSorted((a, b) => b.count - a.count).map(({ provider, count }) => `${provider} (${number.format(count)})`);
  const words = say("translated_by", new Intl.ListFormat(uiLanguage).format(names));
  return first.state === "ready" ? words : `${words} ${troubleOf(first, say)}`;
}

/**
 * @param {PageState} page
 * @param {number} now
 * @param {Say} say
 * @param {string} uiLanguage
 * @returns {Omit<PageView, "by">}
 */
function pageView(page, now, say, uiLanguage) {
  const number = new Intl.NumberFormat(uiLanguage);
  return {
    answered: page.translated + page.failed,
    total: page.total,
    shares: { translated: percent(page.translated, page.total), failed: percent(page.failed, page.total) },
    counts: countsOf(page, number, say),
    waiting: page.done ? "" : waitingOf(page.waiting, now, say, uiLanguage),
    paused: page.paused ? (page.message ?? say("page_waits")) : "",
    message: page.paused || page.failures.every(({ code }) => code === "refused") ? "" : (page.message ?? ""),
    failedTitle: page.failed > 0 ? say("failed_title", number.format(page.failed)) : "",
    failures: page.failures.map(({ code, count }) => ({ count: number.format(count), reason: reasonOf(code, say) })),
    account: accountOf(page, number, uiLanguage, say),
    frames: page.frames_left_out > 0 ? say("frames_left_out", number.format(page.frames_left_out)) : "",
  };
}

/** @param {number} part @param {number} whole */
const percent = (part, whole) => (whole > 0 ? (100 * part) / whole : 0);

/** @param {PageState} page @param {Intl.NumberFormat} number @param {Say} say */
function countsOf(page, number, say) {
  if (page.total === 0) return say(page.done ? "progress_nothing" : "progress_reading");
  const key = page.done ? "progress_done" : "progress_counts";
  return say(key, number.format(page.translated), number.format(page.total));
}

/**
 * @param {PageState["waiting"]} waiting
 * @param {number} now
 * @param {Say} say
 * @param {string} uiLanguage
 */
function waitingOf(waiting, now, say, uiLanguage) {
  const seconds = Math.ceil(((waiting?.until ?? 0) - now) / 1000);
  if (!waiting || seconds <= 0) return "";
  const reason = WAITING.includes(waiting.code) ? waiting.code : "other";
  const clock = new Intl.DateTimeFormat(uiLanguage, { timeStyle: "short" });
  const when = seconds <= COUNTDOWN_S ? say("in_seconds", seconds) : say("at_time", clock.format(waiting.until));
  return say(`waiting_${reason}`, waiting.provider, when);
}

/** A code that this version does not know still gets a sentence. @param {string} code @param {Say} say */
function reasonOf(code, say) {
  const words = say(`failed_${code}`);
  return words === `failed_${code}` ? say("failed_unknown") : words;
}

/**
 * @param {PageState} page
 * @param {Intl.NumberFormat} number
 * @param {string} uiLanguage
 * @param {Say} say
 * @returns {[string, string][]}
 */
function accountOf({ calls, tokens, cost, saved, from_cache }, number, uiLanguage, say) {
  /** @type {[string, string][]} */
  const rows = [];
  if (calls > 0) rows.push([say("account_calls"), number.format(calls)]);
  if (tokens.input + tokens.output > 0) {
    rows.push([say("account_tokens"), `${number.format(tokens.input)} / ${number.format(tokens.output)}`]);
  }
  if (cost !== undefined && cost > 0) rows.push([say("account_cost"), dollars(cost, uiLanguage)]);
  if (from_cache > 0) rows.push([say("account_cache"), number.format(from_cache)]);
  if (saved !== undefined && saved > 0) rows.push([say("account_saved"), dollars(saved, uiLanguage)]);
  return rows;
}
