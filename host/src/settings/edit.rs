//! Changing the settings' text: comments and order stay.

use serde_json::Value as Json;
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};

use super::check::{BUDGET, CACHE, KEY_NAMES, PAGE, PROVIDER};
use super::{Problem, RemoteAddress, check};

/// Applies a part of the wire's settings object to the file's text; `null`
/// takes a setting out. What is not a setting is ignored, as on the wire.
///
/// # Errors
/// When the text is no TOML, when the change carries a key (the caller takes
/// it out first), or when the result would not pass [`check`]: then the text
/// stays as it was.
pub fn edit(text: &str, change: &Json) -> Result<String, Problem> {
    let mut document = parse(text)?;
    let Json::Object(change) = change else {
        return Err(refused("", "an object with settings"));
    };
    let root = document.as_table_mut();
    // In this order, since it is the order in which a new file is written.
    for name in ["target", "source", "style", "providers", "page", "provider", "cache", "budget"] {
        match (name, change.get(name)) {
            (_, None) => {}
            ("page" | "provider" | "cache" | "budget", Some(Json::Null)) => drop(root.remove(name)),
            ("provider", Some(Json::Object(all))) => {
                for (name, value) in all {
                    provider(root, name, value)?;
                }
            }
            ("cache", Some(Json::Object(cache))) => set_all(table(root, "cache")?, CACHE, cache)?,
            ("page", Some(Json::Object(page))) => set_all(table(root, "page")?, PAGE, page)?,
            ("budget", Some(Json::Object(budget))) => {
                set_all(table(root, "budget")?, BUDGET, budget)?;
            }
            ("page" | "provider" | "cache" | "budget", _) => {
                return Err(refused(name, "an object"));
            }
            (_, Some(value)) => set(root, name, value)?,
        }
    }
    let text = document.to_string();
    match check(&text).problems.into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok(text),
    }
}

/// Takes keys out of the text. The rest stays, and is not checked.
///
/// # Errors
/// When the text is no TOML.
pub fn without_keys(text: &str) -> Result<String, Problem> {
    let mut document = parse(text)?;
    if let Some(cache) = document.get_mut("cache").and_then(Item::as_table_like_mut) {
        let remote = cache.get("remote").and_then(Item::as_str).map(RemoteAddress::parse);
        if let Some(Ok((address, Some(_)))) = remote {
            set(cache, "remote", &Json::String(address.to_string()))?;
        }
    }
    let all = document.get_mut("provider").and_then(Item::as_table_like_mut);
    for (_, item) in all.into_iter().flat_map(TableLike::iter_mut) {
        if let Some(table) = item.as_table_like_mut() {
            for name in KEY_NAMES {
                table.remove(name);
            }
        }
    }
    Ok(document.to_string())
}

fn parse(text: &str) -> Result<DocumentMut, Problem> {
    text.parse().map_err(|_| {
        let first = check(text).problems.into_iter().next();
        first.unwrap_or_else(|| refused("", "valid TOML"))
    })
}

fn refused(key: &str, expected: &str) -> Problem {
    let (key, expected) = (key.to_owned(), expected.to_owned());
    Problem { line: 0, column: 0, key, found: String::new(), expected }
}

fn provider(root: &mut Table, name: &str, change: &Json) -> Result<(), Problem> {
    let key = format!("provider.{name}");
    let all = table(root, "provider")?;
    let change = match change {
        Json::Null => {
            all.remove(name);
            return Ok(());
        }
        Json::Object(change) => change,
        _ => return Err(refused(&key, "an object")),
    };
    if change.keys().any(|field| KEY_NAMES.contains(&field.as_str())) {
        return Err(refused(&format!("{key}.key"), "no key here; keys are kept apart"));
    }
    set_all(table(all, name)?, PROVIDER, change)
}

/// Sets those of the known settings that the change names.
fn set_all(
    table: &mut dyn TableLike,
    known: &[&str],
    change: &serde_json::Map<String, Json>,
) -> Result<(), Problem> {
    known
        .iter()
        .filter_map(|name| change.get(*name).map(|value| (name, value)))
        .try_for_each(|(name, value)| set(table, name, value))
}

/// Returns the table of this name, made where there is none.
fn table<'a>(parent: &'a mut dyn TableLike, name: &str) -> Result<&'a mut dyn TableLike, Problem> {
    if parent.get(name).is_none() {
        let mut table = Table::new();
        // [provider] has no line of its own above [provider.gemini].
        table.set_implicit(name == "provider");
        parent.insert(name, Item::Table(table));
    }
    parent
        .get_mut(name)
        .and_then(Item::as_table_like_mut)
        .ok_or_else(|| refused(name, "a table in the file"))
}

/// Sets a value and keeps the comment behind it; `null` takes it out.
fn set(table: &mut dyn TableLike, name: &str, value: &Json) -> Result<(), Problem> {
    let mut new = match value {
        Json::Null => {
            table.remove(name);
            return Ok(());
        }
        Json::String(text) => Value::from(text.as_str()),
        Json::Bool(flag) => Value::from(*flag),
        Json::Number(number) if number.as_i64().is_some() => {
            Value::from(number.as_i64().unwrap_or_default())
        }
        Json::Number(number) if number.as_f64().is_some_and(f64::is_finite) => {
            Value::from(number.as_f64().unwrap_or_default())
        }
        Json::Array(list) if list.iter().all(Json::is_string) => {
            Value::Array(list.iter().filter_map(Json::as_str).collect::<Array>())
        }
        _ => return Err(refused(name, "text, a number, true, false or a list of names")),
    };
    match table.get_mut(name).and_then(Item::as_value_mut) {
        Some(old) => {
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        None => drop(table.insert(name, Item::Value(new))),
    }
    Ok(())
}
