//! Whether a call may be made now: claims on its texts, and the pace that all
//! hosts share with one provider and key.
//!
//! A line is such a provider and key, under a name that tells neither. Its row
//! says what all hosts must know: a pause, the one probe after it, an out, and
//! the limits that were learned; `call` has a row for each call of late. What
//! must stay true: all hosts together stay within the limits, and after a pause
//! one call at a time goes out until one succeeds.

use rusqlite::{OptionalExtension, Transaction, TransactionBehavior};

use super::Store;
use super::claims::{CLAIM_MS, Claim, Failed, Hosts, SLACK_MS, claim, is_ahead, sweep};
use crate::pace::{DAY, MINUTE};
use crate::segment::Key;

/// No pause is longer (an advice of two minutes, stretched by a fifth).
const LONGEST_PAUSE_MS: i64 = 150_000;
/// No out is longer: a quota of a month, and a day for clocks; without a quota an
/// hour, stretched by a fifth.
const LONGEST_QUOTA_MS: i64 = 32 * 86_400_000;
const LONGEST_OUT_MS: i64 = 72 * 60_000;
/// Who waits for another's probe asks again so soon.
const PROBE_WAIT_MS: i64 = 1_000;
/// Learned limits are believed so long.
const LEARNED_MS: i64 = 86_400_000;

/// What a provider allows, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Requests in any minute.
    pub requests_per_minute: Option<u32>,
    /// Tokens in any minute.
    pub tokens_per_minute: Option<u32>,
    /// Requests in any day.
    pub requests_per_day: Option<u32>,
}

/// A call that a host wants to make.
#[derive(Clone, Copy, Debug)]
pub struct Departure<'a> {
    /// The provider and key.
    pub line: &'a str,
    /// The texts, by their keys with this provider, and whether the reader wants
    /// another try: then what failed elsewhere a moment ago does not count.
    pub keys: &'a [(Key, bool)],
    /// What it will take of a minute's tokens.
    pub tokens: u64,
    /// What this host knows of the limits.
    pub limits: Limits,
}

/// What comes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Departed {
    /// The call may be made with the texts that are [`Claim::Free`], which are
    /// ours now. Without any of those there is no call.
    Go(Vec<Claim>),
    /// Not before then: nothing was claimed.
    Wait(i64),
    /// The provider is out.
    Out(Failed),
}

/// What a host learned about a line from a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// It works. Only the reply to a probe opens what was closed.
    Success,
    /// It asks for a pause.
    Paused {
        /// Until when.
        until_ms: i64,
    },
    /// It is out; without a time, for its failure's usual time.
    Out(Failed),
    /// Nothing that others need to know.
    Nothing,
}

#[derive(Debug, Default)]
struct Row {
    closed_until_ms: i64,
    probe_owner: Option<String>,
    probe_until_ms: i64,
    out_code: Option<String>,
    out_until_ms: i64,
    limits: Limits,
}

impl Store {
    /// Asks for leave to make a call. `None`: there is no store to share, and
    /// the host is alone.
    pub fn depart(&mut self, departure: &Departure<'_>, now_ms: i64) -> Option<Departed> {
        self.on_shared(true, |connection, hosts| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let departed = depart(&transaction, departure, hosts, now_ms)?;
            transaction.commit()?;
            Ok(departed)
        })
    }

    /// Notes what a reply said about a line.
    pub fn heard(&mut self, line: &str, heard: &Heard, now_ms: i64) {
        self.on_shared(true, |connection, hosts| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            note(&transaction, (line, hosts.own), heard, now_ms)?;
            transaction.commit()
        });
    }

    /// Notes the limits that a reply stated.
    pub fn learn(&mut self, line: &str, limits: &Limits, now_ms: i64) {
        self.on_shared(true, |connection, _| {
            connection.execute("INSERT OR IGNORE INTO pace (line) VALUES (?1)", [line])?;
            connection.execute(
                "UPDATE pace SET requests_per_minute = ?2, tokens_per_minute = ?3,
                 requests_per_day = ?4, learned_ms = ?5 WHERE line = ?1",
                (
                    line,
                    limits.requests_per_minute,
                    limits.tokens_per_minute,
                    limits.requests_per_day,
                    now_ms,
                ),
            )
        });
    }

    /// The reader wants another try: pauses go on, an out without a date ends.
    pub fn reader_retries(&mut self) {
        self.on_shared(true, |connection, _| {
            connection.execute(
                "UPDATE pace SET out_code = NULL WHERE out_code IS NOT 'quota_exhausted'",
                [],
            )
        });
    }
}

