//! What can be wrong with a data directory, in a sentence that names the file and the remedy.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why a data directory cannot be used, or not any more.
#[derive(Debug, Clone)]
pub struct DataError {
    path: PathBuf,
    problem: Problem,
}

/// What is wrong.
#[derive(Debug, Clone)]
pub(crate) enum Problem {
    /// Another process has it.
    InUse {
        holder: String,
    },
    /// There is no database in it.
    Nothing,
    /// A newer Pintle wrote it.
    Newer {
        found: u64,
    },
    /// It is not what was written.
    Damaged {
        why: String,
    },
    /// The device is full.
    Full {
        doing: &'static str,
        source: Arc<io::Error>,
    },
    Io {
        doing: &'static str,
        source: Arc<io::Error>,
    },
}

/// The format of the database that this version writes, and the newest that it reads.
pub(crate) const FORMAT: u64 = 1;

impl DataError {
    pub(crate) fn new(path: &Path, problem: Problem) -> DataError {
        DataError { path: path.to_owned(), problem }
    }

    pub(crate) fn of_io(path: &Path, doing: &'static str, error: &io::Error) -> DataError {
        // The system's error has no copy; its kind and words have.
        let source = Arc::new(match error.raw_os_error() {
            Some(code) => io::Error::from_raw_os_error(code),
            None => io::Error::new(error.kind(), error.to_string()),
        });
        let is_full = matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
        DataError::new(path, if is_full { Problem::Full { doing, source } } else { Problem::Io { doing, source } })
    }

    /// What the database says went wrong while this was done.
    pub(crate) fn of_database(path: &Path, doing: &'static str, error: redb::Error) -> DataError {
        match error {
            redb::Error::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                DataError::new(path, Problem::Damaged { why: "it is shorter than it was".to_owned() })
            }
            redb::Error::Io(error) if error.kind() == io::ErrorKind::InvalidData => {
                DataError::new(path, Problem::Damaged { why: error.to_string() })
            }
            redb::Error::Io(error) => DataError::of_io(path, doing, &error),
            redb::Error::DatabaseAlreadyOpen => DataError::new(path, Problem::InUse { holder: String::new() }),
            other => DataError::new(path, Problem::Damaged { why: other.to_string() }),
        }
    }

    /// The file or directory it is about.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.problem {
            Problem::InUse { holder } => write!(
                f,
                "the data directory {path} is in use by another process{holder}: stop that, or give this one a directory \
                 of its own"
            ),
            Problem::Nothing => write!(f, "there is no data of Pintle in {path}: is it the directory given to --data?"),
            Problem::Newer { found } => write!(
                f,
                "{path} was written by a newer Pintle (its format is {found}, this version knows up to {FORMAT}): use that \
                 version, or have it save a snapshot and restore that into a new directory"
            ),
            Problem::Damaged { why } => write!(
                f,
                "{path} is damaged ({why}), and nothing of it is used: restore a snapshot into a new directory with `pintle \
                 snapshot restore`, or begin with an empty one"
            ),
            Problem::Full { doing, source } => write!(
                f,
                "cannot {doing}: {path}: {source}: free some space and start again; every write that was acknowledged is \
                 there"
            ),
            Problem::Io { doing, source } => write!(
                f,
                "cannot {doing}: {path}: {source}: make it readable and writable and start again; every write that was \
                 acknowledged is there"
            ),
        }
    }
}

impl std::error::Error for DataError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            Problem::Full { source, .. } | Problem::Io { source, .. } => Some(&**source),
            _ => None,
        }
    }
}
