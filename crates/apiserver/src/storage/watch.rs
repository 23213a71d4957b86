//! WATCH: the changes of a resource from a moment on, as frames.
//!
//! In: a query. Out: a [`WatchPlan`] (every row of the table of sendInitialEvents and resourceVersion), then a stream that
//! first says what exists, if asked to, then each change, and bookmarks in between. Errors that only show when the
//! watch begins are one ERROR frame in a response of code 200.

mod stream;

use std::sync::Arc;
use std::time::Duration;

use pintle_core::call::{Form, Query};
use tokio::time::Instant;

use crate::catalog::kinds::Kind;
use crate::cluster::{Cluster, ResolvedTarget};
use crate::faults::injection::ActiveFaults;
use crate::response::status::{Answer, FieldError, expired, invalid_options, unforeseen};
use crate::storage::entry::Entry;
use crate::storage::requested_version;
use crate::storage::selection::Selection;
use crate::storage::store::{Snapshot, scan};

pub(crate) use stream::{Watcher, error_frame};

/// A watch that was understood.
pub(crate) struct WatchPlan {
    selection: Selection,
    start: Start,
    bookmarks: bool,
    timeout: Option<Duration>,
}

/// Where a watch begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// With everything that exists, at this version or later.
    State(Option<u64>),
    /// With the first change after this version.
    After(u64),
    /// With the next change.
    Now,
}

/// What applies to every watch of a server unless its query says otherwise.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WatchDefaults {
    /// Time between two bookmarks.
    pub(crate) bookmark_period: Duration,
    /// When a watch ends that did not say.
    pub(crate) timeout: Duration,
}

impl WatchPlan {
    /// Understands the query of a watch.
    pub(crate) fn parse(target: &ResolvedTarget, query: &Query) -> Answer<WatchPlan> {
        Selection::check_syntax(query)?;
        check_options(query)?;
        let selection = Selection::parse(target, query)?;
        let version =
            requested_version::parse(query.resource_version.as_deref()).map_err(|wrong| unforeseen(wrong.0))?;
        let start = match (query.send_initial_events, version) {
            (Some(true), version) => Start::State(version),
            (None, None) => Start::State(None),
            (Some(false), None) => Start::Now,
            (Some(false) | None, Some(version)) => Start::After(version),
        };
        let timeout = query.timeout_seconds.filter(|seconds| *seconds > 0).map(Duration::from_secs);
        Ok(WatchPlan { selection, start, bookmarks: query.allow_watch_bookmarks, timeout })
    }

    /// The version that must have been reached before the watch can begin.
    pub(crate) fn not_before(&self) -> Option<u64> {
        match self.start {
            Start::State(version) => version,
            // A version from the future is accepted in silence: the watch waits for it.
            Start::After(_) | Start::Now => None,
        }
    }
}

impl Cluster {
    /// Begins a watch; the refusal is for an ERROR frame.
    pub(crate) fn watch(
        &mut self,
        kind: Arc<Kind>,
        form: Form,
        plan: WatchPlan,
        watch_defaults: WatchDefaults,
        faults: &ActiveFaults,
    ) -> Answer<Watcher> {
        let resource = kind.resource();
        let revision = self.store.revision();
        let (initial, cursor) = match plan.start {
            Start::State(not_before) => {
                let (snapshot, at) = match faults.stale {
                    Some(behind) => self.stale_snapshot(&resource, behind, not_before)?,
                    None => (self.store.snapshot(&resource), revision),
                };
                (Some(selected(&snapshot, &plan.selection)), at)
            }
            Start::After(version) => (None, version),
            Start::Now => (None, revision),
        };
        let oldest = self.store.oldest(&resource);
        if cursor < oldest {
            return Err(expired(format!("too old resource version: {cursor} ({oldest})")));
        }
        let broadcaster = self.store.publication.broadcaster(&resource);
        let deadline = Instant::now() + plan.timeout.unwrap_or(watch_defaults.timeout).min(TIMEOUT_MAX);
        let period = plan.bookmarks.then_some(watch_defaults.bookmark_period);
        let mut watcher = Watcher::new(
            broadcaster,
            self.store.publication.progress(),
            kind,
            form,
            plan.selection,
            initial,
            cursor,
            deadline,
            period,
        );
        watcher.follow(faults);
        watcher.convert_with(self.converter());
        Ok(watcher)
    }
}

fn selected(snapshot: &Snapshot, selection: &Selection) -> Vec<Arc<Entry>> {
    let all = scan(snapshot, selection.namespace(), "");
    all.filter(|(key, entry)| selection.matches(key, entry)).map(|(_, entry)| Arc::clone(entry)).collect()
}

fn check_options(query: &Query) -> Answer<()> {
    let matching = query.resource_version_match.as_deref().unwrap_or_default();
    let forbidden = |why: &str| FieldError::forbidden("resourceVersionMatch", why);
    let mut errors = Vec::new();
    if query.send_initial_events.is_some() && matching != "NotOlderThan" {
        errors.push(forbidden("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
    }
    if !matching.is_empty() {
        if query.send_initial_events.is_none() {
            errors.push(forbidden("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
        }
        if matching != "NotOlderThan" {
            errors.push(FieldError::not_supported("resourceVersionMatch", matching, &["NotOlderThan"]));
        }
    }
    // A watch that begins with what exists has a match by default, and a token contradicts that just as well.
    let is_default =
        query.send_initial_events.is_none() && matches!(query.resource_version.as_deref(), None | Some("" | "0"));
    let has_token = query.continue_token.as_deref().is_some_and(|token| !token.is_empty());
    if has_token && (is_default || !matching.is_empty()) {
        errors.push(forbidden("resourceVersionMatch is forbidden when continue is provided"));
    }
    if errors.is_empty() { Ok(()) } else { Err(invalid_options("ListOptions", &errors)) }
}

/// No watch is meant to be longer than a year, and the clock ends somewhere behind that.
const TIMEOUT_MAX: Duration = Duration::from_secs(365 * 24 * 60 * 60);
