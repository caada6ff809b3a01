//! The texts of a page for tests and benches: labels, sentences, paragraphs and
//! long passages in the mixture of a forum page, the same in every run.
//!
//! All texts differ, so that a page of so many texts is so many translations.

use std::collections::HashSet;

/// A word that six texts of every page carry, for a script to refuse.
pub const REFUSED_WORD: &str = "zarglefrak";

/// How many texts carry [`REFUSED_WORD`].
pub const REFUSED: usize = 6;

const ADJECTIVES: [&str; 16] = [
    "new", "broken", "hidden", "shared", "recent", "old", "local", "public", "daily", "pinned",
    "empty", "large", "secure", "weekly", "final", "custom",
];
const NOUNS: [&str; 40] = [
    "guide", "server", "patch", "profile", "download", "texture", "account", "message", "quest",
    "window", "library", "backup", "printer", "garden", "bridge", "ticket", "camera", "recipe",
    "invoice", "keyboard", "journey", "comment", "playlist", "calendar", "battery", "editor",
    "shortcut", "archive", "market", "weather", "module", "channel", "engine", "report", "harbour",
    "museum", "station", "contract", "language", "picture",
];
const VERBS: [&str; 16] = [
    "opens",
    "replaces",
    "needs",
    "loses",
    "describes",
    "repairs",
    "follows",
    "ignores",
    "updates",
    "carries",
    "hides",
    "explains",
    "breaks",
    "protects",
    "imports",
    "reaches",
];
const TIMES: [&str; 12] = [
    "after the last update",
    "before the weekend",
    "as soon as the map is open",
    "on every second start",
    "while nobody is looking",
    "since the move to another house",
    "during the long winter",
    "whenever two friends join",
    "without a word of warning",
    "for most of our readers",
    "in the middle of the night",
    "because of a wrong setting",
];

/// Returns the texts of a page of `count` texts, in its order.
#[must_use]
pub fn page(count: usize) -> Vec<String> {
    let mut chance = Chance(0x5eed);
    let mut seen = HashSet::new();
    let carries = |n: usize| (0..REFUSED).any(|k| n == (2 * k + 1) * count / (2 * REFUSED));
    (0..count)
        .map(|n| {
            loop {
                let text = if carries(n) {
                    format!("{} {REFUSED_WORD}.", chance.sentence().trim_end_matches('.'))
                } else {
                    chance.text()
                };
                if seen.insert(text.clone()) {
                    return text;
                }
            }
        })
        .collect()
}

/// A generator of numbers that are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        // Knuth's MMIX; its high bits are good enough to choose words.
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        usize::try_from(self.0 >> 33).unwrap_or(0) % end
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    /// A quarter of the texts are labels, a half single sentences.
    fn text(&mut self) -> String {
        match self.below(20) {
            0..5 => capital(&format!(
                "{} {} {}",
                self.of(&ADJECTIVES),
                self.of(&NOUNS),
                self.of(&NOUNS)
            )),
            5..15 => self.sentence(),
            15..19 => self.sentences(2, 5),
            _ => self.sentences(6, 12),
        }
    }

    fn sentences(&mut self, least: usize, most: usize) -> String {
        let count = least + self.below(most - least + 1);
        (0..count).map(|_| self.sentence()).collect::<Vec<_>>().join(" ")
    }

    fn sentence(&mut self) -> String {
        let mut words = format!("the {} {}", self.of(&ADJECTIVES), self.of(&NOUNS));
        for _ in 0..=self.below(2) {
            let clause = format!(
                " {} the {} {} of this {}",
                self.of(&VERBS),
                self.of(&ADJECTIVES),
                self.of(&NOUNS),
                self.of(&NOUNS)
            );
            words += &clause;
        }
        if self.below(3) > 0 {
            words = format!("{words} {}", self.of(&TIMES));
        }
        capital(&words) + "."
    }
}

fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_different_texts_of_all_lengths_and_six_to_refuse() {
        for count in [100, 600, 20_000] {
            let texts = page(count);
            assert_eq!(texts, page(count));
            assert_eq!(texts.iter().collect::<HashSet<_>>().len(), count);
            let refused = texts.iter().filter(|text| text.contains(REFUSED_WORD)).count();
            assert_eq!(refused, REFUSED);
            let labels = texts.iter().filter(|t| t.split_whitespace().count() <= 3).count();
            assert!((count / 6..count / 3).contains(&labels), "{labels} of {count}");
            let longest = texts.iter().map(|text| text.chars().count()).max();
            assert!(longest > Some(500), "{longest:?}");
        }
    }
}
