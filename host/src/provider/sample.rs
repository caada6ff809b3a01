//! A translation without any network, for a first try and for tests: every run
//! of text stands in `⟦…⟧`, so that a double or shifted one is seen.

use crate::markup;
use crate::provider::{Ask, Capacity, Provider, Request, Response};
use crate::verdict::{Class, Failure, Reading};

/// The provider that marks instead of translating.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample;

impl Provider for Sample {
    fn build(&self, _ask: &Ask) -> Result<Request, Failure> {
        Err(Failure::Internal)
    }

    fn parse(&self, _ask: &Ask, _response: &Response) -> Reading {
        Reading::of(Class::Empty)
    }

    fn capacity(&self) -> Capacity {
        Capacity {
            segments: 256,
            chars: 65_536,
            first_segments: 256,
            concurrency: 1,
            ..Capacity::ENGINE
        }
    }

    fn offline(&self, ask: &Ask) -> Option<Reading> {
        let mark = |text: &crate::provider::Text| markup::map_text(&text.text, text.marked, marked);
        let items = ask.texts.iter().map(mark).enumerate().collect();
        Some(Reading { items, ..Reading::of(Class::Ok) })
    }
}

/// Puts brackets around a run of text, white space at its edges outside; a run
/// without letters stays.
fn marked(run: &str) -> String {
    let inner = run.trim();
    if !inner.chars().any(char::is_alphabetic) {
        return run.to_owned();
    }
    let start = run.len() - run.trim_start().len();
    format!("{}⟦{inner}⟧{}", &run[..start], &run[start + inner.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Text;

    #[test]
    fn runs_are_bracketed_and_tags_untouched() {
        let text = |text: &str, marked| Text { text: text.to_owned(), marked };
        let ask = Ask {
            target: "ko".to_owned(),
            texts: vec![text(" Click <1>here</1> &amp; <2/>!", true), text("a < b", false)],
            ..Ask::default()
        };
        let reading = Sample.offline(&ask).unwrap();
        assert_eq!(reading.items[&0], " ⟦Click⟧ <1>⟦here⟧</1> &amp; <2/>!");
        assert_eq!(reading.items[&1], "⟦a < b⟧");
    }
}
