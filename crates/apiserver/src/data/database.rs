//! The tables of a data directory, in redb: objects, and a few values beside them.
//!
//! In: batches of changes, each with the revision that it leads to; values by name. Out: all objects at the last
//! revision. Invariant: a batch is there whole, with its revision, or not at all; when a call returns, it is synced. redb
//! gives both: it copies pages on write, and its commit is one synced header with checksums.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pintle_wire::HeadReader;
use redb::{ReadableDatabase, ReadableTable, TableDefinition, WriteTransaction};

use super::error::{DataError, FORMAT, Problem};
use super::private_file;
use crate::storage::entry::{ChangeKind, Entry};
use crate::storage::store::{Objects, Resource, StorageKey};

/// By group, plural and key: the revision, and the body. In the order of the store's maps.
const OBJECTS: TableDefinition<'_, (&str, &str, &str), (u64, &[u8])> = TableDefinition::new("objects");

/// Everything else, by name.
const VALUES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("values");

const FORMAT_KEY: &str = "format";
const REVISION_KEY: &str = "revision";

/// What is stored.
pub(crate) struct Database {
    redb: Open,
    path: PathBuf,
}

/// All objects at one revision.
pub(crate) struct Contents {
    pub(crate) objects: Objects,
    pub(crate) revision: u64,
}

/// What was committed and is to be stored, in order.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) changes: Vec<(StorageKey, Arc<Entry>)>,
    /// The revision after all of them.
    pub(crate) revision: u64,
}

impl Database {
    /// A new database in a new file.
    pub(crate) fn create(path: &Path) -> Result<(), DataError> {
        let database = Database { redb: Open::new(in_file(path)?), path: path.to_owned() };
        database.begin()
    }

    /// The database of a file.
    pub(crate) fn open(path: &Path) -> Result<Database, DataError> {
        check_beginning(path)?;
        // redb takes what it finds in its pages for granted; what was not verified now would end the process later.
        let opened = catch_unwind(|| verified(path));
        let damaged =
            |_| Err(DataError::new(path, Problem::Damaged { why: "its pages contradict each other".to_owned() }));
        let database = Database { redb: Open::new(opened.unwrap_or_else(damaged)?), path: path.to_owned() };
        database.check_format()?;
        Ok(database)
    }

    /// One on a storage of its own, new or not.
    #[cfg(test)]
    pub(crate) fn on(storage: impl redb::StorageBackend) -> Result<Database, DataError> {
        let path = PathBuf::from("storage");
        let made = redb::Database::builder().create_with_backend(storage);
        let redb = made.map_err(|error| DataError::of_database(&path, "open the database", error.into()))?;
        let database = Database { redb: Open::new(redb), path };
        if database.value(FORMAT_KEY)?.is_none() {
            database.begin()?;
        }
        database.check_format()?;
        Ok(database)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn begin(&self) -> Result<(), DataError> {
        self.change(|writing| {
            writing.open_table(OBJECTS)?;
            put_value(writing, FORMAT_KEY, &FORMAT.to_be_bytes())
        })
    }

    fn check_format(&self) -> Result<(), DataError> {
        match self.number(FORMAT_KEY)? {
            Some(FORMAT) => Ok(()),
            Some(found) if found > FORMAT => Err(DataError::new(&self.path, Problem::Newer { found })),
            _ => Err(self.damaged("it does not say which format it has")),
        }
    }

    /// The revision of what is stored; none where nothing is.
    pub(crate) fn revision(&self) -> Result<Option<u64>, DataError> {
        self.number(REVISION_KEY)
    }

    /// Everything that is stored; none where nothing is.
    pub(crate) fn load(&self) -> Result<Option<Contents>, DataError> {
        let Some(revision) = self.revision()? else { return Ok(None) };
        let objects = self.read(|reading| {
            let table = reading.open_table(OBJECTS)?;
            let (mut objects, mut reader) = (Objects::new(), HeadReader::new());
            for stored in table.iter()? {
                let (place, stored) = stored?;
                let ((group, plural, key), (at, body)) = (place.value(), stored.value());
                let Ok(entry) = Entry::of_body(&mut reader, body, at) else {
                    return Ok(Err(self.damaged(&format!("the object {plural}/{key} is not readable"))));
                };
                objects.entry(Resource::new(group, plural)).or_default().insert(Arc::from(key), Arc::new(entry));
            }
            Ok(Ok(objects))
        })??;
        Ok(Some(Contents { objects, revision }))
    }

    /// Stores a batch.
    pub(crate) fn write(&self, batch: &Batch) -> Result<(), DataError> {
        self.change(|writing| {
            let mut objects = writing.open_table(OBJECTS)?;
            for (place, entry) in &batch.changes {
                let key = (&*place.resource.group, &*place.resource.plural, &*place.key);
                if entry.kind() == ChangeKind::Deleted {
                    objects.remove(key)?;
                } else {
                    objects.insert(key, (entry.revision, entry.body_bytes()))?;
                }
            }
            drop(objects);
            put_value(writing, REVISION_KEY, &batch.revision.to_be_bytes())
        })
    }

    /// Has these objects instead of what it has.
    pub(crate) fn replace(&self, objects: &Objects, revision: u64) -> Result<(), DataError> {
        self.change(|writing| {
            writing.delete_table(OBJECTS)?;
            let mut table = writing.open_table(OBJECTS)?;
            for (resource, stored) in objects {
                for (key, entry) in stored {
                    let place = (&*resource.group, &*resource.plural, &**key);
                    table.insert(place, (entry.revision, entry.body_bytes()))?;
                }
            }
            drop(table);
            put_value(writing, REVISION_KEY, &revision.to_be_bytes())
        })
    }

    /// A value that was kept under a name.
    pub(crate) fn value(&self, name: &str) -> Result<Option<Vec<u8>>, DataError> {
        self.read(|reading| {
            let table = match reading.open_table(VALUES) {
                Err(redb::TableError::TableDoesNotExist(_)) => return Ok(None),
                table => table?,
            };
            Ok(table.get(name)?.map(|value| value.value().to_vec()))
        })
    }

    /// Keeps a value under a name.
    pub(crate) fn keep(&self, name: &str, value: &[u8]) -> Result<(), DataError> {
        self.change(|writing| put_value(writing, name, value))
    }

    fn number(&self, name: &str) -> Result<Option<u64>, DataError> {
        let Some(bytes) = self.value(name)? else { return Ok(None) };
        let bytes = bytes.try_into().map_err(|_| self.damaged(&format!("its {name} is not a number")))?;
        Ok(Some(u64::from_be_bytes(bytes)))
    }

    fn read<T>(&self, read: impl FnOnce(&redb::ReadTransaction) -> Result<T, redb::Error>) -> Result<T, DataError> {
        let done = self.redb.get().begin_read().map_err(redb::Error::from).and_then(|reading| read(&reading));
        done.map_err(|error| DataError::of_database(&self.path, "read the database", error))
    }

    /// Makes one change, whole and synced. redb asserts what it relies on; where that is not so, those who wait for the change
    /// must not wait for ever.
    fn change(&self, write: impl FnOnce(&WriteTransaction) -> Result<(), redb::Error>) -> Result<(), DataError> {
        let work = || {
            let writing = self.redb.get().begin_write()?;
            write(&writing)?;
            Ok(writing.commit()?)
        };
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(done) => done.map_err(|error| DataError::of_database(&self.path, "write the database", error)),
            Err(_) => Err(self.damaged("the database stopped at an assertion")),
        }
    }

