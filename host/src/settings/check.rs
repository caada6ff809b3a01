//! What each setting may be.

use std::collections::BTreeMap;

use toml_edit::{Document, Item, TableLike};

use super::reader::{Reader, Section};
use super::{
    Address, CacheMode, CacheSettings, Checked, DEFAULT_MAX_MB, PageMode, ProviderSettings,
    REMOTE_KEY, Reuse, Settings, StrayKey, remote,
};
use crate::provider::{Style, kinds};

/// What stands at the top of the file.
const TOP: &[&str] =
    &["target", "source", "style", "providers", "provider", "page", "cache", "budget"];

/// What stands in a provider's table.
pub(super) const PROVIDER: &[&str] = &[
    "kind",
    "model",
    "base_url",
    "requests_per_minute",
    "tokens_per_minute",
    "requests_per_day",
    "concurrency",
    "timeout_s",
    "region",
    "project",
    "location",
    "folder",
    "context_tokens",
    "accept_terms",
];

/// What stands in the other tables.
pub(super) const PAGE: &[&str] = &["mode"];
pub(super) const CACHE: &[&str] =
    &["mode", "max_mb", "max_days", "reuse", "remote", "remote_prefix"];
pub(super) const BUDGET: &[&str] = &["usd_per_day"];

/// What may hold a key that was put in the wrong place.
pub(super) const KEY_NAMES: &[&str] = &["api_key", "key"];

/// More calls at once help no provider, and look like an attack.
const MAX_CONCURRENCY: u32 = 64;

/// A call that takes longer than ten minutes is not coming back.
const MAX_TIMEOUT_S: u32 = 600;

/// Reads a settings file and says all that is wrong with it at once.
#[must_use]
pub fn check(text: &str) -> Checked {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader::new(text);
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let mut problem = reader.at(error.span(), String::new(), "valid TOML");
            problem.found = error.message().trim().replace('\n', "; ");
            return Checked { problems: vec![problem], ..Checked::default() };
        }
    };
    let top = Section { table: document.as_table(), path: "" };
    let mut stray_keys = Vec::new();
    reader.unknown(top, TOP);
    let provider = providers(&mut reader, top, &mut stray_keys);
    let mut settings = Settings {
        target: language(&mut reader, top, "target").unwrap_or(Settings::default().target),
        source: language(&mut reader, top, "source"),
        mode: page_mode(&mut reader, top),
        style: style(&mut reader, top),
        budget_micros: budget(&mut reader, top),
        providers: Vec::new(),
        provider,
        cache: cache(&mut reader, top, &mut stray_keys),
    };
    order(&mut reader, top, &mut settings);
    let Reader { mut problems, warnings, .. } = reader;
    problems.sort_by_key(|problem| (problem.line, problem.column));
    let settings = problems.is_empty().then_some(settings);
    Checked { settings, problems, warnings, stray_keys }
}

fn language(reader: &mut Reader<'_>, top: Section<'_>, name: &str) -> Option<String> {
    let tag = reader.string(top, name)?;
    let mut parts = tag.split('-');
    let first = parts.next().unwrap_or_default();
    let alpha = first.bytes().all(|byte| byte.is_ascii_alphabetic());
    let rest = parts.all(|part| {
        (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric())
    });
    if (2..=3).contains(&first.len()) && alpha && rest {
        return Some(tag);
    }
    let expected = if name == "source" {
        "a language such as \"en\"; without this line the language is detected"
    } else {
        "a language such as \"ko\" or \"pt-BR\""
    };
    reader.wrong(top, name, expected);
    None
}

fn section<'a>(reader: &mut Reader<'_>, top: Section<'a>, name: &'a str) -> Option<Section<'a>> {
    let item = top.table.get(name)?;
    let table = item.as_table_like();
    if table.is_none() {
        reader.wrong(top, name, &format!("a table, such as [{name}]"));
    }
    table.map(|table| Section { table, path: name })
}

fn page_mode(reader: &mut Reader<'_>, top: Section<'_>) -> PageMode {
    let Some(page) = section(reader, top, "page") else { return PageMode::default() };
    reader.unknown(page, PAGE);
    let words = [
        ("translation", PageMode::Translation),
        ("both", PageMode::Both),
        ("hover", PageMode::Hover),
    ];
    reader.word(page, "mode", &words).unwrap_or_default()
}

/// Longer instructions about style are no style.
const MAX_STYLE_CHARS: usize = 200;

