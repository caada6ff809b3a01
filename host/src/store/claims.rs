//! Claims: a text that one host is about to pay for is not paid for by another.
//!
//! A claim lasts half a minute and is renewed while its owner is at it; one that
//! ran out, or whose owner is gone, is taken over. How a text failed stays for a
//! minute, for those who waited. Times are the wall clock's, in milliseconds; one
//! that is further ahead than its rule allows is taken as now.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Transaction};

use super::owner;
use super::side::in_one;
use super::{Entry, Store};
use crate::segment::Key;

/// A claim lasts so long unless it is renewed.
pub const CLAIM_MS: i64 = 30_000;
/// How a text failed is kept so long.
const OUTCOME_MS: i64 = 60_000;

/// How things stand with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Nobody is at it; from [`Store::depart`]: it is ours now.
    Free,
    /// It has been translated meanwhile.
    Stored(Entry),
    /// Another host is at it.
    Taken,
    /// Another host's attempt failed a moment ago.
    Failed(Failed),
}

/// How a text failed, as it is handed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The wire's code.
    pub code: String,
    /// When its provider comes back, if the failure is the provider's.
    pub back_ms: Option<i64>,
}

/// What became of a text that was ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is stored, or nobody wants it any more.
    Released,
    /// It failed.
    Failed(Failed),
}

impl Store {
    /// Returns how things stand with these texts, without claiming any.
    pub fn look(&mut self, keys: &[Key], now_ms: i64) -> Vec<Claim> {
        let found = self.on_shared(false, |connection, hosts| {
            let transaction = connection.transaction()?;
            let found = keys.iter().map(|key| standing(&transaction, *key, hosts, now_ms));
            let found = found.collect::<rusqlite::Result<Vec<_>>>()?;
            transaction.commit()?;
            Ok(found)
        });
        found.unwrap_or_else(|| vec![Claim::Free; keys.len()])
    }

    /// Tells whether another host has written since this was last asked.
    pub fn has_news(&mut self) -> bool {
        let seen = self.on_shared(false, |connection, _| {
            connection.pragma_query_value(None, "data_version", |row| row.get::<_, i64>(0))
        });
        std::mem::replace(&mut self.seen_version, seen) != seen
    }

    /// Renews what this host has claimed.
    pub fn renew(&mut self, now_ms: i64) {
        // Who has claimed nothing is not made known to others.
        if self.owner.is_none() {
            return;
        }
        self.on_shared(true, |connection, hosts| {
            connection.execute(
                "UPDATE claim SET until_ms = ?2 WHERE owner = ?1 AND code IS NULL",
                (hosts.own, now_ms + CLAIM_MS),
            )?;
            connection.execute(
                "UPDATE pace SET probe_until_ms = ?2 WHERE probe_owner = ?1",
                (hosts.own, now_ms + CLAIM_MS),
            )
        });
    }

    /// Ends claims of this host, and tells those who wait.
    pub fn settle(&mut self, settled: &[(Key, Outcome)], now_ms: i64) {
        if settled.is_empty() {
            return;
        }
        self.on_shared(true, |connection, hosts| {
            in_one(connection, |connection| {
                let mut release =
                    connection.prepare_cached("DELETE FROM claim WHERE key = ?1 AND owner = ?2")?;
                let mut fail = connection.prepare_cached(
                    "UPDATE claim SET code = ?3, back_ms = ?4, until_ms = ?5
                     WHERE key = ?1 AND owner = ?2",
                )?;
                for (key, outcome) in settled {
                    match outcome {
                        Outcome::Released => release.execute((key.0, hosts.own))?,
                        Outcome::Failed(Failed { code, back_ms }) => {
                            let until = now_ms + OUTCOME_MS;
                            fail.execute((key.0, hosts.own, code, back_ms, until))?
                        }
                    };
                }
                Ok(())
            })
        });
    }

    /// Ends all claims of this host: it is about to end itself.
    pub fn leave(&mut self) {
        if self.owner.is_none() {
            return;
        }
        self.on_shared(true, |connection, hosts| {
            in_one(connection, |connection| {
                connection
                    .execute("DELETE FROM claim WHERE owner = ?1 AND code IS NULL", [hosts.own])?;
                connection.execute(
                    "UPDATE pace SET probe_owner = NULL WHERE probe_owner = ?1",
                    [hosts.own],
                )?;
                Ok(())
            })
        });
        // The process may end without dropping the store.
        self.owner = None;
    }
}

