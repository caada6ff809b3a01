//! The tables, by what becomes of their rows when there are two stores: a file
//! and the memory that stood in for it, or a new file and a damaged one.

use rusqlite::types::Value;
use rusqlite::{Connection, TransactionBehavior, params_from_iter};

/// What a row does with one of the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meeting {
    /// It takes its place.
    Replaces,
    /// Its amounts are added.
    Adds,
}

/// Tables whose rows are kept, the smallest first.
pub(super) const KEPT: &[(&str, Meeting)] = &[
    ("usage", Meeting::Adds),
    ("failure", Meeting::Adds),
    ("capability", Meeting::Replaces),
    ("refusal", Meeting::Replaces),
    ("translation", Meeting::Replaces),
];

/// Tables about the moment, whose rows mean nothing elsewhere.
#[cfg(test)]
const OF_THE_MOMENT: &[&str] = &["call", "claim", "pace"];

/// Rows that are moved in one write, so that others wait for milliseconds.
const PIECE: usize = 500;

/// Moves all rows that are kept. What was moved before an error stays moved.
///
/// # Errors
/// Why the rest stays where it is.
pub(super) fn move_all(from: &mut Connection, to: &mut Connection) -> rusqlite::Result<()> {
    for (table, meeting) in KEPT {
        while move_piece(from, to, table, *meeting)? {}
    }
    Ok(())
}

/// Moves some rows of a table; false when it has no more.
fn move_piece(
    from: &mut Connection,
    to: &mut Connection,
    table: &str,
    meeting: Meeting,
) -> rusqlite::Result<bool> {
    let (names, keys) = columns(from, table)?;
    let (all, key) = (names.join(", "), keys.join(", "));
    let piece = format!("FROM {table} ORDER BY {key} LIMIT {PIECE}");
    let rows = {
        let mut select = from.prepare(&format!("SELECT {all} {piece}"))?;
        let values = |row: &rusqlite::Row<'_>| (0..names.len()).map(|at| row.get(at)).collect();
        select.query_map([], values)?.collect::<rusqlite::Result<Vec<Vec<Value>>>>()?
    };
    if rows.is_empty() {
        return Ok(false);
    }
    let marks = vec!["?"; names.len()].join(", ");
    let amounts = names.iter().filter(|name| !keys.contains(name));
    let set = amounts.map(|name| match meeting {
        Meeting::Replaces => format!("{name} = excluded.{name}"),
        // An amount that is not known leaves the one that is.
        Meeting::Adds => {
            format!("{name} = coalesce({name} + excluded.{name}, {name}, excluded.{name})")
        }
    });
    let set = set.collect::<Vec<_>>().join(", ");
    let insert = format!(
        "INSERT INTO {table} ({all}) VALUES ({marks}) ON CONFLICT ({key}) DO UPDATE SET {set}"
    );
    let transaction = to.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let mut insert = transaction.prepare_cached(&insert)?;
        for row in rows {
            insert.execute(params_from_iter(row))?;
        }
    }
    transaction.commit()?;
    from.execute(&format!("DELETE FROM {table} WHERE ({key}) IN (SELECT {key} {piece})"), [])?;
    Ok(true)
}

/// Returns the names of a table's columns, and of those that are its key.
fn columns(connection: &Connection, table: &str) -> rusqlite::Result<(Vec<String>, Vec<String>)> {
    let mut select = connection.prepare_cached("SELECT name, pk FROM pragma_table_info(?1)")?;
    let rows = select.query_map([table], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? > 0)))?;
    let rows: Vec<(String, bool)> = rows.collect::<rusqlite::Result<_>>()?;
    let keys = rows.iter().filter(|(_, is_key)| *is_key).map(|(name, _)| name.clone()).collect();
    Ok((rows.into_iter().map(|(name, _)| name).collect(), keys))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::schema;

    #[test]
    fn of_every_table_it_is_said_what_becomes_of_its_rows() {
        let connection = schema::memory(100).unwrap();
        let mut select = connection
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            .unwrap();
        let there = select.query_map([], |row| row.get(0)).unwrap();
        let there: Vec<String> = there.map(Result::unwrap).collect();
        let mut said: Vec<&str> = KEPT.iter().map(|(table, _)| *table).collect();
        said.extend(OF_THE_MOMENT);
        said.sort_unstable();
        assert_eq!(there, said);
    }
}
