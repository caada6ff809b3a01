// Which stream of which page is which id on the wire, and whether it still
// waits for the host. Pure bookkeeping; it may be lost at any time (a service
// worker that is stopped): pages then connect anew and send what is unanswered.

/**
 * @template Page
 * @typedef {object} Stream
 * @property {Page} page
 * @property {number} stream the page's own number
 * @property {number | null} id null while there is no host that knows it
 * @property {number} unanswered segments sent and not answered
 * @property {boolean} isLast whether its last part was sent
 */

/** @template Page */
export class Streams {
  /** @type {Map<number, Stream<Page>>} */
  #byId = new Map();
  /** @type {Map<Page, Map<number, Stream<Page>>>} */
  #byPage = new Map();

  /**
   * The stream of a page, made if it is new.
   * @param {Page} page
   * @param {number} number
   * @returns {Stream<Page>}
   */
  take(page, number) {
    const ofPage = this.#byPage.get(page) ?? new Map();
    this.#byPage.set(page, ofPage);
    const known = ofPage.get(number);
    if (known) return known;
    const stream = { page, stream: number, id: null, unanswered: 0, isLast: false };
    ofPage.set(number, stream);
    return stream;
  }

  /** @param {Page} page @param {number} number @returns {Stream<Page> | undefined} */
  find(page, number) {
    return this.#byPage.get(page)?.get(number);
  }

  /** @param {number} id @returns {Stream<Page> | undefined} */
  byId(id) {
    return this.#byId.get(id);
  }

  /** Gives a stream its id. @param {Stream<Page>} stream @param {number} id */
  name(stream, id) {
    stream.id = id;
    stream.unanswered = 0;
    stream.isLast = false;
    this.#byId.set(id, stream);
  }

  /** Forgets a stream: it is done, cancelled, or its page is gone. @param {Stream<Page>} stream */
  drop(stream) {
    if (stream.id !== null) this.#byId.delete(stream.id);
    const ofPage = this.#byPage.get(stream.page);
    ofPage?.delete(stream.stream);
    if (ofPage?.size === 0) this.#byPage.delete(stream.page);
  }

  /** @param {Page} page @returns {Stream<Page>[]} */
  ofPage(page) {
    return [...(this.#byPage.get(page)?.values() ?? [])];
  }

  /** @returns {Stream<Page>[]} */
  all() {
    return [...this.#byPage.values()].flatMap((ofPage) => [...ofPage.values()]);
  }

  /** @returns {boolean} whether any stream waits for the host */
  isAnyWaiting() {
    return this.all().some(isWaiting);
  }

  /**
   * The port is lost: every id is dead. What does not wait is forgotten (its
   * next part gets a new id); what does is kept without an id, to be sent again.
   */
  loseIds() {
    this.#byId.clear();
    for (const stream of this.all()) {
      if (isWaiting(stream)) stream.id = null;
      else this.drop(stream);
    }
  }
}

/**
 * Whether something is still to come: an answer, the account of a stream whose
 * last part was sent, or a host to send it to.
 * @param {Stream<any>} stream
 */
export function isWaiting(stream) {
  return stream.id === null || stream.unanswered > 0 || stream.isLast;
}
