//! How a watch is doing, while it runs.
//!
//! The driver notes every turn; a [`Health`] handle reads it at any time, waits for a turn, and outlives the watch.
//! So a program, a readiness probe or a person can see which watch is refused, since when, and why, while the others
//! go on.

use std::fmt;
use std::sync::Arc;

use pintle_client::Error as ClientErr;
use pintle_client::error_chain::error_chain;
use pintle_core::resource_version::ResourceVersion;
use tokio::sync::watch;
use tokio::time::Instant;

use super::{Config, Error};

/// Where a watch stands.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Phase {
    /// It was never polled.
    Idle,
    /// It learns what exists.
    Listing,
    /// It follows changes.
    Watching,
    /// The server refuses it: the caller may not read this kind (403, 401), or there is no such kind (404, 405). It
    /// asks again and heals by itself when a role or a definition appears.
    Refused,
    /// It failed for another reason and asks again.
    Failing,
    /// Its stream was dropped, or its backoff gave up.
    Ended,
}

impl Phase {
    /// Every phase.
    pub const ALL: [Self; 6] = [Self::Idle, Self::Listing, Self::Watching, Self::Refused, Self::Failing, Self::Ended];

    /// Its name in metrics.
    pub fn label(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Listing => "listing",
            Self::Watching => "watching",
            Self::Refused => "refused",
            Self::Failing => "failing",
            Self::Ended => "ended",
        }
    }
}

/// What is known of a watch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// Where it stands.
    pub phase: Phase,
    /// Since when.
    pub since: Instant,
    /// Whether a list was ever complete.
    pub has_synced: bool,
    /// When the server last sent something: an object of a list, an event or a bookmark.
    pub last_heard: Option<Instant>,
    /// How many lists were begun.
    pub lists: u64,
    /// How many watches were opened, those that begin with a list included: one more than before each time a watch ended and
    /// was resumed.
    pub watches: u64,
    /// How often it failed, ever.
    pub failures_total: u64,
    /// Everything up to here was emitted and taken: also what bookmarks say.
    pub resource_version: Option<ResourceVersion>,
    /// How often it failed since it last worked.
    pub failures: u32,
    /// The last failure since it last worked, with its causes.
    pub last_error: Option<String>,
    /// The code of the server's answer, if that was the failure.
    pub code: Option<u16>,
    /// When it asks again, while it waits for that.
    pub next_try: Option<Instant>,
}

/// Reads how a watch is doing; cloning reads the same.
#[derive(Clone)]
pub struct Health {
    report: watch::Receiver<Report>,
    scope: Arc<Scope>,
}

/// Where a watch looks.
pub(crate) struct Scope {
    pub(crate) namespace: Option<String>,
    pub(crate) config: Config,
}

impl Health {
    /// What is known now.
    pub fn report(&self) -> Report {
        self.report.borrow().clone()
    }

    /// Where it stands now.
    pub fn phase(&self) -> Phase {
        self.report.borrow().phase
    }

    /// Whether it was refused and is not listing or watching since.
    pub fn is_refused(&self) -> bool {
        self.phase() == Phase::Refused
    }

    /// The last version that was emitted and taken, as a number if it is one.
    pub fn resource_version_number(&self) -> Option<u64> {
        self.report.borrow().resource_version.as_ref()?.number()
    }

    /// Where it looks.
    pub(crate) fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Waits until more is known than was taken; `false` if nothing will be any more.
    pub(crate) async fn moved(&mut self) -> bool {
        self.report.changed().await.is_ok()
    }

    /// As [`resource_version_number`](Self::resource_version_number); what is known now is taken.
    pub(crate) fn take_version_number(&mut self) -> Option<u64> {
        self.report.borrow_and_update().resource_version.as_ref()?.number()
    }

