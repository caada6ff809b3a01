//! What the engines call the languages.
//!
//! A table names only what differs from the first part of the tag. What an
//! engine may have or not is passed on, and the engine says it; only what it
//! surely lacks is refused here, at no cost.

use crate::language;
use crate::provider::Ask;
use crate::verdict::Failure;

/// A tag, or the beginning of one, and its code; an empty code says that the
/// engine does not have it.
type Rows = &'static [(&'static str, &'static str)];

/// The languages of an engine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Codes {
    /// In both directions.
    rows: Rows,
    /// As a target only; they come before the others.
    targets: Rows,
    /// Whether `rows` are all that it has.
    closed: bool,
    /// Whether codes are in capitals, and a source has no variants.
    capitals: bool,
    /// The only pairs that it has, in both directions; none = any.
    pairs: &'static [(&'static str, &'static [&'static str])],
}

const ANY: Codes = Codes { rows: &[], targets: &[], closed: false, capitals: false, pairs: &[] };

/// Source: developers.deepl.com/docs/getting-started/supported-languages.
#[rustfmt::skip]
pub(super) const DEEPL: Codes = Codes {
    rows: &[("fil", "TL")],
    targets: &[
        ("en-AU", "EN-GB"), ("en-GB", "EN-GB"), ("en-IE", "EN-GB"), ("en-IN", "EN-GB"),
        ("en-NZ", "EN-GB"), ("en-ZA", "EN-GB"), ("en", "EN-US"),
        ("pt-AO", "PT-PT"), ("pt-MZ", "PT-PT"), ("pt-PT", "PT-PT"), ("pt", "PT-BR"),
        ("es-419", "ES-419"), ("es-AR", "ES-419"), ("es-CL", "ES-419"), ("es-CO", "ES-419"),
        ("es-MX", "ES-419"), ("es-PE", "ES-419"), ("es-US", "ES-419"),
        ("zh-Hans", "ZH-HANS"), ("zh-Hant", "ZH-HANT"), ("zh-HK", "ZH-HANT"),
        ("zh-MO", "ZH-HANT"), ("zh-TW", "ZH-HANT"), ("zh", "ZH-HANS"),
    ],
    capitals: true,
    ..ANY
};

/// Source: cloud.google.com/translate/docs/languages. The old codes are those
/// that both the Cloud's and the web's endpoint know.
#[rustfmt::skip]
pub(super) const GOOGLE: Codes = Codes {
    rows: &[
        ("fil", "tl"), ("he", "iw"), ("jv", "jw"), ("mni-Mtei", "mni-Mtei"), ("ms-Arab", "ms-Arab"),
        ("nb", "no"), ("nn", ""), ("pa-Arab", "pa-Arab"), ("pt-PT", "pt-PT"),
        ("zh-Hans", "zh-CN"), ("zh-Hant", "zh-TW"), ("zh-HK", "zh-TW"), ("zh-MO", "zh-TW"),
        ("zh-TW", "zh-TW"), ("zh", "zh-CN"),
    ],
    ..ANY
};

/// Source: learn.microsoft.com/azure/ai-services/translator/language-support.
#[rustfmt::skip]
pub(super) const MICROSOFT: Codes = Codes {
    rows: &[
        ("ckb", "ku"), ("fr-CA", "fr-CA"), ("iu-Latn", "iu-Latn"), ("mn-Mong", "mn-Mong"),
        ("mn", "mn-Cyrl"), ("nn", ""), ("pt-PT", "pt-PT"), ("sr-Latn", "sr-Latn"),
        ("sr", "sr-Cyrl"), ("tl", "fil"), ("tlh", "tlh-Latn"),
        ("zh-Hans", "zh-Hans"), ("zh-Hant", "zh-Hant"), ("zh-HK", "zh-Hant"),
        ("zh-MO", "zh-Hant"), ("zh-TW", "zh-Hant"), ("zh", "zh-Hans"),
    ],
    ..ANY
};

