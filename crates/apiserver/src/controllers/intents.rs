//! The writes of the server's own controllers: they take the way of every other write, admission included.
//!
//! ```text
//!  controller ─► submit ─┬─ no webhook would be called ─► attempt, commit: at once, under the lock
//!                        └─ one would ─► queue ─► a task of its own (`server::settling`) ─► done: look at the object again
//! ```
//! In: what a controller wants ([`Intent`]). Out: the same write that a request makes. While a write for an object is on its
//! way, its controller is not run for that object: it would want the same again. One that was refused is wanted again later.

use std::sync::Arc;

use futures::FutureExt;
use serde_json::{Value, json};

use crate::admission::{Admission, Operation, Record};
use crate::cluster::commit::Ready;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::cluster::{Cluster, DryRun, ResolvedTarget, Written};
use crate::codec::object::Object;
use crate::registry::create::NewObject;
use crate::registry::delete::{DeleteOptions, Propagation};
use crate::registry::patch::Patch;
use crate::registry::update::{Replacement, is_released};
use crate::registry::write::{Attempted, End, Write};
use crate::request::user::User;
use crate::response::status::{Answer, internal, no_such_resource, not_found};
use crate::storage::entry::Entry;
use crate::storage::store::StorageKey;

/// A write that a controller wants.
pub(crate) struct Intent {
    /// The service account of the controller, as in kube-controller-manager.
    pub(crate) controller: &'static str,
    /// The object for which it is wanted, to be looked at again afterwards.
    pub(crate) place: StorageKey,
    pub(crate) action: Action,
}

/// What is to be done.
pub(crate) enum Action {
    Create {
        target: ResolvedTarget,
        body: Value,
    },
    Update {
        target: ResolvedTarget,
        body: Value,
    },
    /// What a controller states, whichever manager set it before.
    Apply {
        target: ResolvedTarget,
        patch: Patch,
    },
    /// The very next state of an object: its finalizers, its owners, or what is in its status.
    Store {
        place: StorageKey,
        replaces: Arc<Entry>,
        object: Object,
    },
    Delete {
        place: StorageKey,
        propagation: Propagation,
        grace_period: Option<i64>,
    },
}

impl Intent {
    pub(crate) fn new(controller: &'static str, place: &StorageKey, action: Action) -> Intent {
        Intent { controller, place: place.clone(), action }
    }

    /// Who makes the write.
    pub(crate) fn user(&self) -> User {
        User::controller(self.controller)
    }

    pub(crate) fn operation(&self) -> Operation {
        match self.action {
            Action::Create { .. } => Operation::Create,
            Action::Update { .. } | Action::Apply { .. } | Action::Store { .. } => Operation::Update,
            Action::Delete { .. } => Operation::Delete,
        }
    }

    /// What it writes to; fails where the kind is not served any more, or the object is gone.
    pub(crate) fn target(&self, snapshot: &ClusterSnapshot) -> Answer<ResolvedTarget> {
        match &self.action {
            Action::Create { target, .. } | Action::Update { target, .. } | Action::Apply { target, .. } => {
                Ok(target.clone())
            }
            Action::Store { place, .. } | Action::Delete { place, .. } => snapshot.target_at(place),
        }
    }
}

impl Action {
    /// Works out what the write comes to.
    pub(crate) async fn attempt(&self, write: &Write<'_>, snapshot: &ClusterSnapshot) -> Answer<Attempted> {
        match self {
            Action::Create { body, .. } => {
                let new = NewObject::of_body(snapshot, &write.target, body.clone())?;
                write.attempt_create(snapshot, new).await
            }
            Action::Update { body, .. } => {
                write.attempt_replace(snapshot, Replacement::new(&write.target, body.clone())?).await
            }
            Action::Apply { patch, .. } => write.attempt_patch(snapshot, patch).await,
            Action::Store { place, replaces, object } => {
                let found = snapshot.get(place).filter(|found| Arc::ptr_eq(found, replaces));
                // Another write came first, and brings the controller here again.
                let Some(found) = found else { return Err(not_found(&write.target.kind, write.target.name())) };
                write.attempt_store(snapshot, found, object).await
            }
            Action::Delete { propagation, grace_period, .. } => {
                let options = DeleteOptions::of_controller(*propagation, *grace_period);
                write.attempt_delete(snapshot, &write.target, &options).await.map(|(attempted, _)| attempted)
            }
        }
    }
}

