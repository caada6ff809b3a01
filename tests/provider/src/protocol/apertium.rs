//! Apertium APY: a form with one `q`, which is an HTML document of parts
//! `<p id="n">…</p>`, or a text.

use super::{Advice, BadRequest};
use crate::answer::Answer;
use crate::content::{Batch, Form, Item, Said};
use serde_json::json;

/// The pairs that `/listPairs` names. `/translate` takes any pair.
const PAIRS: [(&str, &str); 4] = [("eng", "spa"), ("spa", "eng"), ("eng", "kor"), ("kor", "eng")];

pub fn batch(body: &[u8]) -> Result<Batch, BadRequest> {
    // Of a repeated field only the last counts, as with the real server.
    let field = |name| {
        let last = form_urlencoded::parse(body).filter(|(key, _)| key == name).last();
        last.map(|(_, value)| value.into_owned())
    };
    let pair = field("langpair").ok_or(BadRequest("Missing argument langpair"))?;
    if !pair.contains('|') {
        return Err(BadRequest("That pair is invalid, use e.g. eng|spa"));
    }
    let q = field("q").ok_or(BadRequest("Missing argument q"))?;
    let items = parts(&q);
    if items.is_empty() {
        let items = vec![Item { id: String::new(), text: q }];
        return Ok(Batch { items, form: Form::Bare });
    }
    Ok(Batch { items, form: Form::HtmlParts })
}

fn parts(document: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut rest = document;
    while let Some((_, part)) = rest.split_once("<p id=") {
        let Some((id, inner)) = part.split_once('>') else { break };
        let Some((text, after)) = inner.split_once("</p>") else { break };
        items.push(Item { id: id.trim_matches(['"', '\'']).into(), text: text.into() });
        rest = after;
    }
    items
}

pub fn said(said: &Said) -> Answer {
    let text = said.text();
    let data = json!({"translatedText": text});
    let body = json!({"responseData": data, "responseDetails": null, "responseStatus": 200});
    Answer::json(200, &body)
}

pub fn limited(advice: Option<Advice>) -> Answer {
    let answer = error(429, "Too Many Requests");
    match advice {
        Some(Advice { seconds, .. }) => answer.with_header("retry-after", seconds.to_string()),
        None => answer,
    }
}

pub fn error(status: u16, explanation: &str) -> Answer {
    let message = if status == 503 { "Service Unavailable" } else { "Bad Request" };
    let body = json!({
        "status": "error", "code": status, "message": message, "explanation": explanation,
    });
    Answer::json(status, &body)
}

pub fn pairs() -> Answer {
    let pair = |(source, target)| json!({"sourceLanguage": source, "targetLanguage": target});
    let pairs: Vec<_> = PAIRS.into_iter().map(pair).collect();
    let body = json!({"responseData": pairs, "responseDetails": null, "responseStatus": 200});
    Answer::json(200, &body)
}
