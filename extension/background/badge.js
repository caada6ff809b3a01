// What the badge says about a page. Pure; main.js shows it.

/** @typedef {import("../shared/page-contract.js").PageState} PageState */

const CALM = "#3b5bdb";
const ALARM = "#c92a2a";

/**
 * @param {PageState | null} state null when the page is gone or not translated
 * @returns {{text: string, color: string}}
 */
export function badgeOf(state) {
  if (!state?.active) return { text: "", color: CALM };
  if (state.done) return { text: state.failed > 0 ? "!" : "", color: ALARM };
  const answered = state.translated + state.failed;
  const percent = state.total > 0 ? Math.min(99, Math.floor((100 * answered) / state.total)) : 0;
  return { text: `${percent}%`, color: CALM };
}

/** The badge of a page that cannot reach the host. */
export const BADGE_GONE = { text: "!", color: ALARM };
