//! Soft checks: evidence that a text is not the translation of its source.

use super::number::numbers;
use crate::language;

/// A reason to ask once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Doubt {
    /// A number of the source is not there, by value.
    Digits,
    /// A URL or e-mail address of the source is not there.
    Address,
    /// It is the source again.
    Copy,
    /// It has no letter of the target's own script.
    Script,
    /// It is far too short to say what the source says.
    Short,
    /// The wanted translation of a term is not there.
    Term,
}

/// Returns what speaks against a translation; nothing is the rule.
///
/// `source` and `answer` are plain text, without tags and entities; `terms` are
/// pairs of source and wanted translation, of which those count whose source
/// side occurs. Numbers of one and two digits never count.
#[must_use]
pub fn doubts(source: &str, answer: &str, target: &str, terms: &[(String, String)]) -> Vec<Doubt> {
    let checks = [
        (Doubt::Digits, lost_number(source, answer)),
        (Doubt::Address, lost_address(source, answer)),
        (Doubt::Copy, copied(source, answer, target)),
        (Doubt::Script, other_script(source, answer, target)),
        (Doubt::Short, too_short(source, answer)),
        (Doubt::Term, lost_term(source, answer, terms)),
    ];
    checks.into_iter().filter(|(_, fails)| *fails).map(|(doubt, _)| doubt).collect()
}

/// Tells whether so many doubtful items speak against the whole batch: more than
/// half of it, and two at least.
#[must_use]
pub fn mostly_doubtful(doubtful: usize, of: usize) -> bool {
    doubtful >= 2 && doubtful * 2 > of
}

fn lost_number(source: &str, answer: &str) -> bool {
    let wanted = numbers(source);
    if wanted.iter().all(|n| n.digits < 3 && !n.scaled) {
        return false;
    }
    let there = numbers(answer);
    wanted.iter().any(|number| {
        let found = there.iter().any(|other| number.may_equal(other));
        // A short number with a word may have become words altogether.
        let short = number.digits < 3 && !there.iter().any(|other| other.scaled);
        !found && !short && (number.digits >= 3 || number.scaled)
    })
}

fn lost_address(source: &str, answer: &str) -> bool {
    source.split_whitespace().any(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/');
        let mail = word.split_once('@').is_some_and(|(a, b)| !a.is_empty() && b.contains('.'));
        let url = ["http://", "https://", "www."].iter().any(|start| word.starts_with(start));
        (mail || url) && word.is_ascii() && !answer.contains(word)
    })
}

fn copied(source: &str, answer: &str, target: &str) -> bool {
    let same = source.trim().to_lowercase() == answer.trim().to_lowercase();
    let own = language::has_own_script(target) && language::shows(source, target);
    same && !own && !may_stay(source)
}

/// Tells whether a text may be the same in every language: no letters, very
/// short, or names and codes only. A word is taken for a name when it does not
/// begin with a small letter; small words between names do not count.
fn may_stay(source: &str) -> bool {
    const SMALL: &[&str] =
        &["of", "the", "and", "de", "la", "le", "du", "von", "van", "da", "in", "for"];
    let letters = source.chars().filter(|c| c.is_alphabetic()).count();
    let words: Vec<&str> = source.split_whitespace().collect();
    let cased = source.chars().any(|c| c.is_lowercase() || c.is_uppercase());
    if letters == 0 || cased && letters <= 3 {
        return true;
    }
    let names = words.iter().all(|word| {
        let letter = word.chars().find(|c| c.is_alphanumeric());
        letter.is_none_or(|c| !c.is_lowercase()) || SMALL.contains(word) || is_code(word)
    });
    cased && names && words.len() <= 6
}

fn is_code(word: &str) -> bool {
    word.contains(['_', '/', '@', '\\']) || word.chars().any(|c| c.is_ascii_digit())
}

fn other_script(source: &str, answer: &str, target: &str) -> bool {
    let letters = answer.chars().filter(|c| c.is_alphabetic()).count();
    let known = !language::scripts(target).is_empty();
    known
        && letters > 0
        && !language::shows(answer, target)
        && !may_stay(answer)
        && source.chars().any(char::is_alphabetic)
}

/// A tenth of a long source: no language is so much denser than another; such
/// an answer obeyed its source instead of translating it.
fn too_short(source: &str, answer: &str) -> bool {
    let from = source.chars().count();
    from >= 40 && answer.trim().chars().count() * 10 < from
}

fn lost_term(source: &str, answer: &str, terms: &[(String, String)]) -> bool {
    if terms.is_empty() {
        return false;
    }
    let (source, answer) = (source.to_lowercase(), answer.to_lowercase());
    terms.iter().any(|(term, wanted)| {
        !term.is_empty()
            && source.contains(&term.to_lowercase())
            && !answer.contains(&wanted.to_lowercase())
    })
}
