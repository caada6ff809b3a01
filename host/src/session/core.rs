//! The state of one session, and what it does with each message and event.
//!
//! It decides nothing about retries (the queue does) and waits for nothing:
//! HTTP calls and the store answer by [`Event`]. Everything that leaves goes
//! through [`Core::send`].

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::sync::mpsc::UnboundedSender;

use crate::framing::MAX_FRAME_TO_BROWSER;
use crate::http::Http;
use crate::protocol::{Code, From, Id, Reply, Request, Unreadable, Waiting, read_request};
use crate::queue::{CallId, LineState, Outcome, Queue};
use crate::remote::Remote;
use crate::store::{Claim, Departed};
use crate::transport::Outbox;
use crate::verdict::Failure;

use super::account::{Account, Spent};
use super::calls::{Answered, Flight};
use super::deliver::Stored;
use super::jobs::{JobId, Jobs};
use super::lookup::LookedUp;
use super::recall::{Recall, Recalled};
use super::requests::notice_reply;
use super::second::{Further, Ready};
use super::setup::{Files, Setup};
use super::sharing::Sharing;
use super::status::Counted;
use super::storage::Storage;
use super::stream::Stream;
use super::trial::Tried;
use super::words;

/// The store has this long to end when the browser has gone.
const STORE_GRACE: Duration = Duration::from_millis(300);

/// What comes back from the store and from calls.
pub enum Event {
    /// The store was asked for these jobs.
    Looked(LookedUp),
    /// The shared cache was asked for what the store did not have.
    Further(Further),
    /// What the shared cache had is in the store.
    Kept(Vec<Ready>),
    /// A call has ended.
    Answered(CallId, Answered),
    /// Items of a call that has not: places and texts.
    Early(CallId, Vec<(usize, String)>),
    /// Translations are in the cache.
    Stored(Vec<Stored>),
    /// Whether a call may be made.
    Departed(CallId, Option<Departed>),
    /// How things stand with texts that another host is at.
    LookedAround(Vec<(JobId, Claim)>),
    /// An answer that was made elsewhere.
    Reply(Reply),
    /// What the store remembers of providers.
    Recalled(Recalled),
    /// What a call has cost is in the store.
    Spent(Spent),
    /// What a `status` needs of the store.
    Counted(Counted),
    /// A provider shall be tried out; its memory was told before.
    Try(Id, String),
    /// It was.
    Tried(Box<Tried>),
}

/// See the module.
pub struct Core {
    pub(super) files: Files,
    pub(super) setup: Arc<Setup>,
    pub(super) queue: Queue,
    pub(super) jobs: Jobs,
    pub(super) streams: BTreeMap<Id, Stream>,
    pub(super) flights: HashMap<CallId, Flight>,
    pub(super) storage: Storage,
    pub(super) second: Option<Remote>,
    pub(super) http: Arc<Http>,
    pub(super) events: UnboundedSender<Event>,
    pub(super) stores_under_way: usize,
    pub(super) sharing: Sharing,
    pub(super) account: Account,
    pub(super) recall: Recall,
    pub(super) groups: std::hash::RandomState,
    /// Held by whoever looks through the cache.
    pub(super) looking: Arc<Mutex<()>>,
    outbox: Outbox,
    used: HashSet<Id>,
    started: Instant,
    details: HashMap<usize, String>,
}

impl Core {
    /// Starts a session over these files.
    ///
    /// # Errors
    /// When the system has no thread left for the store.
    pub fn new(
        files: Files,
        outbox: Outbox,
        events: UnboundedSender<Event>,
    ) -> std::io::Result<Self> {
        let setup = Arc::new(files.load(None));
        let told = events.clone();
        let storage = Storage::start(files.opener(&setup), move |notice| {
            tracing::warn!(notice.code, notice.message, "the cache");
            // Fails only when the session has ended.
            let _ = told.send(Event::Reply(notice_reply(notice)));
        })?;
        Ok(Self {
            second: setup.remote.clone().map(Remote::start),
            queue: Queue::new(setup.lines()),
            files,
            setup,
            jobs: Jobs::default(),
            streams: BTreeMap::new(),
            flights: HashMap::new(),
            storage,
            http: Arc::default(),
            events,
            stores_under_way: 0,
            sharing: Sharing::default(),
            account: Account::default(),
            recall: Recall::default(),
            groups: std::hash::RandomState::new(),
            looking: Arc::default(),
            outbox,
            used: HashSet::new(),
            started: Instant::now(),
            details: HashMap::new(),
        })
    }

