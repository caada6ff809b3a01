// The kinds of providers, as the host lists them: which fields one has, and
// where it sends text. Nothing about a kind is known here. Pure.

/** @typedef {import("./wire.js").Kind} Kind */

/** The fields of a kind that this host does not list: those that most have. */
const GENERAL_FIELDS = ["model", "key", "base_url", "requests_per_minute"];

/** @param {Kind[]} kinds @param {string} name @returns {Kind | undefined} */
export function kindOf(kinds, name) {
  return kinds.find((kind) => kind.name === name);
}

/**
 * The settings of a provider that a reader fills in, by name, in the order in
 * which they are shown. A kind without an address calls nobody.
 * @param {Kind | undefined} kind
 * @returns {string[]}
 */
export function fieldsOf(kind) {
  if (!kind) return GENERAL_FIELDS;
  if (kind.base_url === "") return kind.fields;
  return [
    ...(kind.has_model ? ["model"] : []),
    ...(kind.key === "unused" ? [] : ["key"]),
    ...kind.fields,
    "base_url",
    "requests_per_minute",
  ];
}

/** Host and port of an address; "" where there is none. @param {string | undefined} address */
export function serverOf(address) {
  return URL.canParse(address ?? "") ? new URL(address ?? "").host : "";
}

/**
 * The server that a provider's texts go to.
 * @param {Kind[]} kinds
 * @param {string} kind
 * @param {string | undefined} address where the settings name one
 */
export function placeOf(kinds, kind, address) {
  return serverOf(address) || serverOf(kindOf(kinds, kind)?.base_url);
}
