//! Notices an object whose reconciler keeps waking itself.
//!
//! ```text
//!   woken(origin) ──► started() ──► ended(writes) ──► LoopReport, once per object
//!                         ▲
//!        pause(now) ──────┘  slows down what was found
//! ```
//!
//! A round counts if everything that woke it was written by the rounds before it, and it wrote again; or if another writer
//! changed what it had written, and it wrote the same again. A round that changes nothing ends the count: that is
//! how ordinary convergence ends, however many steps it took. What else wakes an object is never slowed down. It is
//! pure: what woke, what was written, and the time are its inputs.

mod evidence;
mod managers;
mod paths;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use pintle_client::client::writes::{Effect, Write};
use pintle_core::backoff::Exponential;
use pintle_core::discovery::ApiResource;
use tokio::time::Instant;

use crate::reflector::Key;
use evidence::Evidence;
pub use evidence::{LoopCause, LoopReport};

/// So many rounds in a row are a loop unless set otherwise: more than the steps of any state machine that goes on by its
/// own writes, and over in a second.
pub(in crate::controller) const ROUNDS: u32 = 20;
/// The waits of an object that was found, doubled by each further round: from one a person can still watch, to one after
/// which an object that was wrongly suspected gets on, too.
const WAITS: Exponential = Exponential::new(Duration::from_secs(1), Duration::from_secs(300));
/// From so many rounds against another writer on, what is written is kept and compared.
const TURNS_UNCOMPARED: u32 = 3;
/// Another writer undoes a write within this time, or it is not a fight.
const MEMORY: Duration = Duration::from_secs(60);
/// So many changes are remembered of one wait; with more it is not the object's own writes that wake it.
const ORIGINS_MAX: usize = 64;

/// What woke a key: an object in a state.
#[derive(Clone, Debug)]
pub(in crate::controller) struct Origin {
    pub(in crate::controller) kind: Arc<ApiResource>,
    pub(in crate::controller) key: Key,
    pub(in crate::controller) state: State,
}

/// The state of an object that woke a key.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in crate::controller) enum State {
    /// In this version.
    Version(u64),
    /// Gone; this was its uid.
    Gone(String),
}

/// What is known of the rounds of one object.
#[derive(Clone, Debug, Default)]
pub(in crate::controller) struct LoopDetector {
    /// What the last round and the one before it wrote.
    marks: [Vec<Mark>; 2],
    origins: Vec<Origin>,
    /// Whether something else woke it, too.
    is_called: bool,
    woken_by: WokenBy,
    /// Rounds in a row that it woke itself.
    echoes: u32,
    /// Rounds in a row that another writer undid.
    turns: u32,
    evidence: Evidence,
    /// What was found, and until when it waits.
    found: Option<(WokenBy, Instant)>,
    /// Whether that was reported.
    is_reported: bool,
    /// The objects whose bodies were asked for.
    suspects: BTreeSet<Object>,
    /// When its last round ended, unless one runs.
    ended: Option<Instant>,
}

/// Who woke a round.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum WokenBy {
    /// Its own writes, and nothing else.
    Itself,
    /// Another writer, which changed what it had written.
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
pub(in crate::controller) struct Object {
    pub(in crate::controller) group: String,
    pub(in crate::controller) plural: String,
    pub(in crate::controller) key: Key,
}

impl LoopDetector {
    /// The object was woken by `origin`, or by something that is not a change of an object.
    pub(super) fn woken(&mut self, origin: Option<Origin>, now: Instant) {
        self.forget_old(now);
        match origin {
            Some(origin) if self.origins.len() < ORIGINS_MAX => self.origins.push(origin),
            _ => self.is_called = true,
        }
    }

    /// Until when the object should wait, if it was found and only its loop wakes it.
    pub(super) fn pause(&self, now: Instant) -> Option<Instant> {
        let (woken_by, until) = self.found.filter(|(_, until)| *until > now)?;
        (self.woken_by() == woken_by).then_some(until)
    }

