//! Languages: the normal form of a BCP 47 tag, names, scripts, ISO 639-3 codes.
//!
//! It does not detect a language. What must stay true: an unknown language is
//! never an error here; it has no name and no script of its own.

/// Returns the tag in normal form (`zh-hant-tw` is `zh-Hant-TW`), or none when
/// it cannot be a tag.
///
/// Case by RFC 5646, section 2.1.1; `_` counts as `-`; the old codes `iw`,
/// `in`, `ji` and `no` become `he`, `id`, `yi` and `nb`. Extensions are kept in
/// lower case.
#[must_use]
pub fn normal(tag: &str) -> Option<String> {
    let tag = tag.trim();
    if tag.is_empty() || tag.len() > 64 {
        return None;
    }
    let mut parts = Vec::new();
    let mut extension = false;
    for (place, part) in tag.split(['-', '_']).enumerate() {
        if part.is_empty() || part.len() > 8 || !part.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return None;
        }
        let lower = part.to_ascii_lowercase();
        if place == 0 {
            if !(2..=8).contains(&part.len()) || !part.bytes().all(|b| b.is_ascii_alphabetic()) {
                return None;
            }
            parts.push(current(&lower).to_owned());
            continue;
        }
        extension |= part.len() == 1;
        parts.push(if extension { lower } else { cased(lower) });
    }
    Some(parts.join("-"))
}

/// Replaces the withdrawn codes that pages still carry.
fn current(primary: &str) -> &str {
    match primary {
        "iw" => "he",
        "in" => "id",
        "ji" => "yi",
        "no" => "nb",
        other => other,
    }
}

/// Writes a script in title case and a region in capitals.
fn cased(lower: String) -> String {
    let letters = lower.bytes().all(|b| b.is_ascii_alphabetic());
    match lower.len() {
        4 if letters => lower[..1].to_ascii_uppercase() + &lower[1..],
        2 if letters => lower.to_ascii_uppercase(),
        _ => lower,
    }
}

/// Returns the first part of a tag: `pt` of `pt-BR`.
#[must_use]
pub fn primary(tag: &str) -> &str {
    tag.split(['-', '_']).next().unwrap_or(tag)
}

/// One language that is known by name.
struct Language {
    /// ISO 639-1, or ISO 639-3 where there is none.
    code: &'static str,
    /// ISO 639-3.
    long: &'static str,
    /// In English, for prompts.
    name: &'static str,
    /// The scripts that its text is written in; one of them is enough.
    scripts: &'static [Script],
}

/// A script, as far as it tells languages apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Script {
    /// Latin letters.
    Latin,
    /// Korean syllables and letters.
    Hangul,
    /// Hiragana and katakana.
    Kana,
    /// Chinese characters.
    Han,
    /// Cyrillic letters.
    Cyrillic,
    /// Arabic letters.
    Arabic,
    /// Hebrew letters.
    Hebrew,
    /// Thai letters.
    Thai,
    /// Devanagari, as for Hindi.
    Devanagari,
    /// Greek letters.
    Greek,
    /// Bengali letters.
    Bengali,
    /// Tamil letters.
    Tamil,
    /// Telugu letters.
    Telugu,
    /// Georgian letters.
    Georgian,
    /// Armenian letters.
    Armenian,
    /// Khmer letters.
    Khmer,
    /// Lao letters.
    Lao,
    /// Burmese letters.
    Myanmar,
    /// Ethiopic syllables, as for Amharic.
    Ethiopic,
    /// Any other script of the world.
    Other,
}

const fn language(
    code: &'static str,
    long: &'static str,
    name: &'static str,
    scripts: &'static [Script],
) -> Language {
    Language { code, long, name, scripts }
}

const LATIN: &[Script] = &[Script::Latin];
const CYRILLIC: &[Script] = &[Script::Cyrillic];
const ARABIC: &[Script] = &[Script::Arabic];
const HEBREW: &[Script] = &[Script::Hebrew];
const DEVANAGARI: &[Script] = &[Script::Devanagari];

