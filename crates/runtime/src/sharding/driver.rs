//! Performs what the machine of a replica asks for: reads and writes Leases, and permits what is its share.
//!
//! In: the machine's steps, what runs, and a watch of the Leases. Out: calls, and a [`Permit`]. It decides nothing. The watch
//! only says when to read: claims count as they are read by a list that was begun after the replica's own claims were
//! written.

use std::any::Any;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::time::Duration;

use futures::FutureExt;
use futures::stream::{Stream, StreamExt};
use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;
use pintle_client::Error;
use pintle_client::client::unrepeated::once;
use pintle_core::params::{DeleteParams, ListParams, PostParams, Preconditions};
use tokio::time::{Instant, sleep_until, timeout};

use super::lease::{self, GROUP};
use super::machine::{Claims, Machine, Periods, Step};
use super::slots::Slots;
use super::{Shards, Share};
use crate::controller::{KeyShare, Permit};
use crate::failure_log::FailureLog;
use crate::lease::{Guard, Until};
use crate::reflector::Key;
use crate::remedy::Calls;
use crate::utils::WatchStreamExt as _;
use crate::watcher::{self, watcher};

/// One replica while it takes part.
pub(super) struct Driver<'a> {
    shards: &'a Shards,
    machine: Machine,
    /// The replica's own Lease, as it was last read or written.
    lease: Option<Lease>,
    /// When the last write of it was begun, by the wall clock.
    sent_at: Timestamp,
    guard: Option<Guard>,
    /// Slots that are to be given up, and when what runs in them is cut off.
    draining: Vec<(Instant, Slots)>,
    permitted: Permitted,
    changes: Changes,
    log: FailureLog,
}

/// What this replica may do.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
struct Permitted {
    startable: Slots,
    /// In these, what runs may go on.
    unfinished: Slots,
}

/// The objects of this replica, for its controllers.
struct Split {
    shards: Shards,
    permitted: Permitted,
}

impl KeyShare for Split {
    fn may_start(&self, key: &Key) -> bool {
        self.permitted.startable.contains(self.shards.slot(key))
    }

    fn may_go_on(&self, key: &Key) -> bool {
        self.permitted.unfinished.contains(self.shards.slot(key))
    }

    fn begin(&self, key: &Key) -> Option<Box<dyn Any + Send + Sync>> {
        Some(Box::new(self.shards.in_use.begin(self.shards.slot(key))?))
    }
}

impl<'a> Driver<'a> {
    pub(super) fn new(shards: &'a Shards) -> Self {
        let terms = shards.terms;
        let periods = Periods { renew: terms.renew(), retry: terms.retry() };
        Self {
            shards,
            machine: Machine::new(shards.identity.clone(), periods),
            lease: None,
            sent_at: Timestamp::UNIX_EPOCH,
            guard: None,
            draining: Vec::new(),
            permitted: Permitted::default(),
            changes: Changes::new(shards),
            log: FailureLog::default(),
        }
    }

    pub(super) async fn run(&mut self) -> Infallible {
        loop {
            self.step().await;
        }
    }

    /// Gives everything up that is claimed, once nothing runs any more.
    pub(super) async fn leave(&mut self) {
        self.machine.leave(Instant::now());
        let deadline = Instant::now() + self.shards.drain_timeout + self.shards.terms.renew();
        loop {
            self.permit();
            self.drain();
            if self.machine.has_left() || Instant::now() >= deadline {
                break;
            }
            let next = self.draining.iter().map(|(until, _)| *until).min().unwrap_or(deadline).min(deadline);
            // A slot that is free is given up at once.
            tokio::select! {
                biased;
                () = self.shards.in_use.ended() => {}
                () = sleep_until(next) => {}
            }
        }
        self.delete_own().await;
    }

