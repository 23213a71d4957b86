//! The data directory: where a server's objects, revision and keys outlive its process.
//!
//! ```text
//!  commit ─► unpublished ─► journal: one transaction for all that wait ─► synced ─► published ─► answered
//!                                   │
//!                                   └─► database (redb): DIR/pintle.redb     DIR/lock: one process at a time
//! ```
//! In: what was committed, in order. Out: the same after a restart, whatever ended the process. Invariant: nobody, be it
//! a reader, a watcher or a writer, sees a revision that is not synced. Reading order: `error`, `lock`, `database`,
//! `journal`, `snapshot` (the objects as text). The road itself is in `server/durability.rs`.

pub(crate) mod database;
pub(crate) mod error;
#[cfg(test)]
mod faulty_disk;
pub(crate) mod journal;
mod lock;
pub(crate) mod snapshot;
#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::path::Path;

use database::{Contents, Database};
use error::{DataError, Problem};
use lock::DirectoryLock;
use snapshot::RestoreError;

/// The directory in which a server keeps its objects, opened while no server runs on it: for
/// [snapshots](DataDirectory::snapshot). A server opens its own: [`Builder::open`](crate::Builder::open).
///
/// ```no_run
/// # use pintle_apiserver::DataDirectory;
/// let snapshot = DataDirectory::existing("./data")?.snapshot()?;
/// DataDirectory::open("./copy")?.restore(&snapshot)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DataDirectory {
    pub(crate) database: Database,
    /// None where the database is not in a directory, as in tests.
    _lock: Option<DirectoryLock>,
}

impl DataDirectory {
    /// Opens a directory; it is made, and made ready, where it is not there.
    ///
    /// # Errors
    /// If it cannot be written, is in use by another process, was written by a newer Pintle, or is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<DataDirectory, DataError> {
        let path = path.as_ref();
        make_private(path).map_err(|error| DataError::of_io(path, "make the data directory", &error))?;
        let lock = DirectoryLock::take(path)?;
        let file = path.join(FILE);
        if !is_there(&file)? {
            DataDirectory::prepare(path, &file)?;
        }
        Ok(DataDirectory { database: Database::open(&file)?, _lock: Some(lock) })
    }

    /// Opens a directory that a server has used.
    ///
    /// # Errors
    /// As [`DataDirectory::open`], and if there is nothing in it.
    pub fn existing(path: impl AsRef<Path>) -> Result<DataDirectory, DataError> {
        let path = path.as_ref();
        if !is_there(&path.join(FILE))? {
            return Err(DataError::new(path, Problem::Nothing));
        }
        DataDirectory::open(path)
    }

    /// A directory that is only a database, on whatever storage.
    #[cfg(test)]
    pub(crate) fn of(database: Database) -> DataDirectory {
        DataDirectory { database, _lock: None }
    }

    /// Whether no server has stored anything here yet.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn is_empty(&self) -> Result<bool, DataError> {
        Ok(self.database.revision()?.is_none())
    }

    /// Everything that is stored, as text: what [`Server::backup`](crate::Server::backup) returns for a server that runs.
    /// The directory's own keys (certificate authority, tokens) are not in it; Secrets are.
    ///
    /// # Errors
    /// If it cannot be read, or there is nothing in it.
    pub fn snapshot(&self) -> Result<String, DataError> {
        let contents = self.database.load()?;
        let Contents { objects, revision } =
            contents.ok_or_else(|| DataError::new(self.database.path(), Problem::Nothing))?;
        Ok(snapshot::print(&objects, revision))
    }

    /// Has the objects of a snapshot instead of what it has. Keys stay, so a kubeconfig that worked goes on working. Where
    /// there were objects, the next revision is above all that were ever given out here: no client takes one for another.
    ///
    /// # Errors
    /// If the text is not a whole snapshot, or the directory cannot be written; nothing is changed then.
    pub fn restore(&self, snapshot: &str) -> Result<(), RestoreError> {
        let Contents { objects, revision } = snapshot::parse(snapshot)?;
        let before = self.database.revision().map_err(RestoreError::of_data)?;
        let revision = before.map_or(revision, |before| revision.max(before + 1));
        self.database.replace(&objects, revision).map_err(RestoreError::of_data)
    }

    /// Makes an empty database beside its place and moves it there: a kill leaves all of it or nothing.
    fn prepare(path: &Path, file: &Path) -> Result<(), DataError> {
        let draft = path.join(DRAFT);
        if let Err(error) = fs::remove_file(&draft)
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(DataError::of_io(&draft, "remove what an interrupted start left", &error));
        }
        Database::create(&draft)?;
        fs::rename(&draft, file).map_err(|error| DataError::of_io(file, "move the new database here", &error))?;
        sync_directory(path).map_err(|error| DataError::of_io(path, "sync the directory", &error))
    }
}

fn is_there(file: &Path) -> Result<bool, DataError> {
    fs::exists(file).map_err(|error| DataError::of_io(file, "look for the database", &error))
}

/// Makes a directory that its owner alone can enter: there are keys and Secrets in it.
fn make_private(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

/// Makes a new name in a directory last.
fn sync_directory(path: &Path) -> io::Result<()> {
    if cfg!(unix) { fs::File::open(path)?.sync_all() } else { Ok(()) }
}

/// A file that its owner alone can read and write.
fn private_file(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.read(true).write(true).create(true).truncate(false).open(path)
}

const FILE: &str = "pintle.redb";
const DRAFT: &str = "pintle.redb.new";
