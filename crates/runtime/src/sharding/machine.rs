//! Which slots a replica may work on, so that no two ever work on one.
//!
//! Every replica has a Lease, in which it says which slots it claims, and reads those of the others.
//!
//! ```text
//!   wanted ──► claimed ──a list begun after that shows no other claim──► active ──not wanted──► draining ──► given up
//!                └────────── another live replica claims it: wait ────────┘
//! ```
//!
//! A replica claims a slot *first* and looks at the claims of the others *after* that. Of two that claim one slot, the later
//! writer sees the earlier claim, whatever the order of their reads; so at most one of them begins, and it keeps the slot
//! until it gives its claim up. A claim counts while its Lease changes: as with a leader's lease, a reader measures by its
//! own clock for how long it has found a Lease unchanged, and its writer stops well before that.
//!
//! In: what was written and read, what runs, and the time. Out: the next [`Step`], and the slots that are
//! [active](Machine::active). It is pure. The steps are performed one at a time.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use super::slots::Slots;
use crate::lease::is_later;

/// The claims of one replica, as its Lease has them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Claims {
    pub(super) identity: String,
    pub(super) slots: Slots,
    /// Changes with every write.
    pub(super) version: String,
    /// For how long they count after a change.
    pub(super) duration: Duration,
}

/// What is to be done next.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Step {
    /// Write these claims to the replica's own Lease; answered by `published`, `taken` or nothing.
    Publish(Slots),
    /// Read the newest Leases of all; answered by `listed` or nothing.
    List,
    /// Delete the Lease of a replica that is gone, if it is still at this version.
    Remove { identity: String, version: String },
    /// Nothing, until then.
    Wait(Instant),
}

/// How often things are done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Periods {
    /// How long a replica relies on its own claims.
    pub(super) renew: Duration,
    /// The pause between two writes, and between two reads.
    pub(super) retry: Duration,
}

/// The sharding of one replica, without its effects.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    identity: String,
    periods: Periods,
    others: BTreeMap<String, Other>,
    /// The replicas that are alive, with this one, and its share among them.
    members: Vec<String>,
    wanted: Slots,
    /// What the server is known to have of this replica's claims.
    claimed: Option<Claimed>,
    /// Whether a write was sent of which nothing is known.
    is_unanswered: bool,
    /// Those of the claims after which the others' were read.
    checked: Slots,
    active: Slots,
    /// Slots that are not active any more and may still have something running.
    draining: Slots,
    listed: Option<Instant>,
    /// When the last step was begun that was not answered.
    tried: Option<Instant>,
    is_leaving: bool,
}

/// Another replica.
#[derive(Clone, Debug)]
struct Other {
    claims: Claims,
    /// When its Lease was found changed.
    since: Instant,
    /// When the last read was begun that found it the same since.
    read: Instant,
}

impl Other {
    /// Until when its claims count if its Lease does not change.
    fn expiry(&self) -> Instant {
        self.since + self.claims.duration
    }
}

#[derive(Clone, Copy, Debug)]
struct Claimed {
    slots: Slots,
    /// When the write was sent that is known to have arrived.
    sent: Instant,
}

/// While a slot is waited for, the others' claims are read this often.
const IMPATIENT: Duration = Duration::from_millis(250);
/// So that a mistake in what is awaited cannot become a busy loop.
const SHORTEST_WAIT: Duration = Duration::from_millis(1);

impl Machine {
    pub(super) fn new(identity: String, periods: Periods) -> Self {
        Self {
            identity,
            periods,
            others: BTreeMap::new(),
            members: Vec::new(),
            wanted: Slots::NONE,
            claimed: None,
            is_unanswered: false,
            checked: Slots::NONE,
            active: Slots::NONE,
            draining: Slots::NONE,
            listed: None,
            tried: None,
            is_leaving: false,
        }
    }

    /// The slots whose keys may be started.
    pub(super) fn active(&self) -> Slots {
        self.active
    }

