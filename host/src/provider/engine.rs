//! What the translation engines have in common: the texts as they are sent, and
//! an answer in the order of the texts.
//!
//! These services have no ids: an answer with another number of texts is never
//! mapped. Each text is translated by itself, so a smaller call changes nothing.

use serde_json::Value;

use super::address::JSON;
use super::body::{ErrorBody, Stream};
use super::chat;
use super::html::Form;
use super::rules::{self, Context};
use crate::markup::{self, Pieces};
use crate::provider::{Ask, Config, HeaderValue, Request, Response, Text};
use crate::verdict::{Class, Failure, Feature, Reading};

/// Returns a request with a JSON body; the given headers are added.
pub(super) fn post(
    url: String,
    headers: impl IntoIterator<Item = (&'static str, HeaderValue)>,
    body: &Value,
) -> Request {
    let kind = ("content-type", HeaderValue::Plain(JSON.to_owned()));
    let headers = std::iter::once(kind).chain(headers).collect();
    Request { method: "POST", url, headers, body: body.to_string().into_bytes() }
}

/// Returns the secret header of a key, if there is one.
pub(super) fn secret(
    name: &'static str,
    lead: &str,
    key: Option<String>,
) -> Option<(&'static str, HeaderValue)> {
    key.map(|key| (name, HeaderValue::Secret(format!("{lead}{key}"))))
}

/// Returns the address of a path below the base, which may name the path already.
pub(super) fn below(config: &Config, path: &str) -> String {
    let base = config.base_url.trim_end_matches('/');
    format!("{}{path}", base.strip_suffix(path).unwrap_or(base))
}

/// How a text of the batch is asked for.
enum Plan {
    /// As one.
    Whole,
    /// In the pieces between its tags, since its tags cannot travel.
    Pieces(Pieces),
}

/// A batch as an engine is sent it.
pub(super) struct Sent<'a> {
    ask: &'a Ask,
    form: &'a Form,
    plans: Vec<Plan>,
    /// Whether the engine is to take the texts for markup.
    pub(super) markup: bool,
    /// The texts in their order; a text in pieces stands for several.
    pub(super) texts: Vec<String>,
}

impl<'a> Sent<'a> {
    /// Writes a batch: in the engine's markup if any text has marks, for all
    /// texts alike, since a call has one mode.
    pub(super) fn new(ask: &'a Ask, form: &'a Form) -> Self {
        let dropped = ask.dropped.contains(&Feature::Markup);
        let plan = |text: &Text| {
            let whole = !text.marked || !dropped && !form.is_ambiguous(text);
            if whole { Plan::Whole } else { Plan::Pieces(markup::pieces(&text.text)) }
        };
        let plans: Vec<Plan> = ask.texts.iter().map(plan).collect();
        let mut whole = ask.texts.iter().zip(&plans).filter(|(_, p)| matches!(p, Plan::Whole));
        let markup = whole.any(|(text, _)| text.marked);
        let mut sent = Self { ask, form, plans, markup, texts: Vec::new() };
        sent.texts = sent.written();
        sent
    }

    /// The same for an engine that takes every text for markup.
    pub(super) fn always_markup(self) -> Self {
        let mut sent = Self { markup: true, ..self };
        sent.texts = sent.written();
        sent
    }

    fn written(&self) -> Vec<String> {
        let write = |text: &Text| if self.markup { self.form.written(text) } else { bare(text) };
        let mut out = Vec::with_capacity(self.plans.len());
        for (text, plan) in self.ask.texts.iter().zip(&self.plans) {
            match plan {
                Plan::Whole => out.push(write(text)),
                Plan::Pieces(pieces) => out.extend(
                    pieces
                        .texts
                        .iter()
                        .map(|piece| write(&Text { text: piece.clone(), marked: false })),
                ),
            }
        }
        out
    }

    /// Fails for more texts or characters than one call of the engine takes.
    ///
    /// # Errors
    /// [`Failure::TooLong`]: the batch is split, and a single text cut.
    pub(super) fn within(&self, texts: usize, chars: usize) -> Result<(), Failure> {
        let written: usize = self.texts.iter().map(|text| text.chars().count()).sum();
        let fits = self.texts.len() <= texts && written <= chars;
        if fits { Ok(()) } else { Err(Failure::TooLong) }
    }

