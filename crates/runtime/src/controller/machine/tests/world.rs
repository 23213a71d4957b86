//! A small world for the machine: a cluster of two keys, the controller's store of it, and what holds after every step.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pintle_client::client::writes::{Effect, Write};
use pintle_core::call::Target;

use crate::controller::machine::pending_deletes::PendingDelete;
use crate::controller::machine::pending_writes::PATIENCE;
use crate::controller::machine::*;
use crate::controller::permit::Scope;
use crate::controller::reconciler::action::Next;
use crate::controller::source::Wake;
use crate::controller::source::trigger::Cause;

/// A cluster, the controller's store of it, and the reconciles that run.
#[derive(Clone)]
pub(super) struct World {
    /// How it came to be as it is.
    pub(super) path: Vec<Step>,
    pub(super) machine: Machine<u32>,
    pub(super) now: Instant,
    /// The objects, by their key: the uid of each.
    pub(super) store: BTreeMap<Key, u32>,
    pub(super) next_uid: u32,
    pub(super) next_version: u64,
    /// Writes that no watch has shown.
    pub(super) unseen: BTreeSet<u64>,
    /// Which keys wait for which write.
    pub(super) awaiting: BTreeMap<Key, u64>,
    pub(super) running: BTreeMap<Key, Running>,
    /// Keys that changed after their last reconcile began.
    pub(super) dirty: BTreeSet<Key>,
    /// What each key wrote last that was not seen, and when.
    pub(super) wrote: BTreeMap<Key, (u64, Instant)>,
    /// Objects whose delete was not handled.
    pub(super) unhandled: BTreeMap<u32, Key>,
    /// Which keys may be reconciled.
    pub(super) permitted: [bool; 2],
}

#[derive(Clone, Debug)]
pub(super) enum Running {
    Reconcile { uid: u32 },
    Delete(PendingDelete<u32>),
}

/// What happens next.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Step {
    /// An object is created, or changes.
    Change(usize),
    /// An object is deleted.
    Delete(usize),
    /// A watch shows what the last reconcile wrote.
    Show(usize),
    /// A reconcile ends.
    End(usize, How),
    /// These may be reconciled from now on.
    Permit([bool; 2]),
    /// Time passes.
    Wait(Duration),
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum How {
    Done,
    Requeue,
    Failed,
    /// Well, having written something.
    Wrote,
}

pub(super) const STEPS: [Step; 16] = [
    Step::Change(0),
    Step::Change(1),
    Step::Delete(0),
    Step::Delete(1),
    Step::Show(0),
    Step::Show(1),
    Step::End(0, How::Done),
    Step::End(0, How::Requeue),
    Step::End(0, How::Failed),
    Step::End(0, How::Wrote),
    Step::End(1, How::Done),
    Step::End(1, How::Requeue),
    Step::End(1, How::Failed),
    Step::End(1, How::Wrote),
    Step::Wait(Duration::from_secs(1)),
    Step::Wait(PATIENCE),
];

pub(super) fn key(number: usize) -> Key {
    Key { namespace: None, name: ["a", "b"][number].into() }
}

fn index(it: &Key) -> usize {
    usize::from(*it == key(1))
}

pub(super) fn write(version: u64) -> Write {
    let target = Target { name: Some("child".into()), ..Target::default() };
    Write::new(target, "u".into(), Effect::Stored(version.to_string()), None)
}

pub(super) fn version(write: &Write) -> u64 {
    let Effect::Stored(version) = &write.effect else { panic!("nothing is deleted here") };
    version.parse().expect("versions are numbers here")
}

pub(super) fn settings() -> Settings {
    Settings {
        slots: Some(1),
        debounce: Duration::ZERO,
        backoff: Exponential::new(Duration::from_millis(5), Duration::from_secs(1000)),
        loop_rounds: None,
        reads_own_writes: true,
        handles_deletes: true,
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("after {:?}", self.path);
        }
    }
}

struct Seen<'a>(&'a BTreeMap<Key, u32>, &'a BTreeSet<u64>);

impl View for Seen<'_> {
    fn resolve(&self, key: &Key) -> Option<Key> {
        self.0.contains_key(key).then(|| key.clone())
    }
    fn uid(&self, key: &Key) -> Option<String> {
        self.0.get(key).map(ToString::to_string)
    }
    fn is_ready(&self) -> bool {
        true
    }
    fn keys(&self) -> Vec<Key> {
        self.0.keys().cloned().collect()
    }
    fn is_unseen(&self, write: &Write) -> bool {
        self.1.contains(&version(write))
    }
    fn unsure_since(&self) -> Option<Instant> {
        None
    }
}

