//! Where an entry is in force: everywhere, in a language pair, on a site.

use crate::language::normal;
use crate::segment::{Site, site};

/// The languages of a text: source (`und` when unknown) and target.
pub type Pair<'a> = (&'a str, &'a str);

/// Where an entry is in force. The default is everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scope {
    /// From this language, and its kinds: `en` is in force in `en-GB`.
    pub source: Option<String>,
    /// To this language, and its kinds.
    pub target: Option<String>,
    /// On this site, as [`Site::name`] has it.
    pub site: Option<String>,
}

impl Scope {
    /// Reads `en>ko`, `*>ko` or `en>*`.
    ///
    /// # Errors
    /// What was expected.
    pub fn set_pair(&mut self, text: &str) -> Result<(), String> {
        let wrong =
            || format!("pair is {text:?}; expected two languages such as \"en>ko\" or \"*>ko\"");
        let (source, target) = text.split_once('>').ok_or_else(wrong)?;
        let side = |text: &str| match text.trim() {
            "*" => Ok(None),
            tag if is_tag(tag) => Ok(Some(normal(tag).unwrap_or_else(|| tag.to_owned()))),
            _ => Err(wrong()),
        };
        self.source = side(source)?;
        self.target = side(target)?;
        Ok(())
    }

    /// Returns the form that [`Self::set_pair`] reads; none when it is any pair.
    #[must_use]
    pub fn pair(&self) -> Option<String> {
        let side = |tag: &Option<String>| tag.clone().unwrap_or_else(|| "*".to_owned());
        (self.source.is_some() || self.target.is_some())
            .then(|| format!("{}>{}", side(&self.source), side(&self.target)))
    }

    /// Reads a host, an address or a folder. Hosts of one registrable domain
    /// are one site, here as everywhere.
    ///
    /// # Errors
    /// What was expected.
    pub fn set_site(&mut self, text: &str) -> Result<(), String> {
        self.site = if matches!(text, "cli" | "cli:") {
            Site::Cli.name()
        } else if text.contains("://") {
            site(text).name()
        } else if text.starts_with("file:/") {
            Some(text.trim_end_matches('/').to_owned())
        } else {
            site(&format!("https://{text}")).name()
        };
        if self.site.is_some() {
            return Ok(());
        }
        Err(format!("site is {text:?}; expected a host such as \"example.com\""))
    }

    /// Whether an entry with this scope is in force here. A text whose language
    /// is not known may be in any: the reader's entry is believed.
    pub(super) fn holds(&self, pair: Pair<'_>, site: Option<&str>) -> bool {
        let language = |wanted: &Option<String>, there: &str| {
            wanted.as_ref().is_none_or(|wanted| there == "und" || is_kind_of(there, wanted))
        };
        language(&self.source, pair.0)
            && language(&self.target, pair.1)
            && self.site.as_ref().is_none_or(|wanted| Some(wanted.as_str()) == site)
    }

    /// Whether both may be in force for one text.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        let languages = |one: &Option<String>, other: &Option<String>| {
            let both = one.as_deref().zip(other.as_deref());
            both.is_none_or(|(one, other)| is_kind_of(one, other) || is_kind_of(other, one))
        };
        languages(&self.source, &other.source)
            && languages(&self.target, &other.target)
            && self.site.as_ref().zip(other.site.as_ref()).is_none_or(|(one, other)| one == other)
    }

    /// Returns how narrow it is; the narrower wins.
    pub(super) fn narrowness(&self) -> u8 {
        4 * u8::from(self.site.is_some())
            + u8::from(self.source.is_some())
            + u8::from(self.target.is_some())
    }
}

/// Whether `tag` is `wanted` or has it before a hyphen.
#[must_use]
pub fn is_kind_of(tag: &str, wanted: &str) -> bool {
    let Some(start) = tag.get(..wanted.len()) else { return false };
    start.eq_ignore_ascii_case(wanted)
        && matches!(tag.as_bytes().get(wanted.len()), None | Some(b'-'))
}

fn is_tag(text: &str) -> bool {
    text.len() >= 2
        && text.split('-').all(|part| {
            (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric())
        })
}
