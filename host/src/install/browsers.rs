//! The one table of browsers: which there are, how each shows that it is
//! there, and where it looks for host manifests.
//!
//! Data only; `plan` decides with it. A row is a browser and channel, a column
//! a system. Sources: the vendors' pages on native messaging, Chromium's
//! `chrome_paths.cc`, Firefox's `nsXREDirProvider.cpp`, and what
//! the installers of other hosts do where a vendor says nothing.

use std::fmt;
use std::path::PathBuf;

use super::environment::Environment;

/// Which of the two manifest formats a browser reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// `allowed_origins` with `chrome-extension://…/`.
    Chromium,
    /// `allowed_extensions` with Gecko ids, and no key that it does not know.
    Firefox,
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Chromium => "chromium",
            Self::Firefox => "firefox",
        })
    }
}

impl std::str::FromStr for Family {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "chromium" => Ok(Self::Chromium),
            "firefox" => Ok(Self::Firefox),
            other => Err(format!("{other:?} is no browser family; write chromium or firefox")),
        }
    }
}

/// A path that hangs on a folder of the reader or on the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Below the home folder.
    Home(&'static str),
    /// Below `$XDG_CONFIG_HOME`, by default `~/.config`.
    Config(&'static str),
    /// Below `$XDG_DATA_HOME`, by default `~/.local/share`.
    Data(&'static str),
    /// As it stands.
    Root(&'static str),
}

impl Place {
    /// Returns the path for this reader.
    #[must_use]
    pub fn path(self, environment: &Environment) -> PathBuf {
        match self {
            Self::Home(tail) => environment.home.join(tail),
            Self::Config(tail) => environment.config.join(tail),
            Self::Data(tail) => environment.data.join(tail),
            Self::Root(path) => PathBuf::from(path),
        }
    }
}

/// What stands between a browser and a host on the same machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sandbox {
    /// Flatpak: sees neither the manifest nor the program.
    Flatpak,
    /// Snap with Ubuntu's portal: reads the usual place and asks once.
    SnapPortal,
    /// Snap without native messaging.
    Snap,
}

/// A row on Linux.
#[derive(Clone, Copy, Debug)]
pub struct Linux {
    /// Manifest folders of the reader, all of which are written.
    pub hosts: &'static [Place],
    /// Folders that show that it is or was in use.
    pub signs: &'static [Place],
    /// Names of its program, looked for in `PATH` and the usual folders.
    pub programs: &'static [&'static str],
    /// Folders that a sandboxed edition of it leaves.
    pub sandboxes: &'static [(Sandbox, Place)],
}

/// A browser and channel.
#[derive(Clone, Copy, Debug)]
pub struct Browser {
    /// What `--browser` takes.
    pub id: &'static str,
    /// What the reader calls it.
    pub name: &'static str,
    /// Its manifest format.
    pub family: Family,
    /// Why it is only registered when it is named; absent for most.
    pub on_request: Option<&'static str>,
    /// Where things are on Linux.
    pub linux: Linux,
}

/// Folders that hold programs although a desktop's `PATH` may lack them.
pub const PROGRAM_DIRS: [&str; 4] = ["/usr/bin", "/usr/local/bin", "/snap/bin", "/opt/bin"];

const NO_SANDBOX: &[(Sandbox, Place)] = &[];

const ANONYMOUS: &str = "it hides its reader, and a registered host makes it tell apart from \
     others; the host also connects directly, not through its network";

/// A Chromium browser whose manifests lie in its own user data folder.
macro_rules! chromium {
    ($id:literal, $name:literal, $dir:literal, $programs:expr) => {
        chromium!($id, $name, $dir, $programs, NO_SANDBOX)
    };
    ($id:literal, $name:literal, $dir:literal, $programs:expr, $sandboxes:expr) => {
        Browser {
            id: $id,
            name: $name,
            family: Family::Chromium,
            on_request: None,
            linux: Linux {
                hosts: &[Place::Config(concat!($dir, "/NativeMessagingHosts"))],
                signs: &[Place::Config($dir)],
                programs: $programs,
                sandboxes: $sandboxes,
            },
        }
    };
}

const FLATPAK_CHROME: &[(Sandbox, Place)] =
    &[(Sandbox::Flatpak, Place::Home(".var/app/com.google.Chrome"))];
const FLATPAK_CHROME_DEV: &[(Sandbox, Place)] =
    &[(Sandbox::Flatpak, Place::Home(".var/app/com.google.ChromeDev"))];
const SANDBOXED_CHROMIUM: &[(Sandbox, Place)] = &[
    (Sandbox::Flatpak, Place::Home(".var/app/org.chromium.Chromium")),
    (Sandbox::Flatpak, Place::Home(".var/app/io.github.ungoogled_software.ungoogled_chromium")),
    (Sandbox::Snap, Place::Home("snap/chromium")),
];
const FLATPAK_EDGE: &[(Sandbox, Place)] =
    &[(Sandbox::Flatpak, Place::Home(".var/app/com.microsoft.Edge"))];
const SANDBOXED_BRAVE: &[(Sandbox, Place)] = &[
    (Sandbox::Flatpak, Place::Home(".var/app/com.brave.Browser")),
    (Sandbox::Snap, Place::Home("snap/brave")),
];
const SANDBOXED_VIVALDI: &[(Sandbox, Place)] =
    &[(Sandbox::Flatpak, Place::Home(".var/app/com.vivaldi.Vivaldi"))];
const SANDBOXED_OPERA: &[(Sandbox, Place)] = &[
    (Sandbox::Flatpak, Place::Home(".var/app/com.opera.Opera")),
    (Sandbox::Snap, Place::Home("snap/opera")),
];

/// Every browser we know, in the order in which they are shown.
pub const BROWSERS: &[Browser] = &[
    chromium!(
        "chrome",
        "Google Chrome",
        "google-chrome",
        &["google-chrome-stable", "google-chrome"],
        FLATPAK_CHROME
    ),
    chromium!("chrome-beta", "Google Chrome Beta", "google-chrome-beta", &["google-chrome-beta"]),
    chromium!(
        "chrome-dev",
        "Google Chrome Dev",
        "google-chrome-unstable",
        &["google-chrome-unstable"],
        FLATPAK_CHROME_DEV
    ),
    chromium!(
        "chrome-canary",
        "Google Chrome Canary",
        "google-chrome-canary",
        &["google-chrome-canary"]
    ),
    chromium!(
        "chrome-for-testing",
        "Chrome for Testing",
        "google-chrome-for-testing",
        &["google-chrome-for-testing"]
    ),
    chromium!(
        "chromium",
        "Chromium",
        "chromium",
        &["chromium", "chromium-browser", "ungoogled-chromium"],
        SANDBOXED_CHROMIUM
    ),
    chromium!(
        "edge",
        "Microsoft Edge",
        "microsoft-edge",
        &["microsoft-edge-stable", "microsoft-edge"],
        FLATPAK_EDGE
    ),
    chromium!("edge-beta", "Microsoft Edge Beta", "microsoft-edge-beta", &["microsoft-edge-beta"]),
    chromium!("edge-dev", "Microsoft Edge Dev", "microsoft-edge-dev", &["microsoft-edge-dev"]),
    chromium!(
        "brave",
        "Brave",
        "BraveSoftware/Brave-Browser",
        &["brave-browser", "brave-browser-stable", "brave"],
        SANDBOXED_BRAVE
    ),
    chromium!(
        "brave-beta",
        "Brave Beta",
        "BraveSoftware/Brave-Browser-Beta",
        &["brave-browser-beta"]
    ),
    chromium!(
        "brave-nightly",
        "Brave Nightly",
        "BraveSoftware/Brave-Browser-Nightly",
        &["brave-browser-nightly"]
    ),
    chromium!("vivaldi", "Vivaldi", "vivaldi", &["vivaldi-stable", "vivaldi"], SANDBOXED_VIVALDI),
    chromium!("vivaldi-snapshot", "Vivaldi Snapshot", "vivaldi-snapshot", &["vivaldi-snapshot"]),
    chromium!("opera", "Opera", "opera", &["opera", "opera-stable"], SANDBOXED_OPERA),
    chromium!("opera-beta", "Opera Beta", "opera-beta", &["opera-beta"]),
    chromium!("opera-developer", "Opera Developer", "opera-developer", &["opera-developer"]),
    chromium!(
        "yandex",
        "Yandex Browser",
        "yandex-browser",
        &["yandex-browser-stable", "yandex-browser"]
    ),
    chromium!(
        "yandex-beta",
        "Yandex Browser Beta",
        "yandex-browser-beta",
        &["yandex-browser-beta"]
    ),
    chromium!("helium", "Helium", "net.imput.helium", &["helium", "helium-browser"]),
    chromium!("iridium", "Iridium", "iridium", &["iridium-browser"]),
    chromium!("slimjet", "Slimjet", "slimjet", &["slimjet", "flashpeak-slimjet"]),
    Browser {
        id: "firefox",
        name: "Firefox",
        family: Family::Firefox,
        on_request: None,
        linux: Linux {
            // Firefox 147 and later keep profiles in ~/.config/mozilla and
            // still read manifests from ~/.mozilla alone.
            hosts: &[Place::Home(".mozilla/native-messaging-hosts")],
            signs: &[
                Place::Home(".mozilla"),
                Place::Config("mozilla"),
                Place::Home("snap/firefox"),
                Place::Root("/usr/lib/firefox"),
                Place::Root("/usr/lib/firefox-esr"),
                Place::Root("/usr/lib64/firefox"),
                Place::Root("/opt/firefox"),
            ],
            programs: &[
                "firefox",
                "firefox-esr",
                "firefox-beta",
                "firefox-devedition",
                "firefox-developer-edition",
                "firefox-nightly",
            ],
            sandboxes: &[
                (Sandbox::Flatpak, Place::Home(".var/app/org.mozilla.firefox")),
                (Sandbox::SnapPortal, Place::Home("snap/firefox")),
            ],
        },
    },
    Browser {
        id: "librewolf",
        name: "LibreWolf",
        family: Family::Firefox,
        on_request: None,
        linux: Linux {
            hosts: &[Place::Home(".librewolf/native-messaging-hosts")],
            signs: &[
                Place::Home(".librewolf"),
                Place::Config("librewolf"),
                Place::Root("/usr/lib/librewolf"),
            ],
            programs: &["librewolf"],
            sandboxes: &[(Sandbox::Flatpak, Place::Home(".var/app/io.gitlab.librewolf-community"))],
        },
    },
    Browser {
        id: "waterfox",
        name: "Waterfox",
        family: Family::Firefox,
        on_request: None,
        linux: Linux {
            hosts: &[
                Place::Home(".waterfox/native-messaging-hosts"),
                Place::Home(".mozilla/native-messaging-hosts"),
            ],
            signs: &[Place::Home(".waterfox"), Place::Root("/usr/lib/waterfox")],
            programs: &["waterfox"],
            sandboxes: &[(Sandbox::Flatpak, Place::Home(".var/app/net.waterfox.waterfox"))],
        },
    },
    Browser {
        id: "zen",
        name: "Zen",
        family: Family::Firefox,
        on_request: None,
        linux: Linux {
            hosts: &[Place::Home(".mozilla/native-messaging-hosts")],
            signs: &[Place::Home(".zen"), Place::Config("zen"), Place::Root("/opt/zen-browser")],
            programs: &["zen", "zen-browser"],
            sandboxes: &[(Sandbox::Flatpak, Place::Home(".var/app/app.zen_browser.zen"))],
        },
    },
    Browser {
        id: "floorp",
        name: "Floorp",
        family: Family::Firefox,
        on_request: None,
        linux: Linux {
            hosts: &[
                Place::Home(".floorp/native-messaging-hosts"),
                Place::Home(".mozilla/native-messaging-hosts"),
            ],
            signs: &[Place::Home(".floorp"), Place::Root("/usr/lib/floorp")],
            programs: &["floorp"],
            sandboxes: &[(Sandbox::Flatpak, Place::Home(".var/app/one.ablaze.floorp"))],
        },
    },
    Browser {
        id: "tor-browser",
        name: "Tor Browser",
        family: Family::Firefox,
        on_request: Some(ANONYMOUS),
        linux: Linux {
            hosts: &[Place::Data(
                "torbrowser/tbb/x86_64/tor-browser/Browser/TorBrowser/Data/Browser/.mozilla/\
                 native-messaging-hosts",
            )],
            signs: &[Place::Data("torbrowser")],
            programs: &["torbrowser-launcher", "tor-browser"],
            sandboxes: NO_SANDBOX,
        },
    },
    Browser {
        id: "mullvad",
        name: "Mullvad Browser",
        family: Family::Firefox,
        on_request: Some(ANONYMOUS),
        linux: Linux {
            hosts: &[Place::Data("mullvad-browser/Data/.mozilla/native-messaging-hosts")],
            signs: &[Place::Data("mullvad-browser")],
            programs: &["mullvad-browser"],
            sandboxes: NO_SANDBOX,
        },
    },
];

/// Returns the row that `--browser` names.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static Browser> {
    BROWSERS.iter().find(|browser| browser.id == id)
}

#[cfg(test)]
mod tests;
