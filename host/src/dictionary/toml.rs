//! The TOML form, as [`super::Dictionary::parse_toml`] shows it.

use toml_edit::{ArrayOfTables, Document, DocumentMut, Item as Value, Table, value};

use super::{Action, Correction, Dictionary, Item, Problem, Scope};
use crate::segment::normal_form;

const KINDS: [&str; 3] = ["term", "replacement", "correction"];

pub(super) fn parse(text: &str) -> (Vec<Item>, Vec<Correction>, Vec<Problem>) {
    let mut found = Found::default();
    match Document::parse(text) {
        Ok(document) => found.read(document.as_table(), text, 0),
        // A slip in one entry shall not cost the others.
        Err(_) => {
            for (line, block) in blocks(text) {
                match Document::parse(block) {
                    Ok(document) => found.read(document.as_table(), block, line),
                    Err(error) => {
                        let at = error.span().map_or(0, |span| span.start);
                        let message = error.message().trim().replace('\n', "; ");
                        found.problem(line + line_of(block, at), message);
                    }
                }
            }
        }
    }
    let items = found.items.into_iter().map(|(_, item)| item).collect();
    (items, found.corrections, found.problems)
}

/// Cuts a file before each line that opens a table; with the lines before it.
fn blocks(text: &str) -> Vec<(usize, &str)> {
    let mut blocks = Vec::new();
    let (mut start, mut start_line, mut at) = (0, 0, 0);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if line.starts_with('[') && at > start {
            blocks.push((start_line, &text[start..at]));
            (start, start_line) = (at, number);
        }
        at += line.len();
    }
    blocks.push((start_line, &text[start..]));
    blocks
}

fn line_of(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or(text).matches('\n').count() + 1
}

#[derive(Default)]
struct Found {
    items: Vec<(usize, Item)>,
    corrections: Vec<Correction>,
    problems: Vec<Problem>,
}

impl Found {
    fn problem(&mut self, line: usize, message: String) {
        self.problems.push(Problem { line, message });
    }

    /// Reads a document that begins `before` lines into the file.
    fn read(&mut self, root: &Table, text: &str, before: usize) {
        let line = |item: &Value| before + item.span().map_or(1, |span| line_of(text, span.start));
        for (name, content) in root {
            if !KINDS.contains(&name) {
                let expected = "expected [[term]], [[replacement]] or [[correction]]";
                self.problem(line(content), format!("{name:?} is not known; {expected}"));
                continue;
            }
            let Some(tables) = content.as_array_of_tables() else {
                self.problem(line(content), format!("expected [[{name}]] with two brackets"));
                continue;
            };
            for table in tables {
                let start = before + table.span().map_or(1, |span| line_of(text, span.start));
                let taken = if name == "correction" {
                    correction(table).map(|correction| self.corrections.push(correction))
                } else {
                    item(name, table).map(|item| self.items.push((start, item)))
                };
                if let Err((at, message)) = taken {
                    self.problem(at.map_or(start, |at| before + line_of(text, at)), message);
                }
            }
        }
        // Terms and replacements may alternate in the file.
        self.items.sort_by_key(|(line, _)| *line);
        self.problems.sort_by_key(|problem| problem.line);
    }
}

pub(super) type Wrong = (Option<usize>, String);

fn item(kind: &str, table: &Table) -> Result<Item, Wrong> {
    let known: &[&str] = match kind {
        "term" => &["source", "target", "keep", "match_case", "pair", "site"],
        _ => &["from", "to", "match_case", "pair", "site"],
    };
    only_known(kind, table, known)?;
    let words_key = known[0];
    let words = text(table, words_key)?.as_deref().map(normal_form).unwrap_or_default();
    if words.is_empty() {
        return Err((None, format!("{words_key} is missing; expected the words to look for")));
    }
    let action = if kind == "term" { term_action(table)? } else { replacement_action(table)? };
    Ok(Item { words, action, match_case: flag(table, "match_case")?, scope: scope(table)? })
}

fn correction(table: &Table) -> Result<Correction, Wrong> {
    only_known("correction", table, &["source", "translation", "marked", "pair", "site"])?;
    let words = |name| Ok::<_, Wrong>(text(table, name)?.unwrap_or_default());
    let (marked, scope) = (flag(table, "marked")?, scope(table)?);
    Correction::new(&words("source")?, words("translation")?, marked, scope)
        .map_err(|message| (None, message))
}

