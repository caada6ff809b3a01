//! Which entries a command is about.

use clap::Args;

use crate::dictionary::{Scope, is_kind_of};
use crate::exchange::Record;

#[derive(Clone, Debug, Default, Args)]
pub struct Choice {
    /// Only of this site, such as example.com; `cli` is the command line
    #[arg(long, value_name = "SITE", value_parser = site)]
    site: Option<String>,
    /// Only between these languages, such as "en>ko" or "*>ko"; those whose language was detected
    /// are "und"
    #[arg(long, value_name = "PAIR", value_parser = pair)]
    pair: Option<Scope>,
    /// Only to this language
    #[arg(long, value_name = "LANG")]
    target: Option<String>,
    /// Only of this engine, as `cache stats` names it
    #[arg(long, value_name = "ENGINE")]
    engine: Option<String>,
    /// Only of engines of this kind, such as gemini
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// Only what was not used for so many days
    #[arg(long, value_name = "DAYS")]
    unused_days: Option<u32>,
}

impl Choice {
    /// Whether it chooses everything.
    pub fn is_all(&self) -> bool {
        self.site.is_none()
            && self.pair.is_none()
            && self.target.is_none()
            && self.engine.is_none()
            && self.kind.is_none()
            && self.unused_days.is_none()
    }

    /// Whether a correction may be in force for what is chosen; it is of no
    /// engine and has no days.
    pub fn meets(&self, scope: &Scope) -> bool {
        let of_machines =
            self.engine.is_some() || self.kind.is_some() || self.unused_days.is_some();
        let pair = self.pair.clone().unwrap_or_default();
        let here = Scope { site: self.site.clone(), ..pair };
        let target = Scope { target: self.target.clone(), ..Scope::default() };
        !of_machines && scope.meets(&here) && scope.meets(&target)
    }

    /// Whether an entry fits every part that is there.
    pub fn fits(&self, record: &Record, today: i64) -> bool {
        let language = |wanted: &Option<String>, there: &str| {
            wanted.as_ref().is_none_or(|wanted| is_kind_of(there, wanted))
        };
        let is_of_kind = |kind: &String| {
            record.engine.strip_prefix(kind.as_str()).is_some_and(|rest| rest.starts_with('|'))
        };
        let is_unused = |days: u32| record.used_day < today - i64::from(days);
        self.site.as_ref().is_none_or(|site| Some(site) == record.site.as_ref())
            && self.pair.as_ref().is_none_or(|pair| {
                language(&pair.source, &record.source_language)
                    && language(&pair.target, &record.target_language)
            })
            && language(&self.target, &record.target_language)
            && self.engine.as_ref().is_none_or(|engine| *engine == record.engine)
            && self.kind.as_ref().is_none_or(is_of_kind)
            && self.unused_days.is_none_or(is_unused)
    }
}

pub fn site(text: &str) -> Result<String, String> {
    let mut scope = Scope::default();
    scope.set_site(text)?;
    scope.site.ok_or_else(|| "no site has this name".to_owned())
}

fn pair(text: &str) -> Result<Scope, String> {
    let mut scope = Scope::default();
    scope.set_pair(text)?;
    Ok(scope)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::Key;

    fn record() -> Record {
        Record {
            key: Key([0; 16]),
            source: "a".into(),
            translation: "b".into(),
            source_language: "en-GB".into(),
            target_language: "ko".into(),
            engine: "gemini|host:443|m|p1|".into(),
            site: Some("example.com".into()),
            created_day: 100,
            used_day: 100,
        }
    }

    fn check(choice: &Choice, expected: bool) {
        assert_eq!(choice.fits(&record(), 110), expected, "{choice:?}");
        assert!(!choice.is_all(), "{choice:?}");
    }

    #[test]
    fn an_entry_fits_when_every_part_fits() {
        let none = Choice::default;
        assert!(none().fits(&record(), 110) && none().is_all());
        for (text, expected) in
            [("en>ko", true), ("en-GB>*", true), ("*>ko", true), ("e>ko", false), ("und>ko", false)]
        {
            let Ok(pair) = pair(text) else { continue };
            check(&Choice { pair: Some(pair), ..none() }, expected);
        }
        for (days, expected) in [(9, true), (10, false), (u32::MAX, false)] {
            check(&Choice { unused_days: Some(days), ..none() }, expected);
        }
        for (kind, expected) in [("gemini", true), ("gem", false), ("", false)] {
            check(&Choice { kind: Some(kind.into()), ..none() }, expected);
        }
        let site = |text: &str| Some(site(text).unwrap());
        check(&Choice { site: site("www.example.com"), ..none() }, true);
        check(&Choice { site: site("cli"), ..none() }, false);
        check(&Choice { target: Some("en".into()), site: site("example.com"), ..none() }, false);
        check(&Choice { engine: Some("gemini|host:443|m|p1|".into()), ..none() }, true);
        check(&Choice { engine: Some("gemini".into()), ..none() }, false);
    }

    #[test]
    fn what_is_no_pair_or_site_is_refused() {
        assert!(pair("en").is_err() && pair("en>").is_err());
        assert!(site("").is_err());
    }
}
