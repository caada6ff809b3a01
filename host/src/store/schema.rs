//! The tables, as an append-only list of migrations.

use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use super::texts;

/// `WTc1` in the header says whose file it is.
pub(super) const APPLICATION_ID: i32 = 0x5754_6331;

/// Each step leads from its index to the next `user_version`. Steps are added
/// at the end; one that was released is never changed.
pub(super) const MIGRATIONS: &[&str] = &[
    "
CREATE TABLE translation (
    key BLOB PRIMARY KEY NOT NULL,
    source TEXT NOT NULL,
    translation TEXT NOT NULL,
    source_language TEXT NOT NULL,
    target_language TEXT NOT NULL,
    engine TEXT NOT NULL,
    site TEXT,
    created_day INTEGER NOT NULL,
    used_day INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE refusal (
    engine TEXT NOT NULL,
    text BLOB NOT NULL,
    until_s INTEGER NOT NULL,
    PRIMARY KEY (engine, text)
) STRICT, WITHOUT ROWID;
CREATE TABLE capability (
    engine TEXT NOT NULL,
    feature TEXT NOT NULL,
    value TEXT NOT NULL,
    until_s INTEGER NOT NULL,
    PRIMARY KEY (engine, feature)
) STRICT, WITHOUT ROWID;
CREATE TABLE usage (
    day INTEGER NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    calls INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    characters INTEGER NOT NULL,
    cache_hits INTEGER NOT NULL,
    PRIMARY KEY (day, provider, model)
) STRICT, WITHOUT ROWID;
",
    "
ALTER TABLE usage ADD COLUMN cost_micros INTEGER;
ALTER TABLE usage ADD COLUMN saved_micros INTEGER;
",
    "
CREATE TABLE claim (
    key BLOB PRIMARY KEY NOT NULL,
    owner TEXT NOT NULL,
    until_ms INTEGER NOT NULL,
    code TEXT,
    back_ms INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE pace (
    line TEXT PRIMARY KEY NOT NULL,
    closed_until_ms INTEGER NOT NULL DEFAULT 0,
    refused INTEGER NOT NULL DEFAULT 0,
    probe_owner TEXT,
    probe_until_ms INTEGER NOT NULL DEFAULT 0,
    out_code TEXT,
    out_until_ms INTEGER NOT NULL DEFAULT 0,
    requests_per_minute INTEGER,
    tokens_per_minute INTEGER,
    requests_per_day INTEGER,
    learned_ms INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE call (
    line TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    tokens INTEGER NOT NULL
) STRICT;
CREATE INDEX call_by_line ON call (line, at_ms);
",
    // The day is in it too, so that old entries are found without the file's text.
    "
ALTER TABLE translation ADD COLUMN text INTEGER;
UPDATE translation SET text = text_of(source);
CREATE INDEX translation_by_text ON translation (text, created_day);
",
    "
CREATE TABLE failure (
    day INTEGER NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    class TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (day, provider, model, class)
) STRICT, WITHOUT ROWID;
ALTER TABLE usage ADD COLUMN texts INTEGER;
",
];

/// What the header says about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// It is up to date.
    Current,
    /// It is empty, or from an older version.
    Older,
    /// It is from a newer version of this program: left alone.
    Newer,
    /// It is another program's: left alone.
    Foreign,
}

/// Reads the header, in one transaction: another host may be writing it.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<Version> {
    let transaction = connection.unchecked_transaction()?;
    let pragma =
        |name: &str| transaction.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let (id, version) = (pragma("application_id")?, pragma("user_version")?);
    let latest = latest();
    Ok(match id {
        APPLICATION_ID if version > latest => Version::Newer,
        APPLICATION_ID if version == latest => Version::Current,
        APPLICATION_ID => Version::Older,
        0 if version == 0 && is_empty(&transaction)? => Version::Older,
        _ => Version::Foreign,
    })
}

/// Whether the file is from a newer version by now.
pub(super) fn is_newer(connection: &Connection) -> bool {
    let version = connection.pragma_query_value(None, "user_version", |row| row.get::<_, i32>(0));
    version.is_ok_and(|version| version > latest())
}

/// The `user_version` that this program writes.
pub(super) fn latest() -> i32 {
    i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX)
}

fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))
}

/// Brings an empty or older file to the latest version, in one transaction.
pub(super) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    texts::teach(connection)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Read again under the lock: another host may have been quicker.
    let from: i32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for step in MIGRATIONS.iter().skip(usize::try_from(from).unwrap_or(0)) {
        transaction.execute_batch(step)?;
    }
    if from < latest() {
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", latest())?;
    }
    transaction.commit()
}

/// Returns an empty store in memory, of at most so many pages.
pub(super) fn memory(pages: u32) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open_in_memory()?;
    connection.busy_timeout(Duration::ZERO)?;
    connection.pragma_update(None, "max_page_count", pages)?;
    migrate(&mut connection)?;
    Ok(connection)
}