    /// Until when the claims can be relied on; what still runs then is to be cut off.
    pub(super) fn guard(&self) -> Option<Instant> {
        self.claimed.map(|claimed| claimed.sent + self.periods.renew)
    }

    /// The slots that must not be started any more and that others wait for.
    pub(super) fn draining(&self) -> Slots {
        self.draining
    }

    /// The replicas that are alive, with this one.
    pub(super) fn members(&self) -> &[String] {
        &self.members
    }

    /// Whether nothing is in use any more after [`leave`](Self::leave).
    pub(super) fn has_left(&self) -> bool {
        self.is_leaving && self.active.is_empty() && self.draining.is_empty()
    }

    /// Wants no slot any more.
    pub(super) fn leave(&mut self, now: Instant) {
        self.is_leaving = true;
        self.settle(now);
    }

    /// What to do now. What is not answered is asked for again after a pause.
    pub(super) fn next(&mut self, now: Instant) -> Step {
        self.settle(now);
        if self.tried.is_some_and(|tried| now < tried + self.periods.retry) {
            return self.wait(now);
        }
        let claims = self.wanted.union(self.active).union(self.draining);
        let Some(claimed) = self.claimed else {
            // A replica that joins looks first, so that it claims no more than its share.
            return if self.listed.is_none() { self.list(now) } else { self.publish(claims, now) };
        };
        if self.is_unanswered || claimed.slots != claims || now >= claimed.sent + self.periods.retry {
            return self.publish(claims, now);
        }
        let is_checked = claimed.slots.minus(self.checked).is_empty();
        let is_due = self.listed.is_none_or(|listed| now >= listed + self.pause_between_lists());
        if !is_checked || is_due || self.next_expiry().is_some_and(|expiry| now >= expiry) {
            return self.list(now);
        }
        match self.forgotten() {
            Some(gone) => Step::Remove { identity: gone.identity.clone(), version: gone.version.clone() },
            None => self.wait(now),
        }
    }

    /// The claims arrived; the write was begun at `sent`.
    pub(super) fn published(&mut self, slots: Slots, sent: Instant, now: Instant) {
        self.settle(now);
        // Those that were not claimed all the time since the others' claims were read are new.
        let known = self.claimed.map(|claimed| claimed.slots).unwrap_or_default();
        self.checked = self.checked.intersection(known).intersection(slots);
        self.claimed = Some(Claimed { slots, sent });
        (self.is_unanswered, self.tried) = (false, None);
        self.settle(now);
    }

    /// The replica's own Lease is gone, or is not its own any more: its claims do not count.
    pub(super) fn taken(&mut self, now: Instant) {
        self.lose();
        self.settle(now);
    }

    /// The last step had an answer of another kind: the next one is not waited for.
    pub(super) fn answered(&mut self) {
        self.tried = None;
    }

    /// The claims of all; they were asked for at `sent`, after the answer to everything that was published.
    pub(super) fn listed(&mut self, all: Vec<Claims>, sent: Instant, now: Instant) {
        self.settle(now);
        let mut before = std::mem::take(&mut self.others);
        for claims in all.into_iter().filter(|claims| claims.identity != self.identity) {
            let known = before.remove(&claims.identity).filter(|other| other.claims.version == claims.version);
            let since = known.map_or(now, |other| other.since);
            self.others.insert(claims.identity.clone(), Other { claims, since, read: sent });
        }
        self.checked = self.claimed.map(|claimed| claimed.slots).unwrap_or_default();
        (self.listed, self.tried) = (Some(now), None);
        self.settle(now);
    }

    /// Another replica's claims have changed: they are read at once.
    pub(super) fn notified(&mut self) {
        if self.claimed.is_some() {
            self.listed = None;
        }
    }

