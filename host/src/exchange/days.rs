//! Days as people write them.

use jiff::Span;
use jiff::civil::{Date, date};

/// The last day of the year 9999, in days since 1970.
pub const LAST_DAY: i64 = 2_932_896;

const EPOCH: Date = date(1970, 1, 1);

/// Returns the date of a day since 1970, such as `2024-10-04`; none when no
/// calendar has it.
#[must_use]
pub fn date_of(day: i64) -> Option<Date> {
    EPOCH.checked_add(Span::new().try_days(day).ok()?).ok()
}

/// Returns the day of a date such as `2024-10-04`.
pub(super) fn read(text: &str) -> Option<i64> {
    text.parse::<Date>().ok().map(day_of)
}

/// Returns the day of a moment in the form of TMX: `20241004T120000Z`.
pub(super) fn read_moment(text: &str) -> Option<i64> {
    let part = |range: std::ops::Range<usize>| {
        let digits = text.get(range)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(digits)
    };
    let year = part(0..4)?.parse().ok()?;
    let month = part(4..6)?.parse().ok()?;
    let day = part(6..8)?.parse().ok()?;
    Date::new(year, month, day).ok().map(day_of)
}

fn day_of(date: Date) -> i64 {
    date.duration_since(EPOCH).as_hours() / 24
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates_and_back() {
        for (day, text) in [(0, "1970-01-01"), (20_000, "2024-10-04"), (LAST_DAY, "9999-12-31")] {
            assert_eq!(date_of(day).unwrap().to_string(), text);
            assert_eq!(read(text), Some(day));
            let moment = format!("{}T000000Z", text.replace('-', ""));
            assert_eq!(read_moment(&moment), Some(day));
        }
        assert_eq!(read("1969-12-31"), Some(-1));
        assert_eq!(date_of(i64::MAX), None);
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in ["", "2024-13-01", "yesterday", "2024-10-04T00:00:00Z0"] {
            assert_eq!(read(text), None, "{text}");
        }
        for text in ["", "2024", "20241301T000000Z", "+024-10-", "２０２４1004"] {
            assert_eq!(read_moment(text), None, "{text}");
        }
    }
}
