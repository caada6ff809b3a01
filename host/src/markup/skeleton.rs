//! The tags of a marked text without its words: what a remembered translation
//! must share with its source.
//!
//! Looser than the check of a provider's answer: parts of a text that was cut up
//! keep their numbers, and whether words moved is no longer asked.

use std::collections::BTreeMap;

use super::scan::{Part, has_stray, parts};

/// Each tag's number, and whether it is a pair.
pub type Skeleton = BTreeMap<u32, bool>;

/// Returns the tags of a marked text; none when it is not one: a number comes
/// twice, pairs cross or stay open, or there is a bare `<` or `&`.
#[must_use]
pub fn skeleton(text: &str) -> Option<Skeleton> {
    let mut tags = Skeleton::new();
    let mut open = Vec::new();
    for part in parts(text) {
        match part {
            Part::Text(raw) if has_stray(raw) => return None,
            Part::Text(_) => {}
            Part::Open(n) => {
                open.push(n);
                if tags.insert(n, true).is_some() {
                    return None;
                }
            }
            Part::Void(n) => {
                if tags.insert(n, false).is_some() {
                    return None;
                }
            }
            Part::Close(n) => {
                if open.pop() != Some(n) {
                    return None;
                }
            }
        }
    }
    open.is_empty().then_some(tags)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&[(u32, bool)]>) {
        let expected = expected.map(|tags| tags.iter().copied().collect());
        assert_eq!(skeleton(text), expected, "{text}");
    }

    #[test]
    fn tags_are_told_from_text_and_in_any_order() {
        check("no tags &lt;1> &amp; >", Some(&[]));
        check("<3>a <4/></3> b", Some(&[(3, true), (4, false)]));
        check("<2/> <1>a</1>", Some(&[(1, true), (2, false)]));
    }

    #[test]
    fn what_is_not_marked_text_has_none() {
        for text in
            ["a < b", "a & b", "<b>a</b>", "<1>a", "a</1>", "<1>a<2></1></2>", "<1/> <1/>", "&gt;"]
        {
            check(text, None);
        }
    }
}
