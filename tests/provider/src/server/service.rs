//! Answers requests: calls by the schedule, control pages by what is known.
//! The only part that asks for the time.

use crate::answer::{Answer, Fault};
use crate::body::{Steps, response};
use crate::calls::{Call, Calls, Stats};
use crate::protocol::Protocol;
use crate::schedule::{Decision, Outcome, Schedule};
use crate::script::Script;
use bytes::Bytes;
use http_body_util::{BodyExt, Collected};
use hyper::body::Incoming;
use hyper::{HeaderMap, Method, Request, Response};
use serde_json::json;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What the connections share.
#[derive(Debug)]
pub struct Provider {
    state: Mutex<State>,
    started: Instant,
}

#[derive(Debug)]
struct State {
    schedule: Schedule,
    calls: Calls,
    queue: VecDeque<Answer>,
}

/// What a request gets.
pub enum Reply {
    /// A response, which may break in its body.
    Response {
        /// The response.
        response: Response<Steps>,
        /// Whether the connection ends with a reset when the body breaks.
        then_resets: bool,
    },
    /// A reset without a byte of response.
    Reset,
}

/// Counts a call as running for as long as it lives.
struct Running<'a>(&'a Provider);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.state().schedule.end();
    }
}

impl Provider {
    pub fn new(mut script: Script) -> Self {
        let queue = std::mem::take(&mut script.queue).into();
        let schedule = Schedule::new(script);
        let state = State { schedule, calls: Calls::default(), queue };
        Self { state: Mutex::new(state), started: Instant::now() }
    }

    pub fn calls(&self) -> Vec<Call> {
        self.state().calls.all().to_vec()
    }

    pub fn stats(&self) -> Stats {
        let state = self.state();
        state.calls.stats(state.schedule.running())
    }

    pub fn set_script(&self, mut script: Script) {
        let mut state = self.state();
        state.queue = std::mem::take(&mut script.queue).into();
        state.schedule.replace(script);
    }

    pub fn reset(&self) {
        let mut state = self.state();
        state.calls.reset(self.started.elapsed());
        state.schedule.reset();
    }

    /// Answers one request, in the time that the schedule gives it.
    pub async fn reply(&self, request: Request<Incoming>) -> Reply {
        let (head, body) = request.into_parts();
        let path = head.uri.path();
        // A client that hung up while it sent is answered like one that sent nothing.
        let body = body.collect().await.map(Collected::to_bytes).unwrap_or_default();
        let protocol = Protocol::of_path(path).filter(|_| head.method == Method::POST);
        let answer = match protocol {
            Some(protocol) => self.call(protocol, path, &head.headers, &body).await,
            None => self.page(&head.method, path, &body),
        };
        if answer.fault == Some(Fault::ResetBeforeHeaders) {
            return Reply::Reset;
        }
        written(answer)
    }

    /// Answers a call when its time has passed; one that hangs runs until the
    /// client goes away.
    async fn call(&self, protocol: Protocol, path: &str, head: &HeaderMap, body: &Bytes) -> Answer {
        let running = self.begin();
        let (answer, takes) =
            self.state().decide(self.started.elapsed(), &Arrived { protocol, path, head, body });
        tokio::time::sleep(takes).await;
        if answer.fault == Some(Fault::HangBeforeHeaders) {
            std::future::pending::<()>().await;
        }
        drop(running);
        answer
    }

    fn begin(&self) -> Running<'_> {
        let mut state = self.state();
        state.schedule.begin();
        let running = state.schedule.running();
        state.calls.running(running);
        Running(self)
    }

    /// Answers what is not a call: a list, or a control page.
    fn page(&self, method: &Method, path: &str, body: &Bytes) -> Answer {
        match (method.as_str(), path) {
            ("GET", "/__log") => Answer {
                body: self.state().calls.lines().into(),
                ..Answer::json(200, &json!(null))
            },
            ("GET", "/__stats") => Answer::json(200, &json!(self.stats())),
            ("POST", "/__reset") => {
                self.reset();
                Answer::json(200, &json!({}))
            }
            ("POST", "/__script") => match serde_json::from_slice(body) {
                Ok(script) => {
                    self.set_script(script);
                    Answer::json(200, &json!({}))
                }
                Err(error) => Answer::json(400, &json!({"error": error.to_string()})),
            },
            ("GET", _) => Protocol::list(path).unwrap_or_else(not_found),
            _ => not_found(),
        }
    }

    /// A panic of another connection leaves counts that are still true.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call as it arrived.
struct Arrived<'a> {
    protocol: Protocol,
    path: &'a str,
    head: &'a HeaderMap,
    body: &'a Bytes,
}

impl State {
    /// Decides on a call, logs it, and returns its answer and how long it takes.
    fn decide(&mut self, now: Duration, arrived: &Arrived) -> (Answer, Duration) {
        let protocol = arrived.protocol;
        let batch = protocol.batch(arrived.body);
        let texts = batch.as_ref().map(|batch| batch.texts()).unwrap_or_default();
        let latency = self.schedule.duration(&texts);
        let (outcome, answer, takes) = if !self.lets_in(arrived) {
            (Outcome::Unauthorized, protocol.unauthorized(), latency)
        } else if let Some(answer) = self.next_scripted() {
            (Outcome::Scripted, answer, latency)
        } else {
            match &batch {
                Err(reason) => (Outcome::BadRequest, protocol.bad_request(reason), latency),
                Ok(batch) => {
                    let decision = self.schedule.decide(now, &texts, protocol.refuses());
                    let answer = protocol.answer(batch, &decision, self.schedule.script());
                    let Decision { outcome, takes, .. } = decision;
                    (outcome, answer, takes)
                }
            }
        };
        let texts = texts.into_iter().map(String::from).collect();
        let body = String::from_utf8_lossy(arrived.body).into_owned();
        let path = arrived.path.to_owned();
        self.calls.add(now, Call { n: 0, time_ms: 0, protocol, texts, outcome, path, body });
        (answer, takes)
    }

    fn lets_in(&self, arrived: &Arrived) -> bool {
        let Some(key) = &self.schedule.script().key else { return true };
        let (header, before) = arrived.protocol.key_header();
        let sent = arrived.head.get(header).and_then(|value| value.to_str().ok());
        sent.and_then(|value| value.strip_prefix(before)) == Some(key)
    }

    fn next_scripted(&mut self) -> Option<Answer> {
        let answer = self.queue.pop_front()?;
        if self.schedule.script().repeat {
            self.queue.push_back(answer.clone());
        }
        Some(answer)
    }
}

fn written(answer: Answer) -> Reply {
    let then_resets = matches!(answer.fault, Some(Fault::ResetAfterBytes(_)));
    let response = response(answer).unwrap_or_else(|error| {
        // Only a fixture can hold a header that HTTP forbids.
        let mut told = Response::new(Steps::of(error.to_string()));
        *told.status_mut() = hyper::StatusCode::INTERNAL_SERVER_ERROR;
        told
    });
    Reply::Response { response, then_resets }
}

fn not_found() -> Answer {
    Answer::json(404, &json!({"error": {"code": 404, "message": "Not Found"}}))
}
