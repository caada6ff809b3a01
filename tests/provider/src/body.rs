//! Writes an answer onto the connection, broken where its fault says so.

use crate::answer::{Answer, Fault};
use bytes::Bytes;
use hyper::Response;
use hyper::body::{Body, Frame, SizeHint};
use hyper::header::{CONTENT_LENGTH, HeaderName, HeaderValue};
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Sleep;

/// Time between the last byte that is sent and a break, so that the byte leaves.
const BEFORE_A_BREAK: Duration = Duration::from_millis(30);

/// Bytes that a long plain body is sent in.
const PIECE: usize = 64 * 1024;

/// A body that is sent in steps.
#[derive(Debug)]
pub struct Steps {
    steps: VecDeque<Step>,
    pause: Option<Pin<Box<Sleep>>>,
}

#[derive(Debug)]
enum Step {
    Send(Bytes),
    Fill(u64),
    Pause(Duration),
    Break,
    Hang,
}

impl Steps {
    /// Returns a body of this text, sent at once.
    #[must_use]
    pub fn of(text: String) -> Self {
        Self { steps: [Step::Send(text.into())].into(), pause: None }
    }
}

/// Returns the response that `answer` describes. Its two faults that send no
/// head are the server's.
///
/// # Errors
/// When the status or a header cannot be sent over HTTP.
pub fn response(answer: Answer) -> Result<Response<Steps>, hyper::http::Error> {
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
    response.body(steps(answer))
}

fn steps(answer: Answer) -> Steps {
    let body = answer.body;
    let steps: VecDeque<Step> = match answer.fault {
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
    };
    Steps { steps, pause: None }
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
            let sent = match self.steps.pop_front() {
                None => return Poll::Ready(None),
                Some(Step::Send(bytes)) => bytes,
                Some(Step::Pause(time)) => {
                    self.pause = Some(Box::pin(tokio::time::sleep(time)));
                    continue;
                }
                Some(Step::Fill(0)) => continue,
                Some(Step::Fill(left)) => {
                    let piece = usize::try_from(left).unwrap_or(PIECE).min(PIECE);
                    self.steps.push_front(Step::Fill(left - piece as u64));
                    Bytes::from(vec![b' '; piece])
                }
                Some(Step::Break) => {
                    let broken = io::Error::new(io::ErrorKind::ConnectionReset, "scripted");
                    return Poll::Ready(Some(Err(broken)));
                }
                // Nothing wakes this task again but the end of the connection.
                Some(Step::Hang) => {
                    self.steps.push_front(Step::Hang);
                    return Poll::Pending;
                }
            };
            return Poll::Ready(Some(Ok(Frame::data(sent))));
        }
    }

    fn size_hint(&self) -> SizeHint {
        match (self.steps.len(), self.steps.front()) {
            (1, Some(Step::Send(bytes))) => SizeHint::with_exact(bytes.len() as u64),
            (1, Some(Step::Fill(count))) => SizeHint::with_exact(*count),
            _ => SizeHint::default(),
        }
    }
}