    async fn step(&mut self) {
        // All of them, also if calls take so long that there is never time to wait.
        while let Some(change) = self.changes.next().now_or_never() {
            self.heed(change);
        }
        self.drain();
        let step = self.machine.next(Instant::now());
        self.permit();
        match step {
            Step::Wait(until) => return self.wait(until).await,
            Step::Publish(slots) => self.publish(slots).await,
            Step::List => self.list().await,
            Step::Remove { identity, version } => self.remove(&identity, version).await,
        }
        self.permit();
    }

    /// Says which slots are idle that should be given up.
    fn drain(&mut self) {
        let draining = self.machine.draining();
        if !draining.is_empty() {
            self.machine.drained(self.shards.in_use.idle(draining), Instant::now());
        }
    }

    /// Lets the controllers work on what is this replica's now.
    fn permit(&mut self) {
        self.renew_guard();
        let (startable, draining) = (self.machine.active(), self.machine.draining());
        let now = Instant::now();
        let known = self.draining.iter().fold(Slots::NONE, |all, (_, slots)| all.union(*slots));
        self.draining.push((now + self.shards.drain_timeout, draining.minus(known)));
        for (_, slots) in &mut self.draining {
            *slots = slots.intersection(draining);
        }
        self.draining.retain(|(_, slots)| !slots.is_empty());
        let in_time = self.draining.iter().filter(|(until, _)| now < *until);
        let unfinished = in_time.fold(startable, |all, (_, slots)| all.union(*slots));
        let permitted = Permitted { startable, unfinished };
        if permitted != self.permitted {
            self.shards.in_use.restrict(startable);
            self.shards.permits.set(self.permit_of(permitted));
            self.permitted = permitted;
        }
        self.show();
    }

    fn permit_of(&self, permitted: Permitted) -> Permit {
        match &self.guard {
            Some(guard) => Permit::shared(Split { shards: self.shards.clone(), permitted }).guarded_by(guard.clone()),
            None => Permit::none(),
        }
    }

    /// The guard closes when the claims cannot be relied on any more; new claims have a new one.
    fn renew_guard(&mut self) {
        let Some(deadline) = self.machine.guard() else {
            if let Some(guard) = self.guard.take() {
                guard.close();
                self.permitted = Permitted::default();
                self.shards.in_use.restrict(Slots::NONE);
                self.shards.permits.set(Permit::none());
            }
            return;
        };
        let expiry = self.sent_at.checked_add(self.shards.terms.lease()).unwrap_or(Timestamp::MAX);
        let until = Until { deadline, expiry };
        if !self.guard.as_ref().is_some_and(|guard| guard.extend(until)) {
            self.guard = Some(Guard::new(&lease::name(&self.shards.group, &self.shards.identity), until));
            self.permitted = Permitted::default();
        }
    }

    /// Shows what this replica has, and logs it when that has changed.
    fn show(&self) {
        let replicas = if self.machine.guard().is_some() { self.machine.members().len() } else { 0 };
        let (slots, draining) = (self.machine.active().len(), self.machine.draining().len());
        self.shards.share.send_if_modified(|share| {
            let next = Share { replicas, slots, draining, error: share.error.clone() };
            let is_news = *share != next;
            if is_news && draining == 0 && (share.replicas, share.slots) != (replicas, slots) && replicas > 0 {
                tracing::info!(shards = self.shards.group, identity = self.shards.identity, "this replica {next}");
            }
            *share = next;
            is_news
        });
    }

    async fn wait(&mut self, until: Instant) {
        let cut_off = self.draining.iter().map(|(until, _)| *until).filter(|until| *until > Instant::now()).min();
        let until = cut_off.map_or(until, |cut_off| cut_off.min(until));
        // What others wait for comes first.
        tokio::select! {
            biased;
            () = self.shards.in_use.ended(), if !self.machine.draining().is_empty() => {}
            change = self.changes.next() => self.heed(change),
            () = sleep_until(until) => {}
        }
    }

    fn heed(&mut self, change: Change) {
        match change {
            Change::Claims => self.machine.notified(),
            Change::Renewal { identity, version } => self.machine.renewed(&identity, &version, Instant::now()),
        }
    }

