//! What is remembered beside translations: refusals, capabilities, usage.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::Store;
use crate::segment::Key;

/// What a provider and model were found to do with a feature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// The feature's name.
    pub feature: String,
    /// What was found, in the caller's words, such as `dropped`.
    pub value: String,
}

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
    /// Input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Characters that were sent.
    pub characters: u64,
    /// Texts that came from the cache instead.
    pub cache_hits: u64,
    /// What the calls cost, in millionths of a US dollar, as far as it is known;
    /// none when nothing of it is.
    pub cost_micros: Option<u64>,
    /// What the texts from the cache would have cost, in the same way.
    pub saved_micros: Option<u64>,
}

impl UsageRow {
    /// Adds what another row of the same provider and model says.
    pub fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.failures += other.failures;
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.characters += other.characters;
        self.cache_hits += other.cache_hits;
        let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (None, None) => None,
            (one, other) => Some(one.unwrap_or(0).saturating_add(other.unwrap_or(0))),
        };
        self.cost_micros = sum(self.cost_micros, other.cost_micros);
        self.saved_micros = sum(self.saved_micros, other.saved_micros);
    }
}

/// The columns in the order of [`UsageRow`]. An amount that is not known leaves
/// the one that is.
const ADD: &str = "INSERT INTO usage VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
 ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, failures = failures + excluded.failures,
 input_tokens = input_tokens + excluded.input_tokens,
 output_tokens = output_tokens + excluded.output_tokens,
 characters = characters + excluded.characters, cache_hits = cache_hits + excluded.cache_hits,
 cost_micros = coalesce(cost_micros + excluded.cost_micros, cost_micros, excluded.cost_micros),
 saved_micros = coalesce(saved_micros + excluded.saved_micros, saved_micros, excluded.saved_micros)";

/// A refusal is believed for a month, a capability for a week, and no longer: one
/// with a later end was written while a clock was wrong. A day more is for clocks.
const LONGEST_REFUSAL_S: i64 = 31 * 86_400;
const LONGEST_CAPABILITY_S: i64 = 8 * 86_400;

impl Store {
    /// Returns for each text (see [`Key::of_text`]) whether this engine refused
    /// it and that still counts.
    pub fn refused_many(&mut self, engine: &str, texts: &[Key], now: Timestamp) -> Vec<bool> {
        let mut refused = vec![false; texts.len()];
        let answers = self.read(|connection| {
            let transaction = connection.transaction()?;
            let answers = {
                let mut select = transaction.prepare_cached(
                    "SELECT 1 FROM refusal
                     WHERE engine = ?1 AND text = ?2 AND until_s > ?3 AND until_s <= ?4",
                )?;
                let now = now.as_second();
                texts
                    .iter()
                    .map(|text| select.exists((engine, text.0, now, now + LONGEST_REFUSAL_S)))
                    .collect::<rusqlite::Result<Vec<bool>>>()?
            };
            transaction.commit()?;
            Ok(answers)
        });
        for answers in answers.into_iter().flatten() {
            refused.iter_mut().zip(answers).for_each(|(place, answer)| *place |= answer);
        }
        refused
    }

    /// Remembers that this engine refused these texts.
    pub fn remember_refusals(&mut self, engine: &str, texts: &[Key], until: Timestamp) {
        if texts.is_empty() {
            return;
        }
        self.write(|connection| {
            in_one(connection, |connection| {
                let mut insert = connection.prepare_cached(
                    "INSERT INTO refusal VALUES (?1, ?2, ?3)
                     ON CONFLICT DO UPDATE SET until_s = excluded.until_s",
                )?;
                for text in texts {
                    insert.execute((engine, text.0, until.as_second()))?;
                }
                Ok(())
            })
        });
    }

    /// Forgets the refusals that no longer count.
    pub(super) fn forget_old_refusals(&mut self, now: Timestamp) {
        let now = now.as_second();
        let old = self.read(|connection| {
            connection
                .query_row("SELECT 1 FROM refusal WHERE until_s <= ?1", [now], |_| Ok(()))
                .optional()
        });
        if matches!(old[0], Some(Some(()))) {
            self.write(|connection| {
                in_one(connection, |connection| {
                    connection.execute("DELETE FROM refusal WHERE until_s <= ?1", [now]).map(drop)
                })
            });
        }
    }

    /// Remembers what this engine was found to do with a feature.
    pub fn remember_capability(&mut self, engine: &str, found: &Capability, until: Timestamp) {
        self.write(|connection| {
            in_one(connection, |connection| {
                connection
                    .execute(
                        "INSERT INTO capability VALUES (?1, ?2, ?3, ?4)
                         ON CONFLICT DO UPDATE SET value = excluded.value, until_s = excluded.until_s",
                        (engine, &found.feature, &found.value, until.as_second()),
                    )
                    .map(drop)
            })
        });
    }

    /// Returns what this engine was found to do and still counts.
    pub fn capabilities(&mut self, engine: &str, now: Timestamp) -> Vec<Capability> {
        let rows = self.read(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT feature, value FROM capability
                 WHERE engine = ?1 AND until_s > ?2 AND until_s <= ?3",
            )?;
            let now = now.as_second();
            select
                .query_map((engine, now, now + LONGEST_CAPABILITY_S), |row| {
                    Ok(Capability { feature: row.get(0)?, value: row.get(1)? })
                })?
                .collect::<rusqlite::Result<Vec<_>>>()
        });
        rows.into_iter().flatten().flatten().collect()
    }

    /// Adds to what was used.
    pub fn add_usage(&mut self, rows: &[UsageRow]) {
        if rows.is_empty() {
            return;
        }
        self.write(|connection| {
            in_one(connection, |connection| {
                let mut add = connection.prepare_cached(ADD)?;
                for row in rows {
                    add.execute((
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
                    ))?;
                }
                Ok(())
            })
        });
    }

    /// Returns what was used from this day on, by day, provider and model. What
    /// only the memory took stands in rows of its own.
    pub fn usage_since(&mut self, day: i64) -> Vec<UsageRow> {
        let rows = self.read(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT * FROM usage WHERE day >= ?1 ORDER BY day, provider, model",
            )?;
            select
                .query_map([day], |row| {
                    Ok(UsageRow {
                        day: row.get(0)?,
                        provider: row.get(1)?,
                        model: row.get(2)?,
                        calls: unsigned(row.get(3)?),
                        failures: unsigned(row.get(4)?),
                        input_tokens: unsigned(row.get(5)?),
                        output_tokens: unsigned(row.get(6)?),
                        characters: unsigned(row.get(7)?),
                        cache_hits: unsigned(row.get(8)?),
                        cost_micros: row.get::<_, Option<i64>>(9)?.map(unsigned),
                        saved_micros: row.get::<_, Option<i64>>(10)?.map(unsigned),
                    })
                })?
                .collect::<rusqlite::Result<Vec<_>>>()
        });
        rows.into_iter().flatten().flatten().collect()
    }
}

/// `SQLite` counts with a sign.
pub(super) fn unsigned(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Runs `work` in one short write.
pub(super) fn in_one(
    connection: &mut Connection,
    work: impl FnOnce(&Connection) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    work(&transaction)?;
    transaction.commit()
}