    /// The time since the session's start: the queue's clock.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// Takes one frame from the browser.
    pub fn on_frame(&mut self, mut frame: Vec<u8>) {
        self.reload_if_changed();
        match read_request(&mut frame) {
            Ok(request) => self.on_request(request),
            Err(Unreadable { id, code, message }) => {
                // The error stands for the id's `done`: nothing may follow it.
                if let Some(id) = id {
                    self.forget_stream(id);
                    self.is_new_id(id);
                }
                self.error(id, code, message, None);
            }
        }
    }

    fn on_request(&mut self, request: Request) {
        match request {
            Request::Hello { protocol, .. } => self.hello(protocol),
            Request::Translate(part) => self.translate(part),
            Request::Prioritize { id, segments, rank } => self.prioritize(id, &segments, rank),
            Request::Cancel { id } => self.cancel(id),
            other => self.answer(other),
        }
    }

    /// Takes what came back from the store or a call.
    pub fn on_event(&mut self, event: Event) {
        match event {
            Event::Looked(found) => self.looked(found),
            Event::Further(found) => self.looked_further(found),
            Event::Kept(ready) => self.finish_many(ready, From::Cache),
            Event::Answered(call, answered) => self.answered(call, &answered),
            Event::Early(call, items) => self.early(call, items),
            Event::Stored(stored) => {
                self.stores_under_way -= 1;
                self.deliver(stored);
            }
            Event::Departed(call, departed) => self.departed(call, departed),
            Event::LookedAround(standing) => self.looked_around(standing),
            Event::Reply(reply) => self.send(&reply),
            Event::Recalled(recalled) => self.recalled(recalled),
            Event::Spent(spent) => self.spent(spent),
            Event::Counted(counted) => self.tell_status(counted),
            Event::Try(id, name) => self.try_provider(id, &name),
            Event::Tried(tried) => self.tried(*tried),
        }
    }

    /// Starts what is due, tells what is new, and returns when to come again.
    pub fn advance(&mut self, may_call: bool) -> Option<Duration> {
        self.settle_outcomes();
        if may_call && self.outbox.has_room() {
            self.start_calls();
            self.settle_outcomes();
        }
        for id in self.ended() {
            self.end_stream(id);
        }
        let now = self.now();
        let next_word = self.tell_progress(now);
        let next_look = self.tend_shared(now);
        let may_call = may_call && self.recall.is_known();
        let next_call = if may_call { self.queue.next_wake(now) } else { None };
        next_word.into_iter().chain(next_call).chain(next_look).min()
    }

    /// Returns the streams that are complete. One that has its answers from a
    /// call under way waits for the end of it, which tells what it cost.
    fn ended(&self) -> Vec<Id> {
        let complete = self.streams.values().filter(|stream| stream.is_complete());
        let owes =
            |id: Id| self.flights.values().any(|flight| flight.early.owners().any(|o| o == id));
        complete.map(|stream| stream.id).filter(|id| !owes(*id)).collect()
    }

    fn settle_outcomes(&mut self) {
        while let Some(outcome) = self.queue.poll_outcome() {
            match outcome {
                // Delivered when the store has it.
                Outcome::Done(_) => {}
                Outcome::Dropped(job) => {
                    self.jobs.remove(job);
                }
                Outcome::Cut(job) => self.cut(job),
                Outcome::Refused { job, provider } => {
                    self.remember_refusal(job, provider);
                    self.tell_failed(job, Some(provider), Failure::Refused, None);
                }
                Outcome::Failed { job, failure, until, provider } => {
                    self.fail(job, failure, provider, until);
                }
            }
        }
    }

    /// Sends the `progress` messages that are due; returns when the next is.
    fn tell_progress(&mut self, now: Duration) -> Option<Duration> {
        let mut next: Option<Duration> = None;
        let ids: Vec<Id> = self.streams.keys().copied().collect();
        for id in ids {
            let waiting = self.waiting(id, now);
            let Some(stream) = self.streams.get_mut(&id) else { continue };
            if let Some(progress) = stream.progress(now, waiting.clone()) {
                self.send(&progress);
            } else if let Some(due) = stream.progress_due(waiting.as_ref()) {
                next = Some(next.map_or(due, |sooner| sooner.min(due)));
            }
        }
        next
    }

