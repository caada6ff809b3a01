/**
 * What is asked of the background, and when.
 *
 * What for: equal text is asked once; the visible comes first; a bounded
 * amount is unanswered. What not: it sees no node and no port: `post` sends,
 * `onAnswer` is told. What must stay true: each entry is answered once,
 * translated or failed, or it is waiting; an answer is never lost.
 */
var queueModule = (() => {
  const MAX_OPEN_SEGMENTS = 512;
  const MAX_OPEN_BYTES = 512 * 1024;
  /** A frame to the host stays below 256 KiB; the rest is for the envelope and the page's title. */
  const MAX_PART_BYTES = 160 * 1024;
  const MAX_PART_SEGMENTS = 256;
  /** Answers trickle in; a part for each would be many small messages. */
  const WORTH_A_PART = 32;
  /** The host knows no later rank; what is not shown at all waits here. */
  const LAST_RANK = 2;

  /**
   * @typedef {object} Options
   * @property {(message: PortMessage) => void} post
   * @property {() => number} nextStream
   * @property {(entry: Entry) => void} onAnswer Translated or failed.
   * @property {() => boolean} mayAsk False while the page waits for the reader.
   * @property {(entries: Entry[]) => void} onAsked
   */
  /** @typedef {{number: number, retry: boolean, more: boolean, next: number, entries: Map<number, Entry>}} Stream */

  /**
   * @param {Options} options
   */
  const createQueue = (options) => {
    /** @type {Map<string, Entry>} */
    const entries = new Map();
    /** @type {Set<Entry>[]} By rank. */
    const waiting = [new Set(), new Set(), new Set(), new Set()];
    /** @type {Map<number, Stream>} */
    const streams = new Map();
    const self = {
      target: "", source: /** @type {string|undefined} */ (undefined), lang: "", collecting: false,
      entries, waiting, streams, openSegments: 0, openBytes: 0, options,
    };
    return {
      self,
      /** @param {Unit} unit @param {number} rank */
      want: (unit, rank) => want(self, unit, rank),
      /** @param {Unit} unit */
      drop: (unit) => drop(self, unit),
      pump: () => pump(self),
      /** @param {Entry[]} list @param {number} rank */
      prioritize: (list, rank) => prioritize(self, list, rank),
      /** @param {PortMessage} message */
      receive: (message) => receive(self, message),
      /** @param {(entry: Entry) => boolean} which */
      retry: (which) => retry(self, which),
      resendAll: () => [...streams.values()].forEach((stream) => resend(self, stream)),
      /** @param {string} code @param {string} message */
      failAll: (code, message) => failAll(self, code, message),
      cancel: () => cancel(self),
      isIdle: () => self.openSegments === 0 && waitingCount(self) === 0,
      hasWaiting: () => waitingCount(self) > 0,
    };
  };

  /** @typedef {ReturnType<typeof createQueue>["self"]} Queue */

  /**
   * @param {Queue} self
   * @returns {number}
   */
  const waitingCount = (self) => self.waiting.reduce((sum, set) => sum + set.size, 0);

  /**
   * UTF-8 length, or a little more.
   * @param {Entry} entry
   * @returns {number}
   */
  const bytesOf = (entry) => (/^[\u0020-\u007e]*$/u.test(entry.text) ? 1 : 3) * entry.text.length + 48;

  /**
   * Notes that a unit wants its text; a text that is known gets no second request.
   * @param {Queue} self
   * @param {Unit} unit
   * @param {number} rank
   * @returns {Entry}
   */
  const want = (self, unit, rank) => {
    const key = `${unit.tags ?? ""}|${unit.text}`;
    let entry = self.entries.get(key);
    if (!entry) {
      entry = {
        key, text: unit.text, tags: unit.tags, ui: unit.ui, rank, state: "waiting", units: new Set(),
        stream: 0, i: 0, retry: false, translation: "", provider: "", code: "", message: "",
      };
      self.entries.set(key, entry);
      self.waiting[rank]?.add(entry);
    } else if (entry.state === "waiting" && rank < entry.rank) moveTo(self, entry, rank);
    entry.units.add(unit);
    unit.entry = entry;
    return entry;
  };

  /**
   * @param {Queue} self
   * @param {Entry} entry
   * @param {number} rank
   */
  const moveTo = (self, entry, rank) => {
    self.waiting[entry.rank]?.delete(entry);
    entry.rank = rank;
    self.waiting[rank]?.add(entry);
  };

  /**
   * Notes that a unit is gone. A text that nobody wants and nobody was asked for is forgotten.
   * @param {Queue} self
   * @param {Unit} unit
   */
  const drop = (self, unit) => {
    const { entry } = unit;
    unit.entry = null;
    if (!entry) return;
    entry.units.delete(unit);
    if (entry.units.size > 0 || entry.state === "sent" || entry.state === "translated") return;
    self.waiting[entry.rank]?.delete(entry);
    self.entries.delete(entry.key);
  };

  /**
   * Sends as much as may be unanswered, best rank first, and closes the
   * stream when nothing is left.
   * @param {Queue} self
   */
  const pump = (self) => {
    for (const isRetry of [true, false]) {
      while (self.options.mayAsk()) {
        const part = takePart(self, isRetry);
        if (part.length === 0) break;
        sendPart(self, part, isRetry);
      }
    }
    if (self.collecting) return;
    for (const stream of self.streams.values()) {
      if (stream.more && !isWaiting(self, stream.retry)) {
        stream.more = false;
        self.options.post({ type: "translate", stream: stream.number, target: self.target, segments: [], more: false });
      }
    }
  };

  /**
   * @param {Queue} self
   * @param {boolean} isRetry
   * @returns {boolean}
   */
  const isWaiting = (self, isRetry) => {
    for (const set of self.waiting) for (const entry of set) if (entry.retry === isRetry) return true;
    return false;
  };

  /**
   * @param {Queue} self
   * @param {boolean} isRetry
   * @returns {Entry[]}
   */
  const takePart = (self, isRetry) => {
    const room = MAX_OPEN_SEGMENTS - self.openSegments;
    const urgent = (self.waiting[0]?.size ?? 0) > 0;
    if (room < WORTH_A_PART && self.openSegments > 0 && !urgent && waitingCount(self) > room) return [];
    /** @type {Entry[]} */
    const part = [];
    let bytes = 0;
    for (const [rank, set] of self.waiting.entries()) {
      // What is shown may still be found.
      if (rank > LAST_RANK && self.collecting) break;
      for (const entry of set) {
        if (entry.retry !== isRetry) continue;
        const more = bytesOf(entry);
        const full = part.length >= Math.min(room, MAX_PART_SEGMENTS) || bytes + more > MAX_PART_BYTES ||
          self.openBytes + bytes + more > MAX_OPEN_BYTES;
        if (full) return part;
        part.push(entry);
        bytes += more;
      }
    }
    return part;
  };

  /**
   * @param {Queue} self
   * @param {Entry[]} part
   * @param {boolean} isRetry
   */
  const sendPart = (self, part, isRetry) => {
    const open = [...self.streams.values()].find((stream) => stream.more && stream.retry === isRetry);
    const stream = open ?? { number: self.options.nextStream(), retry: isRetry, more: true, next: 0, entries: new Map() };
    self.streams.set(stream.number, stream);
    for (const entry of part) {
      self.waiting[entry.rank]?.delete(entry);
      entry.state = "sent";
      entry.stream = stream.number;
      entry.i = stream.next;
      stream.next += 1;
      stream.entries.set(entry.i, entry);
      self.openSegments += 1;
      self.openBytes += bytesOf(entry);
    }
    stream.more = self.collecting || waitingCount(self) > 0;
    self.options.onAsked(part);
    const segments = part.map(({ i, text, tags, rank, ui }) =>
      ({ i, text, rank: Math.min(rank, LAST_RANK), ...(tags === undefined ? {} : { tags }), ...(ui ? { kind: "ui" } : {}) }));
    self.options.post({
      type: "translate", stream: stream.number, target: self.target, segments, more: stream.more,
      ...(self.source ? { source: self.source } : {}), ...(self.lang ? { lang: self.lang } : {}), ...(isRetry ? { retry: true } : {}),
    });
  };

  /**
   * Gives entries another rank, here or in the host.
   * @param {Queue} self
   * @param {Entry[]} list
   * @param {number} rank
   */
  const prioritize = (self, list, rank) => {
    /** @type {Map<number, number[]>} */
    const sent = new Map();
    for (const entry of list) {
      if (entry.rank === rank) continue;
      if (entry.state === "waiting") moveTo(self, entry, rank);
      else if (entry.state === "sent") {
        const isNews = Math.min(entry.rank, LAST_RANK) !== Math.min(rank, LAST_RANK);
        entry.rank = rank;
        if (!isNews) continue;
        sent.set(entry.stream, [...sent.get(entry.stream) ?? [], entry.i]);
      }
    }
    for (const [stream, segments] of sent) self.options.post({ type: "prioritize", stream, segments, rank: Math.min(rank, LAST_RANK) });
    pump(self);
  };

  /**
   * Takes a message about a stream. What belongs to no stream of ours is ignored.
   * @param {Queue} self
   * @param {PortMessage} message
   */
  const receive = (self, message) => {
    const stream = self.streams.get(message.stream ?? -1);
    if (!stream) return;
    if (message.type === "resend") resend(self, stream);
    else if (message.type === "translated") {
      for (const segment of message.segments) answer(self, stream, segment.i, (entry) => translate(entry, segment));
    } else if (message.type === "failed") {
      for (const { i, code } of message.segments) {
        answer(self, stream, i, (entry) => fail(entry, String(code), String(message.message ?? "")));
      }
    } else if (message.type === "done" || message.type === "error") {
      self.streams.delete(stream.number);
      const code = message.type === "error" ? String(message.code) : "internal";
      for (const i of [...stream.entries.keys()]) {
        answer(self, stream, i, (entry) => fail(entry, code, String(message.message ?? "")));
      }
    }
    pump(self);
  };

  /**
   * @param {Entry} entry
   * @param {{text: unknown, from?: unknown, provider?: unknown}} segment
   */
  const translate = (entry, { text, from, provider }) => {
    entry.state = "translated";
    entry.translation = String(text);
    entry.provider = from === "provider" ? String(provider ?? "") : "";
  };

  /**
   * @param {Entry} entry
   * @param {string} code
   * @param {string} message
   */
  const fail = (entry, code, message) => {
    entry.state = "failed";
    entry.code = code;
    entry.message = message;
  };

  /**
   * @param {Queue} self
   * @param {Stream} stream
   * @param {number} i
   * @param {(entry: Entry) => void} set
   */
  const answer = (self, stream, i, set) => {
    const entry = release(self, stream, i);
    if (!entry) return;
    set(entry);
    entry.retry = false;
    if (entry.units.size === 0 && entry.state === "failed") self.entries.delete(entry.key);
    self.options.onAnswer(entry);
  };

  /**
   * @param {Queue} self
   * @param {Stream} stream
   * @param {number} i
   * @returns {Entry|undefined}
   */
  const release = (self, stream, i) => {
    const entry = stream.entries.get(i);
    if (!entry) return undefined;
    stream.entries.delete(i);
    self.openSegments -= 1;
    self.openBytes -= bytesOf(entry);
    return entry;
  };

  /**
   * Puts a dead stream's unanswered entries back; they go out under a new stream.
   * @param {Queue} self
   * @param {Stream} stream
   */
  const resend = (self, stream) => {
    self.streams.delete(stream.number);
    for (const i of [...stream.entries.keys()]) {
      const entry = release(self, stream, i);
      if (!entry) continue;
      entry.state = "waiting";
      if (entry.units.size > 0) self.waiting[entry.rank]?.add(entry);
      else self.entries.delete(entry.key);
    }
  };

  /**
   * Asks failed entries again.
   * @param {Queue} self
   * @param {(entry: Entry) => boolean} which
   * @returns {Entry[]}
   */
  const retry = (self, which) => {
    const list = [...self.entries.values()].filter((entry) => entry.state === "failed" && which(entry));
    for (const entry of list) {
      entry.state = "waiting";
      entry.retry = true;
      self.waiting[entry.rank]?.add(entry);
    }
    return list;
  };

  /**
   * @param {Queue} self
   * @param {string} code
   * @param {string} message
   */
  const failAll = (self, code, message) => {
    for (const stream of [...self.streams.values()]) resend(self, stream);
    for (const set of self.waiting) {
      for (const entry of [...set]) {
        set.delete(entry);
        fail(entry, code, message);
        entry.retry = false;
        self.options.onAnswer(entry);
      }
    }
  };

  /**
   * Forgets everything and tells the background to drop what it can.
   * @param {Queue} self
   */
  const cancel = (self) => {
    for (const { number } of self.streams.values()) self.options.post({ type: "cancel", stream: number });
    self.streams.clear();
    self.entries.clear();
    self.waiting.forEach((set) => set.clear());
    self.openSegments = 0;
    self.openBytes = 0;
  };

  return { createQueue };
})();
webtranslator.queue = queueModule;
