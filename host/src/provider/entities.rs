//! Character references of HTML and XML, read once: `&lt;`, `&#39;`, `&eacute;`.
//!
//! What no engine writes for plain text (mathematics, Greek by name) is left as
//! it stands, and so is what is no reference at all.

/// The names of U+00A0 to U+00FF, in order.
#[rustfmt::skip]
const LATIN: [&str; 96] = [
    "nbsp", "iexcl", "cent", "pound", "curren", "yen", "brvbar", "sect", "uml", "copy", "ordf",
    "laquo", "not", "shy", "reg", "macr", "deg", "plusmn", "sup2", "sup3", "acute", "micro",
    "para", "middot", "cedil", "sup1", "ordm", "raquo", "frac14", "frac12", "frac34", "iquest",
    "Agrave", "Aacute", "Acirc", "Atilde", "Auml", "Aring", "AElig", "Ccedil", "Egrave", "Eacute",
    "Ecirc", "Euml", "Igrave", "Iacute", "Icirc", "Iuml", "ETH", "Ntilde", "Ograve", "Oacute",
    "Ocirc", "Otilde", "Ouml", "times", "Oslash", "Ugrave", "Uacute", "Ucirc", "Uuml", "Yacute",
    "THORN", "szlig", "agrave", "aacute", "acirc", "atilde", "auml", "aring", "aelig", "ccedil",
    "egrave", "eacute", "ecirc", "euml", "igrave", "iacute", "icirc", "iuml", "eth", "ntilde",
    "ograve", "oacute", "ocirc", "otilde", "ouml", "divide", "oslash", "ugrave", "uacute", "ucirc",
    "uuml", "yacute", "thorn", "yuml",
];

/// Names of other characters that stand in ordinary text.
#[rustfmt::skip]
const OTHERS: &[(&str, char)] = &[
    ("lt", '<'), ("gt", '>'), ("amp", '&'), ("quot", '"'), ("apos", '\''),
    ("OElig", 'Œ'), ("oelig", 'œ'), ("Scaron", 'Š'), ("scaron", 'š'), ("Yuml", 'Ÿ'),
    ("ensp", '\u{2002}'), ("emsp", '\u{2003}'), ("thinsp", '\u{2009}'), ("zwnj", '\u{200c}'),
    ("zwj", '\u{200d}'), ("lrm", '\u{200e}'), ("rlm", '\u{200f}'), ("ndash", '–'), ("mdash", '—'),
    ("lsquo", '‘'), ("rsquo", '’'), ("sbquo", '‚'), ("ldquo", '“'), ("rdquo", '”'), ("bdquo", '„'),
    ("bull", '•'), ("hellip", '…'), ("prime", '′'), ("lsaquo", '‹'), ("rsaquo", '›'), ("euro", '€'),
    ("trade", '™'), ("larr", '←'), ("uarr", '↑'), ("rarr", '→'), ("darr", '↓'), ("minus", '−'),
];

/// No name and no number in use is longer, `;` left out.
const LONGEST: usize = 8;

/// Returns the text with its character references read, each once.
pub(super) fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().skip(1).take(LONGEST + 1).position(|byte| byte == b';');
        if let Some((c, len)) = end.and_then(|end| Some((character(&rest[1..=end])?, end + 2))) {
            out.push(c);
            rest = &rest[len..];
        } else {
            out.push('&');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out
}

fn character(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let hex = number.strip_prefix(['x', 'X']);
        let (digits, base) = hex.map_or((number, 10), |digits| (digits, 16));
        let code = u32::from_str_radix(digits, base).ok().filter(|_| !digits.starts_with('+'))?;
        return char::from_u32(code).filter(|c| *c != '\0');
    }
    let latin = || {
        let place = LATIN.iter().position(|latin| *latin == name)?;
        char::from_u32(0xa0 + u32::try_from(place).ok()?)
    };
    OTHERS.iter().find(|(other, _)| *other == name).map(|(_, c)| *c).or_else(latin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read_once_and_nothing_else_is_touched() {
        for (text, expected) in [
            ("It&#39;s &quot;ok&quot; &amp; done", "It's \"ok\" & done"),
            ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
            ("&eacute;&yuml;&nbsp;&szlig;&hellip;", "éÿ\u{a0}ß…"),
            ("&#x1F600;&#128512;&#X41;", "😀😀A"),
            ("a & b; &; &x &unknown; &verylongname;", "a & b; &; &x &unknown; &verylongname;"),
            ("&#0;&#xD800;&#+65;&#;&#x;&#x110000;", "&#0;&#xD800;&#+65;&#;&#x;&#x110000;"),
            ("&日本;", "&日本;"),
            ("&", "&"),
        ] {
            assert_eq!(decoded(text), expected, "{text}");
        }
    }
}
