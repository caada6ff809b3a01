/**
 * What the pages of these tests hold. A test wrote its page and knows that an
 * element is there and what it is, so `querySelector` promises it.
 */
import type { Background } from "./background-stand-in.mjs";

/** What the tests reach into. The scripts themselves cannot be checked here: with the types of Node, a timer is no number. */
interface ContentScripts {
  slices: { reset: () => void; measured: { longest: number; spent: number; count: number } };
  budget: { createBudget: (limits: { segments?: number; perMinute?: number; minutes?: number }) =>
    { spend: (count: number, length: number, now: number) => void } };
  page: {
    self: {
      chain: Promise<unknown>; budget: object; units: Set<object>; ready: object[]; roots: Set<Node>; frames: Set<Element>;
      ledger: { texts: WeakMap<Node, object> };
      detecting: number; pumping: boolean; rendering: boolean;
    };
    parts: {
      port: { post: (message: { type: string }) => void };
      queue: {
        self: { collecting: boolean; openSegments: number; entries: Map<string, { text: string; rank: number; state: string }> };
        isIdle: () => boolean;
      };
      watch: { isQuiet: () => boolean };
    };
  };
}

declare global {
  interface ParentNode {
    querySelector(selectors: string): any;
  }
  var webtranslator: ContentScripts;
  var background: Background;
  /** A second copy of the scripts, with a background of its own. */
  var copy: { background: Background; webtranslator: ContentScripts };
  var refs: WeakRef<object>[];
  var held: Node[];
  /** What each of them was: its tag or its text. */
  var heldState: (string | null)[];
  var writes: number;
  var kept: Element;
  var saved: Set<string>;
  var removed: number;
  var inClosed: Element;
  var inOpen: Element;
  var clicks: number;
  var child: Element;
  /** Set by a hostile translation, if it could. */
  var pwned: unknown;
}