/// The hosts, as one transaction sees them; each is looked at once.
pub(super) struct Hosts<'a> {
    pub own: &'a str,
    pub store: &'a std::path::Path,
    pub gone: HashMap<String, bool>,
    /// The first day whose entries serve.
    pub oldest: i64,
}

impl Hosts<'_> {
    /// Whether this is another host, and one that is alive.
    pub(super) fn is_other(&mut self, name: &str) -> bool {
        if name == self.own {
            return false;
        }
        let store = self.store;
        let gone =
            self.gone.entry(name.to_owned()).or_insert_with_key(|name| owner::is_gone(store, name));
        !*gone
    }
}

/// Who waits for the file comes later than its clock said: what another host
/// wrote meanwhile is a little ahead, and is no fault of a clock.
pub(super) const SLACK_MS: i64 = 10_000;

/// Whether a time is still ahead, and no further than its rule allows.
pub(super) fn is_ahead(until_ms: i64, now_ms: i64, longest_ms: i64) -> bool {
    until_ms > now_ms && until_ms <= now_ms.saturating_add(longest_ms + SLACK_MS)
}

/// Returns how things stand with one text.
fn standing(
    connection: &Connection,
    key: Key,
    hosts: &mut Hosts<'_>,
    now_ms: i64,
) -> rusqlite::Result<Claim> {
    let mut entry = connection.prepare_cached(
        "SELECT translation, engine FROM translation WHERE key = ?1 AND created_day >= ?2",
    )?;
    let entry = entry.query_row((key.0, hosts.oldest), |row| {
        Ok(Entry { text: row.get(0)?, engine: row.get(1)? })
    });
    if let Some(entry) = entry.optional()? {
        return Ok(Claim::Stored(entry));
    }
    let mut claim = connection
        .prepare_cached("SELECT owner, until_ms, code, back_ms FROM claim WHERE key = ?1")?;
    let claim = claim.query_row([key.0], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?, row.get(2)?, row.get(3)?))
    });
    let Some((owner, until_ms, code, back_ms)) = claim.optional()? else { return Ok(Claim::Free) };
    let Some(code) = code else {
        let taken = is_ahead(until_ms, now_ms, CLAIM_MS) && hosts.is_other(&owner);
        return Ok(if taken { Claim::Taken } else { Claim::Free });
    };
    // What failed here is this host's own affair.
    let counts = is_ahead(until_ms, now_ms, OUTCOME_MS) && owner != hosts.own;
    Ok(if counts { Claim::Failed(Failed { code, back_ms }) } else { Claim::Free })
}

/// Claims those of these texts that are free.
pub(super) fn claim(
    transaction: &Transaction<'_>,
    keys: &[(Key, bool)],
    hosts: &mut Hosts<'_>,
    now_ms: i64,
) -> rusqlite::Result<Vec<Claim>> {
    let mut take = transaction.prepare_cached(
        "INSERT INTO claim VALUES (?1, ?2, ?3, NULL, NULL) ON CONFLICT DO UPDATE
         SET owner = excluded.owner, until_ms = excluded.until_ms, code = NULL, back_ms = NULL",
    )?;
    let mut one = |(key, anew): &(Key, bool)| {
        let mut found = standing(transaction, *key, hosts, now_ms)?;
        if *anew && matches!(found, Claim::Failed(_)) {
            found = Claim::Free;
        }
        if found == Claim::Free {
            take.execute((key.0, hosts.own, now_ms + CLAIM_MS))?;
        }
        Ok(found)
    };
    keys.iter().map(&mut one).collect()
}

/// Removes claims and outcomes that no longer say anything.
pub(super) fn sweep(transaction: &Transaction<'_>, now_ms: i64) -> rusqlite::Result<()> {
    let old = "DELETE FROM claim WHERE until_ms < ?1 OR until_ms > ?2";
    transaction.execute(old, (now_ms, now_ms + OUTCOME_MS + SLACK_MS)).map(drop)
}
