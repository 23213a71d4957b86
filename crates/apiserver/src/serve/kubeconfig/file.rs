//! The file of a kubeconfig: readable by its owner alone, there whole or not at all, and never at the cost of a
//! user's own entries.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::merge::{Merged, merge};

/// A kubeconfig that was written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WrittenKubeconfig {
    /// The file as it was, if it had entries that are not this server's.
    pub backup: Option<PathBuf>,
    /// Whether `pintle` is its current context; if not, kubectl needs `--context pintle`.
    pub is_current: bool,
}

/// What the name of a backup ends with.
const BACKUP: &str = ".pintle-backup";

/// Writes `ours` to the file, or merges it into a user's existing entries.
pub(crate) fn write(path: &Path, ours: &str) -> io::Result<WrittenKubeconfig> {
    // A link stays a link: what it leads to is written.
    let path = &if path.is_symlink() { fs::canonicalize(path)? } else { path.to_owned() };
    let _lock = Lock::take(path)?;
    let theirs = match fs::read_to_string(path) {
        Ok(theirs) => theirs,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    let merged = merge(&theirs, ours).map_err(|why| {
        let why = format!("{why}; it was left as it is: mend it, or name another file");
        io::Error::new(io::ErrorKind::InvalidData, why)
    })?;
    match merged {
        Merged::Ours => {
            replace(path, ours)?;
            Ok(WrittenKubeconfig { backup: None, is_current: true })
        }
        Merged::Theirs { text, is_current } => {
            let backup = beside(path, BACKUP)?;
            replace(&backup, &theirs)?;
            replace(path, &text)?;
            Ok(WrittenKubeconfig { backup: Some(backup), is_current })
        }
    }
}

/// Writes a file beside the target and moves it there, so that no reader sees half of it.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let draft = beside(path, &format!(".{}", uuid::Uuid::new_v4().simple()))?;
    let written = create_private(&draft).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, path)
    });
    if written.is_err() {
        // The error that matters is the first one; a draft that was never made cannot be removed.
        fs::remove_file(&draft).unwrap_or_default();
    }
    written
}

fn beside(path: &Path, suffix: &str) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
    let mut name = name.to_owned();
    name.push(suffix);
    Ok(path.with_file_name(name))
}

fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// The lock that kubectl takes too while it changes a kubeconfig: a file of this name. Gone at the end.
struct Lock(PathBuf);

/// kubectl holds it for a moment; a process that holds it longer has died.
const LOCK_TRIES: u32 = 40;
const LOCK_PAUSE: Duration = Duration::from_millis(50);

impl Lock {
    fn take(path: &Path) -> io::Result<Lock> {
        let lock = beside(path, ".lock")?;
        for _ in 0..LOCK_TRIES {
            match create_private(&lock) {
                Ok(_) => return Ok(Lock(lock)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => std::thread::sleep(LOCK_PAUSE),
                Err(error) => return Err(error),
            }
        }
        let why = format!("another program is changing it: if none is, remove {}", lock.display());
        Err(io::Error::new(io::ErrorKind::ResourceBusy, why))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // If another process has removed it, it is gone, too.
        fs::remove_file(&self.0).unwrap_or_default();
    }
}
