//! The roles and bindings that every server begins with, as kube-apiserver makes them.
//!
//! In: the generated [`table`] and the time at which the server starts. Out: stored objects, and the index of their
//! rules. All servers of a process share both: the objects are made with the first server, and the index with the first
//! request of a user who is not an administrator. Their uids are made of their names, their time is that of the first
//! server; only a server with a clock of its own has them at that clock's time.

mod table;

use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use pintle_wire::HeadReader;
use sha2::{Digest, Sha256};

use super::GROUP;
use super::roles::Roles;
use crate::clock::Clock;
use crate::cluster::GarbageCollection;
use crate::codec::object::Object;
use crate::storage::entry::Entry;
use crate::storage::store::{Resource, Snapshot};

/// One line of the table.
pub(super) struct Row {
    plural: &'static str,
    key: &'static str,
    body: &'static [Piece],
}

/// A piece of a body: text, or what differs each time.
pub(super) enum Piece {
    Text(&'static str),
    Uid,
    Version,
    Time,
}

/// Roles and bindings as they are stored.
#[derive(Clone)]
pub(crate) struct Bootstrap {
    made: (String, GarbageCollection),
    pub(crate) objects: Vec<(Resource, Snapshot)>,
    /// The revision of the last of them.
    pub(crate) revision: u64,
}

impl Bootstrap {
    /// The objects of a server that starts now. Aggregated roles are filled where the controllers of a cluster are on.
    pub(crate) fn new(clock: &Clock, controllers: GarbageCollection) -> Bootstrap {
        static ALONE: OnceLock<Bootstrap> = OnceLock::new();
        static AGGREGATED: OnceLock<Bootstrap> = OnceLock::new();
        let shared = match controllers {
            GarbageCollection::Off => &ALONE,
            GarbageCollection::On => &AGGREGATED,
        };
        match clock.is_system() {
            true => shared.get_or_init(|| Bootstrap::make(clock.timestamp(), controllers)).clone(),
            false => Bootstrap::at(clock.timestamp(), controllers),
        }
    }

    /// The same at a time of a test's own clock; servers that start at one moment share them.
    fn at(time: String, controllers: GarbageCollection) -> Bootstrap {
        static LAST: Mutex<Option<Bootstrap>> = Mutex::new(None);
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        match last.as_ref().filter(|last| last.made.0 == time && last.made.1 == controllers) {
            Some(same) => same.clone(),
            None => last.insert(Bootstrap::make(time, controllers)).clone(),
        }
    }

    fn make(time: String, controllers: GarbageCollection) -> Bootstrap {
        let mut reader = HeadReader::new();
        let mut objects: Vec<(Resource, Snapshot)> = Vec::new();
        let mut revision = FIRST_REVISION;
        for row in rows(controllers) {
            revision += 1;
            let entry = Arc::new(row.entry(&mut reader, &time, revision));
            match objects.iter_mut().find(|(resource, _)| &*resource.plural == row.plural) {
                Some((_, snapshot)) => drop(snapshot.insert(row.key.into(), entry)),
                None => objects.push((Resource::new(GROUP, row.plural), Snapshot::unit(row.key.into(), entry))),
            }
        }
        Bootstrap { made: (time, controllers), objects, revision }
    }
}

/// The index of the rules that every server begins with.
pub(super) fn index(controllers: GarbageCollection) -> Roles {
    static ALONE: LazyLock<Roles> = LazyLock::new(|| indexed(GarbageCollection::Off));
    static AGGREGATED: LazyLock<Roles> = LazyLock::new(|| indexed(GarbageCollection::On));
    match controllers {
        GarbageCollection::Off => ALONE.clone(),
        GarbageCollection::On => AGGREGATED.clone(),
    }
}

fn indexed(controllers: GarbageCollection) -> Roles {
    let mut roles = Roles::default();
    for row in rows(controllers) {
        roles.insert(row.plural, &row.key.into(), &row.object());
    }
    roles
}

/// The writes of a server that starts; with controllers, what gathers other roles is written again when it has.
fn rows(controllers: GarbageCollection) -> impl Iterator<Item = &'static Row> {
    let filled = match controllers {
        GarbageCollection::On => table::AGGREGATED,
        GarbageCollection::Off => &[],
    };
    table::ROWS.iter().chain(filled)
}

impl Row {
    fn entry(&self, reader: &mut HeadReader, time: &str, revision: u64) -> Entry {
        let body = self.text(&self.uid(), &revision.to_string(), time);
        Entry::of_body(reader, body.as_bytes(), revision).expect("the table holds objects with metadata")
    }

    /// The object without what differs each time.
    fn object(&self) -> Object {
        Object::decode(self.text("", "", "").as_bytes())
    }

    fn text(&self, uid: &str, version: &str, time: &str) -> String {
        let pieces = self.body.iter().map(|piece| match piece {
            Piece::Text(text) => text,
            Piece::Uid => uid,
            Piece::Version => version,
            Piece::Time => time,
        });
        pieces.collect()
    }

    fn uid(&self) -> String {
        let digest = Sha256::new().chain_update(self.plural).chain_update(b"/").chain_update(self.key).finalize();
        let bytes = std::array::from_fn(|at| digest[at]);
        uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
    }
}

/// The state of a store that nothing was written to.
const FIRST_REVISION: u64 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_stored_in_the_layout_of_the_store() {
        for controllers in [GarbageCollection::On, GarbageCollection::Off] {
            let made = Bootstrap::make("2026-01-01T00:00:00Z".to_owned(), controllers);
            let count: usize = made.objects.iter().map(|(_, snapshot)| snapshot.len()).sum();
            assert_eq!((made.objects.len(), count), (4, table::ROWS.len()));
            assert_eq!(made.revision - FIRST_REVISION, rows(controllers).count() as u64);
            for (resource, snapshot) in &made.objects {
                for (key, entry) in snapshot {
                    assert_eq!(entry.body(), entry.object().encode(), "{}/{key}", resource.plural);
                    assert_eq!(entry.object().meta("resourceVersion"), entry.revision.to_string());
                    assert_eq!(entry.object().meta("creationTimestamp"), "2026-01-01T00:00:00Z");
                    assert_eq!(entry.object().meta("uid").len(), 36);
                }
            }
        }
    }

    #[test]
    fn aggregated_roles_are_filled_where_controllers_run() {
        let rules = |controllers| {
            let row = rows(controllers).filter(|row| row.key == "view").last().unwrap();
            row.object().get("rules").and_then(|rules| rules.as_array().map(Vec::len))
        };
        assert_eq!(rules(GarbageCollection::Off), None);
        assert!(rules(GarbageCollection::On).is_some_and(|count| count > 5));
    }

    #[test]
    fn servers_share_their_objects() {
        let at = |time: &str| Bootstrap::at(time.to_owned(), GarbageCollection::On);
        let first = |bootstrap: &Bootstrap| Arc::clone(bootstrap.objects[0].1.get("admin").unwrap());
        let (one, same) = (at("2026-01-02T00:00:00Z"), at("2026-01-02T00:00:00Z"));
        assert!(Arc::ptr_eq(&first(&one), &first(&same)));
        assert!(!Arc::ptr_eq(&first(&one), &first(&at("2026-01-02T00:00:01Z"))));
        let of_system = || first(&Bootstrap::new(&Clock::default(), GarbageCollection::On));
        assert!(Arc::ptr_eq(&of_system(), &of_system()));
    }
}
