//! What a lease says, and what may be done about it.
//!
//! In: the lease as it was read, and the time. Out: the lease to write, if any. It is pure.

use std::cmp::Ordering;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use pintle_core::resource_version::ResourceVersion;
use tokio::time::Instant;

/// A lease that others hold, as a candidate that waits for it sees it.
pub(super) struct Seen {
    lease: Option<Lease>,
    /// When it was last found changed, by the clock of who waits.
    since: Instant,
    highest: Option<Highest>,
}

/// The highest term that this program remembers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Highest {
    pub(super) term: i32,
    /// When it was last known to be the one that is led.
    pub(super) at: Instant,
}

/// How many terms may have begun and ended unseen before a lease was deleted: so many at once, and so many a second since
/// it was looked at. A term takes two calls to the server at least.
const UNSEEN_TERMS: i32 = 100;
const UNSEEN_TERMS_PER_SECOND: u64 = 10;

impl Highest {
    /// The higher of both; the later look at the same term.
    pub(super) fn max(self, other: Option<Self>) -> Self {
        match other {
            Some(other) if (other.term, other.at) > (self.term, self.at) => other,
            _ => self,
        }
    }
}

/// What to do next.
#[derive(Debug, PartialEq)]
pub(super) enum Claim {
    Create(Lease),
    Replace(Lease),
    Wait,
}

impl Seen {
    /// Nothing seen yet; `highest` is what was remembered from before.
    pub(super) fn new(now: Instant, highest: Option<Highest>) -> Self {
        Self { lease: None, since: now, highest }
    }

    /// The highest term that was seen.
    pub(super) fn highest(&self) -> Option<Highest> {
        self.highest
    }

    /// Who holds the lease, as it was last read.
    pub(super) fn holder(&self) -> Option<&str> {
        self.lease.as_ref().and_then(holder)
    }

    /// Its version, as it was last read.
    pub(super) fn version(&self) -> Option<&str> {
        self.lease.as_ref().and_then(version)
    }

    /// When `identity` may take the lease from its holder if nothing changes until then; `None` if no other holds it.
    pub(super) fn free_at(&self, identity: &str, duration: Duration) -> Option<Instant> {
        let lease = self.lease.as_ref().filter(|lease| holder(lease).is_some_and(|holder| holder != identity))?;
        Some(self.since + good_for(lease, duration))
    }

    /// Takes the lease in as it was just read.
    pub(super) fn see(&mut self, lease: Option<Lease>, now: Instant) {
        if self.version() != lease.as_ref().and_then(version) {
            self.since = now;
        }
        if let Some(term) = lease.as_ref().and_then(transitions) {
            self.highest = Some(Highest { term, at: now }.max(self.highest));
        }
        self.lease = lease;
    }

    /// Takes the lease in as a watch shows it, unless it was read since then.
    pub(super) fn hear(&mut self, lease: Lease, now: Instant) {
        if version(&lease).zip(self.version()).is_none_or(|(shown, known)| is_later(shown, known)) {
            self.see(Some(lease), now);
        }
    }

    /// What `identity` may do at `now`; `wall` is what it writes down as the time.
    pub(super) fn claim(&self, identity: &str, duration: Duration, now: Instant, wall: Timestamp) -> Claim {
        let taken = |lease: &Lease| taken(lease, self.next_term(now), identity, duration, wall);
        let Some(lease) = &self.lease else { return Claim::Create(taken(&Lease::default())) };
        if self.free_at(identity, duration).is_some_and(|free| now < free) {
            return Claim::Wait;
        }
        // One's own, unless it was written anew since: the term that was led then is over.
        if holder(lease) == Some(identity) && self.is_highest(lease) {
            return Claim::Replace(renewed(lease, duration, wall));
        }
        Claim::Replace(taken(lease))
    }

    fn is_highest(&self, lease: &Lease) -> bool {
        self.highest.map(|highest| highest.term) == transitions(lease)
    }

