//! What the terminal of stdout can show.

use std::io;

use terminal_size::{Width, terminal_size_of};

/// For a file or a pipe.
const USUAL_WIDTH: usize = 80;

/// How wide it is, and whether it knows more than ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    pub width: usize,
    pub unicode: bool,
}

impl Terminal {
    /// Asks the environment, then the terminal itself.
    pub fn of_stdout() -> Self {
        let variable = |name: &str| std::env::var(name).ok();
        let own = || terminal_size_of(io::stdout()).map(|(Width(width), _)| usize::from(width));
        let told = variable("COLUMNS").and_then(|columns| columns.parse().ok());
        let width = told.or_else(own).filter(|width| *width > 0).unwrap_or(USUAL_WIDTH);
        Self { width, unicode: is_unicode(variable) }
    }
}

/// Whether the locale's letters are UTF-8; they are where no locale is set.
fn is_unicode(variable: impl Fn(&str) -> Option<String>) -> bool {
    let set = |name| variable(name).filter(|locale| !locale.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
    locale.is_none_or(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(set: &[(&str, &str)], expected: bool) {
        let variable = |name: &str| {
            set.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).to_owned())
        };
        assert_eq!(is_unicode(variable), expected, "{set:?}");
    }

    #[test]
    fn the_first_locale_that_is_set_decides() {
        check(&[], true);
        check(&[("LANG", "ko_KR.UTF-8")], true);
        check(&[("LANG", "C.utf8"), ("LC_ALL", "")], true);
        check(&[("LANG", "C")], false);
        check(&[("LANG", "de_DE@euro")], false);
        check(&[("LANG", "en_US.UTF-8"), ("LC_CTYPE", "POSIX")], false);
        check(&[("LC_ALL", "en_US.UTF-8"), ("LC_CTYPE", "C"), ("LANG", "C")], true);
    }
}
