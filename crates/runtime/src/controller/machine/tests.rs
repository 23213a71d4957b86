//! The machine in a world of two keys: every sequence of five steps, and the table of its documentation.

use std::collections::{BTreeMap, BTreeSet};

use pintle_client::client::writes::{Effect, Write};
use pintle_core::call::Target;

use super::*;
use crate::controller::machine::pending_deletes::PendingDelete;
use crate::controller::machine::pending_writes::PATIENCE;
use crate::controller::reconciler::action::Next;
use crate::controller::source::Wake;
use crate::controller::source::trigger::Cause;

/// A cluster, the controller's store of it, and the reconciles that run.
#[derive(Clone)]
struct World {
    /// How it came to be as it is.
    path: Vec<Step>,
    machine: Machine<u32>,
    now: Instant,
    /// The objects, by their key: the uid of each.
    store: BTreeMap<Key, u32>,
    next_uid: u32,
    next_version: u64,
    /// Writes that no watch has shown.
    unseen: BTreeSet<u64>,
    /// Which keys wait for which write.
    awaiting: BTreeMap<Key, u64>,
    running: BTreeMap<Key, Running>,
    /// Keys that changed after their last reconcile began.
    dirty: BTreeSet<Key>,
    /// What each key wrote last that was not seen, and when.
    wrote: BTreeMap<Key, (u64, Instant)>,
    /// Objects whose delete was not handled.
    unhandled: BTreeSet<u32>,
}

#[derive(Clone, Debug)]
enum Running {
    Reconcile { uid: u32 },
    Delete(PendingDelete<u32>),
}

/// What happens next.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Step {
    /// An object is created, or changes.
    Change(usize),
    /// An object is deleted.
    Delete(usize),
    /// A watch shows what the last reconcile wrote.
    Show(usize),
    /// A reconcile ends.
    End(usize, How),
    /// Time passes.
    Wait(Duration),
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum How {
    Done,
    Requeue,
    Failed,
    /// Well, having written something.
    Wrote,
}

const STEPS: [Step; 16] = [
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

fn key(number: usize) -> Key {
    Key { namespace: None, name: ["a", "b"][number].into() }
}

fn write(version: u64) -> Write {
    let target = Target { name: Some("child".into()), ..Target::default() };
    Write::new(target, "u".into(), Effect::Stored(version.to_string()), None)
}

fn version(write: &Write) -> u64 {
    let Effect::Stored(version) = &write.effect else { panic!("nothing is deleted here") };
    version.parse().expect("versions are numbers here")
}

fn settings() -> Settings {
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
    fn new(settings: Settings) -> Self {
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
            unhandled: BTreeSet::new(),
        }
    }

    /// Takes a step and starts what is due; returns whether it was possible.
    fn step(&mut self, step: Step) -> bool {
        self.path.push(step);
        let is_possible = match step {
            Step::Change(number) => self.change(number),
            Step::Delete(number) => self.delete(number),
            Step::Show(number) => self.show(number),
            Step::End(number, how) => self.end(number, how),
            Step::Wait(time) => {
                self.now += time;
                true
            }
        };
        self.feed(Input::Tick);
        self.check();
        is_possible
    }

    fn change(&mut self, number: usize) -> bool {
        let uid = self.next_uid;
        if *self.store.entry(key(number)).or_insert(uid) == uid {
            self.next_uid += 1;
        }
        self.dirty.insert(key(number));
        self.feed(Input::Woken(Wake::new(key(number), Cause::Itself)));
        true
    }

    fn delete(&mut self, number: usize) -> bool {
        let Some(uid) = self.store.remove(&key(number)) else { return false };
        self.dirty.remove(&key(number));
        self.wrote.remove(&key(number));
        self.unhandled.insert(uid);
        self.feed(Input::Lost(key(number), uid));
        true
    }

    fn show(&mut self, number: usize) -> bool {
        let Some((version, _)) = self.wrote.remove(&key(number)) else { return false };
        self.unseen.remove(&version);
        if self.awaiting.remove(&key(number)).is_some() {
            self.feed(Input::Seen(vec![key(number)]));
        }
        true
    }

    fn end(&mut self, number: usize, how: How) -> bool {
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
                    assert!(self.unhandled.remove(&delete.last), "a delete is handled once");
                }
                Work::Delete(delete)
            }
        };
        self.feed(Input::Ended(Ended { key: key(number), work, result, next, random: 0.0 }));
        true
    }

    fn feed(&mut self, input: Input<u32>) {
        for output in self.machine.on(input, self.now, &Seen(&self.store, &self.unseen)) {
            match output {
                Output::Reconcile { key, attempt, .. } => self.begin(key, attempt),
                Output::HandleDelete(key, delete) => {
                    assert!(self.unhandled.contains(&delete.last), "a delete is not handled again");
                    assert!(self.running.insert(key, Running::Delete(delete)).is_none(), "one run per key");
                }
                Output::Await(key, write) => drop(self.awaiting.insert(key, version(&write))),
                Output::StopAwaiting(key) => drop(self.awaiting.remove(&key)),
                Output::Cleared(_) | Output::Scheduled(_) | Output::Report(_) => {}
            }
        }
    }

    fn begin(&mut self, key: Key, attempt: u32) {
        let uid = self.store[&key];
        assert!(attempt >= 1);
        if let Some((version, at)) = self.wrote.get(&key) {
            let is_over = *at + PATIENCE <= self.now;
            assert!(is_over || !self.unseen.contains(version), "it does not run before its own write is seen");
        }
        self.dirty.remove(&key);
        assert!(self.running.insert(key, Running::Reconcile { uid }).is_none(), "one run per key");
    }

    /// What holds after every step.
    fn check(&mut self) {
        assert_eq!(self.machine.running, self.running.len());
        assert!(self.machine.settings.slots.is_none_or(|slots| self.running.len() <= slots), "too many at once");
        let held: BTreeSet<_> = self
            .machine
            .records
            .iter()
            .filter_map(|(key, record)| Some((record.object.held_until?, key.clone())))
            .collect();
        assert_eq!(self.machine.held, held, "the index of held keys is that of the records");
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
    fn settle(mut self) {
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
        assert_eq!((self.running.len(), self.machine.load(self.now)), (0, Load::default()));
        self.now += Duration::from_secs(3600);
        self.machine.records_kept = 0;
        let now = self.now;
        self.machine.records.retain(|_, record| !record.is_idle(now, now));
        assert!(self.machine.records.is_empty(), "a key at rest is forgotten");
    }
}