    /// Waits until `condition` holds, and says what is known then.
    pub async fn wait_for(&self, mut condition: impl FnMut(&Report) -> bool) -> Report {
        let mut receiver = self.report.clone();
        let found = receiver.wait_for(|report| condition(report)).await.map(|report| report.clone());
        match found {
            Ok(report) => report,
            // Nothing will change any more.
            Err(_) => std::future::pending().await,
        }
    }
}

impl fmt::Debug for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.report.borrow().fmt(f)
    }
}

/// The driver's end.
pub(crate) struct Pulse(watch::Sender<Report>, Arc<Scope>);

impl Pulse {
    pub(crate) fn new(scope: Scope) -> Self {
        let report = Report {
            phase: Phase::Idle,
            since: Instant::now(),
            has_synced: false,
            last_heard: None,
            lists: 0,
            watches: 0,
            failures_total: 0,
            resource_version: None,
            failures: 0,
            last_error: None,
            code: None,
            next_try: None,
        };
        Self(watch::Sender::new(report), Arc::new(scope))
    }

    pub(crate) fn health(&self) -> Health {
        Health { report: self.0.subscribe(), scope: Arc::clone(&self.1) }
    }

    /// It lists or watches. What failed is forgotten once it watches: a list that begins proves nothing.
    pub(crate) fn stands(&self, phase: Phase, now: Instant) {
        self.0.send_if_modified(|report| {
            let heals = phase == Phase::Watching && report.failures > 0;
            let troubled = matches!(report.phase, Phase::Refused | Phase::Failing) && phase == Phase::Listing;
            if troubled || (report.phase == phase && !heals) {
                return false;
            }
            if heals {
                (report.failures, report.last_error, report.code) = (0, None, None);
            }
            report.enter(phase, now);
            true
        });
    }

    /// The server sent something. Nobody who waits for a change of the report is woken for that.
    pub(crate) fn heard(&self, now: Instant) {
        self.0.send_if_modified(|report| {
            report.last_heard = Some(now);
            false
        });
    }

    /// A list begins; likewise.
    pub(crate) fn lists(&self) {
        self.0.send_if_modified(|report| {
            report.lists += 1;
            false
        });
    }

    /// A watch is open.
    pub(crate) fn opened(&self) {
        self.0.send_modify(|report| report.watches += 1);
    }

    pub(crate) fn synced(&self) {
        self.0.send_if_modified(|report| !std::mem::replace(&mut report.has_synced, true));
    }

    /// Everything up to `version` was emitted and taken.
    pub(crate) fn reached(&self, version: &ResourceVersion) {
        self.0.send_if_modified(|report| {
            let is_news = report.resource_version.as_ref() != Some(version);
            if is_news {
                report.resource_version = Some(version.clone());
            }
            is_news
        });
    }

    /// It asks again then, or is about to ask now.
    pub(crate) fn tries_again(&self, at: Option<Instant>) {
        self.0.send_if_modified(|report| std::mem::replace(&mut report.next_try, at) != at);
    }

    /// It failed.
    pub(crate) fn failed(&self, error: &Error, now: Instant) {
        let phase = if error.is_refused() { Phase::Refused } else { Phase::Failing };
        self.0.send_modify(|report| {
            report.failures += 1;
            report.failures_total += 1;
            report.last_error = Some(error_chain(error));
            report.code = code(error);
            if report.phase != phase {
                report.enter(phase, now);
            }
        });
    }
}

impl Drop for Pulse {
    fn drop(&mut self) {
        self.0.send_modify(|report| {
            report.next_try = None;
            report.enter(Phase::Ended, Instant::now());
        });
    }
}

impl Report {
    fn enter(&mut self, phase: Phase, now: Instant) {
        (self.phase, self.since) = (phase, now);
    }
}

fn code(error: &Error) -> Option<u16> {
    match error {
        Error::InitialListFailed(ClientErr::Api(status)) | Error::WatchStartFailed(ClientErr::Api(status)) => {
            Some(status.code)
        }
        Error::WatchError(status) => Some(status.code),
        _ => None,
    }
}