/// The names of its models, which servers of all ages know.
/// Source: LibreTranslate's guide to supported languages.
#[rustfmt::skip]
pub(super) const LIBRETRANSLATE: Codes = Codes {
    rows: &[
        ("fil", "tl"), ("pt-BR", "pb"), ("zh-Hans", "zh"), ("zh-Hant", "zt"), ("zh-HK", "zt"),
        ("zh-MO", "zt"), ("zh-TW", "zt"), ("zh", "zh"),
    ],
    ..ANY
};

/// Source: api.ncloud-docs.com/docs/ai-naver-papagonmt-translation.
#[rustfmt::skip]
pub(super) const PAPAGO: Codes = Codes {
    rows: &[
        ("de", "de"), ("en", "en"), ("es", "es"), ("fr", "fr"), ("id", "id"), ("it", "it"),
        ("ja", "ja"), ("ko", "ko"), ("ru", "ru"), ("th", "th"), ("vi", "vi"),
        ("zh-Hans", "zh-CN"), ("zh-Hant", "zh-TW"), ("zh-HK", "zh-TW"), ("zh-MO", "zh-TW"),
        ("zh-TW", "zh-TW"), ("zh", "zh-CN"),
    ],
    closed: true,
    pairs: &[
        ("ko", &["en", "ja", "zh-CN", "zh-TW", "vi", "th", "id", "fr", "es", "ru", "de", "it"]),
        ("en", &["ja", "zh-CN", "zh-TW", "vi", "th", "id", "fr", "es", "ru", "de"]),
        ("ja", &["zh-CN", "zh-TW", "vi", "th", "id", "fr"]),
        ("zh-CN", &["zh-TW"]),
    ],
    ..ANY
};

/// Source: yandex.cloud/docs/translate/concepts/supported-languages.
#[rustfmt::skip]
pub(super) const YANDEX: Codes = Codes {
    rows: &[
        ("fil", "tl"), ("kk-Latn", "kazlat"), ("nb", "no"), ("nn", ""), ("pt-BR", "pt-BR"),
        ("sr-Latn", "sr-Latn"), ("uz-Cyrl", "uzbcyr"),
    ],
    // It writes Chinese in simplified characters only.
    targets: &[("zh-Hant", ""), ("zh-HK", ""), ("zh-MO", ""), ("zh-TW", "")],
    ..ANY
};

impl Codes {
    /// Returns the source's code, none when it is to be detected, and the target's.
    ///
    /// # Errors
    /// [`Failure::UnsupportedPair`] for a language that the engine surely lacks,
    /// and for two names of the same.
    pub(super) fn pair(&self, ask: &Ask) -> Result<(Option<String>, String), Failure> {
        let named = |tag: &&str| !matches!(*tag, "" | "auto" | "und");
        let source = ask.source.as_deref().map(str::trim).filter(named);
        let source = source.map(|tag| self.code(tag, &[])).transpose()?;
        let target = self.code(&ask.target, self.targets)?;
        let told = source.as_deref();
        let fits = told.is_none_or(|source| !self.is_same(source, &target))
            && told.is_none_or(|source| self.has(source, &target));
        if fits { Ok((source, target)) } else { Err(Failure::UnsupportedPair) }
    }

