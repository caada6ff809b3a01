//! What is remembered beside translations: refusals and capabilities.

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
}

/// `SQLite` counts with a sign.
pub(super) fn unsigned(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}

pub(super) fn signed(count: u64) -> i64 {
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
