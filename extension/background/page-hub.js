// The pages that are connected, and the way of their streams to the host and
// back. Holds only what a page tells again after the worker was stopped.
//
// Invariant: the page holds the truth about what is unanswered. What cannot be
// sent now is forgotten here, and asked for with `resend` when a host greets.

import { readPageMessage } from "../shared/page-contract.js";
import { splitTranslate } from "./frames.js";
import { Streams } from "./streams.js";

/**
 * @typedef {import("../shared/wire.js").PageInfo} PageInfo
 * @typedef {import("../shared/wire.js").Reply} Reply
 * @typedef {import("../shared/page-contract.js").PageState} PageState
 * @typedef {import("../shared/page-contract.js").PageTranslate} PageTranslate
 * @typedef {import("./fault.js").Fault} Fault
 * @typedef {{tabId: number, info: {page: PageInfo, isPrivate: boolean}, post: (message: object) => void,
 *   state: PageState | null, fault: Fault | null}} Page
 * @typedef {import("./streams.js").Stream<Page>} Stream
 * @typedef {{isReady: boolean, nextId(): number, open(): void, send(message: object): boolean}} Link
 */

export class PageHub {
  /** @type {Map<number, Page>} */
  #byTab = new Map();
  /** @type {Streams<Page>} */
  #streams = new Streams();

  /**
   * @param {Link} link
   * @param {(tabId: number, page: Page | null) => void} onChange a page's state is another; null when it is gone
   */
  constructor(link, onChange) {
    this.link = link;
    this.onChange = onChange;
  }

  /** @param {number} tabId @returns {Page | null} */
  page(tabId) {
    return this.#byTab.get(tabId) ?? null;
  }

  /** @returns {boolean} */
  isAwaited() {
    return this.#streams.isAnyWaiting();
  }

  /**
   * A page connected. The newest of a tab is the one that the reader sees.
   * @param {number} tabId
   * @param {{page: PageInfo, isPrivate: boolean}} info
   * @param {(message: object) => void} post
   * @returns {Page}
   */
  join(tabId, info, post) {
    /** @type {Page} */
    const page = { tabId, info, post, state: null, fault: null };
    this.#byTab.set(tabId, page);
    this.onChange(tabId, page);
    return page;
  }

  /** A page is gone: nobody wants its streams. @param {Page} page */
  leave(page) {
    for (const stream of this.#streams.ofPage(page)) this.#cancel(stream);
    if (this.#byTab.get(page.tabId) !== page) return;
    this.#byTab.delete(page.tabId);
    this.onChange(page.tabId, null);
  }

  /**
   * What a page says; what it may not say is nothing.
   * @param {Page} page
   * @param {unknown} said
   */
  hear(page, said) {
    const message = readPageMessage(said);
    if (message?.type === "translate") this.#translate(page, message);
    else if (message?.type === "prioritize") this.#prioritize(page, message);
    else if (message?.type === "cancel") {
      const stream = this.#streams.find(page, message.stream);
      if (stream) this.#cancel(stream);
    } else if (message?.type === "state") {
      page.state = message.state;
      if (page.state.done) page.fault = null;
      if (this.#byTab.get(page.tabId) === page) this.onChange(page.tabId, page);
    }
  }

  /** @param {Page} page @param {PageTranslate} message */
  #translate(page, message) {
    page.fault = null;
    const stream = this.#streams.take(page, message.stream);
    if (!this.link.isReady) {
      this.link.open();
      return;
    }
    if (stream.id === null) this.#streams.name(stream, this.link.nextId());
    // Counted before it is sent: a port that is found dead asks what waits.
    stream.unanswered += message.segments.length;
    stream.isLast ||= !message.more;
    for (const frame of splitTranslate(toWire(page, message, Number(stream.id)))) {
      if (!this.link.send(frame)) return;
    }
  }

  /** @param {Page} page @param {import("../shared/page-contract.js").PagePrioritize} message */
  #prioritize(page, { stream: number, segments, rank }) {
    const id = this.#streams.find(page, number)?.id ?? null;
    if (id !== null) this.link.send({ type: "prioritize", id, segments, rank });
  }

  /** @param {Stream} stream */
  #cancel(stream) {
    this.#streams.drop(stream);
    if (stream.id !== null) this.link.send({ type: "cancel", id: stream.id });
  }

  /** An answer of the host; one for a stream that nobody wants is nothing. @param {Reply} reply */
  deliver(reply) {
    const stream = this.#streams.byId(Number(reply.id));
    if (!stream) return;
    if (reply.type === "translated" || reply.type === "failed") {
      const { segments } = /** @type {{segments: unknown[]}} */ (/** @type {unknown} */ (reply));
      stream.unanswered = Math.max(0, stream.unanswered - segments.length);
    }
    if (reply.type === "done" || reply.type === "error") this.#streams.drop(stream);
    const { id: _, ...fields } = reply;
    stream.page.post({ ...fields, stream: stream.stream });
  }

  /** A host greeted: whoever waited sends again. */
  resend() {
    for (const stream of this.#streams.all().filter(({ id }) => id === null)) {
      this.#streams.drop(stream);
      stream.page.post({ type: "resend", stream: stream.stream });
    }
  }

  /** The port is lost. */
  lose() {
    this.#streams.loseIds();
  }

  /** No host any more: pages that wait are told why. @param {Fault} fault */
  giveUp(fault) {
    this.#streams.loseIds();
    const pages = new Set(this.#streams.all().map((stream) => stream.page));
    for (const stream of this.#streams.all()) this.#streams.drop(stream);
    for (const page of pages) {
      page.fault = fault;
      page.post({ type: "host_gone", code: fault.code, message: fault.message, hint: fault.hint });
      this.onChange(page.tabId, page);
    }
  }
}

/**
 * @param {Page} page
 * @param {PageTranslate} message
 * @param {number} id
 * @returns {import("../shared/wire.js").Translate}
 */
function toWire({ info }, { stream: _, more, lang, ...fields }, id) {
  return {
    ...fields,
    id,
    page: { ...info.page, ...(lang ? { lang } : {}) },
    ...(more ? { more } : {}),
    ...(info.isPrivate ? { private: true } : {}),
  };
}