fn depart(
    transaction: &Transaction<'_>,
    departure: &Departure<'_>,
    hosts: &mut Hosts<'_>,
    now_ms: i64,
) -> rusqlite::Result<Departed> {
    let row = row(transaction, departure.line, now_ms)?;
    if let Some(code) = &row.out_code
        && is_ahead(row.out_until_ms, now_ms, longest_out(code))
    {
        let back_ms = Some(row.out_until_ms);
        return Ok(Departed::Out(Failed { code: code.clone(), back_ms }));
    }
    if is_ahead(row.closed_until_ms, now_ms, LONGEST_PAUSE_MS) {
        return Ok(Departed::Wait(row.closed_until_ms));
    }
    let closed = row.closed_until_ms != 0 || row.out_code.is_some();
    let probed = is_ahead(row.probe_until_ms, now_ms, CLAIM_MS)
        && row.probe_owner.as_ref().is_some_and(|owner| hosts.is_other(owner));
    if closed && probed {
        return Ok(Departed::Wait(now_ms + PROBE_WAIT_MS));
    }
    if let Some(until) = window_opens(transaction, departure, &row.limits, now_ms)? {
        return Ok(Departed::Wait(until));
    }
    sweep(transaction, now_ms)?;
    let claims = claim(transaction, departure.keys, hosts, now_ms)?;
    if claims.contains(&Claim::Free) || departure.keys.is_empty() {
        transaction.execute(
            "INSERT INTO call VALUES (?1, ?2, ?3)",
            (departure.line, now_ms, i64::try_from(departure.tokens).unwrap_or(i64::MAX)),
        )?;
        if closed {
            transaction.execute(
                "UPDATE pace SET probe_owner = ?2, probe_until_ms = ?3 WHERE line = ?1",
                (departure.line, hosts.own, now_ms + CLAIM_MS),
            )?;
        }
    }
    Ok(Departed::Go(claims))
}

fn row(transaction: &Transaction<'_>, line: &str, now_ms: i64) -> rusqlite::Result<Row> {
    let mut select = transaction.prepare_cached(
        "SELECT closed_until_ms, probe_owner, probe_until_ms, out_code, out_until_ms,
         requests_per_minute, tokens_per_minute, requests_per_day, learned_ms
         FROM pace WHERE line = ?1",
    )?;
    let row = select.query_row([line], |row| {
        let fresh = is_ahead(row.get::<_, i64>(8)? + LEARNED_MS, now_ms, LEARNED_MS);
        Ok(Row {
            closed_until_ms: row.get(0)?,
            probe_owner: row.get(1)?,
            probe_until_ms: row.get(2)?,
            out_code: row.get(3)?,
            out_until_ms: row.get(4)?,
            limits: if fresh {
                Limits {
                    requests_per_minute: row.get(5)?,
                    tokens_per_minute: row.get(6)?,
                    requests_per_day: row.get(7)?,
                }
            } else {
                Limits::default()
            },
        })
    });
    Ok(row.optional()?.unwrap_or_default())
}

fn longest_out(code: &str) -> i64 {
    if code == "quota_exhausted" { LONGEST_QUOTA_MS } else { LONGEST_OUT_MS }
}

fn millis(span: std::time::Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}