    async fn publish(&mut self, slots: Slots) {
        let (sent, sent_at) = (Instant::now(), Timestamp::now());
        let group = (self.shards.group.as_str(), self.shards.identity.as_str());
        let next = lease::lease(self.lease.as_ref(), group, slots, self.shards.terms.lease(), sent_at);
        let (name, params) = (lease::name(group.0, group.1), PostParams::default());
        let api = &self.shards.api;
        let written = async {
            match &self.lease {
                Some(_) => api.replace(&name, &params, &next).await,
                None => api.create(&params, &next).await,
            }
        };
        match self.shards.timed(written).await {
            Ok(lease) => {
                (self.lease, self.sent_at) = (Some(lease), sent_at);
                self.worked();
                self.machine.published(slots, sent, Instant::now());
            }
            Err(Failed::Refused(error)) if is_other_version(&error) => self.read_own(&name).await,
            Err(failed) => self.failed("written", &failed),
        }
    }

    /// The Lease is not as it was last written: an answer was lost, or it was deleted or written by another.
    async fn read_own(&mut self, name: &str) {
        let api = &self.shards.api;
        match self.shards.timed(api.get_opt(name)).await {
            Ok(lease) => {
                let is_own = lease.as_ref().is_some_and(|lease| lease::holder(lease) == Some(&self.shards.identity));
                if !is_own || self.lease.is_none() {
                    self.machine.taken(Instant::now());
                }
                self.lease = lease;
                self.machine.answered();
            }
            Err(failed) => self.failed("read", &failed),
        }
    }

    async fn list(&mut self) {
        let sent = Instant::now();
        let params = ListParams::default().labels(&format!("{GROUP}={}", self.shards.group));
        match self.shards.timed(self.shards.api.list(&params)).await {
            Ok(leases) => {
                self.worked();
                let claims: Vec<Claims> = leases.items.iter().filter_map(lease::claims).collect();
                self.machine.listed(claims, sent, Instant::now());
            }
            Err(failed) => self.failed("listed", &failed),
        }
    }

    async fn remove(&mut self, identity: &str, version: String) {
        let name = lease::name(&self.shards.group, identity);
        let is_same = Preconditions { resource_version: Some(version), uid: None };
        match self.shards.timed(self.shards.api.delete(&name, &only_if(is_same))).await {
            Ok(_) => tracing::info!(shards = self.shards.group, "the Lease of {identity}, which is gone, was deleted"),
            Err(Failed::Refused(error)) if is_other_version(&error) => {}
            // It is tried again when it is read again.
            Err(failed) => self.failed("deleted", &failed),
        }
        self.machine.removed(identity);
    }

    /// Lets the other replicas take over at once. If that fails, they do when the claims have run out. Whatever version it is
    /// at: it may have been about to be renewed.
    async fn delete_own(&mut self) {
        let Some(uid) = self.lease.as_ref().and_then(|lease| lease.metadata.uid.clone()) else { return };
        let name = lease::name(&self.shards.group, &self.shards.identity);
        let is_same = Preconditions { resource_version: None, uid: Some(uid) };
        match self.shards.timed(self.shards.api.delete(&name, &only_if(is_same))).await {
            Ok(_) => tracing::info!(shards = self.shards.group, "this replica has given up its share"),
            Err(failed) => {
                let remedy = failed.remedy(&self.shards.api);
                tracing::warn!(
                    shards = self.shards.group,
                    "the Lease {name} could not be deleted and has to run out: {failed}{remedy}"
                );
            }
        }
    }

    fn worked(&mut self) {
        self.shards.share.send_if_modified(|share| share.error.take().is_some());
        if self.log.worked(Instant::now()).is_some() {
            tracing::info!(shards = self.shards.group, "the Leases can be read and written again");
        }
    }

