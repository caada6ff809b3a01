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

test("every word that is asked for is there", () => {
  const words = JSON.parse(read("_locales/en/messages.json"));
  const said = [...scripts.matchAll(/\b(?:say|uiText)\("([a-z_]+)"/g)];
  const marked = ["popup/popup.html", "options/options.html"].flatMap((page) => [...read(page).matchAll(/data-say(?:-label)?="([a-z_]+)"/g)]);
  for (const [, key] of [...said, ...marked]) assert.ok(words[String(key)], `no words for ${key}`);
});
