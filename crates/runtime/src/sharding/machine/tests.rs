//! Three replicas and a server in a small world: whatever is delayed, lost, stopped or killed, no two work on one slot.

use super::*;
use crate::sharding::slots::SLOTS;

const LEASE: Duration = Duration::from_secs(3);
const PERIODS: Periods = Periods { renew: Duration::from_secs(2), retry: Duration::from_millis(500) };

/// The server's Leases and the replicas that use them.
#[derive(Clone)]
struct World {
    now: Instant,
    next_version: u64,
    leases: BTreeMap<String, (Slots, u64)>,
    replicas: Vec<Replica>,
}

#[derive(Clone)]
struct Replica {
    identity: String,
    machine: Machine,
    /// A call that is on its way, there or back.
    call: Option<Call>,
    /// The version of its own Lease that it knows, 0 if none.
    version: u64,
    /// What may still run.
    running: Slots,
    is_dead: bool,
}

#[derive(Clone)]
struct Call {
    step: Step,
    sent: Instant,
    answer: Option<Answer>,
}

#[derive(Clone)]
enum Answer {
    Published(u64),
    Conflict,
    Listed(Vec<Claims>),
}

/// What happens next; the number is a replica's.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// It begins its next step.
    Begin(usize),
    /// Its call reaches the server.
    Arrive(usize),
    /// The answer reaches it.
    Answer(usize),
    /// Its call, or the answer, is lost.
    Lose(usize),
    /// Its watch shows it the others' renewals.
    Watch(usize),
    /// What runs in slots that it gives up ends.
    Drain(usize),
    /// It ends without a word.
    Kill(usize),
    /// It is asked to leave.
    Leave(usize),
    Pass(Duration),
}

impl World {
    fn new(count: usize) -> Self {
        let mut world = Self { now: Instant::now(), next_version: 1, leases: BTreeMap::new(), replicas: Vec::new() };
        (0..count).for_each(|_| world.join());
        world
    }

    fn join(&mut self) {
        let identity = format!("replica-{}", self.replicas.len());
        let machine = Machine::new(identity.clone(), PERIODS);
        let (running, is_dead) = (Slots::NONE, false);
        self.replicas.push(Replica { identity, machine, call: None, version: 0, running, is_dead });
    }

    /// What can happen next.
    fn events(&self) -> Vec<Event> {
        let mut events = vec![Event::Pass(Duration::from_millis(300)), Event::Pass(Duration::from_millis(1100))];
        for (at, replica) in self.replicas.iter().enumerate().filter(|(_, replica)| !replica.is_dead) {
            match &replica.call {
                None => events.push(Event::Begin(at)),
                Some(call) if call.answer.is_none() => events.extend([Event::Arrive(at), Event::Lose(at)]),
                Some(_) => events.extend([Event::Answer(at), Event::Lose(at)]),
            }
            events.push(Event::Watch(at));
            if !replica.machine.draining().is_empty() {
                events.push(Event::Drain(at));
            }
        }
        events
    }

    fn play(&mut self, event: Event) {
        match event {
            Event::Begin(at) => self.begin(at),
            Event::Arrive(at) => self.arrive(at),
            Event::Answer(at) => self.answer(at),
            Event::Lose(at) => self.replicas[at].call = None,
            Event::Watch(at) => self.watch(at),
            Event::Drain(at) => self.drain(at),
            Event::Kill(at) => {
                (self.replicas[at].is_dead, self.replicas[at].running) = (true, Slots::NONE);
            }
            Event::Leave(at) => {
                let now = self.now;
                self.replicas[at].machine.leave(now);
            }
            Event::Pass(time) => self.now += time,
        }
        self.check(event);
    }

    fn begin(&mut self, at: usize) {
        let (now, replica) = (self.now, &mut self.replicas[at]);
        let step = replica.machine.next(now);
        if !matches!(step, Step::Wait(_)) {
            replica.call = Some(Call { step, sent: now, answer: None });
        }
    }

    fn arrive(&mut self, at: usize) {
        let version = self.next_version;
        let (identity, known) = (self.replicas[at].identity.clone(), self.replicas[at].version);
        let Some(call) = self.replicas[at].call.clone() else { return };
        let answer = match call.step {
            Step::Publish(slots) => {
                let is_current = self.leases.get(&identity).map_or(0, |(_, version)| *version) == known;
                if is_current {
                    self.leases.insert(identity, (slots, version));
                    self.next_version += 1;
                    Answer::Published(version)
                } else {
                    Answer::Conflict
                }
            }
            Step::List => Answer::Listed(self.claims()),
            Step::Remove { identity, version } => {
                if self.leases.get(&identity).is_some_and(|(_, known)| known.to_string() == version) {
                    self.leases.remove(&identity);
                }
                Answer::Published(0)
            }
            Step::Wait(_) => unreachable!("waiting is not a call"),
        };
        if let Some(call) = &mut self.replicas[at].call {
            call.answer = Some(answer);
        }
    }