impl Write<'_> {
    /// Works out how an object is stored exactly so, which is its end where nothing holds it any more.
    async fn attempt_store(&self, snapshot: &ClusterSnapshot, old: &Arc<Entry>, object: &Object) -> Answer<Attempted> {
        let mut notes = crate::admission::Notes::default();
        let (mut object, before) = (object.clone(), old.object());
        let attributes = self.attributes(Operation::Update, &self.target, Some(&before));
        self.admission.mutate(snapshot, &attributes, &mut object, &mut notes).await?;
        self.admission.validate(snapshot, &attributes, Some(&object), &mut notes).await?;
        let ready = if is_released(&self.target.kind, &object) {
            // The last state that watchers receive is the one that was stored.
            Ready::remove(&self.target, old, &before)
        } else {
            Ready::put(&self.target, Some(old), &object)
        };
        Ok(Attempted { code: 200, warnings: notes.warnings, end: End::Commit(ready) })
    }
}

impl ClusterSnapshot {
    /// The object at a place as the target of a write, at the version in which it is stored.
    fn target_at(&self, place: &StorageKey) -> Answer<ResolvedTarget> {
        let entry = self.get(place).ok_or_else(no_such_resource)?;
        let kind = self.catalog.kind_of(&place.resource, entry).ok_or_else(no_such_resource)?;
        Ok(ResolvedTarget {
            kind,
            namespace: entry.head.namespace().map(str::to_owned),
            name: Some(entry.head.name().to_owned()),
            subresource: None,
            manager: String::new(),
        })
    }
}

impl Cluster {
    /// Makes the write that a controller wants, now or as soon as its webhooks have been asked.
    pub(crate) fn submit(&mut self, intent: Intent) -> Answer<()> {
        let snapshot = self.snapshot();
        let target = intent.target(&snapshot)?;
        let is_converted = snapshot.waits_for_conversion(&target.kind, snapshot.current(&target));
        if is_converted || self.admission.calls_webhooks(&snapshot, intent.operation(), &target) {
            self.pending.start_later(intent);
            return Ok(());
        }
        let admission = Arc::clone(&self.admission);
        self.perform_now(&admission, &intent.user(), snapshot, target, &intent.action).map(drop)
    }

    /// Creates an object as the server itself does, without asking webhooks.
    pub(crate) fn create(&mut self, target: &ResolvedTarget, body: Value) -> Answer<Written> {
        self.perform_itself(target, &Action::Create { target: target.clone(), body })
    }

    /// Replaces an object or its status as the server itself does, without asking webhooks.
    pub(crate) fn update(&mut self, target: &ResolvedTarget, body: Value) -> Answer<Written> {
        self.perform_itself(target, &Action::Update { target: target.clone(), body })
    }

    fn perform_itself(&mut self, target: &ResolvedTarget, action: &Action) -> Answer<Written> {
        let (snapshot, admission) = (self.snapshot(), self.admission.without_webhooks());
        self.perform_now(&admission, &User::administrator(), snapshot, target.clone(), action)
    }

    /// Works a write out and stores it while the lock is held: nothing changes in between.
    fn perform_now(
        &mut self,
        admission: &Admission,
        user: &User,
        snapshot: ClusterSnapshot,
        target: ResolvedTarget,
        action: &Action,
    ) -> Answer<Written> {
        let (options, record) = (json!({}), Record::default());
        let write = Write { admission, target, user, options: &options, dry_run: DryRun::No, record: &record };
        let attempted = without_waiting(action.attempt(&write, &snapshot))?;
        drop(snapshot);
        let done = attempted.commit(|ready| self.commit(ready))?;
        Ok(done.unwrap_or_else(|_| unreachable!("nothing changes between a snapshot and a commit under one lock")))
    }
}

/// The outcome of an attempt that asks no webhook but one that converts, where what the server itself stores is of a version
/// that is not the stored one.
fn without_waiting<T>(attempt: impl Future<Output = Answer<T>>) -> Answer<T> {
    attempt.now_or_never().unwrap_or_else(|| {
        Err(internal("a conversion webhook would have to be asked: write the object at the version that is stored"))
    })
}