fn style(reader: &mut Reader<'_>, top: Section<'_>) -> Style {
    match reader.string(top, "style").as_deref() {
        None | Some("" | "neutral") => Style::Neutral,
        Some("formal") => Style::Formal,
        Some("casual") => Style::Casual,
        Some(words) if words.chars().count() <= MAX_STYLE_CHARS => Style::Own(words.to_owned()),
        Some(_) => {
            let expected = "\"neutral\", \"formal\", \"casual\", or own words, at most 200 letters";
            reader.wrong(top, "style", expected);
            Style::Neutral
        }
    }
}

/// A day's calls for more than this are a slip of the decimal point.
const MAX_BUDGET_USD: f64 = 10_000.0;

fn budget(reader: &mut Reader<'_>, top: Section<'_>) -> Option<u64> {
    let budget = section(reader, top, "budget")?;
    reader.unknown(budget, BUDGET);
    let dollars = reader.amount(budget, "usd_per_day", MAX_BUDGET_USD)?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    Some((dollars * 1e6).round() as u64)
}

/// A hundred years: more is a slip.
const MAX_DAYS: u32 = 36_500;

fn cache(reader: &mut Reader<'_>, top: Section<'_>, stray: &mut Vec<StrayKey>) -> CacheSettings {
    let Some(cache) = section(reader, top, "cache") else { return CacheSettings::default() };
    reader.unknown(cache, CACHE);
    let modes = [("on", CacheMode::On), ("read", CacheMode::Read), ("off", CacheMode::Off)];
    let reuses = [("engine", Reuse::Engine), ("any", Reuse::Any)];
    CacheSettings {
        mode: reader.word(cache, "mode", &modes).unwrap_or_default(),
        max_mb: reader.number(cache, "max_mb", (1, 1_048_576)).unwrap_or(DEFAULT_MAX_MB),
        max_days: reader.number(cache, "max_days", (1, MAX_DAYS)),
        reuse: reader.word(cache, "reuse", &reuses).unwrap_or_default(),
        remote: remote::read(reader, cache, stray),
        remote_prefix: remote::prefix(reader, cache),
    }
}

fn providers(
    reader: &mut Reader<'_>,
    top: Section<'_>,
    stray: &mut Vec<StrayKey>,
) -> BTreeMap<String, ProviderSettings> {
    let mut out = BTreeMap::new();
    let Some(all) = section(reader, top, "provider") else { return out };
    for (name, item) in all.table.iter() {
        let path = all.key(name);
        if let Some(taken) = out.keys().find(|other| same_variable(other, name)) {
            let expected = format!("a name that differs from {taken:?} in more than - and _");
            reader.wrong(all, name, &expected);
        }
        if same_variable(name, REMOTE_KEY) {
            let expected = "another name: the shared cache's password is kept under this one";
            reader.wrong(all, name, expected);
        }
        if !is_name(name) {
            reader.wrong(all, name, "a name of at most 40 letters, digits, - and _");
        }
        match item.as_table_like() {
            Some(table) => {
                let section = Section { table, path: &path };
                stray.extend(stray_key(reader, section, name));
                out.insert(name.to_owned(), provider(reader, section, name));
            }
            None => reader.wrong(all, name, &format!("a table, [provider.{name}]")),
        }
    }
    out
}

fn is_name(name: &str) -> bool {
    (1..=40).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// Two names must not share `WEBTRANSLATOR_KEY_<NAME>`.
fn same_variable(a: &str, b: &str) -> bool {
    a.replace('-', "_").eq_ignore_ascii_case(&b.replace('-', "_"))
}

fn stray_key(reader: &mut Reader<'_>, section: Section<'_>, name: &str) -> Option<StrayKey> {
    let key_name = KEY_NAMES.iter().find(|key| section.table.contains_key(key))?;
    let key = section.table.get(key_name).and_then(Item::as_str).map(str::trim);
    if key.is_none() {
        reader.wrong_unshown(section, key_name, "text in quotes");
    }
    key.filter(|key| !key.is_empty()).map(|key| StrayKey {
        provider: name.to_owned(),
        key: crate::provider::Key(key.to_owned()),
    })
}

fn provider(reader: &mut Reader<'_>, section: Section<'_>, name: &str) -> ProviderSettings {
    let known: Vec<&str> = PROVIDER.iter().chain(KEY_NAMES).copied().collect();
    reader.unknown(section, &known);
    let most = |reader: &mut Reader<'_>, name| reader.number(section, name, (1, u32::MAX));
    let word = |reader: &mut Reader<'_>, name| {
        reader.string(section, name).filter(|word| !word.is_empty())
    };
    ProviderSettings {
        kind: kind(reader, section, name),
        model: reader.string(section, "model").filter(|model| !model.is_empty()),
        base_url: base_url(reader, section),
        requests_per_minute: most(reader, "requests_per_minute"),
        tokens_per_minute: most(reader, "tokens_per_minute"),
        requests_per_day: most(reader, "requests_per_day"),
        concurrency: reader.number(section, "concurrency", (1, MAX_CONCURRENCY)),
        timeout_s: reader.number(section, "timeout_s", (1, MAX_TIMEOUT_S)),
        region: word(reader, "region"),
        project: word(reader, "project"),
        location: word(reader, "location"),
        folder: word(reader, "folder"),
        context_tokens: reader.number(section, "context_tokens", (512, 1_048_576)),
        accept_terms: reader.flag(section, "accept_terms").unwrap_or(false),
    }
}