    fn claims(&self) -> Vec<Claims> {
        let claims = |(identity, (slots, version)): (&String, &(Slots, u64))| Claims {
            identity: identity.clone(),
            slots: *slots,
            version: version.to_string(),
            duration: LEASE,
        };
        self.leases.iter().map(claims).collect()
    }

    fn answer(&mut self, at: usize) {
        let now = self.now;
        let current = self.leases.get(&self.replicas[at].identity).map_or(0, |(_, version)| *version);
        let replica = &mut self.replicas[at];
        let Some(Call { step, sent, answer: Some(answer) }) = replica.call.take() else { return };
        match (step, answer) {
            (Step::Publish(slots), Answer::Published(version)) => {
                replica.version = version;
                replica.machine.published(slots, sent, now);
            }
            // As the driver does: it reads its Lease, which is its own or gone.
            (Step::Publish(_), _) if current == 0 => {
                replica.version = 0;
                replica.machine.taken(now);
            }
            (Step::Publish(_), _) => replica.version = current,
            (Step::List, Answer::Listed(claims)) => replica.machine.listed(claims, sent, now),
            (Step::Remove { identity, .. }, _) => replica.machine.removed(&identity),
            _ => {}
        }
    }

    fn watch(&mut self, at: usize) {
        for claims in self.claims() {
            self.replicas[at].machine.renewed(&claims.identity, &claims.version, self.now);
        }
    }

    fn drain(&mut self, at: usize) {
        let (now, replica) = (self.now, &mut self.replicas[at]);
        let draining = replica.machine.draining();
        replica.running = replica.running.minus(draining);
        replica.machine.drained(draining, now);
    }

    /// No slot is worked on by two. What runs is cut off when the replica's claims run out, also if it is stopped.
    fn check(&mut self, event: Event) {
        let now = self.now;
        for replica in &mut self.replicas {
            let is_trusted = replica.machine.guard().is_some_and(|guard| now < guard);
            let active = if is_trusted { replica.machine.active() } else { Slots::NONE };
            replica.running = if is_trusted && !replica.is_dead { replica.running.union(active) } else { Slots::NONE };
        }
        for (at, one) in self.replicas.iter().enumerate() {
            for other in &self.replicas[at + 1..] {
                let both = one.running.intersection(other.running);
                assert!(both.is_empty(), "{} and {} both have {both:?} after {event:?}", one.identity, other.identity);
            }
        }
    }

    /// Lets those that live go on undisturbed for some time.
    fn heal(&mut self) {
        (0..400).for_each(|_| self.go_on(Duration::from_millis(50)));
    }

    /// Lets each that lives take one step, which takes no time, and time pass.
    fn go_on(&mut self, time: Duration) {
        for at in (0..self.replicas.len()).filter(|at| !self.replicas[*at].is_dead).collect::<Vec<_>>() {
            for event in [Event::Begin(at), Event::Arrive(at), Event::Answer(at), Event::Watch(at), Event::Drain(at)] {
                self.play(event);
            }
        }
        self.play(Event::Pass(time));
    }

    fn shares(&self) -> Vec<usize> {
        self.replicas.iter().filter(|it| !it.is_dead).map(|it| it.machine.active().len()).collect()
    }
}

/// Every sequence of `left` events.
fn walk(world: &World, left: usize, walked: &mut usize) {
    *walked += 1;
    if left == 0 {
        return;
    }
    for event in world.events() {
        let mut next = world.clone();
        next.play(event);
        walk(&next, left - 1, walked);
    }
}

#[test]
fn no_two_replicas_work_on_one_slot_in_any_sequence_of_five_events() {
    let mut walked = 0;
    let joining = World::new(2);
    walk(&joining, 5, &mut walked);
    // One has everything, and another comes.
    let mut coming = World::new(1);
    coming.heal();
    coming.join();
    walk(&coming, 5, &mut walked);
    // Both have their share, and one of them is stopped for as long as its claims count, and goes on.
    let mut stopped = World::new(2);
    stopped.heal();
    for _ in 0..8 {
        stopped.play(Event::Pass(Duration::from_millis(500)));
        for event in [Event::Begin(0), Event::Arrive(0), Event::Answer(0)] {
            stopped.play(event);
        }
    }
    walk(&stopped, 5, &mut walked);
    assert!(walked > 3_000, "only {walked} sequences were walked");
}

