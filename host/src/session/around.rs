//! What stands around a short text on its page: context for language models.
//!
//! Labels have none: what a page writes beside "Sign in" must not decide what
//! "Sign in" says. They see each other in their batch, in the page's order.

use std::collections::BTreeMap;

use crate::markup;
use crate::provider::Text;

use super::admit::is_label;

/// A text of this many characters says enough by itself.
const SHORT_CHARS: usize = 60;
/// No text of so many bytes is that short, whatever its letters and tags.
const MOST_BYTES: usize = 8 * SHORT_CHARS;
/// So much of a neighbour is enough to tell what a short text is about.
const SHOWN_CHARS: usize = 80;

/// What stands before and after a text, as plain text.
pub type Around = Box<[String; 2]>;

/// Returns for each of these texts what stands around it, if it needs that. The
/// texts are in the page's order; the flags say that a text is marked, and that
/// it is a button, menu item or label.
pub fn around(texts: &[(&str, bool, bool)]) -> Vec<Option<Around>> {
    let plain = |at: usize| {
        let (text, marked, _) = texts.get(at)?;
        Some(markup::plain(text, *marked))
    };
    let near = |at: usize| {
        let (text, _, ui) = texts[at];
        let long = text.len() >= MOST_BYTES || plain(at)?.chars().count() >= SHORT_CHARS;
        if long || ui || is_label(text) {
            return None;
        }
        let before = at.checked_sub(1).and_then(plain).unwrap_or_default();
        let after = plain(at + 1).unwrap_or_default();
        let around = [end_of(before.trim()).to_owned(), start_of(after.trim()).to_owned()];
        around.iter().any(|side| !side.is_empty()).then(|| Box::new(around))
    };
    (0..texts.len()).map(near).collect()
}

fn start_of(text: &str) -> &str {
    let end = text.char_indices().nth(SHOWN_CHARS).map_or(text.len(), |(at, _)| at);
    &text[..end]
}

fn end_of(text: &str) -> &str {
    let start = text.char_indices().rev().nth(SHOWN_CHARS - 1).map_or(0, |(at, _)| at);
    &text[start..]
}

/// Returns what a batch does not show itself, by the place in it.
pub fn unseen<'a>(
    around: impl Iterator<Item = Option<&'a Around>>,
    batch: &[Text],
) -> BTreeMap<usize, [String; 2]> {
    let shown: Vec<String> =
        batch.iter().map(|text| markup::plain(&text.text, text.marked)).collect();
    let not_in_batch = |side: &str, test: fn(&str, &str) -> bool| {
        let seen = shown.iter().any(|text| test(text.trim(), side));
        if seen { String::new() } else { side.to_owned() }
    };
    let left = |around: &Around| {
        let [before, after] = &**around;
        let before = not_in_batch(before, |text, side| text.ends_with(side));
        let after = not_in_batch(after, |text, side| text.starts_with(side));
        (!(before.is_empty() && after.is_empty())).then_some([before, after])
    };
    around.enumerate().filter_map(|(at, around)| Some((at, left(around?)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Text {
        Text { text: text.to_owned(), marked: false }
    }

    #[test]
    fn short_texts_see_their_neighbours_and_labels_do_not() {
        let long = "word ".repeat(40);
        let texts = [
            (long.as_str(), false, false),
            ("It was a very close match", false, false),
            ("Sign in", false, false),
            ("Buy it now before the end", false, true),
            ("Read <1>all of it</1> here", true, false),
        ];
        let found = around(&texts);
        assert_eq!(found[0], None, "a long text needs none");
        let [before, after] = &**found[1].as_ref().unwrap();
        assert_eq!((before.chars().count(), after.as_str()), (80, "Sign in"));
        assert!(long.trim().ends_with(before.as_str()));
        assert_eq!(found[2], None, "a label");
        assert_eq!(found[3], None, "a button");
        assert_eq!(found[4].as_ref().unwrap()[0], "Buy it now before the end");
        assert_eq!(around(&[("All alone on this page", false, false)]), [None]);
    }

    #[test]
    fn a_neighbour_is_cut_between_characters() {
        let wide = "가나다라".repeat(60);
        let found = around(&[(&wide, false, false), ("넷 낱말 이상 되는 글", false, false)]);
        assert_eq!(found[1].as_ref().unwrap()[0].chars().count(), 80);
    }

    #[test]
    fn what_is_in_the_batch_is_not_said_twice() {
        let near: Around = Box::new(["end of one.".to_owned(), "Start of".to_owned()]);
        let seen = |batch: &[Text]| unseen([None, Some(&near)].into_iter(), batch);
        let both = seen(&[text("The end of one."), text("x"), text("Start of two")]);
        assert!(both.is_empty());
        let one = seen(&[text("The end of one."), text("x")]);
        assert_eq!(one[&1], [String::new(), "Start of".to_owned()]);
    }
}
