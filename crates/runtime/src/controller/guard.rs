//! Notices an object whose reconciler keeps waking itself.
//!
//! ```text
//!   woken(key, origin) ──► started(key) ──► ended(key, writes) ──► Finding, once per object
//!                                ▲
//!            pause(key, now) ────┘  slows down what was found
//! ```
//!
//! A round counts if everything that woke it was written by the rounds before it, and it wrote again; or if somebody
//! else changed what it had written, and it wrote the same again. A round that changes nothing ends the count: that is
//! how ordinary convergence ends, however many steps it took. What else wakes an object is never slowed down. It is
//! pure: it is told what woke, what was written, and the time.

mod evidence;
mod managers;
mod paths;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use pintle_client::client::writes::{Effect, Write};
use pintle_core::discovery::ApiResource;
use tokio::time::Instant;

use crate::reflector::Key;
use evidence::Evidence;
pub use evidence::{LoopCause, LoopReport};

/// So many rounds in a row are a loop unless set otherwise: more than the steps of any state machine that goes on by its
/// own writes, and over in a second.
pub(super) const ROUNDS: u32 = 20;
/// The first wait of an object that was found, doubled by each further round: a person can still watch it.
const WAIT_MIN: Duration = Duration::from_secs(1);
/// The longest wait, so that one that was wrongly suspected gets on, too.
const WAIT_MAX: Duration = Duration::from_secs(300);
/// From so many rounds against somebody else on, what is written is kept and compared.
const TURNS_UNCOMPARED: u32 = 3;
/// Whoever undoes a write does so within this time, or it is no fight.
const MEMORY: Duration = Duration::from_secs(60);
/// So many changes are remembered of one wait; with more it is not the object's own writes that wake it.
const ORIGINS_MAX: usize = 64;

/// What woke a key: an object in a state.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    pub(super) kind: Arc<ApiResource>,
    pub(super) key: Key,
    pub(super) state: State,
}

/// The state of an object that woke somebody.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum State {
    /// In this version.
    Version(u64),
    /// Gone; this was its uid.
    Gone(String),
}

/// Watches over all keys of a controller.
#[derive(Debug)]
pub(super) struct Guard {
    /// `None` if it is switched off.
    rounds_max: Option<u32>,
    guarded: HashMap<Key, Guarded>,
    /// Those whose loop was told.
    told: HashSet<Key>,
    /// When rounds ended, in that order.
    ends: VecDeque<(Instant, Key)>,
}

/// A key that runs, or whose last round wrote something.
#[derive(Debug, Default)]
struct Guarded {
    /// What the last round and the one before it wrote.
    marks: [Vec<Mark>; 2],
    origins: Vec<Origin>,
    /// Whether something else woke it, too.
    is_called: bool,
    woken_by: WokenBy,
    /// Rounds in a row that it woke itself.
    echoes: u32,
    /// Rounds in a row that somebody else undid.
    turns: u32,
    evidence: Evidence,
    /// What was found, and until when it waits.
    found: Option<(WokenBy, Instant)>,
    /// When its last round ended, unless one runs.
    ended: Option<Instant>,
}

/// Who woke a round.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum WokenBy {
    /// Its own writes, and nothing else.
    Itself,
    /// Somebody who changed what it had written.
    Opponent,
    #[default]
    Others,
}

/// One object that a round wrote.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Mark {
    object: Object,
    state: State,
}

/// Which object.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Object {
    pub(super) group: String,
    pub(super) plural: String,
    pub(super) key: Key,
}

impl Guard {
    /// A guard that finds a loop after `rounds_max` rounds, or none at all.
    pub(super) fn new(rounds_max: Option<u32>) -> Self {
        Self { rounds_max, guarded: HashMap::new(), told: HashSet::new(), ends: VecDeque::new() }
    }

    /// `key` was woken by `origin`, or by something that is no change of an object.
    pub(super) fn woken(&mut self, key: &Key, origin: Option<Origin>) {
        let Some(guarded) = self.guarded.get_mut(key) else { return };
        match origin {
            Some(origin) if guarded.origins.len() < ORIGINS_MAX => guarded.origins.push(origin),
            _ => guarded.is_called = true,
        }
    }

    /// Until when `key` should wait, if it is one that was found and only its loop wakes it.
    pub(super) fn pause(&self, key: &Key, now: Instant) -> Option<Instant> {
        let guarded = self.guarded.get(key)?;
        let (woken_by, until) = guarded.found.filter(|(_, until)| *until > now)?;
        (guarded.woken_by() == woken_by).then_some(until)
    }

    /// A round of `key` begins; says which objects it should be shown as they are now, and whether what it writes should
    /// be kept.
    pub(super) fn started(&mut self, key: &Key, now: Instant) -> Option<Vec<Object>> {
        let rounds_max = self.rounds_max?;
        self.forget_old(now);
        let guarded = self.guarded.entry(key.clone()).or_default();
        guarded.woken_by = guarded.woken_by();
        guarded.origins.clear();
        guarded.is_called = false;
        guarded.ended = None;
        let is_suspect = guarded.echoes + 2 >= rounds_max || guarded.turns >= TURNS_UNCOMPARED;
        is_suspect.then(|| guarded.marks[0].iter().map(|mark| mark.object.clone()).collect())
    }