fn only_known(kind: &str, table: &Table, known: &[&str]) -> Result<(), Wrong> {
    let Some((name, value)) = table.iter().find(|(name, _)| !known.contains(name)) else {
        return Ok(());
    };
    let message = format!("{name:?} is not known in [[{kind}]]; known are {}", known.join(", "));
    Err((value.span().map(|span| span.start), message))
}

pub(super) fn scope(table: &Table) -> Result<Scope, Wrong> {
    let mut scope = Scope::default();
    let at = |name: &str| table.get(name).and_then(Value::span).map(|span| span.start);
    if let Some(pair) = text(table, "pair")? {
        scope.set_pair(&pair).map_err(|message| (at("pair"), message))?;
    }
    if let Some(site) = text(table, "site")? {
        scope.set_site(&site).map_err(|message| (at("site"), message))?;
    }
    Ok(scope)
}

fn term_action(table: &Table) -> Result<Action, Wrong> {
    match (text(table, "target")?, flag(table, "keep")?) {
        (Some(_), true) => {
            Err((None, "both target and keep are there; expected one of them".to_owned()))
        }
        (None, true) => Ok(Action::Keep),
        (Some(target), false) if !target.trim().is_empty() => Ok(Action::Translate(target)),
        _ => Err((None, "target is missing; expected a translation, or keep = true".to_owned())),
    }
}

fn replacement_action(table: &Table) -> Result<Action, Wrong> {
    let to = text(table, "to")?;
    let to = to.ok_or((None, "to is missing; expected the words to write, or \"\"".to_owned()))?;
    Ok(Action::Replace(to))
}

pub(super) fn text(table: &Table, name: &str) -> Result<Option<String>, Wrong> {
    typed(table, name, "text in quotes", |item| item.as_str().map(str::to_owned))
}

pub(super) fn flag(table: &Table, name: &str) -> Result<bool, Wrong> {
    Ok(typed(table, name, "true or false", Value::as_bool)?.unwrap_or(false))
}

fn typed<T>(
    table: &Table,
    name: &str,
    expected: &str,
    read: impl Fn(&Value) -> Option<T>,
) -> Result<Option<T>, Wrong> {
    let Some(item) = table.get(name) else { return Ok(None) };
    let wrong = || {
        let found = item.type_name();
        (item.span().map(|span| span.start), format!("{name} is a {found}; expected {expected}"))
    };
    read(item).map(Some).ok_or_else(wrong)
}

/// Writes entries so that [`parse`] reads the same.
pub(super) fn write(dictionary: &Dictionary) -> String {
    let mut document = DocumentMut::new();
    let mut put = |kind: &str, mut table: Table, scope: &Scope| {
        if let Some(pair) = scope.pair() {
            table.insert("pair", value(pair));
        }
        if let Some(site) = &scope.site {
            table.insert("site", value(site));
        }
        let tables = document.entry(kind).or_insert(Value::ArrayOfTables(ArrayOfTables::new()));
        if let Some(tables) = tables.as_array_of_tables_mut() {
            tables.push(table);
        }
    };
    let mut position = 0..;
    for item in &dictionary.items {
        let (kind, mut table) = table_of(item);
        table.set_position(position.next());
        put(kind, table, &item.scope);
    }
    for Correction { place, translation } in dictionary.corrections() {
        let mut table = Table::new();
        table.set_position(position.next());
        table.insert("source", value(&place.source));
        table.insert("translation", value(translation));
        if place.marked {
            table.insert("marked", value(true));
        }
        put("correction", table, &place.scope);
    }
    document.to_string()
}

/// Returns what a term or replacement is called and says, but for its scope.
fn table_of(item: &Item) -> (&'static str, Table) {
    let mut table = Table::new();
    let kind = match &item.action {
        Action::Translate(target) => {
            table.insert("source", value(&item.words));
            table.insert("target", value(target));
            "term"
        }
        Action::Keep => {
            table.insert("source", value(&item.words));
            table.insert("keep", value(true));
            "term"
        }
        Action::Replace(to) => {
            table.insert("from", value(&item.words));
            table.insert("to", value(to));
            "replacement"
        }
    };
    if item.match_case {
        table.insert("match_case", value(true));
    }
    (kind, table)
}