/// Walks every sequence of up to `depth` further steps; returns how many there are.
fn walk(world: &World, depth: usize) -> usize {
    let mut walked = 0;
    for step in STEPS {
        let mut next = world.clone();
        if next.step(step) {
            walked += 1;
            if depth > 1 {
                walked += walk(&next, depth - 1);
            } else {
                next.settle();
            }
        }
    }
    walked
}

#[test]
fn nothing_is_lost_doubled_or_early_in_any_sequence_of_five_steps() {
    for slots in [Some(1), None] {
        let world = World::new(Settings { slots, ..settings() });
        let walked = walk(&world, 5);
        assert!(walked > 10_000, "only {walked} sequences were possible");
    }
}

#[test]
fn without_handlers_of_deletes_and_held_keys_nothing_is_lost_either() {
    let settings = Settings { handles_deletes: false, reads_own_writes: false, ..settings() };
    let mut world = World::new(settings);
    for step in [Step::Change(0), Step::End(0, How::Wrote), Step::Change(0), Step::Delete(0), Step::Change(1)] {
        // Nobody handles deletes here, so none is expected; and nothing is waited for.
        world.unhandled.clear();
        world.wrote.clear();
        world.step(step);
    }
    world.unhandled.clear();
    assert_eq!(world.running.len(), 1, "one slot, and `a` is not done");
    world.end(0, How::Done);
    world.step(Step::Wait(Duration::ZERO));
    world.settle();
}

/// Where a key is, as the table of the machine names it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Place {
    Idle,
    Waiting,
    Held,
    Running,
}

impl World {
    fn place(&self) -> Place {
        let machine = &self.machine;
        if machine.queue.is_running(&key(0)) {
            Place::Running
        } else if machine.queue.is_wanted(&key(0)) {
            Place::Waiting
        } else if machine.records.get(&key(0)).is_some_and(|record| record.object.held_until.is_some()) {
            Place::Held
        } else {
            Place::Idle
        }
    }

    /// A world in which the first key is there.
    fn at(place: Place) -> Self {
        let mut world = World::new(Settings { handles_deletes: false, ..settings() });
        world.change(0);
        let steps: &[Step] = match place {
            Place::Waiting => &[],
            Place::Running => &[Step::Wait(Duration::ZERO)],
            Place::Idle => &[Step::Wait(Duration::ZERO), Step::End(0, How::Done)],
            Place::Held => &[Step::Wait(Duration::ZERO), Step::End(0, How::Wrote), Step::Change(0)],
        };
        for step in steps {
            assert!(world.step(*step));
        }
        assert_eq!(world.place(), place);
        world
    }
}

#[test]
fn every_pair_of_state_and_input_means_what_the_table_says() {
    use Place::{Held, Idle, Running, Waiting};
    // In the order of the table: woken, seen, due, ended, lost; `None` where that cannot happen.
    let table = [
        (Idle, [Some(Waiting), Some(Idle), Some(Idle), None, Some(Idle)]),
        (Waiting, [Some(Waiting), Some(Waiting), Some(Running), None, Some(Idle)]),
        (Held, [Some(Waiting), Some(Waiting), Some(Running), None, Some(Idle)]),
        (Running, [Some(Running), Some(Running), Some(Running), Some(Idle), Some(Running)]),
    ];
    for (place, expected) in table {
        for (input, expected) in expected.into_iter().enumerate() {
            let Some(expected) = expected else { continue };
            let mut world = World::at(place);
            match input {
                0 => drop(world.change(0)),
                1 => {
                    world.unseen.clear();
                    world.feed(Input::Seen(vec![key(0)]));
                }
                2 => {
                    world.now += PATIENCE;
                    world.feed(Input::Tick);
                }
                3 => drop(world.end(0, How::Done)),
                _ => {
                    let uid = world.store.remove(&key(0)).expect("it is there");
                    world.feed(Input::Lost(key(0), uid));
                }
            }
            assert_eq!(world.place(), expected, "{place:?}, input {input}");
        }
    }
}