    /// A round begins, and `rounds_max` of them are a loop. Returns which objects it should be
    /// [shown](Self::show) as they are now, if what it writes should be kept.
    pub(super) fn started(&mut self, rounds_max: u32, now: Instant) -> Option<Vec<Object>> {
        self.forget_old(now);
        self.woken_by = self.woken_by();
        self.origins.clear();
        self.is_called = false;
        self.ended = None;
        let is_suspect = self.echoes + 2 >= rounds_max || self.turns >= TURNS_UNCOMPARED;
        is_suspect.then(|| {
            let objects: Vec<_> = self.marks[0].iter().map(|mark| mark.object.clone()).collect();
            self.suspects.extend(objects.iter().cloned());
            objects
        })
    }

    /// What one of those objects looks like before the round.
    pub(super) fn show(&mut self, object: Object, body: Bytes) {
        self.evidence.found(object, body);
    }

    /// A round of `key` has ended; `writes` are those that changed something the controller watches. Returns a loop that
    /// is found for the first time.
    pub(super) fn ended(&mut self, key: &Key, writes: &[Write], rounds_max: u32, now: Instant) -> Option<LoopReport> {
        self.ended = Some(now);
        if writes.is_empty() {
            self.rest();
            return None;
        }
        self.count(writes);
        let (woken_by, rounds) = self.rounds();
        if rounds < rounds_max {
            return None;
        }
        self.found = Some((woken_by, now + WAITS.delay(rounds - rounds_max, 0.0)));
        let is_news = !std::mem::replace(&mut self.is_reported, true);
        is_news.then(|| self.evidence.report(key, woken_by == WokenBy::Opponent))
    }

    /// The round that [began](Self::started) did not take place.
    pub(super) fn not_begun(&mut self, now: Instant) {
        self.ended = Some(now);
    }

    /// Whether nothing of it need be remembered: it came to rest, or did nothing for so long that no writer can be
    /// answering to it. That its loop was reported is remembered as long as the object lives.
    pub(super) fn is_at_rest(&self, now: Instant) -> bool {
        let is_still = self.woken_by != WokenBy::Itself && self.marks.iter().all(Vec::is_empty);
        !self.is_reported && self.suspects.is_empty() && self.ended.is_some() && (is_still || self.is_old(now))
    }

    /// The objects whose bodies were asked for and are not needed any more.
    pub(super) fn take_cleared(&mut self) -> BTreeSet<Object> {
        if self.echoes == 0 && self.turns == 0 { std::mem::take(&mut self.suspects) } else { BTreeSet::new() }
    }

    /// The objects whose bodies were asked for.
    pub(super) fn into_suspects(self) -> BTreeSet<Object> {
        self.suspects
    }

    fn is_old(&self, now: Instant) -> bool {
        let is_waiting = self.found.is_some_and(|(_, until)| until + MEMORY > now);
        // An object that waits for so long is not at rest.
        !is_waiting && self.ended.is_some_and(|ended| ended + MEMORY <= now)
    }

    /// Forgets rounds that are too old to have to do with what happens now.
    fn forget_old(&mut self, now: Instant) {
        if self.is_old(now) {
            let suspects = std::mem::take(&mut self.suspects);
            *self = Self { is_reported: self.is_reported, suspects, ..Self::default() };
        }
    }

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

    /// A round changed nothing. What it wrote before may still be undone, unless something else woke it.
    fn rest(&mut self) {
        self.echoes = 0;
        self.found = self.found.filter(|(woken_by, _)| *woken_by == WokenBy::Opponent);
        if self.woken_by != WokenBy::Itself {
            let suspects = std::mem::take(&mut self.suspects);
            *self = Self { is_reported: self.is_reported, ended: self.ended, suspects, ..Self::default() };
        }
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
            // A reconciler that writes something new each time does not fight.
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