impl World {
    pub(super) fn new(settings: Settings) -> Self {
        let now = Instant::now();
        let mut machine = Machine::new(settings, BTreeMap::from([(MAIN, "Document".to_owned())]), false, now);
        machine.on(Input::Synced(MAIN), now, &Seen(&BTreeMap::new(), &BTreeSet::new()));
        Self {
            path: Vec::new(),
            machine,
            now,
            store: BTreeMap::new(),
            next_uid: 1,
            next_version: 1,
            unseen: BTreeSet::new(),
            awaiting: BTreeMap::new(),
            running: BTreeMap::new(),
            dirty: BTreeSet::new(),
            wrote: BTreeMap::new(),
            unhandled: BTreeMap::new(),
            permitted: [true; 2],
        }
    }

    /// Takes a step and starts what is due; returns whether it was possible.
    pub(super) fn step(&mut self, step: Step) -> bool {
        self.path.push(step);
        let is_possible = match step {
            Step::Change(number) => self.change(number),
            Step::Delete(number) => self.delete(number),
            Step::Show(number) => self.show(number),
            Step::End(number, how) => self.end(number, how),
            Step::Permit(permitted) => self.permit(permitted),
            Step::Wait(time) => {
                self.now += time;
                true
            }
        };
        self.feed(Input::Tick);
        self.check();
        is_possible
    }

    pub(super) fn change(&mut self, number: usize) -> bool {
        let uid = self.next_uid;
        if *self.store.entry(key(number)).or_insert(uid) == uid {
            self.next_uid += 1;
        }
        if self.may_run(&key(number)) {
            self.dirty.insert(key(number));
        }
        self.feed(Input::Woken(Wake::new(key(number), Cause::Itself)));
        true
    }

    pub(super) fn delete(&mut self, number: usize) -> bool {
        let Some(uid) = self.store.remove(&key(number)) else { return false };
        self.dirty.remove(&key(number));
        self.wrote.remove(&key(number));
        if self.may_run(&key(number)) {
            self.unhandled.insert(uid, key(number));
        }
        self.feed(Input::Lost(key(number), uid));
        true
    }

    pub(super) fn permit(&mut self, permitted: [bool; 2]) -> bool {
        if self.permitted == permitted {
            return false;
        }
        let before = std::mem::replace(&mut self.permitted, permitted);
        self.feed(Input::Permitted(match permitted {
            [true, true] => Scope::All,
            [false, false] => Scope::None,
            [first, _] => Scope::Keys(Arc::new(move |it| (*it == key(0)) == first)),
        }));
        // What may be reconciled now is looked at; what may not any more is for others.
        self.dirty.retain(|key| permitted[index(key)]);
        let gained = self.store.keys().filter(|key| permitted[index(key)] && !before[index(key)]);
        self.dirty.extend(gained.cloned());
        let unhandled = std::mem::take(&mut self.unhandled);
        self.unhandled = unhandled.into_iter().filter(|(_, key)| self.may_run(key)).collect();
        true
    }

    pub(super) fn may_run(&self, it: &Key) -> bool {
        self.permitted[index(it)]
    }

    pub(super) fn show(&mut self, number: usize) -> bool {
        let Some((version, _)) = self.wrote.remove(&key(number)) else { return false };
        self.unseen.remove(&version);
        if self.awaiting.remove(&key(number)).is_some() {
            self.feed(Input::Seen(vec![key(number)]));
        }
        true
    }

    pub(super) fn end(&mut self, number: usize, how: How) -> bool {
        let Some(running) = self.running.remove(&key(number)) else { return false };
        let mut writes = Vec::new();
        if how == How::Wrote && matches!(running, Running::Reconcile { .. }) {
            let version = self.next_version;
            self.next_version += 1;
            self.unseen.insert(version);
            self.wrote.insert(key(number), (version, self.now));
            writes.push(write(version));
        }
        let (result, next) = match how {
            How::Done | How::Wrote => (RunResult::Succeeded, Next::Change),
            How::Requeue => (RunResult::Succeeded, Next::After(Duration::from_secs(3))),
            How::Failed => (RunResult::Failed, Next::Backoff),
        };
        let work = match running {
            Running::Reconcile { uid } => Work::Reconcile { uid: Some(uid.to_string()), writes, changes: Vec::new() },
            Running::Delete(delete) => {
                if result == RunResult::Succeeded {
                    assert!(self.unhandled.remove(&delete.last).is_some(), "a delete is handled once");
                }
                Work::Delete(delete)
            }
        };
        self.feed(Input::Ended(Ended { key: key(number), work, result, next, random: 0.0 }));
        true
    }

