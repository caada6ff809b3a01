//! Every directory and file name that the host touches.
//!
//! It knows where things are, not what is in them. Only this module asks
//! `directories`. The folders are the reader's alone: mode 0700.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use directories::ProjectDirs;

/// Names a folder that takes settings, data and logs, for tests and for a
/// portable install.
pub const HOME_VARIABLE: &str = "WEBTRANSLATOR_HOME";

/// The folders of one reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// Where the settings, the keys and the dictionary are.
    pub settings_dir: PathBuf,
    /// Where the cache is.
    pub data_dir: PathBuf,
    /// Where the log is.
    pub log_dir: PathBuf,
    /// Whether [`HOME_VARIABLE`] named the place. The system's keyring is not
    /// asked then.
    pub portable: bool,
}

/// The system names no home folder.
#[derive(Debug, thiserror::Error)]
#[error("no home folder is known; set {HOME_VARIABLE} to a folder of your own")]
pub struct NoHome;

impl Paths {
    /// Returns the folders that the environment and the platform name.
    ///
    /// # Errors
    /// When neither does: a service account without a home.
    pub fn from_env() -> Result<Self, NoHome> {
        if let Some(home) = std::env::var_os(HOME_VARIABLE).filter(|home| !home.is_empty()) {
            return Ok(Self::under(Path::new(&home)));
        }
        let dirs = ProjectDirs::from("", "", "webtranslator").ok_or(NoHome)?;
        Ok(Self {
            settings_dir: dirs.config_dir().to_owned(),
            data_dir: dirs.data_local_dir().to_owned(),
            log_dir: dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir()).to_owned(),
            portable: false,
        })
    }

    /// Returns the folders of a portable install: all one.
    #[must_use]
    pub fn under(home: &Path) -> Self {
        // The browser's working directory is not the reader's.
        let home = std::path::absolute(home).unwrap_or_else(|_| home.to_owned());
        Self { settings_dir: home.clone(), data_dir: home.clone(), log_dir: home, portable: true }
    }

    /// Returns `settings.toml`.
    #[must_use]
    pub fn settings(&self) -> PathBuf {
        self.settings_dir.join("settings.toml")
    }

    /// Returns `secrets.toml`.
    #[must_use]
    pub fn secrets(&self) -> PathBuf {
        self.settings_dir.join("secrets.toml")
    }

    /// Returns `dictionary.toml`.
    #[must_use]
    pub fn dictionary(&self) -> PathBuf {
        self.settings_dir.join("dictionary.toml")
    }

    /// Returns `dictionary.csv`, which is read when it is there.
    #[must_use]
    pub fn dictionary_csv(&self) -> PathBuf {
        self.settings_dir.join("dictionary.csv")
    }

    /// Returns `cache.db`.
    #[must_use]
    pub fn cache(&self) -> PathBuf {
        self.data_dir.join("cache.db")
    }

    /// Returns the log.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.log_dir.join("webtranslator.log")
    }

    /// Makes the folders that are missing.
    ///
    /// # Errors
    /// The first folder that could not be made; the others are still tried.
    pub fn make(&self) -> Result<(), (PathBuf, io::Error)> {
        let mut fault = None;
        for dir in [&self.settings_dir, &self.data_dir, &self.log_dir] {
            if let Err(error) = private_dir(dir) {
                fault = fault.or(Some((dir.clone(), error)));
            }
        }
        fault.map_or(Ok(()), Err)
    }
}

/// Makes a folder with mode 0700, whatever the umask, and its parents; takes
/// the rights of others away from one that is there and ours.
///
/// # Errors
/// When it could not be made. A mode that cannot be mended is no error.
pub fn private_dir(dir: &Path) -> io::Result<()> {
    let existed = dir.is_dir();
    if !existed {
        if let Some(parent) = dir.parent() {
            fs::create_dir_all(parent)?;
        }
        match builder().create(dir) {
            // Another host was quicker.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && dir.is_dir() => {}
            other => other?,
        }
    }
    mend(dir, !existed);
    Ok(())
}

/// Opens a file that is the reader's alone (0600, whatever the umask), and
/// makes it where there is none.
///
/// # Errors
/// What the system answers.
pub fn private_file(path: &Path, truncate: bool) -> io::Result<fs::File> {
    open_with_mode(path, truncate, 0o600)
}

