//! The machine in a world of two keys: every sequence of five steps.

mod seen_writes;
mod table;
mod world;

use std::time::Duration;

use super::Settings;
use world::{How, STEPS, Step, World, settings};

/// Walks every sequence of up to `depth` further `steps`; returns how many there are.
fn walk(world: &World, steps: &[Step], depth: usize) -> usize {
    let mut walked = 0;
    for step in steps {
        let mut next = world.clone();
        if next.step(*step) {
            walked += 1;
            if depth > 1 {
                walked += walk(&next, steps, depth - 1);
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
        let walked = walk(&world, &STEPS, 5);
        assert!(walked > 10_000, "only {walked} sequences were possible");
    }
}

/// Which keys may be reconciled changes at any moment.
#[test]
fn only_what_is_permitted_runs_and_all_that_is_permitted_later_is_looked_at_in_any_sequence_of_six_steps() {
    let steps = [
        Step::Change(0),
        Step::Change(1),
        Step::Delete(0),
        Step::End(0, How::Requeue),
        Step::End(0, How::Wrote),
        Step::Permit([false, false]),
        Step::Permit([false, true]),
        Step::Permit([true, false]),
        Step::Permit([true, true]),
        Step::Wait(Duration::from_secs(1)),
    ];
    for slots in [Some(1), None] {
        let world = World::new(Settings { slots, ..settings() });
        let walked = walk(&world, &steps, 6);
        assert!(walked > 100_000, "only {walked} sequences were possible");
    }
}

#[test]
fn without_handlers_of_deletes_and_held_keys_nothing_is_lost_either() {
    let settings = Settings { handles_deletes: false, reads_own_writes: false, ..settings() };
    let mut world = World::new(settings);
    for step in [Step::Change(0), Step::End(0, How::Wrote), Step::Change(0), Step::Delete(0), Step::Change(1)] {
        // Deletes are not handled here, so none is expected; and nothing is waited for.
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
