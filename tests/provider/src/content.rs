//! What the engine says to a batch under a given outcome, before a protocol
//! wraps it. Values are stand-ins ([`crate::stand_in`]).

use crate::schedule::Outcome;
use crate::stand_in::{stand_in, stand_in_html};

/// The texts of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Ids and texts in the order of the request.
    pub items: Vec<Item>,
    /// How the batch was written, and is answered.
    pub form: Form,
}

/// One text with the id that the client gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The client's id; empty in a document without parts.
    pub id: String,
    /// The text as it was sent, entities and tags included.
    pub text: String,
}

/// How a batch is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One JSON object, `{"0":"…","1":"…"}`.
    KeyedJson,
    /// One HTML document, `<p id="0">…</p><p id="1">…</p>`.
    HtmlParts,
    /// One text without an id.
    Bare,
}

/// What the engine said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Something that ends where the engine meant to end.
    Whole(String),
    /// Something that stops at the limit of tokens.
    Cut(String),
}

impl Said {
    /// Returns what was said, wherever it ends.
    #[must_use]
    pub fn text(&self) -> &str {
        let (Self::Whole(text) | Self::Cut(text)) = self;
        text
    }
}

impl Batch {
    /// Returns the texts in the order of the request.
    #[must_use]
    pub fn texts(&self) -> Vec<&str> {
        self.items.iter().map(|item| item.text.as_str()).collect()
    }
}

/// Returns how many items of `count` are complete in an answer that is cut.
#[must_use]
pub fn complete_when_cut(count: usize) -> usize {
    count * 3 / 5
}

/// Returns what the engine says to `batch`. Outcomes that never reach the
/// engine (a limit, a refusal) are the protocol's; here they say nothing.
#[must_use]
pub fn said(batch: &Batch, outcome: Outcome, variant: u64) -> Said {
    let mut items = translated(batch);
    let count = items.len();
    match outcome {
        Outcome::Ok => {}
        Outcome::Dropped => drop(items.remove((count - 1) / 2)),
        Outcome::Short => {
            items.truncate(count - (count / 4).max(1));
            if batch.form == Form::KeyedJson && variant % 2 == 1 {
                return Said::Whole(array(&items));
            }
        }
        Outcome::Shifted => shift(&mut items),
        Outcome::Truncated => return Said::Cut(cut(&items, batch.form)),
        _ => return Said::Whole(String::new()),
    }
    Said::Whole(written(&items, batch.form))
}

/// Returns a text in so many pieces of about the same length, none of them
/// empty: a short text has fewer.
#[must_use]
pub fn pieces(text: &str, count: usize) -> Vec<&str> {
    let chars = text.chars().count();
    let length = chars.div_ceil(count.max(1)).max(1);
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).step_by(length).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(start, end)| &text[*start..end]).collect()
}

fn translated(batch: &Batch) -> Vec<Item> {
    let translate = if batch.form == Form::HtmlParts { stand_in_html } else { stand_in };
    let item = |item: &Item| Item { id: item.id.clone(), text: translate(&item.text) };
    batch.items.iter().map(item).collect()
}

/// Gives each item from the middle on its neighbour's text, and loses the last.
fn shift(items: &mut Vec<Item>) {
    for at in items.len() / 2..items.len() - 1 {
        items[at].text = items[at + 1].text.clone();
    }
    items.pop();
}

/// Writes the complete items and half of the one after them.
fn cut(items: &[Item], form: Form) -> String {
    let complete = complete_when_cut(items.len());
    let start = written(&items[..complete], form).trim_end_matches('}').len();
    let end = written(&items[..=complete], form).len();
    let whole = written(items, form);
    let mut stop = usize::midpoint(start, end);
    while !whole.is_char_boundary(stop) {
        stop -= 1;
    }
    whole[..stop].to_owned()
}