/// The languages that readers ask for most; codes from ISO 639, names from CLDR.
const LANGUAGES: &[Language] = &[
    language("af", "afr", "Afrikaans", LATIN),
    language("am", "amh", "Amharic", &[Script::Ethiopic]),
    language("an", "arg", "Aragonese", LATIN),
    language("ar", "ara", "Arabic", ARABIC),
    language("ast", "ast", "Asturian", LATIN),
    language("be", "bel", "Belarusian", CYRILLIC),
    language("bg", "bul", "Bulgarian", CYRILLIC),
    language("bn", "ben", "Bangla", &[Script::Bengali]),
    language("br", "bre", "Breton", LATIN),
    language("ca", "cat", "Catalan", LATIN),
    language("cs", "ces", "Czech", LATIN),
    language("cy", "cym", "Welsh", LATIN),
    language("da", "dan", "Danish", LATIN),
    language("de", "deu", "German", LATIN),
    language("el", "ell", "Greek", &[Script::Greek]),
    language("en", "eng", "English", LATIN),
    language("eo", "epo", "Esperanto", LATIN),
    language("es", "spa", "Spanish", LATIN),
    language("et", "est", "Estonian", LATIN),
    language("eu", "eus", "Basque", LATIN),
    language("fa", "fas", "Persian", ARABIC),
    language("fi", "fin", "Finnish", LATIN),
    language("fil", "fil", "Filipino", LATIN),
    language("fr", "fra", "French", LATIN),
    language("ga", "gle", "Irish", LATIN),
    language("gl", "glg", "Galician", LATIN),
    language("he", "heb", "Hebrew", HEBREW),
    language("hi", "hin", "Hindi", DEVANAGARI),
    language("hr", "hrv", "Croatian", LATIN),
    language("hu", "hun", "Hungarian", LATIN),
    language("hy", "hye", "Armenian", &[Script::Armenian]),
    language("id", "ind", "Indonesian", LATIN),
    language("is", "isl", "Icelandic", LATIN),
    language("it", "ita", "Italian", LATIN),
    language("ja", "jpn", "Japanese", &[Script::Kana, Script::Han]),
    language("ka", "kat", "Georgian", &[Script::Georgian]),
    language("kk", "kaz", "Kazakh", &[Script::Cyrillic, Script::Latin]),
    language("km", "khm", "Khmer", &[Script::Khmer]),
    language("ko", "kor", "Korean", &[Script::Hangul]),
    language("la", "lat", "Latin", LATIN),
    language("lo", "lao", "Lao", &[Script::Lao]),
    language("lt", "lit", "Lithuanian", LATIN),
    language("lv", "lav", "Latvian", LATIN),
    language("mk", "mkd", "Macedonian", CYRILLIC),
    language("mn", "mon", "Mongolian", CYRILLIC),
    language("mr", "mar", "Marathi", DEVANAGARI),
    language("ms", "msa", "Malay", LATIN),
    language("mt", "mlt", "Maltese", LATIN),
    language("my", "mya", "Burmese", &[Script::Myanmar]),
    language("nb", "nob", "Norwegian Bokmål", LATIN),
    language("ne", "nep", "Nepali", DEVANAGARI),
    language("nl", "nld", "Dutch", LATIN),
    language("nn", "nno", "Norwegian Nynorsk", LATIN),
    language("oc", "oci", "Occitan", LATIN),
    language("pl", "pol", "Polish", LATIN),
    language("pt", "por", "Portuguese", LATIN),
    language("ro", "ron", "Romanian", LATIN),
    language("ru", "rus", "Russian", CYRILLIC),
    language("sk", "slk", "Slovak", LATIN),
    language("sl", "slv", "Slovenian", LATIN),
    language("sq", "sqi", "Albanian", LATIN),
    language("sr", "srp", "Serbian", &[Script::Cyrillic, Script::Latin]),
    language("sv", "swe", "Swedish", LATIN),
    language("sw", "swa", "Swahili", LATIN),
    language("ta", "tam", "Tamil", &[Script::Tamil]),
    language("te", "tel", "Telugu", &[Script::Telugu]),
    language("th", "tha", "Thai", &[Script::Thai]),
    language("tr", "tur", "Turkish", LATIN),
    language("uk", "ukr", "Ukrainian", CYRILLIC),
    language("ur", "urd", "Urdu", ARABIC),
    language("vi", "vie", "Vietnamese", LATIN),
    language("yi", "yid", "Yiddish", HEBREW),
    language("zh", "zho", "Chinese", &[Script::Han]),
];

fn find(tag: &str) -> Option<&'static Language> {
    let lower = primary(tag).to_ascii_lowercase();
    let code = current(&lower);
    LANGUAGES.iter().find(|l| l.code == code || l.long == code)
}

/// Returns the name in English with the tag, as prompts want it: `Korean (ko)`,
/// `Chinese (zh-Hant)`; the bare tag when the language is not known.
#[must_use]
pub fn described(tag: &str) -> String {
    find(tag).map_or_else(|| tag.to_owned(), |l| format!("{} ({tag})", l.name))
}

/// Returns the ISO 639-3 code that Apertium's pairs are named by; a code that
/// is not known is returned as it stands.
#[must_use]
pub fn three_letters(tag: &str) -> String {
    find(tag).map_or_else(|| primary(tag).to_ascii_lowercase(), |l| l.long.to_owned())
}

/// Returns the scripts of which a text in this language contains at least one;
/// none when that is not known. A script part of the tag (`sr-Latn`) wins.
#[must_use]
pub fn scripts(tag: &str) -> &'static [Script] {
    match tag.split(['-', '_']).nth(1).map(str::to_ascii_lowercase).as_deref() {
        Some("latn") => LATIN,
        Some("cyrl") => CYRILLIC,
        Some("arab") => ARABIC,
        _ => find(tag).map_or(&[], |l| l.scripts),
    }
}

/// Tells whether the language is written in a script other than Latin, so that
/// an untranslated text can be seen by its letters.
#[must_use]
pub fn has_own_script(tag: &str) -> bool {
    let scripts = scripts(tag);
    !scripts.is_empty() && !scripts.contains(&Script::Latin)
}

