/** Kinds of providers as a host lists them, one of each form; for tests that have no host. */

/** @type {Omit<import("../../extension/shared/wire.js").Kind, "name">} */
const NONE = { title: "", base_url: "", model: "", has_model: false, key: "needed", fields: [] };

/** @type {import("../../extension/shared/wire.js").Kind[]} */
export const KINDS = [
  { ...NONE, name: "gemini", title: "Google Gemini", base_url: "https://generativelanguage.googleapis.com", model: "gemini-3.5-flash-lite", has_model: true },
  { ...NONE, name: "openai", title: "OpenAI and compatible servers", base_url: "https://api.openai.com/v1", model: "gpt-5.4-nano", has_model: true },
  { ...NONE, name: "ollama", title: "Ollama", base_url: "http://127.0.0.1:11434", has_model: true, key: "optional", fields: ["context_tokens"] },
  { ...NONE, name: "google-cloud", title: "Google Cloud Translation", base_url: "https://translation.googleapis.com", fields: ["project", "location"] },
  { ...NONE, name: "azure", title: "Azure Translator", base_url: "https://api.cognitive.microsofttranslator.com", fields: ["region"] },
  { ...NONE, name: "apertium", title: "Apertium", base_url: "http://127.0.0.1:2737", key: "unused" },
  { ...NONE, name: "yandex", title: "Yandex Translate", base_url: "https://translate.api.cloud.yandex.net", fields: ["folder"] },
  { ...NONE, name: "google-web", title: "Google Translate without a key", base_url: "https://translate.googleapis.com", key: "unused",
    terms: "Unofficial: the text goes to Google." },
  { ...NONE, name: "sample", title: "Sample (marks, no translation)", key: "unused" },
];

/**
 * Engines as a host finds them on a machine.
 * @type {import("../../extension/shared/wire.js").Found[]}
 */
export const FOUND = [
  { kind: "ollama", title: "Ollama", name: "ollama", base_url: "http://127.0.0.1:11434", models: ["qwen3:0.6b", "gemma3:4b"], model: "gemma3:4b",
    concurrency: 1, context_tokens: 8192 },
  { kind: "apertium", title: "Apertium", name: "apertium", base_url: "http://127.0.0.1:2737", models: [] },
];
