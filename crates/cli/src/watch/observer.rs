//! What a watch has shown so far. Pure: the clocks' readings come in.
//!
//! In: events, failures and reports of the watcher. Out: notices. Its invariant: the objects it knows are those that exist,
//! as of the version reached; what happened while nobody watched is found by comparing a list with them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use k8s_openapi::jiff::Timestamp;
use pintle::Error;
use pintle::api::{ObjectMeta, Resource};
use pintle::runtime::watcher::{self, Event, Report};
use tokio::time::Instant;

use super::notice::{Change, Notice, Seen, Source, Summary, What};

/// By namespace and name.
type Key = (Option<String>, String);

/// An object as it was last seen.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) seen: Seen,
    pub(super) change: Change,
    pub(super) at: Instant,
}

/// What is known, and how it came about.
#[derive(Debug)]
pub(super) struct Observer {
    began: Instant,
    objects: BTreeMap<Key, Row>,
    /// What the list under way has named.
    listed: BTreeSet<Key>,
    has_synced: bool,
    round: Round,
    watches: u64,
    counts: Summary,
    latency: Latency,
}

/// Where it stands between lists.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Round {
    /// A list is under way; so many watches had been opened before it.
    Listing {
        watches: u64,
    },
    /// It is complete, and no watch was its beginning: the next one that is opened follows it.
    Listed,
    Watching,
}

/// How old changes were when they were seen.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Latency {
    count: u32,
    total: Duration,
    max: Duration,
}

impl Latency {
    fn add(&mut self, latency: Duration) {
        self.count += 1;
        self.total += latency;
        self.max = self.max.max(latency);
    }

    /// Mean and maximum.
    pub(super) fn of_all(&self) -> Option<(Duration, Duration)> {
        (self.count > 0).then(|| (self.total / self.count, self.max))
    }
}