/// Writes a file that is the reader's alone: the old one or the new one is
/// there, whole, whatever happens. Makes its folder.
///
/// # Errors
/// What the system answers; the old file is then unchanged.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    private_dir(path.parent().unwrap_or(Path::new(".")))?;
    write_whole(path, bytes, 0o600)
}

/// Runs a change of a file while no other process runs one: under a lock on a
/// file beside it, so that two who read, change and write it lose nothing.
///
/// # Errors
/// What the system answers; then nothing was run.
pub fn locked<T>(path: &Path, change: impl FnOnce() -> T) -> io::Result<T> {
    private_dir(path.parent().unwrap_or(Path::new(".")))?;
    let lock = private_file(&path.with_extension("lock"), false)?;
    lock.lock()?;
    Ok(change())
}

/// Writes a file with this mode, whatever the umask, as a whole or not at all.
/// Its folder is there.
///
/// # Errors
/// What the system answers; the old file is then unchanged, and nothing else
/// is left behind.
pub fn write_whole(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = dir.join(format!(".{name}.{}", std::process::id()));
    let written = open_with_mode(&temporary, true, mode).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    });
    if written.is_err() {
        // It may not even be there.
        let _ = fs::remove_file(&temporary);
    }
    written?;
    #[cfg(unix)]
    fs::File::open(dir)?.sync_all()?;
    Ok(())
}

#[cfg(unix)]
fn open_with_mode(path: &Path, truncate: bool, mode: u32) -> io::Result<fs::File> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(truncate).mode(mode);
    let file = options.open(path)?;
    file.set_permissions(fs::Permissions::from_mode(mode))?;
    Ok(file)
}

#[cfg(not(unix))]
fn open_with_mode(path: &Path, truncate: bool, _mode: u32) -> io::Result<fs::File> {
    fs::OpenOptions::new().write(true).create(true).truncate(truncate).open(path)
}

#[cfg(unix)]
fn builder() -> fs::DirBuilder {
    use std::os::unix::fs::DirBuilderExt;
    let mut builder = fs::DirBuilder::new();
    builder.mode(0o700);
    builder
}

#[cfg(not(unix))]
fn builder() -> fs::DirBuilder {
    fs::DirBuilder::new()
}

/// A folder with the sticky bit, such as `/tmp`, is everybody's, and stays so.
#[cfg(unix)]
fn mend(dir: &Path, new: bool) {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let Ok(meta) = fs::metadata(dir) else { return };
    let ours = meta.uid() == rustix::process::geteuid().as_raw();
    let open = meta.mode() & 0o1000 == 0 && meta.mode() & 0o077 != 0;
    if new || (ours && open) {
        let _ = fs::set_permissions(dir, fs::Permissions::from_mode(0o700));
    }
}

#[cfg(not(unix))]
fn mend(_dir: &Path, _new: bool) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_portable_install_is_one_folder() {
        let paths = Paths::under(Path::new("/x/y"));
        for file in
            [paths.settings(), paths.secrets(), paths.dictionary(), paths.cache(), paths.log()]
        {
            assert_eq!(file.parent(), Some(Path::new("/x/y")));
        }
    }

    #[cfg(unix)]
    #[test]
    fn folders_are_the_readers_alone() {
        use std::os::unix::fs::PermissionsExt;
        let temp = tempfile::tempdir().unwrap();
        let paths = Paths::under(&temp.path().join("a/b"));
        paths.make().unwrap();
        let mode = |dir: &Path| fs::metadata(dir).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(&paths.data_dir), 0o700);

        fs::set_permissions(&paths.data_dir, fs::Permissions::from_mode(0o755)).unwrap();
        paths.make().unwrap();
        assert_eq!(mode(&paths.data_dir), 0o700, "a wider mode is mended");

        let shared = temp.path().join("shared");
        fs::create_dir(&shared).unwrap();
        fs::set_permissions(&shared, fs::Permissions::from_mode(0o1777)).unwrap();
        Paths::under(&shared).make().unwrap();
        assert_eq!(mode(&shared), 0o1777, "what is everybody's stays so");
    }
}
