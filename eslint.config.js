// What a linter can hold of the house rules: one door to the browser's API,
// no HTML parser anywhere, small functions, and which part may touch what.
import js from "@eslint/js";
import globals from "globals";

/** Ways by which text would become markup. */
const NO_MARKUP = [
  {
    selector: "AssignmentExpression > MemberExpression.left[property.name=/^(inner|outer)HTML$/]",
    message: "Text never passes through an HTML parser: use textContent.",
  },
  {
    selector:
      "CallExpression > MemberExpression.callee[property.name=/^(insertAdjacentHTML|setHTMLUnsafe|parseFromString|createContextualFragment)$/]",
    message: "Text never passes through an HTML parser: use textContent.",
  },
  {
    selector: "CallExpression > MemberExpression.callee[object.name='document'][property.name=/^write(ln)?$/]",
    message: "Text never passes through an HTML parser: use textContent.",
  },
];

/** Calls that the popup and the options leave to the background. */
const MESSAGES_ONLY = [
  {
    selector: "MemberExpression[property.name=/^(connectNative|sendNativeMessage|scripting|executeScript)$/]",
    message: "Popup and options speak to the background by message only.",
  },
  {
    selector: "MemberExpression[object.property.name='tabs'][property.name=/^(sendMessage|connect)$/]",
    message: "Popup and options speak to the background by message only.",
  },
];

const BROWSER_API = ["chrome", "browser"].map((name) => ({
  name,
  message: "Only extension/shared/api.js and extension/content/browser-api.js name the browser's API.",
}));

const DOM = ["document", "window", "localStorage"].map((name) => ({
  name,
  message: "The background never touches the DOM.",
}));

/** @param {number} lines */
const sizes = (lines) => ({
  "max-lines": ["error", { max: 400 }],
  "max-lines-per-function": ["error", { max: lines, skipComments: true }],
  complexity: ["error", 15],
  "max-params": ["error", 4],
  "max-depth": ["error", 4],
});

export default [
  { ignores: ["node_modules/", "target/", "dist/", "tests/e2e/out/", "docs/"] },
  js.configs.recommended,
  {
    files: ["**/*.js", "**/*.mjs"],
    languageOptions: { ecmaVersion: "latest", sourceType: "module" },
    rules: {
      ...sizes(60),
      eqeqeq: ["error", "always"],
      "no-var": "error",
      "prefer-const": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-empty": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "no-restricted-syntax": ["error", ...NO_MARKUP],
    },
  },
  {
    files: ["extension/**/*.js"],
    languageOptions: { globals: { ...globals.browser, ...globals.webextensions } },
    rules: { "no-restricted-globals": ["error", ...BROWSER_API] },
  },
  {
    files: ["extension/content/**/*.js"],
    languageOptions: { sourceType: "script", globals: { webtranslator: "writable" } },
    // Classic scripts share what they declare with `var`, and only that.
    rules: {
      "no-var": "off",
      "no-redeclare": ["error", { builtinGlobals: false }],
      "no-unused-vars": ["error", { vars: "local", argsIgnorePattern: "^_" }],
    },
  },
  {
    files: ["extension/shared/api.js", "extension/content/browser-api.js"],
    rules: { "no-restricted-globals": "off" },
  },
  {
    files: ["extension/background/**/*.js"],
    languageOptions: { globals: { ...globals.serviceworker } },
    rules: { "no-restricted-globals": ["error", ...BROWSER_API, ...DOM] },
  },
  {
    files: ["extension/popup/**/*.js", "extension/options/**/*.js"],
    rules: { "no-restricted-syntax": ["error", ...NO_MARKUP, ...MESSAGES_ONLY] },
  },
  {
    files: ["tests/**/*.mjs", "tests/**/*.js", "installer/**/*.mjs", "eslint.config.js"],
    languageOptions: { globals: { ...globals.node, ...globals.browser, ...globals.webextensions } },
    // A suite is one function of many short tests, and a test's page is written as HTML.
    rules: { "max-lines-per-function": "off", complexity: "off", "no-restricted-syntax": "off" },
  },
];