/// Plays `count` events at random: mostly replicas get on, but calls are lost, time passes, and replicas are stopped for
/// a while, killed or added.
fn disturb(world: &mut World, count: usize, random: &mut fastrand::Rng) {
    let mut stopped = None;
    for _ in 0..count {
        let living: Vec<usize> = (0..world.replicas.len()).filter(|at| !world.replicas[*at].is_dead).collect();
        let at = living[random.usize(..living.len())];
        match random.u32(..200) {
            0..2 if living.len() < 4 => world.join(),
            2..4 if living.len() > 1 => world.play(Event::Kill(at)),
            4..9 => stopped = Some(at),
            9..14 => stopped = None,
            14..24 => world.play(Event::Lose(at)),
            24..34 => world.play(Event::Drain(at)),
            34..44 => world.play(Event::Watch(at)),
            44..64 => world.play(Event::Pass(Duration::from_millis(100))),
            64..70 => world.play(Event::Pass(Duration::from_millis(1100))),
            _ if stopped == Some(at) => {}
            _ => world.play(match &world.replicas[at].call {
                None => Event::Begin(at),
                Some(call) if call.answer.is_none() => Event::Arrive(at),
                Some(_) => Event::Answer(at),
            }),
        }
    }
}

#[test]
fn nothing_is_shared_and_nothing_is_left_out_after_any_disturbance() {
    for seed in 0..100 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut world = World::new(2);
        disturb(&mut world, 600, &mut random);
        world.heal();
        assert_eq!(world.shares().iter().sum::<usize>(), SLOTS, "seed {seed}");
        assert!(world.shares().iter().all(|share| *share > 0), "seed {seed}: {:?}", world.shares());
    }
}

#[test]
fn a_replica_that_leaves_drains_first_and_the_others_take_over_at_once() {
    let mut world = World::new(3);
    world.heal();
    let before: Vec<Slots> = world.replicas.iter().map(|replica| replica.machine.active()).collect();
    world.play(Event::Leave(0));
    assert!(!world.replicas[0].machine.has_left(), "what runs is still running");
    world.play(Event::Drain(0));
    assert!(world.replicas[0].machine.has_left());
    // As the driver does when it has left.
    world.leases.remove("replica-0");
    world.play(Event::Kill(0));
    for at in [1, 2] {
        world.replicas[at].machine.notified();
        for _ in 0..3 {
            for event in [Event::Begin(at), Event::Arrive(at), Event::Answer(at)] {
                world.play(event);
            }
        }
    }
    assert_eq!(world.shares().iter().sum::<usize>(), SLOTS);
    for (at, before) in before.iter().enumerate().skip(1) {
        assert!(before.minus(world.replicas[at].machine.active()).is_empty(), "those who stay lose nothing");
    }
}

#[test]
fn the_lease_of_a_replica_that_is_gone_is_removed() {
    let mut world = World::new(2);
    world.heal();
    world.play(Event::Kill(0));
    world.heal();
    assert_eq!(world.leases.keys().collect::<Vec<_>>(), ["replica-1"]);
}

#[test]
fn claims_of_a_replica_that_is_gone_are_taken_over_when_its_lease_has_rested_for_its_duration() {
    for (count, died) in [(2, 0), (3, 17), (4, 33), (4, 48)] {
        let mut world = World::new(count);
        world.heal();
        let before = world.leases["replica-0"].1;
        let moment = Duration::from_millis(10);
        while world.leases["replica-0"].1 == before {
            world.go_on(moment);
        }
        let renewed = world.now;
        (0..died).for_each(|_| world.go_on(moment));
        world.play(Event::Kill(0));
        while world.shares().iter().sum::<usize>() < SLOTS {
            world.go_on(moment);
            assert!(world.now <= renewed + LEASE + Duration::from_millis(50), "{count} replicas, {died}0 ms after");
        }
        assert!(world.now >= renewed + LEASE - moment, "{count} replicas, {died}0 ms after");
    }
}

#[test]
fn what_a_watch_shows_late_does_not_make_a_lease_look_renewed() {
    let mut world = World::new(2);
    world.heal();
    world.play(Event::Kill(0));
    let (since, now) = (world.replicas[1].machine.others["replica-0"].since, world.now);
    world.replicas[1].machine.renewed("replica-0", "1", now);
    assert_eq!(world.replicas[1].machine.others["replica-0"].since, since);
}