    /// The term of the next leader. A lease that was deleted since does not have it, so that it is well above what is
    /// remembered: other terms may have come and gone in between.
    fn next_term(&self, now: Instant) -> i32 {
        let Some(highest) = self.highest else { return 0 };
        if self.lease.as_ref().is_some_and(|lease| self.is_highest(lease)) {
            return highest.term.saturating_add(1);
        }
        let unseen = now.saturating_duration_since(highest.at).as_secs().saturating_mul(UNSEEN_TERMS_PER_SECOND);
        let unseen = i32::try_from(unseen).unwrap_or(i32::MAX).saturating_add(UNSEEN_TERMS);
        highest.term.saturating_add(1).saturating_add(unseen)
    }
}

/// Whether `version` was written after `known`; of versions that cannot be compared, whether it is another.
pub(crate) fn is_later(version: &str, known: &str) -> bool {
    let both = ResourceVersion::parse(version).zip(ResourceVersion::parse(known));
    both.and_then(|(version, known)| version.compare(&known)).map_or(version != known, Ordering::is_gt)
}

fn version(lease: &Lease) -> Option<&str> {
    lease.metadata.resource_version.as_deref()
}

/// Who holds a lease.
pub(super) fn holder(lease: &Lease) -> Option<&str> {
    lease.spec.as_ref()?.holder_identity.as_deref().filter(|holder| !holder.is_empty())
}

/// How often it has changed hands.
pub(super) fn term(lease: &Lease) -> i32 {
    transitions(lease).unwrap_or_default()
}

/// The same, of a lease that was held before.
fn transitions(lease: &Lease) -> Option<i32> {
    let spec = lease.spec.as_ref()?;
    Some(spec.lease_transitions.unwrap_or_default())
}

/// The same lease, good for so long again.
pub(super) fn renewed(lease: &Lease, duration: Duration, wall: Timestamp) -> Lease {
    let mut lease = lease.clone();
    let spec = lease.spec.get_or_insert_default();
    spec.lease_duration_seconds = Some(seconds(duration));
    spec.renew_time = Some(MicroTime(wall));
    lease
}

/// The lease in the hands of `identity`.
fn taken(lease: &Lease, term: i32, identity: &str, duration: Duration, wall: Timestamp) -> Lease {
    let mut taken = renewed(lease, duration, wall);
    let spec = taken.spec.get_or_insert_default();
    spec.holder_identity = Some(identity.to_owned());
    spec.acquire_time = Some(MicroTime(wall));
    spec.lease_transitions = Some(term);
    taken
}

/// The lease without a holder.
pub(super) fn released(lease: &Lease, wall: Timestamp) -> Lease {
    let spec = LeaseSpec {
        // Those who do not know what no holder means wait for a second.
        lease_duration_seconds: Some(1),
        lease_transitions: Some(term(lease)),
        acquire_time: Some(MicroTime(wall)),
        renew_time: Some(MicroTime(wall)),
        ..LeaseSpec::default()
    };
    Lease { spec: Some(spec), metadata: lease.metadata.clone() }
}

/// How long a lease is good for that does not change any more; one that does not say it, for as long as ours would be.
fn good_for(lease: &Lease, otherwise: Duration) -> Duration {
    let seconds = lease.spec.as_ref().and_then(|spec| spec.lease_duration_seconds);
    seconds.and_then(|seconds| u64::try_from(seconds).ok()).map_or(otherwise, Duration::from_secs)
}

