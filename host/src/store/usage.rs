//! What was used, by day, provider and model: calls, tokens, money, and how
//! calls failed.
//!
//! Numbers only, and the reader's names for providers: no text, no site. What
//! is older than [`KEPT_DAYS`] goes, so that the file does not grow for ever.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension};

use super::Store;
use super::side::{in_one, signed, unsigned};

/// Usage of so many days is kept, today among them.
pub const KEPT_DAYS: u32 = 400;

/// What one provider and model did on one day. As an argument of
/// [`Store::add_usage`], what is added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsageRow {
    /// Days since 1970.
    pub day: i64,
    /// The reader's name for the provider.
    pub provider: String,
    /// The model, empty where there is none.
    pub model: String,
    /// Calls that were sent.
    pub calls: u64,
    /// Calls of them that brought nothing.
    pub failures: u64,
    /// Calls that were not wholly good, by the name of what was wrong.
    pub by_class: BTreeMap<String, u64>,
    /// Input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Characters that were sent.
    pub characters: u64,
    /// Texts that came from the cache instead.
    pub cache_hits: u64,
    /// Texts that the calls brought; none where nobody counted them.
    pub texts: Option<u64>,
    /// What the calls cost, in millionths of a US dollar, as far as it is known;
    /// none when nothing of it is.
    pub cost_micros: Option<u64>,
    /// What the texts from the cache would have cost, in the same way.
    pub saved_micros: Option<u64>,
}

impl UsageRow {
    /// Adds what another row of the same provider and model says.
    pub fn add(&mut self, other: &Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.failures = self.failures.saturating_add(other.failures);
        for (class, count) in &other.by_class {
            let sum = self.by_class.entry(class.clone()).or_default();
            *sum = sum.saturating_add(*count);
        }
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.characters = self.characters.saturating_add(other.characters);
        self.cache_hits = self.cache_hits.saturating_add(other.cache_hits);
        let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (None, None) => None,
            (one, other) => Some(one.unwrap_or(0).saturating_add(other.unwrap_or(0))),
        };
        self.texts = sum(self.texts, other.texts);
        self.cost_micros = sum(self.cost_micros, other.cost_micros);
        self.saved_micros = sum(self.saved_micros, other.saved_micros);
    }
}

/// An amount that is not known leaves
/// the one that is.
const ADD: &str = "INSERT INTO usage VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,
 ?12)
 ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, failures = failures + excluded.failures,
 input_tokens = input_tokens + excluded.input_tokens,
 output_tokens = output_tokens + excluded.output_tokens,
 characters = characters + excluded.characters, cache_hits = cache_hits + excluded.cache_hits,
 cost_micros = coalesce(cost_micros + excluded.cost_micros, cost_micros, excluded.cost_micros),
 texts = coalesce(texts + excluded.texts, texts, excluded.texts),
 saved_micros = coalesce(saved_micros + excluded.saved_micros, saved_micros, excluded.saved_micros)";

const ADD_FAILURE: &str = "INSERT INTO failure VALUES (?1, ?2, ?3, ?4, ?5)
 ON CONFLICT DO UPDATE SET count = count + excluded.count";

/// The first day that is kept. A clock that is years ahead takes nothing away
/// as long as nothing was used under it.
const FIRST_KEPT: &str = "min(?1, (SELECT max(day) FROM usage)) - ?2 + 1";

impl Store {
    /// Adds to what was used.
    pub fn add_usage(&mut self, rows: &[UsageRow]) {
        if rows.is_empty() {
            return;
        }
        self.write(|connection| {
            in_one(connection, |connection| rows.iter().try_for_each(|row| add(connection, row)))
        });
    }

    /// Returns what was used from this day on, by day, provider and model. What
    /// only the memory took stands in rows of its own.
    pub fn usage_since(&mut self, day: i64) -> Vec<UsageRow> {
        let rows = self.read(|connection| since(connection, day));
        rows.into_iter().flatten().flatten().collect()
    }