/// A provider that is called as its kind needs no `kind`.
fn kind(reader: &mut Reader<'_>, section: Section<'_>, name: &str) -> String {
    let words: Vec<(&str, &str)> = kinds::KINDS.iter().map(|kind| (kind.name, kind.name)).collect();
    if section.table.contains_key("kind") {
        return reader.word(section, "kind", &words).unwrap_or_default().to_owned();
    }
    if kinds::find(name).is_none() {
        let quoted: Vec<_> = words.iter().map(|(kind, _)| format!("{kind:?}")).collect();
        let expected = format!("a line such as kind = one of {}", quoted.join(", "));
        let span = section_span(section);
        let problem = reader.at(span, section.key("kind"), &expected);
        reader.problems.push(super::Problem { found: "missing".to_owned(), ..problem });
    }
    name.to_owned()
}

/// Where a table begins: where the first thing in it does, which is near.
fn section_span(section: Section<'_>) -> Option<std::ops::Range<usize>> {
    section.table.iter().find_map(|(name, item)| {
        section.table.key(name).and_then(toml_edit::Key::span).or(item.span())
    })
}

fn base_url(reader: &mut Reader<'_>, section: Section<'_>) -> Option<String> {
    let text = reader.string(section, "base_url")?;
    match Address::parse(&text) {
        Ok(address) => {
            if !address.takes_key() {
                let span = section.table.get("base_url").and_then(Item::span);
                let expected = "https://, since a key is sent over http to this machine only";
                let warning = reader.at(span, section.key("base_url"), expected);
                reader.warnings.push(warning);
            }
            Some(address.base().to_owned())
        }
        Err(expected) => {
            // It may carry a password or a key.
            reader.wrong_unshown(section, "base_url", expected);
            let shown = text.split(['?', '#']).next().unwrap_or_default();
            if !text.contains('@')
                && let Some(last) = reader.problems.last_mut()
            {
                last.found = format!("{shown:?}");
            }
            None
        }
    }
}

/// Fills in the order of preference. Without the line all providers serve, in
/// the order of the file.
fn order(reader: &mut Reader<'_>, top: Section<'_>, settings: &mut Settings) {
    let Some(item) = top.table.get("providers") else {
        let tables = top.table.get("provider").and_then(Item::as_table_like);
        settings.providers = tables.map(names_in_order).unwrap_or_default();
        return;
    };
    let Some(array) = item.as_array() else {
        return reader.wrong(top, "providers", "a list of names, such as [\"gemini\", \"local\"]");
    };
    for value in array {
        let Some(name) = value.as_str() else {
            let problem = reader.at(value.span(), "providers".to_owned(), "names in quotes");
            reader.problems.push(problem);
            continue;
        };
        if !settings.provider.contains_key(name) {
            if kinds::find(name).is_some() {
                let plain = ProviderSettings { kind: name.to_owned(), ..Default::default() };
                settings.provider.insert(name.to_owned(), plain);
            } else {
                let expected = format!("a provider with a table [provider.{name}]");
                let problem = reader.at(value.span(), "providers".to_owned(), &expected);
                reader.problems.push(problem);
                continue;
            }
        }
        if !settings.providers.iter().any(|other| other == name) {
            settings.providers.push(name.to_owned());
        }
    }
}

fn names_in_order(tables: &dyn TableLike) -> Vec<String> {
    tables
        .iter()
        .filter(|(_, item)| item.is_table_like())
        .map(|(name, _)| name.to_owned())
        .collect()
}
