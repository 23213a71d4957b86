//! One write, from its object to its commit.
//!
//! ```text
//!  ┌► snapshot ─► change ─► admission: mutate ─► strategy ─► validation ─► admission: validate ─► Ready ─► commit ─► Written
//!  │              └──────────────────── attempt: without the lock, and the only place that awaits ┘          │
//!  └──────────────────────────────────────────── lost ◄──────────────────────────────────────────────────────┘
//! ```
//! In: a [`Write`] (who writes what where) and what it changes. Out: what is stored. Each loss means that another write was
//! stored meanwhile, so there is always one that gets on. Controllers of the server itself take the same way
//! ([`Cluster::submit`](crate::cluster::Cluster::submit)).

use std::sync::Arc;

use pintle_wire::HeadReader;
use serde_json::Value;

use crate::admission::plugins::resource_quota::Charge;
use crate::admission::{Admission, Attributes, Notes, Operation, Record};
use crate::cluster::commit::{Lost, Ready};
use crate::cluster::{DryRun, ResolvedTarget, Written};
use crate::codec::object::Object;
use crate::request::user::User;
use crate::response::status::{Answer, bad_request};
use crate::storage::entry::{ChangeKind, Entry};

/// Who writes, where, and how.
#[derive(Clone)]
pub(crate) struct Write<'a> {
    pub(crate) admission: &'a Admission,
    pub(crate) target: ResolvedTarget,
    pub(crate) user: &'a User,
    pub(crate) options: &'a Value,
    pub(crate) dry_run: DryRun,
    /// What admission says that the attempt does not carry on.
    pub(crate) record: &'a Record,
}

/// What an attempt came to.
pub(crate) struct Attempted {
    pub(crate) code: u16,
    pub(crate) warnings: Vec<String>,
    pub(crate) end: End,
}

/// How a write ends.
pub(crate) enum End {
    /// With its commit; the answer is the state that it stores.
    Commit(Ready),
    /// With its commit; the answer is a state that is never stored, because its object is gone with it.
    CommitAndAnswer(Ready, Arc<Entry>),
    /// Without one, because nothing changes or nothing is to.
    Answer(Arc<Entry>),
}

impl<'a> Write<'a> {
    /// What admission is asked about.
    pub(crate) fn attributes<'b>(
        &'b self,
        operation: Operation,
        target: &'b ResolvedTarget,
        old: Option<&'b Object>,
    ) -> Attributes<'b> {
        let Write { user, dry_run, options, record, .. } = *self;
        Attributes { operation, target, user, dry_run, options, old, record }
    }

    /// The same write to another target.
    pub(crate) fn to(&self, target: ResolvedTarget) -> Write<'a> {
        Write { target, ..self.clone() }
    }
}

impl Attempted {
    /// The same, charged to quotas where it stores anything.
    pub(crate) fn charging(self, charge: Option<Charge>) -> Attempted {
        let end = match self.end {
            End::Commit(ready) => End::Commit(ready.charging(charge)),
            end => end,
        };
        Attempted { end, ..self }
    }

    /// The end of the attempt.
    pub(crate) fn commit(
        self,
        commit: impl FnOnce(Ready) -> Answer<Result<Arc<Entry>, Lost>>,
    ) -> Answer<Result<Written, Lost>> {
        let Attempted { code, warnings, end } = self;
        let entry = match end {
            End::Answer(entry) => Ok(entry),
            End::Commit(ready) => commit(ready)?,
            End::CommitAndAnswer(ready, entry) => commit(ready)?.map(|_| entry),
        };
        Ok(entry.map(|entry| Written { code, entry, warnings }))
    }
}

/// The state that a write would store, or answers with and does not store.
pub(crate) fn unstored(object: &Object, revision: u64) -> Answer<Arc<Entry>> {
    let made = Entry::new(&mut HeadReader::new(), ChangeKind::Modified, object, revision);
    made.map(Arc::new).map_err(|error| bad_request(error.to_string()))
}

/// Warnings, from admission and from the checks, in their order.
pub(crate) fn noted(notes: Notes, warnings: Vec<String>) -> Vec<String> {
    notes.warnings.into_iter().chain(warnings).collect()
}
