//! `webtranslator stats`: what was used, by provider and day, and what it cost.
//!
//! It looks at the file and changes nothing, so what hosts without a file count
//! in their memory is not in it.

mod figures;
mod plot;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use jiff::Timestamp;
use unicode_width::UnicodeWidthStr;

use super::cache::{self, Ended, visible};
use super::table::table;
use super::terminal::Terminal;
use crate::paths::Paths;
use crate::session::day_of;
use crate::session::usage::{DEFAULT_DAYS, date, last_days, told_days};
use crate::store::{KEPT_DAYS, UsageRow, View};

use figures::{Amount, money, number};
use plot::Plot;

#[derive(Debug, Args)]
pub struct Stats {
    /// So many days, today among them; a day begins at midnight UTC
    #[arg(long, value_name = "COUNT", default_value_t = DEFAULT_DAYS,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(KEPT_DAYS)))]
    days: u32,
    /// What the plot shows
    #[arg(long, value_enum, default_value_t = Of::Calls)]
    plot: Of,
    /// Print JSON, as the message `usage` has it
    #[arg(long)]
    json: bool,
}

/// What can be plotted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Of {
    /// Calls to providers
    Calls,
    /// What they cost, as far as it is known
    Cost,
    /// Tokens, in and out
    Tokens,
    /// Texts that came from the cache
    Hits,
}

pub fn run(arguments: &Stats, paths: &Paths) -> ExitCode {
    let days = last_days(day_of(Timestamp::now()), arguments.days);
    cache::end(stats(arguments, &paths.cache(), &days))
}

