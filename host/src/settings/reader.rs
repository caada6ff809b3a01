//! Reading values out of a TOML table, and noting what is wrong with them.

use std::ops::Range;

use toml_edit::{Item, TableLike};

use super::Problem;

/// The text, and what was found in it so far.
pub(super) struct Reader<'a> {
    text: &'a str,
    pub problems: Vec<Problem>,
    pub warnings: Vec<Problem>,
}

/// A table and its name in the file.
#[derive(Clone, Copy)]
pub(super) struct Section<'a> {
    pub table: &'a dyn TableLike,
    pub path: &'a str,
}

impl Section<'_> {
    pub fn key(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, problems: Vec::new(), warnings: Vec::new() }
    }

    /// Returns a problem at a place in the text; `found` is the text there.
    pub fn at(&self, span: Option<Range<usize>>, key: String, expected: &str) -> Problem {
        let start = span.as_ref().map_or(0, |span| span.start).min(self.text.len());
        let before = self.text.get(..start).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let found = span.and_then(|span| self.text.get(span)).unwrap_or_default();
        Problem {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            key,
            found: shorten(found),
            expected: expected.to_owned(),
        }
    }

    pub fn wrong(&mut self, section: Section<'_>, name: &str, expected: &str) {
        let span = section.table.get(name).and_then(Item::span);
        let problem = self.at(span, section.key(name), expected);
        self.problems.push(problem);
    }

    /// As [`Self::wrong`], for values that must not be shown.
    pub fn wrong_unshown(&mut self, section: Section<'_>, name: &str, expected: &str) {
        self.wrong(section, name, expected);
        if let Some(last) = self.problems.last_mut() {
            last.found = String::new();
        }
    }

    pub fn string(&mut self, section: Section<'_>, name: &str) -> Option<String> {
        let item = section.table.get(name)?;
        let text = item.as_str().map(|text| text.trim().to_owned());
        if text.is_none() {
            self.wrong(section, name, "text in quotes");
        }
        text
    }

    /// Returns the value that goes with one of the words.
    pub fn word<T: Copy>(
        &mut self,
        section: Section<'_>,
        name: &str,
        words: &[(&str, T)],
    ) -> Option<T> {
        let item = section.table.get(name)?;
        let found = item.as_str().and_then(|text| words.iter().find(|(word, _)| *word == text));
        if found.is_none() {
            let words: Vec<_> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
            self.wrong(section, name, &format!("one of {}", words.join(", ")));
        }
        found.map(|(_, value)| *value)
    }

    pub fn number(&mut self, section: Section<'_>, name: &str, range: (u32, u32)) -> Option<u32> {
        let item = section.table.get(name)?;
        let number = item
            .as_integer()
            .and_then(|number| u32::try_from(number).ok())
            .filter(|number| (range.0..=range.1).contains(number));
        if number.is_none() {
            let expected = format!("a whole number from {} to {}", range.0, range.1);
            self.wrong(section, name, &expected);
        }
        number
    }

    /// Returns an amount above zero, whole or not.
    pub fn amount(&mut self, section: Section<'_>, name: &str, most: f64) -> Option<f64> {
        let item = section.table.get(name)?;
        #[allow(clippy::cast_precision_loss, reason = "compared with a small limit at once")]
        let number = item.as_float().or_else(|| item.as_integer().map(|whole| whole as f64));
        let number = number.filter(|number| *number > 0.0 && *number <= most);
        if number.is_none() {
            self.wrong(section, name, &format!("a number above 0, at most {most}"));
        }
        number
    }

    pub fn flag(&mut self, section: Section<'_>, name: &str) -> Option<bool> {
        let flag = section.table.get(name)?.as_bool();
        if flag.is_none() {
            self.wrong(section, name, "true or false");
        }
        flag
    }

    /// Warns of what is not known in a table, and says what may have been meant.
    pub fn unknown(&mut self, section: Section<'_>, known: &[&str]) {
        for (name, item) in section.table.iter() {
            if known.contains(&name) {
                continue;
            }
            let meant = known
                .iter()
                .map(|word| (distance(name, word), word))
                .min()
                .filter(|(distance, _)| *distance <= 3.min(name.len() / 2));
            let expected = match meant {
                Some((_, word)) => format!("{word}? (it is not known and is ignored)"),
                None => format!("one of {} (it is ignored)", known.join(", ")),
            };
            let span = section.table.key(name).and_then(toml_edit::Key::span).or(item.span());
            // Not its value: it may be a key under another name.
            let warning =
                Problem { found: String::new(), ..self.at(span, section.key(name), &expected) };
            self.warnings.push(warning);
        }
    }
}

/// A value is shown on one line.
fn shorten(found: &str) -> String {
    let line = found.lines().next().unwrap_or_default();
    if line.chars().count() <= 60 && line.len() == found.len() {
        return line.to_owned();
    }
    line.chars().take(60).chain(['…']).collect()
}

/// Letters to change, add or leave out.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