    /// Forgets the usage that is too old.
    pub(super) fn forget_old_usage(&mut self, now: Timestamp) {
        let today = super::day_of(now);
        let old = self.read(|connection| {
            let sql = format!("SELECT 1 FROM usage WHERE day < {FIRST_KEPT} LIMIT 1");
            connection.query_row(&sql, (today, KEPT_DAYS), |_| Ok(())).optional()
        });
        if matches!(old[0], Some(Some(()))) {
            self.write(|connection| {
                in_one(connection, |connection| {
                    ["failure", "usage"].iter().try_for_each(|table| {
                        let sql = format!("DELETE FROM {table} WHERE day < {FIRST_KEPT}");
                        connection.execute(&sql, (today, KEPT_DAYS)).map(drop)
                    })
                })
            });
        }
    }
}

fn add(connection: &Connection, row: &UsageRow) -> rusqlite::Result<()> {
    connection.prepare_cached(ADD)?.execute((
        row.day,
        &row.provider,
        &row.model,
        signed(row.calls),
        signed(row.failures),
        signed(row.input_tokens),
        signed(row.output_tokens),
        signed(row.characters),
        signed(row.cache_hits),
        row.cost_micros.map(signed),
        row.saved_micros.map(signed),
        row.texts.map(signed),
    ))?;
    let mut add = connection.prepare_cached(ADD_FAILURE)?;
    row.by_class.iter().try_for_each(|(class, count)| {
        add.execute((row.day, &row.provider, &row.model, class, signed(*count))).map(drop)
    })
}

/// Reads rows from this day on, as one moment has them. A file that the command
/// line looks at may be from a version that did not count all of it.
pub(super) fn since(connection: &Connection, day: i64) -> rusqlite::Result<Vec<UsageRow>> {
    let transaction = connection.unchecked_transaction()?;
    let column = |name: &'static str| {
        let is_there = transaction.column_exists(None, "usage", name)?;
        Ok::<_, rusqlite::Error>(if is_there { name } else { "NULL" })
    };
    let sql = format!(
        "SELECT day, provider, model, calls, failures, input_tokens, output_tokens, characters,
         cache_hits, {}, {}, {} FROM usage WHERE day >= ?1 ORDER BY day, provider, model",
        column("cost_micros")?,
        column("saved_micros")?,
        column("texts")?
    );
    let mut rows = transaction
        .prepare_cached(&sql)?
        .query_map([day], row_of)?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    if transaction.table_exists(None, "failure")? {
        add_failures(&transaction, day, &mut rows)?;
    }
    transaction.commit()?;
    Ok(rows)
}

fn row_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<UsageRow> {
    let count = |at: usize| row.get(at).map(unsigned);
    let known = |at: usize| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(at)?.map(unsigned));
    Ok(UsageRow {
        day: row.get(0)?,
        provider: row.get(1)?,
        model: row.get(2)?,
        calls: count(3)?,
        failures: count(4)?,
        by_class: BTreeMap::new(),
        input_tokens: count(5)?,
        output_tokens: count(6)?,
        characters: count(7)?,
        cache_hits: count(8)?,
        cost_micros: known(9)?,
        saved_micros: known(10)?,
        texts: known(11)?,
    })
}

/// A failure is written together with its row, so that each has one.
fn add_failures(connection: &Connection, day: i64, rows: &mut [UsageRow]) -> rusqlite::Result<()> {
    let mut select = connection
        .prepare_cached("SELECT day, provider, model, class, count FROM failure WHERE day >= ?1")?;
    let mut found = select.query([day])?;
    while let Some(failure) = found.next()? {
        let of: (i64, String, String) = (failure.get(0)?, failure.get(1)?, failure.get(2)?);
        let place = rows.binary_search_by(|row| {
            (row.day, &row.provider, &row.model).cmp(&(of.0, &of.1, &of.2))
        });
        if let Ok(place) = place {
            let count = failure.get(4).map(unsigned)?;
            rows[place].by_class.insert(failure.get(3)?, count);
        }
    }
    Ok(())
}