fn stats(arguments: &Stats, path: &Path, days: &RangeInclusive<i64>) -> Ended {
    let view = match View::open(path).map_err(String::from)? {
        None if !arguments.json => return cache::view(path).map(|_| 0),
        view => view,
    };
    let mut rows = view.map_or(Ok(Vec::new()), |view| view.usage_since(*days.start()))?;
    rows.retain(|row| days.contains(&row.day));
    let mut out = io::stdout().lock();
    if arguments.json {
        serde_json::to_writer(&mut out, &told_days(&rows, days)).map_err(io::Error::from)?;
        writeln!(out)?;
    } else {
        for line in told(&rows, days, arguments.plot, Terminal::of_stdout()) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(0)
}

/// Returns all that is said of these rows, a line each.
fn told(rows: &[UsageRow], days: &RangeInclusive<i64>, of: Of, terminal: Terminal) -> Vec<String> {
    let (first, last) = (date(*days.start()), date(*days.end()));
    if rows.is_empty() {
        return vec![format!("Nothing was used from {first} to {last} (UTC).")];
    }
    let mut lines =
        vec![format!("From {first} to {last} (UTC), all browsers of this machine"), String::new()];
    let sums = Sums::of(rows);
    lines.extend(sums.table(terminal.width));
    lines.extend(sums.remarks());
    let failures = sums.failures();
    if !failures.is_empty() {
        lines.extend([String::new(), "Calls that were not wholly good".to_owned()]);
        lines.extend(failures);
    }
    lines.push(String::new());
    lines.extend(plotted(rows, days, of, terminal));
    lines
}

/// The rows of one provider and model, or of all, summed up.
#[derive(Default)]
struct Sum {
    row: UsageRow,
    cost: Amount,
    saved: Amount,
    /// Of the texts that were counted: those of the cache.
    cached: u64,
}

impl Sum {
    fn add(&mut self, row: &UsageRow) {
        self.row.add(row);
        self.cost.add(row.cost_micros, row.calls);
        self.saved.add(row.saved_micros, row.cache_hits);
        if row.texts.is_some() {
            self.cached = self.cached.saturating_add(row.cache_hits);
        }
    }

    fn cells(&self) -> Vec<String> {
        let row = &self.row;
        vec![
            number(row.calls),
            number(row.failures),
            row.texts.map_or_else(|| "-".to_owned(), number),
            number(row.input_tokens),
            number(row.output_tokens),
            number(row.characters),
            self.cost.cell(),
            number(row.cache_hits),
            self.saved.cell(),
        ]
    }
}

const HEADS: [&str; 9] =
    ["calls", "failed", "texts", "input", "output", "chars", "cost", "cached", "saved"];

/// By provider and model, with the sum of all.
struct Sums {
    /// With the name that is shown.
    each: Vec<(String, Sum)>,
    all: Sum,
}

impl Sums {
    fn of(rows: &[UsageRow]) -> Self {
        let mut each: BTreeMap<(&str, &str), Sum> = BTreeMap::new();
        let mut all = Sum::default();
        for row in rows {
            each.entry((&row.provider, &row.model)).or_default().add(row);
            all.add(row);
        }
        let named = |((provider, model), sum): ((&str, &str), Sum)| {
            let gap = if model.is_empty() { "" } else { " " };
            (visible(&format!("{provider}{gap}{model}")), sum)
        };
        Self { each: each.into_iter().map(named).collect(), all }
    }

    /// Where names and figures do not fit beside each other, they stand below.
    fn table(&self, width: usize) -> Vec<String> {
        let heads = HEADS.map(str::to_owned).to_vec();
        let each = self.each.iter().map(|(name, sum)| (name.clone(), sum.cells()));
        let all = (self.each.len() > 1).then(|| ("total".to_owned(), self.all.cells()));
        let (names, cells): (Vec<_>, Vec<_>) =
            std::iter::once((String::new(), heads)).chain(each).chain(all).unzip();
        let beside =
            |(name, cells): (&String, &Vec<String>)| [std::slice::from_ref(name), cells].concat();
        let rows: Vec<_> = names.iter().zip(&cells).map(beside).collect();
        let lines = table(&rows, HEADS.len());
        if lines.iter().all(|line| line.width() <= width) {
            return lines;
        }
        let below = names.into_iter().zip(table(&cells, HEADS.len()));
        below.flat_map(|(name, line)| [name, format!("  {line}")]).skip(1).collect()
    }

    fn remarks(&self) -> Vec<String> {
        let mut said = vec![
            String::new(),
            "input and output are tokens; cached are the texts that came from the cache".to_owned(),
        ];
        let amounts = self.each.iter().flat_map(|(_, sum)| [sum.cost, sum.saved]);
        if amounts.chain([self.all.cost, self.all.saved]).any(Amount::is_partly_known) {
            said.push("+ means at least, since not all prices are known".to_owned());
        }
        let cached = self.all.cached;
        let wanted = self.all.row.texts.unwrap_or(0).saturating_add(cached);
        if let Some(share) = (u128::from(cached) * 100).checked_div(wanted.into()) {
            let (cached, wanted) = (number(cached), number(wanted));
            said.push(format!("The cache answered {cached} of {wanted} texts ({share} %)."));
        }
        said
    }

    /// What was wrong, the most frequent of each provider first.
    fn failures(&self) -> Vec<String> {
        let mut rows = Vec::new();
        for (name, sum) in &self.each {
            let mut counts: Vec<_> = sum.row.by_class.iter().collect();
            counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
            let names = std::iter::once(name.clone()).chain(std::iter::repeat(String::new()));
            rows.extend(
                names
                    .zip(counts)
                    .map(|(name, (class, count))| vec![name, visible(class), number(*count)]),
            );
        }
        table(&rows, 1)
    }
}

fn plotted(
    rows: &[UsageRow],
    days: &RangeInclusive<i64>,
    of: Of,
    terminal: Terminal,
) -> Vec<String> {
    let value = |row: &UsageRow| match of {
        Of::Calls => row.calls,
        Of::Cost => row.cost_micros.unwrap_or(0),
        Of::Tokens => row.input_tokens.saturating_add(row.output_tokens),
        Of::Hits => row.cache_hits,
    };
    let (what, figure): (_, fn(u64) -> String) = match of {
        Of::Calls => ("Calls", number),
        Of::Cost => ("Cost", money),
        Of::Tokens => ("Tokens", number),
        Of::Hits => ("Texts from the cache", number),
    };
    let mut by_day: BTreeMap<i64, u64> = days.clone().map(|day| (day, 0)).collect();
    for row in rows {
        by_day.entry(row.day).and_modify(|sum| *sum = sum.saturating_add(value(row)));
    }
    let named: Vec<i64> = by_day.keys().copied().collect();
    let values: Vec<u64> = by_day.into_values().collect();
    let date = |place: usize| named.get(place).map(|day| date(*day)).unwrap_or_default();
    Plot { what, values: &values, figure, date: &date }.lines(terminal)
}

#[cfg(test)]
mod tests;
