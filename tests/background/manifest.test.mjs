// What a store's reviewer looks at first: permissions, policy, words.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";

const ROOT = path.resolve(import.meta.dirname, "../../extension");
const read = (/** @type {string} */ name) => fs.readFileSync(path.join(ROOT, name), "utf8");
const manifest = JSON.parse(read("manifest.json"));
const scripts = fs.readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js")).map(read)
  .join("\n").replaceAll(/\/\*.*?\*\//gs, "");
/** A permission, and the call that needs it. */
const NEEDED_BY = /** @type {Record<string, string>} */ ({
  nativeMessaging: "runtime.connectNative", storage: "storage.local", activeTab: "scripting.executeScript", scripting: "scripting.executeScript",
});

test("each permission is needed by a call, and no site is asked for", () => {
  for (const permission of manifest.permissions) {
    assert.ok(scripts.includes(NEEDED_BY[permission] ?? permission), `nothing needs ${permission}`);
  }
  assert.equal(manifest.host_permissions, undefined);
  assert.equal(manifest.content_scripts, undefined);
  if (!scripts.includes("permissions.request")) assert.equal(manifest.optional_host_permissions, undefined, "nobody asks for sites");
});

test("own pages run own code only, and text never becomes markup", () => {
  assert.match(manifest.content_security_policy.extension_pages, /^default-src 'none'; script-src 'self';/);
  assert.doesNotMatch(manifest.content_security_policy.extension_pages, /unsafe|https?:/);
  const forbidden = /\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function|import\(/;
  assert.equal(forbidden.exec(scripts)?.[0], undefined);
});

const words = JSON.parse(read("_locales/en/messages.json"));
const pages = ["popup/popup.html", "options/options.html"].map(read).join("\n");

test("every word that is asked for is there", () => {
  const said = [...scripts.matchAll(/\b(?:say|uiText)\("([a-z_]+)"/g), ...scripts.matchAll(/\b(?:words|help|fault): "([a-z_]+)"/g)];
  const marked = [...pages.matchAll(/data-say(?:-label)?="([a-z_]+)"/g)];
  assert.ok(said.length > 50 && marked.length > 20);
  for (const [, key] of [...said, ...marked]) assert.ok(words[String(key)], `no words for ${key}`);
});

test("every word that is there is asked for", () => {
  const whole = new Set([
    ...[...scripts.matchAll(/"([a-z_]+)"/g), ...pages.matchAll(/data-say(?:-label)?="([a-z_]+)"/g)].map(([, key]) => key),
    ...[...JSON.stringify(manifest).matchAll(/__MSG_(\w+)__/g)].map(([, key]) => key),
  ]);
  // A word whose name is made of a fixed beginning and what the host or the code says.
  const begun = [...scripts.matchAll(/(?:`([a-z]+_)\$\{|keyFor\("([a-z]+)"|"([a-z]+_(?:[a-z]+_)?)")/g)];
  const beginnings = begun.map(([, template, key, literal]) => template ?? literal ?? `${key}_`);
  assert.ok(!beginnings.includes("_"));
  for (const key of Object.keys(words)) {
    assert.ok(whole.has(key) || beginnings.some((beginning) => key.startsWith(beginning)), `nobody says ${key}`);
  }
});

test("what the reader agrees to is what the host says, word for word in English", () => {
  const source = fs.readFileSync(path.join(ROOT, "../host/src/provider/kinds.rs"), "utf8").replaceAll(/\\\n\s*/g, "");
  const told = Object.entries(words).filter(([key]) => /^(?:terms|kind)_[a-z]+(?:_web)?$/.test(key) && key !== "terms_agree");
  assert.ok(told.length >= 6);
  for (const [key, { message }] of told) assert.ok(source.includes(`"${message}"`), `${key} is not what the host says`);
});
