//! Numbers and money as a reader takes them in.

use crate::provider::price;
use crate::settings::dollars;

/// Above it a number is shortened to three digits.
const SHORTENED_FROM: u64 = 100_000;

const UNITS: [char; 6] = ['k', 'M', 'G', 'T', 'P', 'E'];

const MICROS: u64 = 1_000_000;

/// Writes a count: `1,234`, `123k`, `1.23M`; a short one never says too much.
pub fn number(count: u64) -> String {
    if count < SHORTENED_FROM {
        return with_commas(count);
    }
    let mut unit = 1;
    let mut sign = ' ';
    for next in UNITS {
        if count / unit >= 1000 {
            unit *= 1000;
            sign = next;
        }
    }
    let whole = count / unit;
    match whole {
        0..=9 => format!("{whole}.{:02}{sign}", count % unit / (unit / 100)),
        10..=99 => format!("{whole}.{}{sign}", count % unit / (unit / 10)),
        _ => format!("{whole}{sign}"),
    }
}

fn with_commas(count: u64) -> String {
    let digits = count.to_string();
    digits.char_indices().fold(String::new(), |mut text, (at, digit)| {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
        text
    })
}

/// Writes millionths of a dollar: from a dollar on in cents, below it exactly.
pub fn money(micros: u64) -> String {
    if micros < MICROS {
        return price::dollars(dollars(micros));
    }
    let cents = micros.saturating_add(5_000) / 10_000;
    format!("${}.{:02}", with_commas(cents / 100), cents % 100)
}

/// An amount of which a part may not be known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    known: Option<u64>,
    /// Whether there is more, nobody knows how much.
    open: bool,
}

impl Amount {
    /// Adds what so many things came to, if that is known.
    pub fn add(&mut self, micros: Option<u64>, things: u64) {
        match micros {
            Some(micros) => {
                self.known = Some(self.known.unwrap_or(0).saturating_add(micros));
            }
            None => self.open |= things > 0,
        }
    }

    /// Whether some of it is known, and some is not.
    pub fn is_partly_known(self) -> bool {
        self.open && self.known.is_some()
    }

    /// Writes it: `-` when nothing is known, with a `+` when it is more.
    pub fn cell(self) -> String {
        match (self.known, self.open) {
            (None, true) => "-".to_owned(),
            (known, open) => money(known.unwrap_or(0)) + if open { "+" } else { "" },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_and_long_ones_shortened() {
        for (count, expected) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (99_999, "99,999"),
            (100_000, "100k"),
            (999_999, "999k"),
            (1_239_999, "1.23M"),
            (12_300_000, "12.3M"),
            (1_004_000_000, "1.00G"),
            (u64::MAX, "18.4E"),
        ] {
            assert_eq!(number(count), expected);
        }
    }

    #[test]
    fn money_is_exact_where_it_is_little() {
        for (micros, expected) in [
            (0, "$0.00"),
            (7, "$0.000007"),
            (120_000, "$0.12"),
            (999_999, "$0.999999"),
            (1_004_999, "$1.00"),
            (1_005_000, "$1.01"),
            (1_234_567_890_000, "$1,234,567.89"),
            (u64::MAX, "$18,446,744,073,709.55"),
        ] {
            assert_eq!(money(micros), expected);
        }
    }

    #[test]
    fn what_is_not_known_is_told_apart_from_nothing() {
        let check = |parts: &[(Option<u64>, u64)], expected: &str| {
            let mut amount = Amount::default();
            for (micros, things) in parts {
                amount.add(*micros, *things);
            }
            assert_eq!(amount.cell(), expected, "{parts:?}");
        };
        check(&[], "$0.00");
        check(&[(None, 0)], "$0.00");
        check(&[(None, 2)], "-");
        check(&[(Some(0), 2)], "$0.00");
        check(&[(Some(500_000), 2), (None, 0)], "$0.50");
        check(&[(Some(500_000), 2), (None, 1), (Some(1), 1)], "$0.500001+");
        check(&[(Some(u64::MAX), 1), (Some(1), 1)], "$18,446,744,073,709.55");
    }
}
