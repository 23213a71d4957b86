//! Every sequence of a small world: time passes or not, those who call can be written to or not.

use super::*;

/// Short enough that some of the steps below go past every limit.
fn policy() -> Policy {
    Policy {
        lifetime: seconds(300),
        renew_before: seconds(100),
        publish_time: seconds(10),
        switch_time: seconds(20),
        period: seconds(5),
    }
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn names() -> Vec<String> {
    vec!["a".to_owned()]
}

/// The world outside of the state.
#[derive(Clone, Debug)]
struct World {
    now: Timestamp,
    state: Option<State>,
    /// The bundle that those who call have, and since when.
    trusted: (String, Timestamp),
    made: u32,
    log: Vec<String>,
}

impl World {
    fn new() -> Self {
        let now = Timestamp::from_second(1_000_000).unwrap();
        Self { now, state: None, trusted: (String::new(), now), made: 0, log: Vec::new() }
    }

    fn make(&mut self) -> Pair {
        self.made += 1;
        let authority = format!("[{}]", self.made);
        let not_after = self.now + policy().lifetime;
        Pair { authority, certificate: String::new(), key: String::new(), names: names(), not_after }
    }

    /// What one replica does when it looks.
    fn look(&mut self, can_publish: bool) -> Step {
        if can_publish
            && let Some(state) = &self.state
            && self.trusted.0 != state.bundle()
        {
            self.trusted = (state.bundle(), self.now);
        }
        let is_published = self.state.as_ref().is_some_and(|state| state.bundle() == self.trusted.0);
        let step = step(self.state.as_ref(), &names(), &policy(), is_published, self.now);
        self.log.push(format!("{step:?} at {}", self.now.as_second()));
        let was_valid = self.state.as_ref().is_some_and(|state| state.current.is_valid(self.now));
        self.state = match (self.state.take(), step) {
            (_, Step::Create) => Some(State::created(self.make())),
            (Some(state), Step::Prepare) => Some(state.prepared(self.make())),
            (Some(state), Step::NotePublished) => Some(state.noted(self.now)),
            (Some(state), Step::Switch) => {
                let state = state.switched(&policy(), self.now);
                if was_valid {
                    let since = self.trusted.1 + policy().publish_time;
                    let is_trusted = self.trusted.0.contains(&state.current.authority) && since <= self.now;
                    assert!(is_trusted, "served before it was trusted: {:?}", self.log);
                }
                Some(state)
            }
            (Some(state), Step::Retire) => {
                let until = state.previous.as_ref().expect("there is one to retire").until;
                assert!(until <= self.now, "forgotten while it may be served: {:?}", self.log);
                Some(state.retired())
            }
            (state, _) => state,
        };
        let state = self.state.as_ref().expect("there is one after the first look");
        assert!(state.bundle().contains(&state.current.authority));
        assert!(state.bundle().matches('[').count() <= 2, "at most two authorities: {:?}", self.log);
        assert!(state.current.is_valid(self.now), "what is served is valid after a look: {:?}", self.log);
        step
    }
}

#[test]
fn in_every_history_a_certificate_is_trusted_before_it_is_served_and_until_nobody_serves_it() {
    const PASSED: [u64; 5] = [0, 6, 12, 150, 400];
    const LOOKS: u32 = 5;
    let choices = PASSED.len() * 2;
    for history in 0..choices.pow(LOOKS) {
        let (mut world, mut rest) = (World::new(), history);
        world.look(true);
        for _ in 0..LOOKS {
            let (passed, can_publish) = (PASSED[rest % PASSED.len()], (rest / PASSED.len()).is_multiple_of(2));
            rest /= choices;
            world.now += seconds(passed);
            world.look(can_publish);
        }
    }
}

#[test]
fn a_rotation_takes_its_steps_in_order_and_comes_back_to_one_authority() {
    let mut world = World::new();
    let mut steps = Vec::new();
    for _ in 0..60 {
        match world.look(true) {
            Step::Wait(until) => world.now = until,
            step => steps.push(step),
        }
    }
    let round = [Step::Prepare, Step::NotePublished, Step::Switch, Step::Retire];
    assert_eq!(steps[..9], [&[Step::Create][..], &round, &round].concat());
}

#[test]
fn another_name_is_a_reason_to_rotate() {
    let mut world = World::new();
    world.look(true);
    let other = vec!["b".to_owned()];
    let decided = step(world.state.as_ref(), &other, &policy(), true, world.now);
    assert_eq!(decided, Step::Prepare);
}

#[test]
fn keys_are_not_printed() {
    let mut world = World::new();
    world.look(true);
    let mut state = world.state.unwrap();
    state.current.key = "s3cret".to_owned();
    assert!(!format!("{state:?}").contains("s3cret"));
}