/// Returns the script of a letter, or none for anything else.
#[must_use]
pub fn script_of(c: char) -> Option<Script> {
    if !c.is_alphabetic() {
        return None;
    }
    Some(match u32::from(c) {
        0x41..=0x24F | 0x1E00..=0x1EFF | 0xFF21..=0xFF5A => Script::Latin,
        0x370..=0x3FF | 0x1F00..=0x1FFF => Script::Greek,
        0x400..=0x52F | 0x1C80..=0x1C8F => Script::Cyrillic,
        0x531..=0x58F => Script::Armenian,
        0x590..=0x5FF | 0xFB1D..=0xFB4F => Script::Hebrew,
        0x600..=0x6FF | 0x750..=0x77F | 0x8A0..=0x8FF | 0xFB50..=0xFDFF | 0xFE70..=0xFEFF => {
            Script::Arabic
        }
        0x900..=0x97F => Script::Devanagari,
        0x980..=0x9FF => Script::Bengali,
        0xB80..=0xBFF => Script::Tamil,
        0xC00..=0xC7F => Script::Telugu,
        0xE00..=0xE7F => Script::Thai,
        0xE80..=0xEFF => Script::Lao,
        0x1000..=0x109F => Script::Myanmar,
        0x10A0..=0x10FF | 0x1C90..=0x1CBF => Script::Georgian,
        0x1200..=0x139F => Script::Ethiopic,
        0x1780..=0x17FF => Script::Khmer,
        0x1100..=0x11FF | 0x3130..=0x318F | 0xA960..=0xA97F | 0xAC00..=0xD7FF => Script::Hangul,
        0x3041..=0x30FF | 0x31F0..=0x31FF | 0xFF66..=0xFF9D => Script::Kana,
        0x3005
        | 0x3007
        | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF
        | 0xF900..=0xFAFF
        | 0x2_0000..=0x3_FFFF => Script::Han,
        _ => Script::Other,
    })
}

/// Tells whether the text has a letter of a script of this language.
#[must_use]
pub fn shows(text: &str, tag: &str) -> bool {
    let wanted = scripts(tag);
    text.chars().filter_map(script_of).any(|script| wanted.contains(&script))
}

/// Tells whether a character is of a script that puts no space between words, or
/// lets particles follow without one (Hangul).
#[must_use]
pub fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0e00..=0x0eff // Thai, Lao
        | 0x1000..=0x109f // Myanmar
        | 0x1100..=0x11ff // Hangul jamo
        | 0x1780..=0x17ff // Khmer
        | 0x2e80..=0x2fdf // CJK radicals
        | 0x3005..=0x3007
        | 0x3040..=0x30ff // kana
        | 0x3100..=0x31ff // bopomofo, compatibility jamo, kana extensions
        | 0x3400..=0x4dbf
        | 0x4e00..=0x9fff // Han
        | 0xa960..=0xa97f
        | 0xac00..=0xd7ff // Hangul
        | 0xf900..=0xfaff
        | 0xff66..=0xffdc // half-width kana and Hangul
        | 0x1b000..=0x1b16f
        | 0x20000..=0x3ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tag: &str, expected: Option<&str>) {
        assert_eq!(normal(tag).as_deref(), expected, "{tag}");
    }

    #[test]
    fn tags_get_their_normal_case_and_current_codes() {
        check("EN", Some("en"));
        check("zh-hant-tw", Some("zh-Hant-TW"));
        check("pt_br", Some("pt-BR"));
        check("iw", Some("he"));
        check("en-u-CA-gregory", Some("en-u-ca-gregory"));
        check("es-419", Some("es-419"));
        for bad in ["", "e", "1x", "en--US", "en-ü", "en US"] {
            check(bad, None);
        }
    }

    #[test]
    fn names_codes_and_scripts_come_from_one_table() {
        assert_eq!(described("ko"), "Korean (ko)");
        assert_eq!(described("zh-Hant"), "Chinese (zh-Hant)");
        assert_eq!(described("xx"), "xx");
        assert_eq!(three_letters("en-GB"), "eng");
        assert_eq!(three_letters("spa"), "spa");
        assert_eq!(three_letters("quz"), "quz");
        assert_eq!(scripts("ja"), [Script::Kana, Script::Han]);
        assert_eq!(scripts("sr-Latn"), [Script::Latin]);
        assert!(has_own_script("uk") && !has_own_script("fr") && !has_own_script("xx"));
    }

    #[test]
    fn a_text_shows_its_language_by_its_letters() {
        assert!(shows("더 보기", "ko"));
        assert!(!shows("Read more", "ko"));
        assert!(shows("漢字", "ja") && shows("かな", "ja") && shows("漢字", "zh"));
        assert!(shows("Привет", "ru") && shows("مرحبا", "ar") && shows("שלום", "he"));
        assert!(shows("สวัสดี", "th") && shows("नमस्ते", "hi") && shows("Γεια", "el"));
        assert!(!shows("123", "ko"));
    }
}
