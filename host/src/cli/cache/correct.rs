//! `cache correct`: the reader's own translation of a text.

use std::io::{self, Write};

use clap::Args;

use super::{Ended, Halt, visible};
use crate::dictionary::{Correction, Place, Scope};
use crate::paths::Paths;
use crate::segment::normal_form;
use crate::session::correct::{change, scope_of};
use crate::session::setup::Files;

#[derive(Debug, Args)]
pub struct Correct {
    /// The whole text as the page shows it, or as `cache list` prints it
    text: String,
    /// What to show instead, to the letter
    #[arg(required_unless_present = "remove", conflicts_with = "remove")]
    translation: Option<String>,
    /// Only to this language; `*` is any
    #[arg(long, value_name = "LANG", required_unless_present = "remove")]
    target: Option<String>,
    /// Only from this language
    #[arg(long, value_name = "LANG")]
    source: Option<String>,
    /// Only on this site, such as example.com; `cli` is the command line
    #[arg(long, value_name = "SITE", value_parser = super::choice::site)]
    site: Option<String>,
    /// In both texts <1>…</1> and <2/> are tags, and &lt; and &amp; are signs
    #[arg(long)]
    marked: bool,
    /// Take the correction out again; languages and site are those it was made for
    #[arg(long)]
    remove: bool,
}

pub fn correct(arguments: &Correct, paths: &Paths) -> Ended {
    let source = normal_form(&arguments.text);
    if source.is_empty() {
        return Err(Halt::Fault("there is no text to correct".to_owned()));
    }
    let language = |tag: &Option<String>| tag.clone().unwrap_or_else(|| "*".to_owned());
    let (from, to) = (language(&arguments.source), language(&arguments.target));
    let scope = scope_of(&from, &to, arguments.site.as_deref())?;
    let place = Place { source, marked: arguments.marked, scope };
    let is_changed = change(&paths.dictionary(), &place, arguments.translation.as_deref())?;
    if arguments.remove && !is_changed {
        return Err(Halt::Fault(missing(&place, paths)));
    }
    let done = if arguments.remove { "Removed" } else { "Corrected" };
    writeln!(io::stdout(), "{done}: {}", where_of(&place.scope))?;
    Ok(0)
}

/// Says that there is no such correction, and which ones of this text are there.
fn missing(place: &Place, paths: &Paths) -> String {
    let dictionary = Files::new(paths.clone()).dictionary().0;
    let is_of = |one: &&Correction| one.place.source == place.source;
    let there: Vec<String> = dictionary
        .corrections()
        .iter()
        .filter(is_of)
        .map(|one| where_of(&one.place.scope) + if one.place.marked { "  --marked" } else { "" })
        .collect();
    let here = where_of(&place.scope);
    if there.is_empty() {
        return format!("there is no correction of this text ({here})");
    }
    format!("there is no such correction ({here}); of this text there are: {}", there.join(", "))
}

/// Says where a correction is in force.
pub fn where_of(scope: &Scope) -> String {
    let pair = scope.pair().unwrap_or_else(|| "*>*".to_owned());
    format!("{}  {}", visible(&pair), visible(scope.site.as_deref().unwrap_or("any site")))
}
