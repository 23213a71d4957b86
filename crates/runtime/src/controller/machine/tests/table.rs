//! The table of the machine's documentation, and what it does not say of single keys.

use super::world::{How, Step, World, key, settings};
use crate::controller::machine::pending_writes::PATIENCE;
use crate::controller::machine::*;
use crate::controller::reconciler::action::Next;

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
fn a_key_whose_object_went_while_it_ran_is_forgotten_when_its_run_is_of_no_interest_any_more() {
    let mut world = World::at(Place::Running);
    world.delete(0);
    world.end(0, How::Done);
    assert_eq!(world.machine.records.len(), 1, "its reconcile may have seen more than the watches");
    let due = world.machine.next_tick().expect("it is not kept for ever");
    assert_eq!(due, world.now + RECORD_PATIENCE);
    world.now = due;
    world.feed(Input::Tick);
    assert!(world.machine.records.is_empty(), "{:?}", world.machine.records);
    assert_eq!(world.machine.next_tick(), None);
}

#[test]
fn what_ran_is_forgotten_after_a_while_and_what_waits_is_not() {
    let mut world = World::at(Place::Running);
    world.end(0, How::Done);
    let due = world.machine.next_tick().expect("it is not kept for ever");
    world.now = due - Duration::from_secs(1);
    world.change(1);
    world.step(Step::Wait(Duration::ZERO));
    world.end(1, How::Done);
    world.step(Step::Wait(Duration::from_secs(1)));
    assert_eq!(world.machine.records.keys().collect::<Vec<_>>(), [&key(1)], "it ran only just now");
    assert_eq!(world.machine.next_tick(), Some(due + RECORD_PATIENCE));
    world.change(1);
    world.step(Step::Wait(RECORD_PATIENCE));
    // It waits longer than what is not needed is remembered.
    world.running.remove(&key(1));
    let next = Next::After(3 * RECORD_PATIENCE);
    let work = Work::Reconcile { uid: None, writes: Vec::new(), changes: Vec::new() };
    world.feed(Input::Ended(Ended { key: key(1), work, result: RunResult::Succeeded, next, random: 0.0 }));
    for _ in 0..2 {
        world.step(Step::Wait(RECORD_PATIENCE));
        assert!(world.machine.records.contains_key(&key(1)), "it waits for its time");
    }
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
