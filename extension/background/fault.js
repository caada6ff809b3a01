// What is wrong with the way to the host, in a code and in words. Pure: the
// words come from the caller, so that a test needs no browser.

/**
 * @typedef {{code: string, message: string, hint: string, command?: string}} Fault
 * @typedef {(key: string, ...values: (string | number)[]) => string} Say
 * @typedef {{os: string, extensionId: string}} Place
 */

/**
 * Reads the browser's sentence about a port that closed. Both browsers have
 * their own sentences; Firefox uses one for "not installed" and "not allowed".
 * @param {string} text
 * @returns {"host_missing" | "host_forbidden" | "host_exited"}
 */
export function linkCode(text) {
  if (/host not found|No such native application/i.test(text)) return "host_missing";
  if (/forbidden/i.test(text)) return "host_forbidden";
  return "host_exited";
}

/**
 * The text that a program printed where a frame was due: a browser reads its
 * first four bytes as a length and complains about that number.
 * @param {string} text
 * @returns {string} "" when the number is no text
 */
export function strayOutput(text) {
  const length = Number(/message of (\d+) bytes/.exec(text)?.[1] ?? 0);
  if (length <= 1024 * 1024) return "";
  const bytes = [0, 8, 16, 24].map((shift) => Math.floor(length / 2 ** shift) % 256);
  const printable = bytes.every((byte) => (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d);
  return printable ? String.fromCharCode(...bytes).trim() : "";
}

/**
 * The command that mends a fault on this system.
 * @param {string} code
 * @param {Place} place
 */
export function mendingCommand(code, { os, extensionId }) {
  if (code === "host_forbidden") return `webtranslator install --extension-id ${extensionId}`;
  if (code === "host_silent") return "webtranslator doctor";
  return os === "win" ? "installer\\install.ps1" : "./installer/install.sh";
}

/**
 * A fault in words.
 * @param {string} code one of `LINK_CODES`
 * @param {string} browserText what the browser said, may be empty
 * @param {Place} place
 * @param {Say} say
 * @returns {Fault}
 */
export function linkFault(code, browserText, place, say) {
  const command = mendingCommand(code, place);
  const stray = strayOutput(browserText);
  const detail = stray ? say("fault_stray_output", stray) : "";
  return {
    code,
    message: [say(`failed_${code}`), detail].filter(Boolean).join(" "),
    hint: code === "host_forbidden" ? say("hint_host_forbidden", place.extensionId) : say(`hint_${code}`),
    command,
  };
}

/**
 * Which side is too old, from the version that the host speaks.
 * @param {number} theirs
 * @param {number} ours
 * @param {Place} place
 * @param {Say} say
 * @returns {Fault}
 */
export function protocolFault(theirs, ours, place, say) {
  const hostIsOlder = theirs < ours;
  return {
    code: "unsupported_protocol",
    message: say("failed_unsupported_protocol"),
    hint: say(hostIsOlder ? "hint_update_host" : "hint_update_extension"),
    ...(hostIsOlder ? { command: mendingCommand("host_missing", place) } : {}),
  };
}