    /// What one of those objects looks like before the round.
    pub(super) fn show(&mut self, key: &Key, object: Object, body: Bytes) {
        if let Some(guarded) = self.guarded.get_mut(key) {
            guarded.evidence.found(object, body);
        }
    }

    /// A round of `key` has ended; `writes` are those that changed something the controller watches. Gives back a loop
    /// that is found for the first time.
    pub(super) fn ended(&mut self, key: &Key, writes: &[Write], now: Instant) -> Option<LoopReport> {
        let rounds_max = self.rounds_max?;
        self.forget_old(now);
        let guarded = self.guarded.get_mut(key)?;
        guarded.ended = Some(now);
        self.ends.push_back((now, key.clone()));
        if writes.is_empty() {
            if guarded.rested() {
                self.guarded.remove(key);
            }
            return None;
        }
        guarded.count(writes);
        let (woken_by, rounds) = guarded.rounds();
        if rounds < rounds_max {
            return None;
        }
        let wait = WAIT_MIN.saturating_mul(1_u32.checked_shl(rounds - rounds_max).unwrap_or(u32::MAX)).min(WAIT_MAX);
        guarded.found = Some((woken_by, now + wait));
        let is_news = self.told.insert(key.clone());
        is_news.then(|| guarded.evidence.report(key, woken_by == WokenBy::Opponent))
    }

    /// Forgets those who have come to rest.
    fn forget_old(&mut self, now: Instant) {
        let is_old = |ended: &Instant| *ended + MEMORY <= now;
        while self.ends.front().is_some_and(|(ended, _)| is_old(ended)) {
            let Some((_, key)) = self.ends.pop_front() else { return };
            let Some(guarded) = self.guarded.get(&key) else { continue };
            match guarded.found {
                // Who waits for so long is not at rest.
                Some((_, until)) if until + MEMORY > now => self.ends.push_back((now, key)),
                _ if guarded.ended.is_some_and(|ended| is_old(&ended)) => drop(self.guarded.remove(&key)),
                _ => {}
            }
        }
    }

    /// `key` is gone.
    pub(super) fn forget(&mut self, key: &Key) {
        self.guarded.remove(key);
        self.told.remove(key);
    }
}

impl Guarded {
    fn woken_by(&self) -> WokenBy {
        let is_own = |origin: &&Origin| self.marks.iter().flatten().any(|mark| mark.is(origin));
        let is_about = |origin: &Origin| self.marks.iter().flatten().any(|mark| mark.object.is(origin));
        if self.is_called || self.origins.is_empty() {
            return WokenBy::Others;
        }
        let others: Vec<_> = self.origins.iter().filter(|origin| !is_own(origin)).collect();
        match others.as_slice() {
            [] => WokenBy::Itself,
            others if others.iter().all(|origin| is_about(origin)) => WokenBy::Opponent,
            _ => WokenBy::Others,
        }
    }

    /// A round changed nothing; says whether it can be forgotten. What it wrote before may still be undone.
    fn rested(&mut self) -> bool {
        self.echoes = 0;
        self.found = self.found.filter(|(woken_by, _)| *woken_by == WokenBy::Opponent);
        self.woken_by != WokenBy::Itself
    }

    /// What it is most suspected of, and for how many rounds.
    fn rounds(&self) -> (WokenBy, u32) {
        if self.turns > self.echoes { (WokenBy::Opponent, self.turns) } else { (WokenBy::Itself, self.echoes) }
    }

    fn count(&mut self, writes: &[Write]) {
        let is_same = self.evidence.take(writes);
        let is_found = self.found.is_some();
        match self.woken_by {
            WokenBy::Itself => self.echoes += 1,
            // Who writes something new each time does not fight.
            WokenBy::Opponent if is_same.unwrap_or(self.turns <= TURNS_UNCOMPARED) => self.turns += 1,
            WokenBy::Opponent => self.turns = 0,
            WokenBy::Others if is_found => {}
            WokenBy::Others => (self.echoes, self.turns) = (0, 0),
        }
        let marks = writes.iter().filter_map(Mark::of).collect();
        self.marks[1] = std::mem::replace(&mut self.marks[0], marks);
    }
}

impl Mark {
    fn of(write: &Write) -> Option<Self> {
        let state = match &write.effect {
            Effect::Stored(version) => State::Version(version.parse().ok()?),
            Effect::Deleted => State::Gone(write.uid.clone()),
        };
        Some(Self { object: Object::of(write)?, state })
    }

    fn is(&self, origin: &Origin) -> bool {
        self.object.is(origin) && self.state == origin.state
    }
}

impl Object {
    fn of(write: &Write) -> Option<Self> {
        let target = &write.target;
        let namespace = target.namespace.as_deref().map(Arc::from);
        let key = Key { namespace, name: target.name.as_deref()?.into() };
        Some(Self { group: target.group.clone(), plural: target.plural.clone(), key })
    }

    fn is(&self, origin: &Origin) -> bool {
        self.key == origin.key && self.group == origin.kind.group && self.plural == origin.kind.plural
    }
}

#[cfg(test)]
mod tests;
