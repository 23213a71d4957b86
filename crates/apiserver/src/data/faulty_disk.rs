//! A disk that keeps its promises and not more: what was not synced may be there after a crash, or not, or half.
//!
//! In: the writes of a database, and the moment of the crash. Out: what the next process could find. A kill of a process keeps
//! what the system has in its cache; this does not.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use redb::StorageBackend;

/// The disk; copies are the same one.
#[derive(Debug, Clone, Default)]
pub(crate) struct FaultyDisk(Arc<Mutex<Disk>>, Arc<Condvar>);

#[derive(Debug, Default)]
struct Disk {
    /// What is surely there.
    synced: Vec<u8>,
    /// What has been asked for since.
    unsynced: Vec<Operation>,
    /// What is read.
    current: Vec<u8>,
    syncs: usize,
    /// The sync that never comes back.
    crashes_at: Option<usize>,
    is_crashed: bool,
    is_full: bool,
    /// Whether it says that it has synced, and has not.
    lies: bool,
    /// Whether syncs have to wait.
    is_held: bool,
}

#[derive(Debug, Clone)]
enum Operation {
    Write(usize, Vec<u8>),
    SetLength(usize),
}

impl Operation {
    fn apply(&self, to: &mut Vec<u8>) {
        match self {
            Operation::SetLength(length) => to.resize(*length, 0),
            Operation::Write(at, bytes) => {
                if to.len() < at + bytes.len() {
                    to.resize(at + bytes.len(), 0);
                }
                to[*at..at + bytes.len()].copy_from_slice(bytes);
            }
        }
    }

    /// The sectors of a write that reached the disk; each is written whole.
    fn torn(&self, random: &mut fastrand::Rng) -> Vec<Operation> {
        match self {
            Operation::SetLength(_) if random.bool() => vec![self.clone()],
            Operation::SetLength(_) => Vec::new(),
            Operation::Write(at, bytes) => {
                let sectors = bytes.chunks(SECTOR).enumerate().filter(|_| random.bool());
                sectors.map(|(index, sector)| Operation::Write(at + index * SECTOR, sector.to_vec())).collect()
            }
        }
    }
}

/// What becomes of what was not synced.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Unsynced {
    Lost,
    Kept,
    /// Some of it, in sectors.
    Torn(u64),
}

impl FaultyDisk {
    /// The power fails during this sync, from now on counted.
    pub(crate) fn crash_at(&self, sync: usize) {
        let mut disk = self.disk();
        disk.crashes_at = Some(disk.syncs + sync);
    }

    pub(crate) fn is_crashed(&self) -> bool {
        self.disk().is_crashed
    }

    /// From now on nothing more fits.
    pub(crate) fn fill(&self, is_full: bool) {
        self.disk().is_full = is_full;
    }

    /// From now on a sync is only said to be made.
    pub(crate) fn lie(&self) {
        self.disk().lies = true;
    }

    /// From now on syncs wait, or go on.
    pub(crate) fn hold(&self, is_held: bool) {
        self.disk().is_held = is_held;
        self.1.notify_all();
    }

    /// How often it was synced.
    pub(crate) fn syncs(&self) -> usize {
        self.disk().syncs
    }

    /// The disk as the next process finds it.
    pub(crate) fn after_crash(&self, unsynced: Unsynced) -> FaultyDisk {
        let disk = self.disk();
        let mut found = disk.synced.clone();
        let mut random = fastrand::Rng::with_seed(if let Unsynced::Torn(seed) = unsynced { seed } else { 0 });
        for operation in &disk.unsynced {
            match unsynced {
                Unsynced::Lost => {}
                Unsynced::Kept => operation.apply(&mut found),
                Unsynced::Torn(_) => operation.torn(&mut random).iter().for_each(|part| part.apply(&mut found)),
            }
        }
        FaultyDisk(
            Arc::new(Mutex::new(Disk { synced: found.clone(), current: found, ..Disk::default() })),
            Arc::default(),
        )
    }

    fn disk(&self) -> MutexGuard<'_, Disk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn alive(&self) -> io::Result<MutexGuard<'_, Disk>> {
        let disk = self.disk();
        if disk.is_crashed { Err(io::Error::other("the power is off")) } else { Ok(disk) }
    }

    fn perform(&self, operation: Operation) -> io::Result<()> {
        let mut disk = self.alive()?;
        if disk.is_full {
            return Err(io::ErrorKind::StorageFull.into());
        }
        operation.apply(&mut disk.current);
        disk.unsynced.push(operation);
        Ok(())
    }
}

impl StorageBackend for FaultyDisk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.alive()?.current.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let disk = self.alive()?;
        let from = usize::try_from(offset).map_err(io::Error::other)?;
        let found = disk.current.get(from..from + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(found);
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.perform(Operation::SetLength(usize::try_from(length).map_err(io::Error::other)?))
    }

    fn sync_data(&self) -> io::Result<()> {
        let held = self.1.wait_while(self.alive()?, |disk| disk.is_held);
        let mut disk = held.unwrap_or_else(PoisonError::into_inner);
        disk.syncs += 1;
        if disk.crashes_at.is_some_and(|at| disk.syncs >= at) {
            disk.is_crashed = true;
            return Err(io::Error::other("the power is off"));
        }
        if disk.lies {
            return Ok(());
        }
        for operation in std::mem::take(&mut disk.unsynced) {
            operation.apply(&mut disk.synced);
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.perform(Operation::Write(usize::try_from(offset).map_err(io::Error::other)?, data.to_vec()))
    }
}

/// What disks write whole.
const SECTOR: usize = 512;