/// Returns when the windows of all hosts together have room, if they have none.
fn window_opens(
    transaction: &Transaction<'_>,
    departure: &Departure<'_>,
    learned: &Limits,
    now_ms: i64,
) -> rusqlite::Result<Option<i64>> {
    let least = |mine: Option<u32>, theirs: Option<u32>| mine.into_iter().chain(theirs).min();
    let own = &departure.limits;
    let minute = least(own.requests_per_minute, learned.requests_per_minute);
    let tokens = least(own.tokens_per_minute, learned.tokens_per_minute);
    let day = least(own.requests_per_day, learned.requests_per_day);
    let (minute_ms, day_ms) = (millis(MINUTE), millis(DAY));
    let kept = if day.is_some() { day_ms } else { minute_ms };
    transaction
        .prepare_cached("DELETE FROM call WHERE line = ?1 AND (at_ms <= ?2 OR at_ms > ?3)")?
        .execute((departure.line, now_ms - kept, now_ms + SLACK_MS))?;
    let mut opens: Option<i64> = None;
    for (limit, window) in [(minute, minute_ms), (day, day_ms)] {
        let Some(limit) = limit.filter(|limit| *limit > 0) else { continue };
        // The call that must leave the window before there is room for another.
        let nth = transaction
            .prepare_cached(
                "SELECT at_ms FROM call WHERE line = ?1 AND at_ms > ?2
                 ORDER BY at_ms DESC LIMIT 1 OFFSET ?3",
            )?
            .query_row((departure.line, now_ms - window, limit - 1), |row| row.get::<_, i64>(0))
            .optional()?;
        opens = opens.max(nth.map(|at| at + window));
    }
    if let Some(limit) = tokens.filter(|limit| *limit > 0) {
        let mut calls = transaction.prepare_cached(
            "SELECT at_ms, tokens FROM call WHERE line = ?1 AND at_ms > ?2 ORDER BY at_ms DESC",
        )?;
        let mut left = i64::from(limit) - i64::try_from(departure.tokens).unwrap_or(i64::MAX);
        let mut rows = calls.query((departure.line, now_ms - minute_ms))?;
        while let Some(row) = rows.next()? {
            left -= row.get::<_, i64>(1)?;
            if left < 0 {
                opens = opens.max(Some(row.get::<_, i64>(0)? + minute_ms));
                break;
            }
        }
    }
    Ok(opens)
}

/// The first pause, and how many refused probes put a line out, as in the queue.
const PAUSE_MS: i64 = 10_000;
const REFUSED_PROBES: u32 = 3;
/// An out without a time of its own is believed by others for so long: what
/// only the reader can mend may have been mended.
const UNDATED_OUT_MS: i64 = 300_000;

fn note(
    transaction: &Transaction<'_>,
    (line, own): (&str, &str),
    heard: &Heard,
    now_ms: i64,
) -> rusqlite::Result<()> {
    transaction.execute("INSERT OR IGNORE INTO pace (line) VALUES (?1)", [line])?;
    let was_probing = 0 < transaction.execute(
        "UPDATE pace SET probe_owner = NULL, probe_until_ms = 0
         WHERE line = ?1 AND probe_owner = ?2",
        (line, own),
    )?;
    match heard {
        Heard::Nothing => Ok(0),
        Heard::Success if !was_probing => Ok(0),
        Heard::Success => transaction.execute(
            "UPDATE pace SET closed_until_ms = 0, refused = 0, out_code = NULL WHERE line = ?1",
            [line],
        ),
        Heard::Paused { until_ms } => pause(transaction, line, *until_ms, was_probing, now_ms),
        Heard::Out(Failed { code, back_ms }) => {
            let until = back_ms.unwrap_or(now_ms + UNDATED_OUT_MS);
            transaction.execute(
                "UPDATE pace SET out_code = ?2, out_until_ms = ?3, closed_until_ms = 0,
                 refused = 0 WHERE line = ?1",
                (line, code, until),
            )
        }
    }
    .map(drop)
}

/// Notes a pause. A refused probe doubles it, whichever host made it; after the
/// third the line is out.
fn pause(
    transaction: &Transaction<'_>,
    line: &str,
    until_ms: i64,
    was_probing: bool,
    now_ms: i64,
) -> rusqlite::Result<usize> {
    let refused: u32 = transaction.query_row(
        "UPDATE pace SET refused = refused + ?2 WHERE line = ?1 RETURNING refused",
        (line, was_probing),
        |row| row.get(0),
    )?;
    if refused >= REFUSED_PROBES {
        return transaction.execute(
            "UPDATE pace SET out_code = 'rate_limited', out_until_ms = ?2, closed_until_ms = 0,
             refused = 0 WHERE line = ?1",
            (line, now_ms + UNDATED_OUT_MS),
        );
    }
    let least = if was_probing { now_ms + (PAUSE_MS << refused) } else { 0 };
    transaction.execute(
        "UPDATE pace SET closed_until_ms = max(closed_until_ms, ?2) WHERE line = ?1",
        (line, until_ms.max(least)),
    )
}