    fn code(&self, tag: &str, first: Rows) -> Result<String, Failure> {
        let tag = language::normal(tag).ok_or(Failure::UnsupportedPair)?;
        let begins = |row: &&(&str, &str)| {
            tag.strip_prefix(row.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        let row = first.iter().find(begins).or_else(|| self.rows.iter().find(begins));
        let primary = language::primary(&tag);
        match row.map(|(_, code)| *code) {
            Some("") => Err(Failure::UnsupportedPair),
            Some(code) => Ok(code.to_owned()),
            None if self.closed => Err(Failure::UnsupportedPair),
            None if self.capitals => Ok(primary.to_ascii_uppercase()),
            None => Ok(primary.to_owned()),
        }
    }

    fn is_same(&self, source: &str, target: &str) -> bool {
        source == target || self.capitals && source == language::primary(target)
    }

    fn has(&self, source: &str, target: &str) -> bool {
        let listed = |one: &str, other: &str| {
            self.pairs.iter().any(|(from, to)| *from == one && to.contains(&other))
        };
        self.pairs.is_empty() || listed(source, target) || listed(target, source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(codes: Codes, source: &str, target: &str, expected: Option<(&str, &str)>) {
        let ask = Ask {
            source: Some(source.to_owned()).filter(|source| !source.is_empty()),
            target: target.to_owned(),
            ..Ask::default()
        };
        let found = codes.pair(&ask).ok();
        let found = found.map(|(source, target)| (source.unwrap_or_default(), target));
        let expected = expected.map(|(source, target)| (source.to_owned(), target.to_owned()));
        assert_eq!(found, expected, "{source} {target}");
    }

    #[test]
    fn each_engine_is_told_its_own_codes() {
        check(DEEPL, "en-GB", "ko", Some(("EN", "KO")));
        check(DEEPL, "no", "en", Some(("NB", "EN-US")));
        check(DEEPL, "de", "en-AU", Some(("DE", "EN-GB")));
        check(DEEPL, "zh-TW", "pt-PT", Some(("ZH", "PT-PT")));
        check(DEEPL, "pt-BR", "zh-hant-hk", Some(("PT", "ZH-HANT")));
        check(DEEPL, "", "pt", Some(("", "PT-BR")));
        check(DEEPL, "iw", "es-MX", Some(("HE", "ES-419")));
        check(GOOGLE, "he", "zh_tw", Some(("iw", "zh-TW")));
        check(GOOGLE, "nb-NO", "jv", Some(("no", "jw")));
        check(GOOGLE, "auto", "pt-BR", Some(("", "pt")));
        check(GOOGLE, "und", "pt-PT", Some(("", "pt-PT")));
        check(GOOGLE, "fil", "fr-CA", Some(("tl", "fr")));
        check(MICROSOFT, "zh-TW", "sr", Some(("zh-Hant", "sr-Cyrl")));
        check(MICROSOFT, "tl", "nb", Some(("fil", "nb")));
        check(LIBRETRANSLATE, "zh-Hant", "pt-BR", Some(("zt", "pb")));
        check(LIBRETRANSLATE, "nb", "zh-CN", Some(("nb", "zh")));
        check(PAPAGO, "en-US", "zh-TW", Some(("en", "zh-TW")));
        check(PAPAGO, "it", "ko", Some(("it", "ko")));
        check(YANDEX, "no", "pt-BR", Some(("no", "pt-BR")));
        check(YANDEX, "zh-TW", "uz-Cyrl-UZ", Some(("zh", "uzbcyr")));
    }

    #[test]
    fn a_language_that_an_engine_lacks_costs_no_call() {
        check(GOOGLE, "en", "nn", None);
        check(PAPAGO, "en", "pt", None);
        check(PAPAGO, "sv", "ko", None);
        check(PAPAGO, "fr", "es", None);
        check(PAPAGO, "it", "en", None);
        check(YANDEX, "en", "zh-Hant", None);
        check(DEEPL, "en", "not a tag", None);
    }

    #[test]
    fn a_language_is_not_translated_into_itself() {
        check(DEEPL, "en-GB", "en-US", None);
        check(DEEPL, "zh", "zh-Hant", None);
        check(GOOGLE, "en-GB", "en", None);
        check(GOOGLE, "no", "nb", None);
        check(PAPAGO, "zh-Hans", "zh-TW", Some(("zh-CN", "zh-TW")));
        check(MICROSOFT, "zh-CN", "zh-TW", Some(("zh-Hans", "zh-Hant")));
    }
}
