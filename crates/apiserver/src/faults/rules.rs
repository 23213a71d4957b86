//! The rules of a server: which of them a request meets, and how often each has fired.
//!
//! In: requests, in the order they come. Out: the faults that happen to each. Chance is drawn from one seeded source, so
//! the same seed and the same requests meet the same faults.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Fault, Requests};
use crate::faults::trace::{TraceEvent, TraceLog};
use crate::request::info::RequestInfo;

/// All rules.
pub(crate) struct Rules {
    list: Mutex<List>,
    /// Lets the usual server, which has no rules, do without the lock.
    any: AtomicBool,
}

struct List {
    rules: Vec<Arc<Inner>>,
    random: fastrand::Rng,
    fired: BTreeMap<&'static str, Arc<AtomicU64>>,
}

/// A rule that was made: how often it fired, and its end.
///
/// Dropping it changes nothing; the rule stays until it is [lifted](Rule::lift).
#[derive(Clone, Debug)]
pub struct Rule(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    requests: Requests,
    fault: Fault,
    met: AtomicU64,
    fired: AtomicU64,
    total: Arc<AtomicU64>,
    lifted: AtomicBool,
}

impl Rule {
    /// How many requests it has met, those it skipped included.
    pub fn met(&self) -> u64 {
        self.0.met.load(Ordering::Acquire)
    }

    /// How often its fault took effect. One about the events of a watch counts when it gets there.
    pub fn fired(&self) -> u64 {
        self.0.fired.load(Ordering::Acquire)
    }

    /// Ends the rule; what it has begun goes on.
    pub fn lift(&self) {
        self.0.lifted.store(true, Ordering::Release);
    }
}

impl Rules {
    pub(crate) fn new(random: fastrand::Rng) -> Rules {
        Rules {
            list: Mutex::new(List { rules: Vec::new(), random, fired: BTreeMap::new() }),
            any: AtomicBool::new(false),
        }
    }

    pub(crate) fn add(&self, requests: Requests, fault: Fault) -> Rule {
        let mut list = self.list();
        let total = Arc::clone(list.fired.entry(fault.name()).or_default());
        let inner = Arc::new(Inner {
            requests,
            fault,
            met: AtomicU64::new(0),
            fired: AtomicU64::new(0),
            total,
            lifted: AtomicBool::new(false),
        });
        list.rules.push(Arc::clone(&inner));
        self.any.store(true, Ordering::Release);
        Rule(inner)
    }

    pub(crate) fn lift_all(&self) {
        let mut list = self.list();
        for rule in list.rules.drain(..) {
            rule.lifted.store(true, Ordering::Release);
        }
        self.any.store(false, Ordering::Release);
    }

    /// How often each kind of fault took effect.
    pub(crate) fn fired(&self) -> BTreeMap<&'static str, u64> {
        self.list().fired.iter().map(|(name, count)| (*name, count.load(Ordering::Acquire))).collect()
    }

    /// The faults that happen to a request.
    pub(crate) fn judge(&self, info: &RequestInfo) -> Vec<Armed> {
        if !self.any.load(Ordering::Acquire) {
            return Vec::new();
        }
        let mut list = self.list();
        let List { rules, random, .. } = &mut *list;
        rules.retain(|rule| !rule.lifted.load(Ordering::Acquire));
        let mut armed = Vec::new();
        for rule in rules.iter().filter(|rule| rule.requests.mean(info) && rule.fault.concerns(info)) {
            if rule.meets(random) {
                armed.push(Armed(Arc::clone(rule)));
                if rule.fault.is_last() {
                    break;
                }
            }
        }
        armed
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Counts a request, and says whether it is one that the fault happens to.
    fn meets(&self, random: &mut fastrand::Rng) -> bool {
        let is_chosen = self.requests.chance >= 1.0 || random.f64() < self.requests.chance;
        if !is_chosen {
            return false;
        }
        let before = self.met.fetch_add(1, Ordering::AcqRel);
        before >= self.requests.skip && before - self.requests.skip < self.requests.times
    }
}

/// A fault that is going to happen to one request.
#[derive(Clone, Debug)]
pub(crate) struct Armed(Arc<Inner>);

impl Armed {
    pub(crate) fn fault(&self) -> &Fault {
        &self.0.fault
    }

    /// Whether it happens while the body is sent.
    pub(crate) fn is_of_body(&self) -> bool {
        self.0.fault.is_of_body()
    }

    /// It has happened.
    pub(crate) fn fire(&self, log: &TraceLog, request: u64, info: &RequestInfo) {
        self.0.fired.fetch_add(1, Ordering::AcqRel);
        self.0.total.fetch_add(1, Ordering::AcqRel);
        log.write(request, info, TraceEvent::Fault(self.0.fault.name()));
    }
}
