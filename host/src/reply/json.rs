//! A lenient reader of JSON that says how far it got.
//!
//! Beyond the standard it takes raw control characters in strings, trailing
//! commas, bare keys, single and smart quotes, lone surrogates, and an end in
//! the middle. It goes at most [`MAX_DEPTH`] deep and never re-reads a byte.

use std::iter::Peekable;
use std::str::CharIndices;

/// Deeper than any answer is: the schema echoed around it is four deep.
pub(super) const MAX_DEPTH: usize = 8;

/// A value as far as it could be read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    /// Members in the order of the text; a key may come twice.
    Object(Vec<(String, Json)>),
    /// Elements in order.
    Array(Vec<Json>),
    /// A complete string.
    Text(String),
    /// A string with bare quotes inside: where it ends is a guess.
    Torn,
    /// A number.
    Number(String),
    /// `true`, `false`, `null`, or another bare word.
    Word,
}

/// A value, where it ended, and whether the text ended before it.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) value: Json,
    /// Bytes from the start of the text.
    pub(super) end: usize,
    pub(super) complete: bool,
}

/// Reads the value that starts at the start of `text`.
///
/// # Errors
/// The number of bytes that were looked at when it turned out to be none.
pub(super) fn read(text: &str) -> Result<Read, usize> {
    let mut reader = Reader { text, chars: text.char_indices().peekable(), cut: false };
    match reader.value(0) {
        Some(value) => Ok(Read { value, end: reader.at(), complete: !reader.cut }),
        None => Err(reader.at()),
    }
}

struct Reader<'a> {
    text: &'a str,
    chars: Peekable<CharIndices<'a>>,
    /// Whether the text ended inside a value.
    cut: bool,
}

impl Reader<'_> {
    fn at(&mut self) -> usize {
        self.chars.peek().map_or(self.text.len(), |(at, _)| *at)
    }

    fn peek(&mut self) -> Option<char> {
        self.chars.peek().map(|(_, c)| *c)
    }

    fn skip_blank(&mut self) {
        while self.chars.next_if(|(_, c)| c.is_whitespace()).is_some() {}
    }

    /// Reads a value; none when there is none, or it is cut before it began.
    fn value(&mut self, depth: usize) -> Option<Json> {
        self.skip_blank();
        match self.peek() {
            None => {
                self.cut = true;
                None
            }
            Some('{') if depth < MAX_DEPTH => self.object(depth),
            Some('[') if depth < MAX_DEPTH => self.array(depth),
            Some('{' | '[') => None,
            Some(quote) if closer(quote).is_some() => self.string(false),
            Some(_) => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Json> {
        self.chars.next();
        let mut members = Vec::new();
        loop {
            self.skip_blank();
            match self.peek() {
                None => {
                    self.cut = true;
                    return Some(Json::Object(members));
                }
                Some('}') => {
                    self.chars.next();
                    return Some(Json::Object(members));
                }
                Some(',') => {
                    self.chars.next();
                    continue;
                }
                Some(_) => {}
            }
            let Some(key) = self.key() else {
                return self.broken(members);
            };
            match self.value(depth + 1) {
                Some(value) => members.push((key, value)),
                None => return self.broken(members),
            }
            if self.cut {
                return Some(Json::Object(members));
            }
            self.skip_blank();
            if !matches!(self.peek(), None | Some(',' | '}')) {
                return self.broken(members);
            }
        }
    }

    /// An object that goes wrong after its first members is taken as cut there;
    /// one that goes wrong at once is none.
    fn broken(&mut self, members: Vec<(String, Json)>) -> Option<Json> {
        self.cut |= !members.is_empty();
        self.cut.then_some(Json::Object(members))
    }

    /// Reads a key and its colon.
    fn key(&mut self) -> Option<String> {
        let key = match self.peek()? {
            quote if closer(quote).is_some() => match self.string(true)? {
                Json::Text(key) => key,
                _ => return None,
            },
            _ => self.bare(),
        };
        self.skip_blank();
        if self.peek().is_none() {
            self.cut = true;
            return None;
        }
        self.chars.next_if(|(_, c)| *c == ':').filter(|_| !key.is_empty())?;
        Some(key)
    }

    fn array(&mut self, depth: usize) -> Option<Json> {
        self.chars.next();
        let mut elements = Vec::new();
        loop {
            self.skip_blank();
            match self.peek() {
                None => self.cut = true,
                Some(']') => _ = self.chars.next(),
                Some(',') => {
                    self.chars.next();
                    continue;
                }
                Some(_) => {
                    match self.value(depth + 1) {
                        Some(value) => elements.push(value),
                        None if !self.cut => return None,
                        None => {}
                    }
                    self.skip_blank();
                    if !self.cut && matches!(self.peek(), None | Some(',' | ']')) {
                        continue;
                    }
                    if !self.cut {
                        return None;
                    }
                }
            }
            return Some(Json::Array(elements));
        }
    }

    /// Reads letters, digits and the signs of numbers.
    fn bare(&mut self) -> String {
        let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '+' | '.');
        let mut out = String::new();
        while let Some((_, c)) = self.chars.next_if(|(_, c)| fits(*c)) {
            out.push(c);
        }
        out
    }

    fn word(&mut self) -> Option<Json> {
        let word = self.bare();
        // A number at the very end may go on.
        self.cut |= self.peek().is_none();
        if word.parse::<f64>().is_ok() {
            return Some(Json::Number(word));
        }
        matches!(word.as_str(), "true" | "false" | "null" | "None").then_some(Json::Word)
    }

    /// Reads a string; none when the text ends in it.
    fn string(&mut self, key: bool) -> Option<Json> {
        let (_, open) = self.chars.next()?;
        let close = closer(open)?;
        let mut out = String::new();
        let mut torn = false;
        while let Some((at, c)) = self.chars.next() {
            if c == '\\' {
                escaped(&mut self.chars, &mut out);
            } else if c == close {
                if ends_here(&self.text[at + c.len_utf8()..], key) {
                    return Some(if torn { Json::Torn } else { Json::Text(out) });
                }
                torn |= c == '"';
                out.push(c);
            } else {
                out.push(c);
            }
        }
        self.cut = true;
        None
    }
}