    pub(crate) fn damaged(&self, why: &str) -> DataError {
        DataError::new(&self.path, Problem::Damaged { why: why.to_owned() })
    }
}

/// A database that is open. redb writes once more when it is closed, and asserts what it relies on then, too: where pages are
/// damaged, that must not end the process, and whoever opens it next is told.
struct Open(Option<redb::Database>);

impl Open {
    fn new(redb: redb::Database) -> Open {
        Open(Some(redb))
    }

    fn get(&self) -> &redb::Database {
        self.0.as_ref().expect("it is open until it is dropped")
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let redb = self.0.take();
        if catch_unwind(AssertUnwindSafe(|| drop(redb))).is_err() {
            tracing::error!("the database stopped at an assertion while it was closed");
        }
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("path", &self.path).finish_non_exhaustive()
    }
}

fn put_value(writing: &WriteTransaction, name: &str, value: &[u8]) -> Result<(), redb::Error> {
    writing.open_table(VALUES)?.insert(name, value)?;
    Ok(())
}

fn in_file(path: &Path) -> Result<redb::Database, DataError> {
    opened_by(redb::Database::builder().set_cache_size(CACHE_BYTES), path)
}

/// The database of a file all of whose checksums are right.
fn verified(path: &Path) -> Result<redb::Database, DataError> {
    let is_repaired = Arc::new(AtomicBool::new(false));
    let noted = Arc::clone(&is_repaired);
    let mut builder = redb::Database::builder();
    builder.set_cache_size(CACHE_BYTES).set_repair_callback(move |_| noted.store(true, Ordering::Relaxed));
    let mut database = opened_by(&builder, path)?;
    // After a kill redb has verified them by itself.
    if !is_repaired.load(Ordering::Relaxed) {
        let checked = database.check_integrity();
        checked.map_err(|error| DataError::of_database(path, "read the database", error.into()))?;
    }
    Ok(database)
}

fn opened_by(builder: &redb::Builder, path: &Path) -> Result<redb::Database, DataError> {
    let file = private_file(path).map_err(|error| DataError::of_io(path, "open the database", &error))?;
    builder.create_file(file).map_err(|error| DataError::of_database(path, "open the database", error.into()))
}

/// redb would make a new database of an empty file; here that was one.
fn check_beginning(path: &Path) -> Result<(), DataError> {
    let mut magic = [0; MAGIC.len()];
    match File::open(path).and_then(|mut file| file.read_exact(&mut magic)) {
        Ok(()) if magic == *MAGIC => Ok(()),
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
            Err(DataError::of_io(path, "open the database", &error))
        }
        _ => Err(DataError::new(path, Problem::Damaged { why: "it does not begin as a database does".to_owned() })),
    }
}

/// What every file of redb begins with.
const MAGIC: &[u8; 4] = b"redb";

/// Objects are in memory already: only the pages that writes go through are worth keeping.
const CACHE_BYTES: usize = 16 << 20;
