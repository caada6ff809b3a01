//! How the extension gets into each browser, in words.
//!
//! No browser lets a program put an extension in; so the reader does it, and
//! this says how, with the folders that were installed.

use std::fmt::Write as _;
use std::path::Path;

use super::browsers::{Browser, Family};

/// Where the parts of the extension lie.
#[derive(Clone, Copy, Debug)]
pub struct Extension<'a> {
    /// The folder that is loaded unpacked.
    pub folder: &'a Path,
    /// The packed one, if there is one.
    pub xpi: Option<&'a Path>,
}

/// Returns the steps for the browsers that were found; for both families when
/// none was.
#[must_use]
pub fn guide(found: &[&Browser], extension: Extension<'_>) -> String {
    let names = |family: Family| -> Vec<&str> {
        found.iter().filter(|row| row.family == family).map(|row| row.name).collect()
    };
    let mut text = "How the extension gets in:\n".to_owned();
    let (chromium, firefox) = (names(Family::Chromium), names(Family::Firefox));
    if !chromium.is_empty() || found.is_empty() {
        let whom = if chromium.is_empty() { vec!["Chromium family"] } else { chromium };
        let _ = writeln!(text, "\n{}", whom.join(", "));
        text.push_str(&chromium_steps(extension.folder));
    }
    if !firefox.is_empty() || found.is_empty() {
        let whom = if firefox.is_empty() { vec!["Firefox family"] } else { firefox };
        let _ = writeln!(text, "\n{}", whom.join(", "));
        text.push_str(&firefox_steps(extension));
    }
    text
}

fn chromium_steps(folder: &Path) -> String {
    format!(
        "  1. Open chrome://extensions (edge://extensions, brave://extensions … lead there too).\n\
         \x20 2. Switch on \"Developer mode\".\n\
         \x20 3. Press \"Load unpacked\" and choose the folder {}\n\
         \x20    (a dialog that does not show it takes its name after Ctrl+L)\n",
        folder.display()
    )
}

fn firefox_steps(extension: Extension<'_>) -> String {
    let manifest = extension.folder.join("manifest.json");
    let mut text = format!(
        "  For this run of the browser: open about:debugging#/runtime/this-firefox, press\n\
         \x20 \"Load Temporary Add-on…\" and choose {}\n",
        manifest.display()
    );
    match extension.xpi {
        Some(xpi) => {
            let _ = writeln!(
                text,
                "  To stay, in Firefox ESR, Developer Edition and Nightly: set\n\
                 \x20 xpinstall.signatures.required to false in about:config, then in about:addons\n\
                 \x20 choose \"Install Add-on From File…\" and {}",
                xpi.display()
            );
        }
        None => text.push_str(
            "  To stay, it has to be packed: put the content of that folder into a zip file named\n\
             \x20 webtranslator.xpi (Firefox ESR, Developer Edition and Nightly take it unsigned).\n",
        ),
    }
    text.push_str(
        "  Other editions of Firefox take only what Mozilla has signed: upload the xpi at\n\
         \x20 https://addons.mozilla.org/developers/ (\"On your own\") and install what comes back.\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::super::browsers::by_id;
    use super::*;

    #[test]
    fn each_family_that_was_found_gets_its_steps_and_folders() {
        let extension = Extension {
            folder: Path::new("/d/번역/extension"),
            xpi: Some(Path::new("/d/w.xpi")),
        };
        let both: Vec<_> = ["brave", "firefox"].into_iter().filter_map(by_id).collect();
        let text = guide(&both, extension);
        for part in ["Brave", "Load unpacked", "/d/번역/extension", "about:debugging", "/d/w.xpi"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        let only = guide(&both[..1], extension);
        assert!(!only.contains("about:debugging"), "{only}");
        assert!(guide(&[], extension).contains("Firefox family"));
    }

    #[test]
    fn without_a_packed_one_the_steps_say_how_to_pack() {
        let text = guide(&[], Extension { folder: Path::new("/d"), xpi: None });
        assert!(text.contains("zip file named"), "{text}");
    }
}