fn seconds(duration: Duration) -> i32 {
    i32::try_from(duration.as_secs()).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DURATION: Duration = Duration::from_secs(15);

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    /// The lease of `identity`, in a version.
    fn lease(identity: &str, version: u32, wall: Timestamp) -> Lease {
        let mut lease = taken(&Lease::default(), 0, identity, DURATION, wall);
        lease.metadata.resource_version = Some(version.to_string());
        lease
    }

    #[test]
    fn a_lease_that_changes_is_left_alone_and_one_that_rests_is_taken_whatever_its_times_say() {
        let start = Instant::now();
        // By the times of its holder it ran out long ago, or will not for years.
        for wall in [at(0), at(1 << 33)] {
            let mut seen = Seen::new(start, None);
            for round in 0..10 {
                let now = start + Duration::from_secs(14 * u64::from(round));
                seen.see(Some(lease("other", round, wall)), now);
                assert_eq!(seen.claim("me", DURATION, now + Duration::from_secs(14), at(7)), Claim::Wait);
            }
            let rests = start + Duration::from_secs(14 * 9) + DURATION;
            seen.see(Some(lease("other", 9, wall)), rests);
            let Claim::Replace(mine) = seen.claim("me", DURATION, rests, at(7)) else { panic!("it is free") };
            assert_eq!((holder(&mine), term(&mine)), (Some("me"), 1));
            assert_eq!(mine.metadata.resource_version.as_deref(), Some("9"), "only if no other candidate was faster");
        }
    }

    #[test]
    fn what_a_watch_shows_late_does_not_make_a_lease_look_renewed() {
        let start = Instant::now();
        let mut seen = Seen::new(start, None);
        seen.see(Some(lease("other", 10, at(7))), start);
        let later = start + Duration::from_secs(2);
        for version in [8, 9, 10] {
            seen.hear(lease("other", version, at(7)), later);
        }
        assert_eq!(seen.free_at("me", DURATION), Some(start + DURATION));
        seen.hear(lease("other", 11, at(7)), later);
        assert_eq!(seen.free_at("me", DURATION), Some(later + DURATION));
        let mut odd = lease("other", 0, at(7));
        odd.metadata.resource_version = Some("odd".to_owned());
        seen.hear(odd, later + DURATION);
        assert_eq!(seen.free_at("me", DURATION), Some(later + 2 * DURATION), "it cannot be compared");
    }

    #[test]
    fn a_lease_without_a_holder_is_taken_at_once() {
        let start = Instant::now();
        let mut seen = Seen::new(start, None);
        assert!(matches!(seen.claim("me", DURATION, start, at(7)), Claim::Create(mine) if term(&mine) == 0));
        seen.see(Some(released(&lease("other", 3, at(7)), at(8))), start);
        assert!(matches!(seen.claim("me", DURATION, start, at(9)), Claim::Replace(mine) if term(&mine) == 1));
    }

    #[test]
    fn a_lease_that_was_deleted_does_not_take_the_terms_with_it() {
        let start = Instant::now();
        let mut seen = Seen::new(start, None);
        let mut old = lease("other", 3, at(7));
        old.spec.as_mut().unwrap().lease_transitions = Some(5);
        seen.see(Some(old), start);
        seen.see(None, start);
        assert!(matches!(seen.claim("me", DURATION, start, at(8)), Claim::Create(mine) if term(&mine) == 106));
        // A candidate that remembers nothing was faster.
        seen.see(Some(lease("newcomer", 9, at(8))), start);
        let later = start + DURATION;
        assert!(matches!(seen.claim("me", DURATION, later, at(9)), Claim::Replace(mine) if term(&mine) == 106 + 150));
        // The next time it leads, and its own lease is written anew by hand.
        let mut again = Seen::new(start, seen.highest());
        again.see(Some(lease("me", 12, at(9))), start);
        assert!(matches!(again.claim("me", DURATION, start, at(9)), Claim::Replace(mine) if term(&mine) == 106));
    }

    #[test]
    fn ones_own_lease_is_renewed_and_stays_in_its_term() {
        let start = Instant::now();
        let mut seen = Seen::new(start, None);
        seen.see(Some(lease("me", 3, at(7))), start);
        let Claim::Replace(again) = seen.claim("me", DURATION, start, at(9)) else { panic!("it is mine") };
        let spec = again.spec.unwrap();
        assert_eq!(
            (spec.lease_transitions, spec.acquire_time, spec.renew_time),
            (Some(0), Some(MicroTime(at(7))), Some(MicroTime(at(9))))
        );
    }
}
