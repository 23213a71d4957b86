//! What it costs that a watch shows a version for which keys are held.

use std::collections::BTreeMap;

use pintle_client::client::writes::Write;

use super::world::{settings, version, write};
use crate::controller::machine::*;
use crate::controller::reconciler::action::Next;
use crate::controller::source::Wake;
use crate::controller::source::trigger::Cause;

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