    fn waiting(&self, id: Id, now: Duration) -> Option<Waiting> {
        let waiting = self.queue.waiting(now, id)?;
        let provider = self.setup.providers.get(waiting.provider)?.name.clone();
        let until = Self::epoch_ms(now, waiting.until);
        Some(Waiting { code: words::code_of(waiting.failure), provider, until })
    }

    /// Turns the queue's time into the wall clock's, in milliseconds.
    #[must_use]
    pub fn epoch_ms(now: Duration, at: Duration) -> i64 {
        let ahead = i64::try_from(at.saturating_sub(now).as_millis()).unwrap_or(i64::MAX);
        Timestamp::now().as_millisecond().saturating_add(ahead)
    }

    /// Says what a provider's own words were, if it is still out or waiting.
    #[must_use]
    pub fn detail(&self, provider: usize) -> Option<&str> {
        let state = self.queue.state(provider, self.now());
        let detail = self.details.get(&provider).filter(|_| state != LineState::Ready);
        detail.or(self.setup.providers.get(provider)?.trouble.as_ref()).map(String::as_str)
    }

    /// Keeps a provider's own words for [`Core::detail`].
    pub fn note_detail(&mut self, provider: usize, words: String) {
        self.details.insert(provider, words);
    }

    /// Forgets all words of providers: their places have changed.
    pub(super) fn forget_details(&mut self) {
        self.details.clear();
    }

    /// Waits for the store to end what it was handed, for a moment.
    pub fn close(&self) {
        let (done, end) = std::sync::mpsc::channel();
        self.storage.run(move |store| {
            store.close();
            // Nobody listens any more when it took too long.
            let _ = done.send(());
        });
        if end.recv_timeout(STORE_GRACE).is_err() {
            tracing::warn!("the store did not end in time");
        }
    }

    /// Whether nothing is under way that will be worth keeping.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.flights.is_empty() && self.stores_under_way == 0 && self.sharing.is_idle()
    }

    /// Drops everything that has not been sent: the browser has gone.
    pub fn drop_waiting(&mut self) {
        let ids: Vec<Id> = self.streams.keys().copied().collect();
        for id in ids {
            self.forget_stream(id);
        }
    }

    /// Takes note of an `id` of a stream; false when it was used before.
    pub fn is_new_id(&mut self, id: Id) -> bool {
        self.used.insert(id)
    }

    /// Sends an `error`.
    pub fn error(&self, id: Option<Id>, code: Code, message: String, hint: Option<String>) {
        self.send(&Reply::Error { id, code, message, hint });
    }

    /// Sends a message; one that does not fit a frame is replaced by an error.
    pub fn send(&self, reply: &Reply) {
        match serde_json::to_vec(reply) {
            Ok(body) if body.len() <= MAX_FRAME_TO_BROWSER => self.outbox.send(body),
            Ok(_) => self.send_too_large(reply),
            Err(error) => tracing::error!(%error, "a reply cannot be written"),
        }
    }

    /// Splits the lists of segments; what cannot be split becomes an `error`.
    fn send_too_large(&self, reply: &Reply) {
        match reply {
            Reply::Translated { id, segments } if segments.len() > 1 => {
                let (first, rest) = segments.split_at(segments.len() / 2);
                self.send(&Reply::Translated { id: *id, segments: first.to_vec() });
                self.send(&Reply::Translated { id: *id, segments: rest.to_vec() });
            }
            Reply::Failed { id, segments, message } if segments.len() > 1 => {
                let (first, rest) = segments.split_at(segments.len() / 2);
                let part = |part: &[_]| Reply::Failed {
                    id: *id,
                    segments: part.to_vec(),
                    message: message.clone(),
                };
                self.send(&part(first));
                self.send(&part(rest));
            }
            Reply::Settings { id, .. } | Reply::Dictionary { id, .. } => self.error(
                Some(*id),
                Code::Internal,
                "the file is too large to be shown here".to_owned(),
                Some("Edit it with a text editor.".to_owned()),
            ),
            _ => tracing::error!("a reply is too large for a frame"),
        }
    }
}
