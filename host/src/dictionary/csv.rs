//! The CSV form: a line an entry, so that a wrong quote costs one line.

use super::{Action, Item, Problem, Scope};
use crate::segment::normal_form;

/// The columns when the first line does not name them.
const COLUMNS: [&str; 5] = ["source", "target", "kind", "pair", "site"];

/// What a first line may name.
const NAMES: [&str; 6] = ["source", "target", "kind", "pair", "site", "match_case"];

pub(super) fn parse(text: &str) -> (Vec<Item>, Vec<Problem>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let separator = separator(text);
    let mut columns: Vec<String> = COLUMNS.map(str::to_owned).to_vec();
    let (mut items, mut problems) = (Vec::new(), Vec::new());
    let mut first = true;
    for (line, row) in (1..).zip(text.lines()).filter(|(_, row)| !row.trim().is_empty()) {
        let read = cells(row, separator).and_then(|cells| {
            if std::mem::take(&mut first) && is_header(&cells) {
                columns = cells.iter().map(|cell| cell.trim().to_lowercase()).collect();
                return unknown_columns(&columns).map_or(Ok(None), Err);
            }
            item(&columns, &cells).map(Some)
        });
        match read {
            Ok(item) => items.extend(item),
            Err(message) => problems.push(Problem { line, message }),
        }
    }
    (items, problems)
}

/// A comma, unless the first line has none of them but tabs or semicolons.
fn separator(text: &str) -> char {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    if line.contains('\t') {
        '\t'
    } else if line.contains(';') && !line.contains(',') {
        ';'
    } else {
        ','
    }
}

fn is_header(cells: &[String]) -> bool {
    let names = |name: &str| cells.iter().any(|cell| cell.trim().eq_ignore_ascii_case(name));
    names("source") && names("target")
}

fn unknown_columns(columns: &[String]) -> Option<String> {
    let unknown = columns.iter().find(|column| !NAMES.contains(&column.as_str()))?;
    Some(format!("column {unknown:?} is not known and is ignored; known are {}", NAMES.join(", ")))
}

/// Cuts a line into cells; `""` in a quoted cell is a quote.
fn cells(row: &str, separator: char) -> Result<Vec<String>, String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut chars = row.chars().peekable();
    while let Some(c) = chars.next() {
        let index = cells.len() - 1;
        let cell = &mut cells[index];
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
            '"' if quoted => quoted = false,
            '"' if cell.trim().is_empty() => {
                cell.clear();
                quoted = true;
            }
            c if c == separator && !quoted => cells.push(String::new()),
            c => cell.push(c),
        }
    }
    if quoted {
        return Err("a quote is opened and not closed on this line".to_owned());
    }
    Ok(cells)
}

fn item(columns: &[String], cells: &[String]) -> Result<Item, String> {
    let cell = |name: &str| {
        let place = columns.iter().position(|column| column == name);
        place.and_then(|place| cells.get(place)).map_or("", |cell| cell.trim())
    };
    let words = normal_form(cell("source"));
    if words.is_empty() {
        return Err("source is empty; expected the words to look for".to_owned());
    }
    if cells.len() > columns.len() {
        return Err(format!("{} cells; expected at most {}", cells.len(), columns.len()));
    }
    let action = action(cell("kind"), cell("target"))?;
    let mut scope = Scope::default();
    match cell("pair") {
        "" => {}
        pair => scope.set_pair(pair)?,
    }
    match cell("site") {
        "" => {}
        site => scope.set_site(site)?,
    }
    let match_case = match cell("match_case").to_lowercase().as_str() {
        "" | "false" | "no" | "0" => false,
        "true" | "yes" | "1" => true,
        other => return Err(format!("match_case is {other:?}; expected true or false")),
    };
    Ok(Item { words, action, match_case, scope })
}

fn action(kind: &str, target: &str) -> Result<Action, String> {
    match kind {
        "" | "term" if target.is_empty() => {
            Err("target is empty; expected a translation, or \"keep\" as kind".to_owned())
        }
        "" | "term" => Ok(Action::Translate(target.to_owned())),
        "keep" => Ok(Action::Keep),
        "replacement" => Ok(Action::Replace(target.to_owned())),
        _ => Err(format!("kind is {kind:?}; expected \"term\", \"keep\" or \"replacement\"")),
    }
}