    pub(super) fn feed(&mut self, input: Input<u32>) {
        for output in self.machine.on(input, self.now, &Seen(&self.store, &self.unseen)) {
            match output {
                Output::Reconcile { key, attempt, .. } => self.begin(key, attempt),
                Output::HandleDelete(key, delete) => {
                    assert!(self.unhandled.contains_key(&delete.last), "a delete is not handled again");
                    assert!(self.may_run(&key), "it may be handled here");
                    assert!(self.running.insert(key, Running::Delete(delete)).is_none(), "one run per key");
                }
                Output::CutOff(key) => {
                    assert!(!self.may_run(&key) && self.running.remove(&key).is_some(), "what runs and may not go on");
                }
                Output::Await(key, write) => drop(self.awaiting.insert(key, version(&write))),
                Output::StopAwaiting(key) => drop(self.awaiting.remove(&key)),
                Output::Cleared(_) | Output::Scheduled(_) | Output::Report(_) => {}
            }
        }
    }

    pub(super) fn begin(&mut self, key: Key, attempt: u32) {
        let uid = self.store[&key];
        assert!(attempt >= 1 && self.may_run(&key), "it may be reconciled here");
        if let Some((version, at)) = self.wrote.get(&key) {
            let is_over = *at + PATIENCE <= self.now;
            assert!(is_over || !self.unseen.contains(version), "it does not run before its own write is seen");
        }
        self.dirty.remove(&key);
        assert!(self.running.insert(key, Running::Reconcile { uid }).is_none(), "one run per key");
    }

    /// What holds after every step.
    pub(super) fn check(&mut self) {
        assert_eq!(self.machine.running, self.running.len());
        assert!(self.machine.settings.slots.is_none_or(|slots| self.running.len() <= slots), "too many at once");
        let held: BTreeSet<_> = self
            .machine
            .records
            .iter()
            .filter_map(|(key, record)| Some((record.object.held_until?, key.clone())))
            .collect();
        assert_eq!(self.machine.held, held, "the index of held keys is that of the records");
        let is_blank = |(key, record): (&Key, &Record<_>)| record.is_blank() && !self.running.contains_key(key);
        assert!(!self.machine.records.iter().any(is_blank), "a key of which nothing is known has no record");
        for key in [key(0), key(1)] {
            let record = self.machine.records.get(&key);
            let is_queued = self.machine.queue.is_wanted(&key);
            let has_reason = record.is_some_and(|record| record.object.wake.is_some() || !record.deletes.is_empty());
            assert!(!is_queued || has_reason, "a key that waits has a reason");
            let is_dirty = self.dirty.contains(&key);
            let is_held = record.is_some_and(|record| record.object.held_until.is_some());
            assert!(!is_dirty || is_queued || is_held, "a change is never forgotten");
        }
    }

    /// Lets everything come to rest: nothing that happened may be lost.
    pub(super) fn settle(mut self) {
        for _ in 0..12 {
            for number in [0, 1] {
                self.end(number, How::Done);
                self.show(number);
            }
            self.now += Duration::from_secs(1);
            self.feed(Input::Tick);
            self.check();
        }
        assert!(self.dirty.is_empty(), "{:?} changed and were not reconciled", self.dirty);
        assert!(self.unhandled.is_empty(), "the deletes of {:?} were not handled", self.unhandled);
        let Load { waiting, scheduled, held, .. } = self.machine.load(self.now);
        assert_eq!((self.running.len(), waiting, scheduled, held), (0, 0, 0, 0));
        self.now += Duration::from_secs(3600);
        self.feed(Input::Tick);
        assert!(self.machine.records.is_empty(), "a key at rest is forgotten");
        assert_eq!(self.machine.next_tick(), None, "and nothing is left to do");
    }
}