    /// Another replica has written its Lease, and claims what it did before. Seen as it happens, so that its claims run out
    /// no later than they have to. A watch may show what was read already.
    pub(super) fn renewed(&mut self, identity: &str, version: &str, now: Instant) {
        if let Some(other) = self.others.get_mut(identity)
            && is_later(version, &other.claims.version)
        {
            version.clone_into(&mut other.claims.version);
            (other.since, other.read) = (now, now);
        }
    }

    /// The Lease of a replica that is gone was deleted, or has changed since.
    pub(super) fn removed(&mut self, identity: &str) {
        self.others.remove(identity);
    }

    /// Nothing runs any more in these slots.
    pub(super) fn drained(&mut self, slots: Slots, now: Instant) {
        self.draining = self.draining.minus(slots);
        self.settle(now);
    }

    /// Draws what follows from the time and from what is known.
    fn settle(&mut self, now: Instant) {
        if self.guard().is_some_and(|guard| now >= guard) {
            self.lose();
        }
        self.count_members();
        let given_up = self.active.minus(self.wanted);
        self.draining = self.draining.union(given_up);
        let others = self.alive().fold(Slots::NONE, |all, other| all.union(other.claims.slots));
        let begun = self.wanted.intersection(self.checked).minus(others).minus(self.draining);
        self.active = self.active.minus(given_up).union(begun);
    }

    /// Relies on nothing any more that was claimed, and looks at everything anew.
    fn lose(&mut self) {
        self.draining = self.draining.union(self.active);
        (self.claimed, self.checked, self.active) = (None, Slots::NONE, Slots::NONE);
        self.listed = None;
    }

    fn count_members(&mut self) {
        let alive = self.alive().map(|other| &other.claims.identity);
        let mut members: Vec<String> = alive.chain([&self.identity]).cloned().collect();
        members.sort_unstable();
        if self.is_leaving {
            self.wanted = Slots::NONE;
        } else if members != self.members {
            self.wanted = Slots::of(&self.identity, members.iter().map(String::as_str));
        }
        self.members = members;
    }

    /// The others whose claims count. A Lease that was not looked at for long may have changed all the time.
    fn alive(&self) -> impl Iterator<Item = &Other> {
        self.others.values().filter(|other| other.read < other.expiry())
    }

    /// When the first of them will have rested for as long as its claims count: it is read then, and not a pause later.
    fn next_expiry(&self) -> Option<Instant> {
        self.alive().map(Other::expiry).min()
    }

    fn pause_between_lists(&self) -> Duration {
        if self.wanted.minus(self.active).is_empty() { self.periods.retry } else { IMPATIENT }
    }

    /// A replica that has been gone for as long again as its claims counted.
    fn forgotten(&self) -> Option<&Claims> {
        self.others
            .values()
            .find(|other| other.read >= other.since + 2 * other.claims.duration)
            .map(|other| &other.claims)
    }

    fn list(&mut self, now: Instant) -> Step {
        self.tried = Some(now);
        Step::List
    }

    /// Writes `claims`. What they leave out is not relied on from here: whether they arrive may never be known.
    fn publish(&mut self, claims: Slots, now: Instant) -> Step {
        self.checked = self.checked.intersection(claims);
        (self.tried, self.is_unanswered) = (Some(now), true);
        Step::Publish(claims)
    }

    /// Until the time has come for a step; an answer may bring one earlier.
    fn wait(&self, now: Instant) -> Step {
        let publish = self.claimed.map(|claimed| claimed.sent + self.periods.retry);
        let list = self.listed.map(|listed| listed + self.pause_between_lists());
        let next = [publish, list, self.next_expiry()].into_iter().flatten().min().unwrap_or(now + self.periods.retry);
        // What was tried in vain waits for its turn, and nothing waits beyond the guard.
        let next = self.tried.map_or(next, |tried| tried + self.periods.retry);
        Step::Wait(self.guard().map_or(next, |guard| next.min(guard)).max(now + SHORTEST_WAIT))
    }
}

#[cfg(test)]
mod tests;
