//! Answers requests: calls by the schedule, control pages by what is known.
//! The only part that asks for the time.

use super::state::{Arrived, State};
use crate::answer::{Answer, Fault};
use crate::body::{self, Steps, response};
use crate::calls::{Call, Stats};
use crate::protocol::Protocol;
use crate::script::Script;
use bytes::Bytes;
use http_body_util::{BodyExt, Collected};
use hyper::body::Incoming;
use hyper::{HeaderMap, Method, Request, Response};
use serde_json::json;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::watch;

/// What the connections share.
#[derive(Debug)]
pub struct Provider {
    state: Mutex<State>,
    started: Instant,
    released: watch::Sender<bool>,
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
struct Running(Arc<Provider>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.state().schedule.end();
    }
}

impl Provider {
    pub fn new(script: Script) -> Self {
        let mut state = State::default();
        state.follow(script);
        let released = watch::Sender::new(false);
        Self { state: Mutex::new(state), started: Instant::now(), released }
    }

    pub fn calls(&self) -> Vec<Call> {
        self.state().calls.all().to_vec()
    }

    pub fn stats(&self) -> Stats {
        let state = self.state();
        state.calls.stats(state.schedule.running())
    }

    pub fn set_script(&self, script: Script) {
        self.state().follow(script);
        self.released.send_replace(false);
    }

    /// Lets go on what is held, and what would be.
    pub fn release(&self) {
        self.released.send_replace(true);
    }

    pub fn reset(&self) {
        let mut state = self.state();
        state.calls.reset(self.started.elapsed());
        state.schedule.reset();
    }

    /// Answers one request, in the time that the schedule gives it.
    pub async fn reply(self: &Arc<Self>, request: Request<Incoming>) -> Reply {
        let (head, body) = request.into_parts();
        let path = head.uri.path();
        // A client that hung up while it sent is answered like one that sent nothing.
        let body = body.collect().await.map(Collected::to_bytes).unwrap_or_default();
        let protocol = Protocol::of_path(path).filter(|_| head.method == Method::POST);
        let (answer, call) = match protocol {
            Some(protocol) => self.call(protocol, path, &head.headers, &body).await,
            None => (self.page(&head.method, path, &body), None),
        };
        if answer.fault == Some(Fault::ResetBeforeHeaders) {
            return Reply::Reset;
        }
        written(answer, call)
    }

    /// Answers a call when its time has passed; one that hangs runs until the
    /// client goes away, and one in parts until its last part.
    async fn call(
        self: &Arc<Self>,
        protocol: Protocol,
        path: &str,
        head: &HeaderMap,
        body: &Bytes,
    ) -> (Answer, Option<body::Call>) {
        let arrived = tokio::time::Instant::now();
        let running = self.begin();
        let (answer, takes) =
            self.state().decide(self.started.elapsed(), &Arrived { protocol, path, head, body });
        tokio::time::sleep_until(arrived + takes).await;
        if answer.fault == Some(Fault::HangBeforeHeaders) {
            std::future::pending::<()>().await;
        }
        let call = answer.stream.is_some().then(|| {
            let released = self.released.subscribe();
            body::Call { arrived, released, running: Box::new(running) }
        });
        (answer, call)
    }

    fn begin(self: &Arc<Self>) -> Running {
        let mut state = self.state();
        state.schedule.begin();
        let running = state.schedule.running();
        state.calls.running(running);
        Running(Arc::clone(self))
    }

    /// Answers what is not a call: a list, or a control page.
    fn page(&self, method: &Method, path: &str, body: &Bytes) -> Answer {
        match (method.as_str(), path) {
            ("GET", "/__log") => Answer {
                body: self.state().calls.lines().into(),
                ..Answer::json(200, &json!(null))
            },
            ("GET", "/__paid") => Answer::json(200, &json!(self.state().calls.paid())),
            ("GET", "/__stats") => Answer::json(200, &json!(self.stats())),
            ("POST", "/__release") => {
                self.release();
                Answer::json(200, &json!({}))
            }
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

fn written(answer: Answer, call: Option<body::Call>) -> Reply {
    let then_resets = matches!(answer.fault, Some(Fault::ResetAfterBytes(_)));
    let response = response(answer, call).unwrap_or_else(|error| {
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
