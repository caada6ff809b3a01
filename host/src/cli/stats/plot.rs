//! A plot of days for a terminal: a bar a day.

use unicode_width::UnicodeWidthStr;

use crate::cli::terminal::Terminal;

/// A narrower terminal breaks the lines.
const MIN_WIDTH: usize = 40;

/// Lines that a bar may take, each of so many steps.
const HEIGHT: usize = 8;
const STEPS: u64 = 8;

/// A bar's end in eighths of a line, from nothing to all of it.
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII_BLOCKS: [char; 9] = [' ', '.', '.', '.', ':', ':', ':', ':', '#'];

/// What is drawn: a value a day, the last is that of today.
pub struct Plot<'a> {
    /// What the values are, such as `Calls`.
    pub what: &'a str,
    pub values: &'a [u64],
    /// Writes a value.
    pub figure: fn(u64) -> String,
    /// Writes the day in this place, such as `2026-11-30`.
    pub date: &'a dyn Fn(usize) -> String,
}

impl Plot<'_> {
    /// Returns the lines. Where there are more days than places, a bar is the
    /// sum of some.
    pub fn lines(&self, terminal: Terminal) -> Vec<String> {
        if self.values.iter().all(|value| *value == 0) {
            return vec![format!("{}: nothing.", self.what)];
        }
        let width = terminal.width.max(MIN_WIDTH);
        // Sums need a longer scale, whose labels may leave less room.
        let mut days = 1;
        loop {
            let bars = sums(self.values, days);
            let scale = Scale::of(&bars, self.figure);
            let room = width - scale.width - 2;
            if bars.len() <= room {
                return self.draw(&bars, days, &scale, terminal.unicode);
            }
            days += 1;
        }
    }

    fn draw(&self, bars: &[u64], days: usize, scale: &Scale, unicode: bool) -> Vec<String> {
        let blocks = if unicode { BLOCKS } else { ASCII_BLOCKS };
        let (tick, side, corner, floor) =
            if unicode { ('┤', '│', '┼', "─") } else { ('+', '|', '+', "-") };
        let mut lines = vec![self.title(bars, days)];
        for row in (0..HEIGHT).rev() {
            let label = scale.label(row + 1, self.figure);
            let edge = if label.is_empty() { side } else { tick };
            let bar = |value: &u64| blocks[scale.steps_in(*value, row)];
            let line: String = bars.iter().map(bar).collect();
            let gap = " ".repeat(scale.width - label.width());
            lines.push(format!("{gap}{label} {edge}{line}").trim_end().to_owned());
        }
        let gap = " ".repeat(scale.width - 1);
        lines.push(format!("{gap}0 {corner}{}", floor.repeat(bars.len())));
        lines.push(format!("{}{}", " ".repeat(scale.width + 2), self.dates(bars.len())));
        lines
    }

    fn title(&self, bars: &[u64], days: usize) -> String {
        let what = self.what;
        let each =
            if days == 1 { "by day (UTC)".to_owned() } else { format!("by {days} days (UTC)") };
        let most = bars.iter().max().copied().unwrap_or(0);
        format!("{what} {each}, at most {}", (self.figure)(most))
    }

    /// The first and the last day below the ends of the axis, without their year.
    fn dates(&self, bars: usize) -> String {
        let short = |place| {
            let date = (self.date)(place);
            date.get(5..).map(str::to_owned).unwrap_or(date)
        };
        let (first, last) = (short(0), short(self.values.len() - 1));
        if first == last {
            return last;
        }
        let gap = bars.saturating_sub(first.width() + last.width()).max(1);
        format!("{first}{}{last}", " ".repeat(gap))
    }
}

/// Sums up so many days each; the last sum ends with the last day.
pub(super) fn sums(values: &[u64], days: usize) -> Vec<u64> {
    let sum = |values: &[u64]| values.iter().fold(0_u64, |sum, value| sum.saturating_add(*value));
    let mut sums: Vec<u64> = values.rchunks(days).map(sum).collect();
    sums.reverse();
    sums
}

/// The axis of values.
struct Scale {
    top: u64,
    /// Of the widest label.
    width: usize,
}

impl Scale {
    fn of(bars: &[u64], figure: fn(u64) -> String) -> Self {
        let top = round_above(bars.iter().max().copied().unwrap_or(0));
        let mut scale = Self { top, width: 1 };
        let widths = (1..=HEIGHT).map(|row| scale.label(row, figure).width());
        scale.width = widths.max().unwrap_or(1).max(1);
        scale
    }

    /// Labels stand at the top and half-way, where half is a whole number.
    fn label(&self, row: usize, figure: fn(u64) -> String) -> String {
        if row == HEIGHT {
            figure(self.top)
        } else if row == HEIGHT / 2 && self.top.is_multiple_of(2) {
            figure(self.top / 2)
        } else {
            String::new()
        }
    }

    /// How much of a bar is in this row; what is not nothing can be seen.
    fn steps_in(&self, value: u64, row: usize) -> usize {
        let all = u128::from(STEPS) * HEIGHT as u128;
        let steps = (u128::from(value) * all).div_ceil(u128::from(self.top));
        let below = row as u128 * u128::from(STEPS);
        usize::try_from(steps.saturating_sub(below).min(u128::from(STEPS))).unwrap_or(0)
    }
}

/// Returns the next of 1, 2, 5, 10, 20, 50, … that is not below `value`.
fn round_above(value: u64) -> u64 {
    let mut decade = 1_u64;
    loop {
        for step in [1, 2, 5] {
            match decade.checked_mul(step) {
                Some(round) if round >= value => return round,
                Some(_) => {}
                None => return u64::MAX,
            }
        }
        match decade.checked_mul(10) {
            Some(next) => decade = next,
            None => return u64::MAX,
        }
    }
}