impl Observer {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            began: now,
            objects: BTreeMap::new(),
            listed: BTreeSet::new(),
            has_synced: false,
            round: Round::Listing { watches: 0 },
            watches: 0,
            counts: Summary::default(),
            latency: Latency::default(),
        }
    }

    pub(super) fn has_synced(&self) -> bool {
        self.has_synced
    }

    /// Whether a watch was opened that it was not told of.
    pub(super) fn is_behind(&self, report: &Report) -> bool {
        !matches!(self.round, Round::Listing { .. }) && self.watches != report.watches
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.objects.values()
    }

    pub(super) fn counts(&self) -> &Summary {
        &self.counts
    }

    pub(super) fn latency(&self) -> Latency {
        self.latency
    }

    /// A watch was opened since; it is news if the one before had ended.
    pub(super) fn opened(&mut self, report: &Report, time: Timestamp) -> Option<Notice> {
        self.watches = report.watches;
        let is_resumed = std::mem::replace(&mut self.round, Round::Watching) == Round::Watching;
        let what = What::Resumed { watches: report.watches, resource_version: version(report) };
        is_resumed.then_some(Notice { time, what })
    }

    pub(super) fn failed(&mut self, error: &watcher::Error, time: Timestamp) -> Notice {
        let reason = error.to_string();
        let what = if is_expired(error) {
            self.counts.expired += 1;
            What::Expired { reason }
        } else {
            What::Failed { reason }
        };
        Notice { time, what }
    }

    pub(super) fn on_event<K: Resource>(
        &mut self,
        event: Event<K>,
        report: &Report,
        time: Timestamp,
        now: Instant,
    ) -> Vec<Notice> {
        match event {
            Event::Apply(object) => self.applied(object.meta(), Source::Watch, time, now).into_iter().collect(),
            Event::Delete(object) => self.deleted(&key(object.meta()), Some(object.meta()), time).into_iter().collect(),
            Event::Init => {
                self.listed.clear();
                self.round = Round::Listing { watches: report.watches };
                vec![Notice { time, what: What::Listing { lists: report.lists } }]
            }
            Event::InitApply(object) => {
                self.listed.insert(key(object.meta()));
                self.applied(object.meta(), Source::List, time, now).into_iter().collect()
            }
            Event::InitDone => self.listed_all(report, time),
        }
    }

    fn applied(&mut self, meta: &ObjectMeta, source: Source, time: Timestamp, now: Instant) -> Option<Notice> {
        let key = key(meta);
        let known = self.objects.get(&key).map(|row| &row.seen);
        let mut seen = seen(meta, source);
        let change = match known {
            Some(known) if known.uid == seen.uid && known.resource_version == seen.resource_version => return None,
            Some(known) if known.uid == seen.uid => Change::Modified,
            Some(_) | None if self.has_synced => Change::Added,
            Some(_) | None => Change::Exists,
        };
        // A change that left no newer time in the metadata says nothing about its age.
        let is_newer = seen.changed_at > known.and_then(|known| known.changed_at);
        if source == Source::Watch && is_newer {
            seen.latency = seen.changed_at.map(|at| Duration::try_from(time.duration_since(at)).unwrap_or_default());
        }
        seen.latency.into_iter().for_each(|latency| self.latency.add(latency));
        match change {
            Change::Added => self.counts.added += 1,
            Change::Modified => self.counts.modified += 1,
            Change::Exists | Change::Deleted => {}
        }
        self.objects.insert(key, Row { seen: seen.clone(), change, at: now });
        Some(Notice { time, what: What::Object(change, seen) })
    }

    /// `meta` is the object as it was when it went, unless a list shows that it is gone.
    fn deleted(&mut self, key: &Key, meta: Option<&ObjectMeta>, time: Timestamp) -> Option<Notice> {
        let known = self.objects.remove(key);
        self.counts.deleted += 1;
        let seen = match meta {
            Some(meta) => seen(meta, Source::Watch),
            None => Seen { source: Source::List, latency: None, ..known?.seen },
        };
        Some(Notice { time, what: What::Object(Change::Deleted, seen) })
    }

    fn listed_all(&mut self, report: &Report, time: Timestamp) -> Vec<Notice> {
        let listed = std::mem::take(&mut self.listed);
        let gone: Vec<_> = self.objects.keys().filter(|known| !listed.contains(*known)).cloned().collect();
        let mut notices: Vec<_> = gone.iter().filter_map(|key| self.deleted(key, None, time)).collect();
        self.has_synced = true;
        // A watch that was opened meanwhile brought the list, and goes on.
        let is_open = self.round != Round::Listing { watches: report.watches };
        self.round = if is_open { Round::Watching } else { Round::Listed };
        self.watches = report.watches;
        let objects = self.objects.len();
        notices.push(Notice { time, what: What::Synced { objects, resource_version: version(report) } });
        notices
    }

    pub(super) fn summary(&self, report: &Report, time: Timestamp, now: Instant) -> Notice {
        let latency = self.latency.of_all();
        let what = What::Summary(Summary {
            seconds: (now - self.began).as_secs_f64(),
            objects: self.objects.len(),
            lists: report.lists,
            watches: report.watches,
            failures: report.failures_total.saturating_sub(self.counts.expired),
            resource_version: version(report),
            latency_seconds_mean: latency.map(|(mean, _)| mean.as_secs_f64()),
            latency_seconds_max: latency.map(|(_, max)| max.as_secs_f64()),
            ..self.counts.clone()
        });
        Notice { time, what }
    }
}

fn version(report: &Report) -> String {
    report.resource_version.as_ref().map(ToString::to_string).unwrap_or_default()
}

fn is_expired(error: &watcher::Error) -> bool {
    match error {
        watcher::Error::WatchStartFailed(Error::Api(status))
        | watcher::Error::InitialListFailed(Error::Api(status)) => status.is_gone_or_expired(),
        watcher::Error::WatchError(status) => status.is_gone_or_expired(),
        _ => false,
    }
}

fn key(meta: &ObjectMeta) -> Key {
    (meta.namespace.clone(), meta.name.clone().unwrap_or_default())
}

fn seen(meta: &ObjectMeta, source: Source) -> Seen {
    let managed = meta.managed_fields.iter().flatten().filter_map(|entry| entry.time.as_ref());
    let times = managed.chain(meta.creation_timestamp.as_ref()).map(|time| time.0);
    Seen {
        namespace: meta.namespace.clone(),
        name: meta.name.clone().unwrap_or_default(),
        uid: meta.uid.clone().unwrap_or_default(),
        resource_version: meta.resource_version.clone().unwrap_or_default(),
        generation: meta.generation,
        changed_at: times.max(),
        latency: None,
        source,
    }
}

#[cfg(test)]
pub(super) mod tests;
