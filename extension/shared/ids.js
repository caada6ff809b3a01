// Names that the extension and the installed host must agree on. The
// extension's own ids are fixed by manifest.json (`key` and `gecko.id`).

/** The name under which the installer registers the host. */
export const NATIVE_HOST = "org.webtranslator.host";

/** The port that a content script opens to the background. */
export const PAGE_PORT = "page";

/** The port that the popup opens to the background. */
export const POPUP_PORT = "popup";