    /// Reads a response. `items` finds the translations in the body's values,
    /// none for those that are not there; none at all says that the body is not
    /// what this engine answers.
    pub(super) fn parse(
        &self,
        response: &Response,
        context: &Context<'_>,
        items: impl FnOnce(&[Value], Stream) -> Option<Vec<Option<String>>>,
    ) -> Reading {
        let answer = match response {
            Response::Fault(fault) => return rules::fault(*fault),
            Response::Answer(answer) => answer,
        };
        let (values, stream) = match chat::opened(answer, context) {
            Ok(opened) => opened,
            Err(reading) => return *reading,
        };
        if let Some(error) = values.first().and_then(ErrorBody::in_success) {
            return rules::reading(answer, &error, false, context);
        }
        let reading = match items(&values, stream) {
            Some(items) => self.read(&items),
            None => malformed("wrong_shape"),
        };
        Reading { stated: rules::stated(answer, None, context), ..reading }
    }

    fn read(&self, answers: &[Option<String>]) -> Reading {
        if answers.len() != self.texts.len() {
            return malformed("wrong_count");
        }
        let mut rest = answers;
        let mut reading = Reading::of(Class::Ok);
        for (place, (text, plan)) in self.ask.texts.iter().zip(&self.plans).enumerate() {
            let count = if let Plan::Pieces(pieces) = plan { pieces.texts.len() } else { 1 };
            let (own, after) = rest.split_at(count);
            rest = after;
            let Some(item) = self.item(text, plan, own) else { continue };
            if !item.trim().is_empty() {
                reading.items.insert(place, item);
            }
        }
        let whole = reading.items.len() == self.ask.texts.len();
        match (whole, reading.items.is_empty()) {
            (true, _) => reading,
            (false, true) => Reading::of(Class::Empty),
            (false, false) => Reading { class: Class::Partial, reason: "missing_ids", ..reading },
        }
    }

    /// Returns one text of the batch from its answers, if they are all there.
    fn item(&self, text: &Text, plan: &Plan, answers: &[Option<String>]) -> Option<String> {
        let answers: Vec<&str> = answers.iter().map(Option::as_deref).collect::<Option<_>>()?;
        match plan {
            Plan::Whole if self.markup => Some(self.form.read(text, answers.first()?, |w| w)),
            Plan::Whole => Some((*answers.first()?).to_owned()),
            Plan::Pieces(pieces) => {
                let plain = |answer: &&str| {
                    if self.markup { self.form.plain(answer) } else { (*answer).to_owned() }
                };
                let words: Vec<String> = answers.iter().map(plain).collect();
                let blank = words.iter().any(|words| words.trim().is_empty());
                pieces.join(&words).filter(|_| !blank)
            }
        }
    }
}

/// Returns an unmarked text as it is, for an engine that takes no markup.
fn bare(text: &Text) -> String {
    text.text.clone()
}

fn malformed(reason: &'static str) -> Reading {
    Reading { reason, ..Reading::of(Class::Malformed) }
}

/// Returns a member of each entry of a list; none where it is no text.
pub(super) fn members(list: Option<&Value>, member: &str) -> Option<Vec<Option<String>>> {
    let list = list?.as_array()?;
    Some(list.iter().map(|entry| text(entry.get(member))).collect())
}

/// Returns a value that is a text.
pub(super) fn text(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).map(str::to_owned)
}

/// Reads an error of an endpoint that is not offered to programs. It has no key
/// and no rights that a reader could mend: a token of its own may have run out,
/// it may refuse us, or it is no more.
pub(super) fn keyless(reading: Reading, response: &Response) -> Reading {
    let Response::Answer(answer) = response else { return reading };
    let known = ["bad_key", "key_restricted", "forbidden", "api_disabled", "bad_base_url"];
    if reading.class != Class::ConfigError || !known.contains(&reading.reason) {
        return reading;
    }
    match answer.status {
        401 => Reading { class: Class::Transient, reason: "", ..reading },
        403 => Reading { reason: "keyless_blocked", ..reading },
        404 | 405 | 410 => Reading { reason: "keyless_endpoint_gone", ..reading },
        _ => reading,
    }
}

#[cfg(test)]
#[path = "engine_tests.rs"]
mod tests;
