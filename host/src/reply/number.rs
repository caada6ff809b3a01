//! Numbers in a text by their value, so that 1,000 equals 1.000 and 1.5 billion
//! equals 15억.

/// A number as it may be meant.
#[derive(Clone, Debug)]
pub(super) struct Number {
    /// How many digits were written.
    pub(super) digits: usize,
    /// Every value it may have: `1.000` is a thousand, or one.
    pub(super) values: Vec<f64>,
    /// Whether a word for a power of ten followed.
    pub(super) scaled: bool,
}

impl Number {
    /// Tells whether both may have the same value.
    pub(super) fn may_equal(&self, other: &Self) -> bool {
        self.values.iter().any(|a| other.values.iter().any(|b| near(*a, *b)))
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

/// Words for powers of ten, the longer first where one starts another.
const SCALES: &[(&str, f64)] = &[
    ("thousand", 1e3),
    ("million", 1e6),
    ("billion", 1e9),
    ("trillion", 1e12),
    ("millionen", 1e6),
    ("milliarden", 1e9),
    ("milliards", 1e9),
    ("milliard", 1e9),
    ("millones", 1e6),
    ("millón", 1e6),
    ("milhões", 1e6),
    ("milhão", 1e6),
    ("bilhões", 1e9),
    ("bilhão", 1e9),
    ("milioni", 1e6),
    ("miliardi", 1e9),
    ("tausend", 1e3),
    ("mille", 1e3),
    ("mil", 1e3),
    ("тысяч", 1e3),
    ("тыс", 1e3),
    ("миллион", 1e6),
    ("млн", 1e6),
    ("миллиард", 1e9),
    ("млрд", 1e9),
    ("mio", 1e6),
    ("mrd", 1e9),
    ("bn", 1e9),
    ("k", 1e3),
    ("m", 1e6),
    ("b", 1e9),
    ("백만", 1e6),
    ("천만", 1e7),
    ("십억", 1e9),
    ("백억", 1e10),
    ("만", 1e4),
    ("억", 1e8),
    ("조", 1e12),
    ("천", 1e3),
    ("백", 1e2),
    ("百万", 1e6),
    ("千万", 1e7),
    ("十億", 1e9),
    ("十亿", 1e9),
    ("万", 1e4),
    ("萬", 1e4),
    ("億", 1e8),
    ("亿", 1e8),
    ("兆", 1e12),
    ("千", 1e3),
    ("百", 1e2),
];

/// Returns the numbers of a text in order; parts such as `1억 5000만` are one.
pub(super) fn numbers(text: &str) -> Vec<Number> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c| digit(c).is_some()) {
        rest = &rest[at..];
        let (number, after) = compound(rest);
        out.push(number);
        rest = after;
    }
    out
}

fn compound(text: &str) -> (Number, &str) {
    let (mut number, mut rest, mut scale) = scaled(text);
    while scale >= 1e4 {
        let next = rest.strip_prefix(' ').unwrap_or(rest);
        if !next.starts_with(|c| digit(c).is_some()) {
            break;
        }
        let (more, after, smaller) = scaled(next);
        if smaller >= scale || !more.scaled && more.digits > 4 {
            break;
        }
        let sums = number.values.iter().flat_map(|a| more.values.iter().map(move |b| a + b));
        number.values = sums.take(8).collect();
        number.digits += more.digits;
        (rest, scale) = (after, smaller);
    }
    (number, rest)
}

/// Reads a number with the word for a power of ten after it, if there is one;
/// returns its scale, or one.
fn scaled(text: &str) -> (Number, &str, f64) {
    let (written, rest) = written(text);
    let digits = written.chars().filter(char::is_ascii_digit).count();
    let mut values = values(&written);
    let word = rest.trim_start_matches([' ', '\u{a0}', '\u{202f}', '-']);
    let lower: String = word.chars().take(12).flat_map(char::to_lowercase).collect();
    let fits = |(name, _): &&(&str, f64)| {
        let letters = name.is_ascii() || !name.starts_with(|c: char| c > '\u{2E80}');
        lower.strip_prefix(name).is_some_and(|after| {
            !letters || name.len() > 3 || !after.starts_with(char::is_alphabetic)
        })
    };
    let found = SCALES.iter().filter(fits).max_by_key(|(name, _)| name.len());
    let Some((name, scale)) = found else {
        return (Number { digits, values, scaled: false }, rest, 1.0);
    };
    // One letter may be a unit (`500 m`), or the start of another word.
    let plain = if name.chars().count() == 1 { values.clone() } else { Vec::new() };
    for value in &mut values {
        *value *= scale;
    }
    values.extend(plain);
    let length: usize = word.chars().take(name.chars().count()).map(char::len_utf8).sum();
    (Number { digits, values, scaled: true }, &word[length..], *scale)
}

/// Takes the digits and the separators between them; digits come out in ASCII.
fn written(text: &str) -> (String, &str) {
    let mut out = String::new();
    let mut end = 0;
    let mut waiting = None;
    for (at, c) in text.char_indices().take(64) {
        if let Some(digit) = digit(c) {
            out.extend(waiting.take());
            out.push(digit);
            end = at + c.len_utf8();
        } else if waiting.is_none()
            && separator(c).is_some()
            && groups(&text[at + c.len_utf8()..], c)
        {
            waiting = separator(c);
        } else {
            break;
        }
    }
    (out, &text[end..])
}

/// A blank groups digits only when exactly three follow.
fn groups(after: &str, separator: char) -> bool {
    let digits = after.chars().take(4).take_while(|c| digit(*c).is_some()).count();
    if separator.is_whitespace() { digits == 3 } else { digits > 0 }
}

fn separator(c: char) -> Option<char> {
    match c {
        ',' | '，' | '٬' => Some(','),
        '.' | '٫' => Some('.'),
        '\'' | '’' | ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' => Some('\''),
        _ => None,
    }
}

/// Returns the values of digits with separators: the last one may be a decimal
/// point, unless it came before or apostrophes do its work.
fn values(written: &str) -> Vec<f64> {
    let whole: String = written.chars().filter(char::is_ascii_digit).collect();
    let mut out: Vec<f64> = whole.parse().into_iter().collect();
    if let Some(at) = written.rfind(['.', ',']) {
        let (before, after) = (&written[..at], &written[at + 1..]);
        let before: String = before.chars().filter(char::is_ascii_digit).collect();
        out.extend(format!("{before}.{after}").parse::<f64>());
        if after.len() != 3 && out.len() > 1 {
            out.remove(0);
        }
    }
    out
}

/// The zeros of the digit sets that pages use besides ASCII.
const ZEROS: &[char] = &['٠', '۰', '०', '০', '๐', '０'];

fn digit(c: char) -> Option<char> {
    if c.is_ascii_digit() {
        return Some(c);
    }
    ZEROS.iter().find_map(|zero| {
        let value = u32::from(c).checked_sub(u32::from(*zero)).filter(|value| *value < 10)?;
        char::from_digit(value, 10)
    })
}