#[test]
fn a_key_that_is_woken_while_it_runs_runs_again_and_one_that_asks_for_it_does_at_its_time() {
    let mut world = World::at(Place::Running);
    world.change(0);
    world.end(0, How::Done);
    assert_eq!(world.place(), Place::Waiting);
    world.step(Step::Wait(Duration::ZERO));
    world.end(0, How::Requeue);
    world.step(Step::Wait(Duration::from_secs(2)));
    assert_eq!(world.place(), Place::Waiting);
    world.step(Step::Wait(Duration::from_secs(1)));
    assert_eq!(world.place(), Place::Running);
}

#[test]
fn nothing_follows_from_the_end_of_a_reconcile_whose_object_was_lost_meanwhile() {
    let mut world = World::at(Place::Running);
    world.delete(0);
    world.end(0, How::Failed);
    assert_eq!(world.place(), Place::Idle);
    assert!(world.machine.records.values().all(|record| record.object.failures.count() == 0));
}

#[test]
fn delays_double_with_each_failure_and_begin_anew_after_a_success() {
    let mut world = World::at(Place::Running);
    let mut delays = Vec::new();
    for how in [How::Failed, How::Failed, How::Failed, How::Done, How::Failed] {
        world.end(0, how);
        if how == How::Done {
            world.change(0);
        }
        let due = world.machine.next_tick().expect("it is tried again");
        delays.push(due.saturating_duration_since(world.now).as_millis());
        world.now = due;
        world.feed(Input::Tick);
    }
    assert_eq!(delays, [5, 10, 20, 0, 5]);
}

/// Ten thousand keys with two writes each are held, and a watch shows one version after the other: each write is looked at
/// when its key is held or the write before it is seen, and when it is seen itself. Looking at every key each time would
/// be two hundred million looks.
#[test]
fn a_version_that_is_shown_costs_a_look_at_the_keys_that_waited_for_it_and_at_no_other() {
    const KEYS: u64 = 10_000;
    struct Counting(std::cell::Cell<u64>, u64);
    impl View for Counting {
        fn resolve(&self, key: &Key) -> Option<Key> {
            Some(key.clone())
        }
        fn uid(&self, _: &Key) -> Option<String> {
            None
        }
        fn is_ready(&self) -> bool {
            true
        }
        fn keys(&self) -> Vec<Key> {
            Vec::new()
        }
        fn is_unseen(&self, write: &Write) -> bool {
            self.0.set(self.0.get() + 1);
            version(write) > self.1
        }
        fn unsure_since(&self) -> Option<Instant> {
            None
        }
    }
    let now = Instant::now();
    let mut view = Counting(std::cell::Cell::new(0), 0);
    let settings = Settings { slots: None, ..settings() };
    let mut machine: Machine<()> = Machine::new(settings, BTreeMap::from([(MAIN, String::new())]), false, now);
    machine.on(Input::Synced(MAIN), now, &view);
    let name = |number: u64| Key { namespace: None, name: number.to_string().as_str().into() };
    let mut waiters: BTreeMap<u64, Vec<Key>> = BTreeMap::new();
    let mut note = |outputs: Vec<Output<()>>| {
        for output in outputs {
            if let Output::Await(key, write) = output {
                waiters.entry(version(&write)).or_default().push(key);
            }
        }
        std::mem::take(&mut waiters)
    };
    let mut waiting = BTreeMap::new();
    for number in 1..=KEYS {
        machine.on(Input::Woken(Wake::new(name(number), Cause::Itself)), now, &view);
        machine.on(Input::Tick, now, &view);
        let writes = vec![write(KEYS + number), write(number)];
        let work = Work::Reconcile { uid: None, writes, changes: Vec::new() };
        let ended = Ended { key: name(number), work, result: RunResult::Succeeded, next: Next::Change, random: 0.0 };
        machine.on(Input::Ended(ended), now, &view);
        machine.on(Input::Woken(Wake::new(name(number), Cause::Itself)), now, &view);
        for (version, keys) in note(machine.on(Input::Tick, now, &view)) {
            waiting.entry(version).or_insert_with(Vec::new).extend(keys);
        }
    }
    assert_eq!(machine.load(now).held, usize::try_from(KEYS).expect("it fits"));
    view.0.set(0);
    for reached in 1..=2 * KEYS {
        view.1 = reached;
        let seen = waiting.remove(&reached).unwrap_or_default();
        for (version, keys) in note(machine.on(Input::Seen(seen), now, &view)) {
            waiting.entry(version).or_default().extend(keys);
        }
    }
    assert_eq!(machine.load(now).held, 0);
    assert!(view.0.get() <= 4 * KEYS, "{} looks", view.0.get());
}