    fn failed(&mut self, done: &str, failed: &Failed) {
        let text = failed.to_string();
        let remedy = failed.remedy(&self.shards.api);
        if self.log.failed(&text, Instant::now()) {
            let (group, identity) = (&self.shards.group, &self.shards.identity);
            tracing::warn!(identity, "the Leases of the shards {group} could not be {done}: {text}{remedy}");
        }
        self.shards.share.send_modify(|share| share.error = Some(text));
    }
}

impl Drop for Driver<'_> {
    /// Also if it is dropped on the way.
    fn drop(&mut self) {
        if let Some(guard) = self.guard.take() {
            guard.close();
        }
        self.shards.in_use.restrict(Slots::NONE);
        self.shards.permits.set(Permit::none());
        self.shards.share.send_replace(Share::default());
    }
}

impl Shards {
    /// A call that is not repeated by the client and does not take longer than its answer is of use.
    async fn timed<T>(&self, call: impl Future<Output = Result<T, Error>>) -> Result<T, Failed> {
        let limit = self.terms.renew();
        match timeout(limit, once(call)).await {
            Ok(answer) => answer.map_err(Failed::Refused),
            Err(_) => Err(Failed::Silent(limit)),
        }
    }
}

fn only_if(preconditions: Preconditions) -> DeleteParams {
    DeleteParams { preconditions: Some(preconditions), ..DeleteParams::default() }
}

fn is_other_version(error: &Error) -> bool {
    let Error::Api(status) = error else { return false };
    status.is_conflict() || status.is_already_exists() || status.is_not_found()
}

/// Why a call did not work.
#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error(transparent)]
    Refused(Error),
    #[error("no answer within {} s", .0.as_secs_f64())]
    Silent(Duration),
}

impl Failed {
    fn remedy(&self, api: &pintle_client::Api<Lease>) -> String {
        match self {
            Self::Refused(error) => Calls::new(api, "get, list, watch, create, update and delete").remedy(error),
            Self::Silent(_) => String::new(),
        }
    }
}

/// What the others write into their Leases, by a watch.
struct Changes {
    identity: String,
    /// The claims as they were last seen, by the name of the Lease.
    known: BTreeMap<String, String>,
    leases: Pin<Box<dyn Stream<Item = watcher::Result<watcher::Event<Lease>>> + Send>>,
}

/// What another replica did.
enum Change {
    /// It has come, gone, or claims something else than before.
    Claims,
    /// It has renewed its claims.
    Renewal { identity: String, version: String },
}

impl Changes {
    fn new(shards: &Shards) -> Self {
        let config = watcher::Config::default().labels(&format!("{GROUP}={}", shards.group));
        let leases = watcher(shards.api.clone(), config).default_backoff().boxed();
        Self { identity: shards.identity.clone(), known: BTreeMap::new(), leases }
    }

    async fn next(&mut self) -> Change {
        loop {
            let change = match self.leases.next().await {
                Some(Ok(watcher::Event::Apply(lease) | watcher::Event::InitApply(lease))) => self.written(lease),
                Some(Ok(watcher::Event::Delete(lease))) => {
                    let name = lease.metadata.name.unwrap_or_default();
                    self.known.remove(&name).map(|_| Change::Claims)
                }
                // Errors are logged by the watcher; reading goes on without it.
                Some(_) => None,
                None => std::future::pending().await,
            };
            if let Some(change) = change {
                return change;
            }
        }
    }

    fn written(&mut self, lease: Lease) -> Option<Change> {
        let identity = lease::holder(&lease).unwrap_or_default().to_owned();
        if identity == self.identity {
            return None;
        }
        let claims = lease::slots(lease.metadata.annotations.as_ref()).unwrap_or_default().to_owned();
        let before = self.known.insert(lease.metadata.name.unwrap_or_default(), claims.clone());
        if before != Some(claims) {
            return Some(Change::Claims);
        }
        Some(Change::Renewal { identity, version: lease.metadata.resource_version? })
    }
}
