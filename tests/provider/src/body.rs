//! Writes an answer onto the connection, broken where its fault says so.

use crate::answer::{Answer, Fault};
use crate::stream::{Stream, StreamFault};
use bytes::Bytes;
use hyper::Response;
use hyper::body::{Body, Frame, SizeHint};
use hyper::header::{CONTENT_LENGTH, HeaderName, HeaderValue};
use std::any::Any;
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// Time between the last byte that is sent and a break, so that the byte leaves.
const BEFORE_A_BREAK: Duration = Duration::from_millis(30);

/// Bytes that a long plain body is sent in.
const PIECE: usize = 64 * 1024;

/// A body that is sent in steps.
#[derive(Default)]
pub struct Steps {
    rest: VecDeque<Step>,
    pause: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    call: Option<Box<Call>>,
}

/// The call that a body in parts belongs to.
pub struct Call {
    /// When it arrived.
    pub arrived: Instant,
    /// Whether what is held may go on.
    pub released: watch::Receiver<bool>,
    /// Dropped when the body has been sent, or its client has gone.
    pub running: Box<dyn Any + Send>,
}

#[derive(Debug)]
enum Step {
    Send(Bytes),
    Fill(u64),
    Pause(Duration),
    Until(Duration),
    Hold,
    Break,
    Hang,
}

impl Steps {
    /// Returns a body of this text, sent at once.
    #[must_use]
    pub fn of(text: String) -> Self {
        Self { rest: [Step::Send(text.into())].into(), ..Self::default() }
    }

    /// Returns what the call waits for before it sends on, if anything.
    fn wait(&self, step: &Step) -> Option<Pin<Box<dyn Future<Output = ()> + Send>>> {
        match (step, &self.call) {
            (Step::Pause(time), _) => Some(Box::pin(tokio::time::sleep(*time))),
            (Step::Until(time), Some(call)) => {
                Some(Box::pin(tokio::time::sleep_until(call.arrived + *time)))
            }
            (Step::Hold, Some(call)) => {
                let mut released = call.released.clone();
                Some(Box::pin(async move {
                    // An error is the end of the server.
                    let _ = released.wait_for(|released| *released).await;
                }))
            }
            _ => None,
        }
    }
}

/// Returns the response that `answer` describes. Its two faults that send no
/// head are the server's. `call` is needed for an answer in parts.
///
/// # Errors
/// When the status or a header cannot be sent over HTTP.
pub fn response(answer: Answer, call: Option<Call>) -> Result<Response<Steps>, hyper::http::Error> {
    let length = answer.body.len();
    let mut response = Response::builder().status(answer.status);
    for (name, value) in &answer.headers {
        let (name, value) = (HeaderName::try_from(name)?, HeaderValue::try_from(value)?);
        response = response.header(name, value);
    }
    response = match answer.fault {
        Some(Fault::CloseBeforeContentLength) => response.header(CONTENT_LENGTH, length * 2 + 100),
        Some(Fault::ResetAfterBytes(_)) => response.header(CONTENT_LENGTH, length),
        _ => response,
    };
    let steps = match answer.stream {
        Some(stream) => steps_of(stream),
        None => steps(answer),
    };
    response.body(Steps { rest: steps, pause: None, call: call.map(Box::new) })
}

fn steps_of(stream: Stream) -> VecDeque<Step> {
    let whole = || stream.parts.iter().flat_map(|(_, part)| part.iter().copied());
    match stream.fault {
        Some(StreamFault::DripMs(pause)) => {
            let pause = Duration::from_millis(pause);
            return whole()
                .flat_map(|b| [Step::Send([b].to_vec().into()), Step::Pause(pause)])
                .collect();
        }
        Some(StreamFault::BreakAfterBytes(count)) => {
            let sent: Bytes = whole().take(count).collect();
            return [Step::Send(sent), Step::Pause(BEFORE_A_BREAK), Step::Break].into();
        }
        _ => {}
    }
    let mut steps = VecDeque::new();
    for (at, (time, part)) in stream.parts.into_iter().enumerate() {
        match stream.fault {
            Some(StreamFault::HangAfterParts(count)) if at == count => {
                steps.push_back(Step::Hang);
                break;
            }
            Some(StreamFault::HoldAfterParts(count)) if at == count => {
                steps.push_back(Step::Hold);
            }
            _ => {}
        }
        steps.extend([Step::Until(time), Step::Send(part)]);
    }
    steps
}

fn steps(answer: Answer) -> VecDeque<Step> {
    let body = answer.body;
    match answer.fault {
        None => [Step::Send(body)].into(),
        Some(Fault::ResetAfterBytes(count)) => {
            let sent = body.slice(..count.min(body.len()));
            [Step::Send(sent), Step::Pause(BEFORE_A_BREAK), Step::Break].into()
        }
        Some(Fault::CloseBeforeContentLength) => {
            [Step::Send(body), Step::Pause(BEFORE_A_BREAK), Step::Break].into()
        }
        Some(Fault::Drip(pause)) => {
            let byte = |at| [Step::Send(body.slice(at..=at)), Step::Pause(pause)];
            (0..body.len()).flat_map(byte).collect()
        }
        Some(Fault::BodyBytes(count)) => [Step::Fill(count)].into(),
        Some(Fault::HangAfterHeaders | Fault::HangBeforeHeaders) => [Step::Hang].into(),
        Some(Fault::ResetBeforeHeaders) => [Step::Break].into(),
    }
}

impl Body for Steps {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        loop {
            if let Some(pause) = &mut self.pause {
                std::task::ready!(pause.as_mut().poll(cx));
                self.pause = None;
            }
            let sent = match self.rest.pop_front() {
                None => {
                    self.call = None;
                    return Poll::Ready(None);
                }
                Some(Step::Send(bytes)) => bytes,
                Some(step @ (Step::Pause(_) | Step::Until(_) | Step::Hold)) => {
                    self.pause = self.wait(&step);
                    continue;
                }
                Some(Step::Fill(0)) => continue,
                Some(Step::Fill(left)) => {
                    let piece = usize::try_from(left).unwrap_or(PIECE).min(PIECE);
                    self.rest.push_front(Step::Fill(left - piece as u64));
                    Bytes::from(vec![b' '; piece])
                }
                Some(Step::Break) => {
                    let broken = io::Error::new(io::ErrorKind::ConnectionReset, "scripted");
                    return Poll::Ready(Some(Err(broken)));
                }
                // Nothing wakes this task again but the end of the connection.
                Some(Step::Hang) => {
                    self.rest.push_front(Step::Hang);
                    return Poll::Pending;
                }
            };
            return Poll::Ready(Some(Ok(Frame::data(sent))));
        }
    }

    fn size_hint(&self) -> SizeHint {
        match (self.rest.len(), self.rest.front()) {
            (1, Some(Step::Send(bytes))) => SizeHint::with_exact(bytes.len() as u64),
            (1, Some(Step::Fill(count))) => SizeHint::with_exact(*count),
            _ => SizeHint::default(),
        }
    }
}
