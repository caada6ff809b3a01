//! `cache verify`.

use std::io::{self, Write};
use std::path::Path;

use super::{Ended, Halt};
use crate::store::View;

/// So many faulty entries are named.
const MAX_NAMED: u64 = 20;

#[derive(Default)]
struct Found {
    entries: u64,
    /// Entries whose key holds terms that nobody can look at.
    terms: u64,
    faulty: u64,
}

pub fn verify(path: &Path) -> Ended {
    let Some(view) = super::view(path)? else { return Ok(0) };
    let mut out = io::stdout().lock();
    let damage = view.integrity()?;
    if !damage.is_empty() {
        for line in &damage {
            writeln!(out, "{line}")?;
        }
        return Err(Halt::Fault(format!(
            "the cache {} is damaged; `webtranslator cache export` saves what can still be read, \
             and a host that meets the damage keeps the file aside and starts a new one",
            path.display()
        )));
    }
    let found = look(&view, &mut out)?;
    if found.faulty > 0 {
        let more = found.faulty.saturating_sub(MAX_NAMED);
        if more > 0 {
            writeln!(out, "and {more} more")?;
        }
        return Err(Halt::Fault(format!(
            "something is wrong with {} of {}; export, `clear --all` and import leave them behind",
            found.faulty,
            super::entries(found.entries)
        )));
    }
    writeln!(out, "The cache is in order: {}.", super::entries(found.entries))?;
    if found.terms > 0 {
        let entries = super::entries(found.terms);
        writeln!(out, "Not looked at: the keys of {entries}, made with words of a dictionary.")?;
    }
    Ok(0)
}

/// Looks at each entry, and names the faulty ones by their key.
fn look(view: &View, out: &mut impl Write) -> Result<Found, Halt> {
    let mut found = Found::default();
    view.each(|row| {
        found.entries += 1;
        let fault = match row.record {
            Ok(record) => match record.check() {
                Ok(form) => {
                    found.terms += u64::from(form.terms);
                    return Ok(());
                }
                Err(fault) => fault.to_string(),
            },
            Err(fault) => fault.to_owned(),
        };
        found.faulty += 1;
        if found.faulty <= MAX_NAMED {
            let key = row.key.iter().fold(String::new(), |key, byte| format!("{key}{byte:02x}"));
            writeln!(out, "entry {key}: {fault}")?;
        }
        Ok::<(), Halt>(())
    })?;
    Ok(found)
}
