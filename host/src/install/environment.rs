//! What the plan knows about the reader's machine, as values.
//!
//! The edge reads variables and files; everything else in `install` takes an
//! [`Environment`] and a [`Look`], so that a test can make up a machine.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::browsers::{Browser, PROGRAM_DIRS};

/// The folders and circumstances of one reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// The home folder.
    pub home: PathBuf,
    /// `$XDG_CONFIG_HOME`, by default `~/.config`.
    pub config: PathBuf,
    /// `$XDG_DATA_HOME`, by default `~/.local/share`.
    pub data: PathBuf,
    /// The folders of `PATH`.
    pub programs: Vec<PathBuf>,
    /// Whether `sudo` started us for another user.
    pub sudo: bool,
}

/// The home folder is not known.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "HOME is not set to an absolute path, so the browsers' folders are not known; \
     set HOME, or name a folder with --manifest-dir"
)]
pub struct NoHome;

impl Environment {
    /// Reads the environment of this process.
    ///
    /// # Errors
    /// As in [`Self::from_vars`].
    pub fn from_env() -> Result<Self, NoHome> {
        #[cfg(unix)]
        let root = rustix::process::geteuid().is_root();
        #[cfg(not(unix))]
        let root = false;
        Self::from_vars(|name| std::env::var_os(name), root)
    }

    /// Reads the environment through `var`, which answers as
    /// [`std::env::var_os`] does; `root` is whether the process is root's.
    ///
    /// # Errors
    /// When `HOME` is missing or relative. A relative `XDG_…` is ignored, as
    /// its specification says.
    pub fn from_vars(var: impl Fn(&str) -> Option<OsString>, root: bool) -> Result<Self, NoHome> {
        let folder = |name: &str| var(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = folder("HOME").ok_or(NoHome)?;
        let sudo = root && var("SUDO_UID").is_some_and(|uid| !uid.is_empty() && uid != "0");
        Ok(Self {
            config: folder("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")),
            data: folder("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share")),
            programs: var("PATH")
                .map(|path| std::env::split_paths(&path).collect())
                .unwrap_or_default(),
            home,
            sudo,
        })
    }

    /// Returns the folder that holds our program and the copy of the
    /// extension.
    #[must_use]
    pub fn place(&self) -> PathBuf {
        self.data.join("webtranslator")
    }

    /// Returns the copy of the extension that Chromium loads unpacked.
    #[must_use]
    pub fn extension(&self) -> PathBuf {
        self.place().join("extension")
    }

    /// Returns the packaged extension for Firefox.
    #[must_use]
    pub fn xpi(&self) -> PathBuf {
        self.place().join("webtranslator.xpi")
    }

    /// Returns whether anything shows that this browser is there, outside of
    /// a sandbox that cannot start us.
    #[must_use]
    pub fn has(&self, browser: &Browser, look: &dyn Look) -> bool {
        let linux = &browser.linux;
        linux.signs.iter().any(|sign| look.exists(&sign.path(self)))
            || linux.programs.iter().any(|name| self.program(name, look).is_some())
    }

    /// Returns where a program lies, from `PATH` and the usual folders.
    #[must_use]
    pub fn program(&self, name: &str, look: &dyn Look) -> Option<PathBuf> {
        let usual = PROGRAM_DIRS.iter().map(PathBuf::from);
        self.programs
            .iter()
            .cloned()
            .chain(usual)
            .map(|dir| dir.join(name))
            .find(|path| look.exists(path))
    }
}

/// What may be asked of the file system before anything is decided.
pub trait Look {
    /// Returns whether something is there.
    fn exists(&self, path: &Path) -> bool;

    /// Returns the bytes of a file, or `None` when nothing is there.
    ///
    /// # Errors
    /// When something is there that cannot be read as a file.
    fn read(&self, path: &Path) -> io::Result<Option<Vec<u8>>>;
}

/// The real file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Look for Disk {
    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn read(&self, path: &Path) -> io::Result<Option<Vec<u8>>> {
        match std::fs::read(path) {
            Ok(bytes) => Ok(Some(bytes)),
            // A link that leads nowhere is something, not nothing.
            Err(error) if absent(&error) && path.symlink_metadata().is_err() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// A made-up file system: files by path; a folder is where a file is.
    #[derive(Default)]
    pub(crate) struct Made(pub(crate) BTreeMap<PathBuf, Vec<u8>>);

    impl Made {
        pub(crate) fn with(paths: &[&str]) -> Self {
            Self(paths.iter().map(|path| (PathBuf::from(path), Vec::new())).collect())
        }
    }

    impl Look for Made {
        fn exists(&self, path: &Path) -> bool {
            self.0.keys().any(|file| file.starts_with(path))
        }

        fn read(&self, path: &Path) -> io::Result<Option<Vec<u8>>> {
            Ok(self.0.get(path).cloned())
        }
    }

    pub(crate) fn environment(vars: &[(&str, &str)]) -> Result<Environment, NoHome> {
        let var = |name: &str| {
            vars.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
        };
        Environment::from_vars(var, true)
    }

    #[test]
    fn xdg_folders_win_and_relative_ones_are_ignored() {
        let plain = environment(&[("HOME", "/home/kim")]).unwrap();
        assert_eq!(plain.config, Path::new("/home/kim/.config"));
        assert_eq!(plain.place(), Path::new("/home/kim/.local/share/webtranslator"));

        let moved = environment(&[
            ("HOME", "/home/kim"),
            ("XDG_CONFIG_HOME", "/c"),
            ("XDG_DATA_HOME", "relative"),
        ])
        .unwrap();
        assert_eq!(moved.config, Path::new("/c"));
        assert_eq!(moved.data, Path::new("/home/kim/.local/share"));
    }

    #[test]
    fn without_a_home_nothing_is_guessed() {
        assert_eq!(environment(&[]), Err(NoHome));
        assert_eq!(environment(&[("HOME", "")]), Err(NoHome));
        assert_eq!(environment(&[("HOME", "relative")]), Err(NoHome));
    }

    #[test]
    fn sudo_for_another_user_is_seen() {
        let sudo = |uid| environment(&[("HOME", "/root"), ("SUDO_UID", uid)]).unwrap().sudo;
        assert!(sudo("1000"));
        assert!(!sudo("0"));
        assert!(!sudo(""));
    }
}
