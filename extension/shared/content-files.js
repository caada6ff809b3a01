// The content scripts, in the order in which they are injected: classic
// scripts on one shared object, each may use those before it.

/** @type {readonly string[]} */
export const CONTENT_FILES = ["content/main.js"];
