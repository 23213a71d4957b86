//! One process at a time: a lock on a file of the directory, which the system gives back when its holder ends, however.
//!
//! In: a directory. Out: a lock that lasts as long as it is held, or who has it. The number in the file is only for that
//! message; the lock is what decides.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::error::{DataError, Problem};
use super::private_file;

/// The right to use a directory.
#[derive(Debug)]
pub(crate) struct DirectoryLock {
    _file: File,
}

impl DirectoryLock {
    /// Takes the lock, from a holder that is just ending if need be.
    pub(crate) fn take(directory: &Path) -> Result<DirectoryLock, DataError> {
        let path = directory.join(FILE);
        let wrong = |error| DataError::of_io(&path, "lock the data directory", &error);
        let mut file = private_file(&path).map_err(wrong)?;
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => sleep(PAUSE),
                Err(TryLockError::WouldBlock) => {
                    return Err(DataError::new(directory, Problem::InUse { holder: holder(&path) }));
                }
                Err(TryLockError::Error(error)) => return Err(wrong(error)),
            }
        }
        file.set_len(0).and_then(|()| write!(file, "{}", std::process::id())).map_err(wrong)?;
        Ok(DirectoryLock { _file: file })
    }
}

/// Who has the lock, for a message.
fn holder(path: &Path) -> String {
    let written = fs::read_to_string(path).unwrap_or_default();
    written.trim().parse::<u32>().map_or_else(|_| String::new(), |id| format!(" (its id is {id})"))
}

const FILE: &str = "lock";

/// A server that was told to stop syncs what it has; somebody who starts the next one at once need not try twice.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(10);