fn written(items: &[Item], form: Form) -> String {
    let part = |Item { id, text }: &Item| match form {
        Form::KeyedJson => format!("{}:{}", quoted(id), quoted(text)),
        Form::HtmlParts => format!("<p id=\"{id}\">{text}</p>"),
        Form::Bare => text.clone(),
    };
    let parts: Vec<String> = items.iter().map(part).collect();
    match form {
        Form::KeyedJson => format!("{{{}}}", parts.join(",")),
        Form::HtmlParts | Form::Bare => parts.concat(),
    }
}

fn array(items: &[Item]) -> String {
    let texts: Vec<String> = items.iter().map(|item| quoted(&item.text)).collect();
    format!("[{}]", texts.join(","))
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyed(texts: &[&str]) -> Batch {
        let item = |(n, text): (usize, &&str)| Item { id: n.to_string(), text: (*text).into() };
        Batch { items: texts.iter().enumerate().map(item).collect(), form: Form::KeyedJson }
    }

    fn check(outcome: Outcome, variant: u64, expected: &str) {
        let said = said(&keyed(&["a", "b", "c", "d", "e"]), outcome, variant);
        assert_eq!(said, Said::Whole(expected.into()), "{outcome:?}");
    }

    #[test]
    fn each_outcome_says_what_it_promises() {
        check(Outcome::Ok, 0, r#"{"0":"가«a»","1":"가«b»","2":"가«c»","3":"가«d»","4":"가«e»"}"#);
        check(Outcome::Dropped, 0, r#"{"0":"가«a»","1":"가«b»","3":"가«d»","4":"가«e»"}"#);
        check(Outcome::Short, 0, r#"{"0":"가«a»","1":"가«b»","2":"가«c»","3":"가«d»"}"#);
        check(Outcome::Short, 1, r#"["가«a»","가«b»","가«c»","가«d»"]"#);
        check(Outcome::Shifted, 0, r#"{"0":"가«a»","1":"가«b»","2":"가«d»","3":"가«e»"}"#);
        check(Outcome::Empty, 0, "");
    }

    #[test]
    fn a_cut_answer_has_its_complete_items_and_a_piece_of_the_next() {
        for count in 1..30 {
            let texts = vec!["some \"words\" <1>here</1>"; count];
            let Said::Cut(text) = said(&keyed(&texts), Outcome::Truncated, 0) else { panic!() };
            assert!(serde_json::from_str::<serde_json::Value>(&text).is_err());
            let complete = text.matches("\",\"").count();
            assert_eq!(complete, complete_when_cut(count), "{text}");
        }
    }

    #[test]
    fn pieces_are_the_whole_text_and_none_is_empty() {
        let text = "가«ab»나";
        for (count, expected) in [(1, 1), (2, 2), (3, 3), (6, 6), (40, 6), (0, 1)] {
            let pieces = pieces(text, count);
            assert_eq!((pieces.concat().as_str(), pieces.len()), (text, expected), "{count}");
            assert!(pieces.iter().all(|piece| !piece.is_empty()));
        }
        assert!(pieces("", 3).is_empty());
    }

    #[test]
    fn one_text_alone_can_meet_every_fault() {
        use Outcome::{Dropped, Empty, Short, Truncated};
        for outcome in [Dropped, Short, Truncated, Empty] {
            let (Said::Whole(text) | Said::Cut(text)) = said(&keyed(&["abc"]), outcome, 0);
            assert!(!text.contains("가«abc»"), "{outcome:?}: {text}");
        }
    }

    #[test]
    fn parts_of_html_are_answered_in_their_places() {
        let item = Item { id: "7".into(), text: "The <b id=\"x\">house</b>".into() };
        let batch = Batch { items: vec![item], form: Form::HtmlParts };
        let expected = "<p id=\"7\">가«The» <b id=\"x\">가«house»</b></p>";
        assert_eq!(said(&batch, Outcome::Ok, 0), Said::Whole(expected.into()));
    }
}