fn closer(quote: char) -> Option<char> {
    match quote {
        '"' => Some('"'),
        '\'' => Some('\''),
        '“' | '„' => Some('”'),
        '‘' => Some('’'),
        _ => None,
    }
}

/// Tells whether a quote ends its string: a colon follows a key, a separator or
/// nothing follows a value.
fn ends_here(after: &str, key: bool) -> bool {
    let rest = after.trim_start();
    match rest.chars().next() {
        None => true,
        next if key => next == Some(':'),
        Some('}' | ']') => true,
        Some(',') => {
            let next = rest[1..].trim_start().chars().next();
            next.is_none_or(|c| {
                closer(c).is_some() || c.is_ascii_alphanumeric() || "{[]}-,".contains(c)
            })
        }
        Some(_) => false,
    }
}

/// Reads what follows a backslash. What is no escape is kept as it stands.
fn escaped(chars: &mut Peekable<CharIndices<'_>>, out: &mut String) {
    let Some((_, c)) = chars.next() else { return };
    match c {
        'n' => out.push('\n'),
        't' => out.push('\t'),
        'r' => out.push('\r'),
        'b' => out.push('\u{8}'),
        'f' => out.push('\u{c}'),
        'u' => out.push(unicode(chars)),
        '"' | '\\' | '/' | '\'' => out.push(c),
        other => {
            out.push('\\');
            out.push(other);
        }
    }
}

fn unicode(chars: &mut Peekable<CharIndices<'_>>) -> char {
    let Some(first) = four(chars) else { return char::REPLACEMENT_CHARACTER };
    if !(0xD800..0xDC00).contains(&first) {
        return char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER);
    }
    let mut ahead = chars.clone();
    let escape =
        ahead.next().is_some_and(|(_, c)| c == '\\') && ahead.next().is_some_and(|(_, c)| c == 'u');
    match escape.then(|| four(&mut ahead)).flatten() {
        Some(second) if (0xDC00..0xE000).contains(&second) => {
            *chars = ahead;
            let code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        _ => char::REPLACEMENT_CHARACTER,
    }
}

fn four(chars: &mut Peekable<CharIndices<'_>>) -> Option<u32> {
    let mut code = 0;
    for _ in 0..4 {
        let (_, c) = chars.next_if(|(_, c)| c.is_ascii_hexdigit())?;
        code = code * 16 + c.to_digit(16)?;
    }
    Some(code)
}
