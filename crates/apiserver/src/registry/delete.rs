//! DELETE: an object removed, or marked until its finalizers are done.
//!
//! In: options from body and query. Out: the object that still stands there, or the fact that it is gone.
//! Foreground and Orphan are finalizers which the garbage collector takes off. A kind whose
//! objects end in a way of their own says so in its strategy.

mod grace;

use std::borrow::Cow;
use std::sync::Arc;

use grace::Grace;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::admission::{Notes, Operation};
use crate::catalog::kinds::Kind;
use crate::cluster::commit::Ready;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::cluster::{DryRun, ResolvedTarget};
use crate::codec::object::Object;
use crate::registry::write::{self, Attempted, End, Write};
use crate::response::status::{Answer, FieldError, invalid_options, not_found, precondition_failed};
use crate::storage::entry::Entry;
use crate::storage::selection::Selection;
use crate::storage::store::scan;
use crate::storage::view;

/// How to delete.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct DeleteOptions {
    pub(crate) grace_period_seconds: Option<i64>,
    pub(crate) propagation_policy: Option<String>,
    pub(crate) orphan_dependents: Option<bool>,
    pub(crate) preconditions: Option<Preconditions>,
    pub(crate) dry_run: Option<Vec<String>>,
}

/// What must be true of the object for it to be deleted.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Preconditions {
    uid: Option<String>,
    resource_version: Option<String>,
}

/// What happens to what the object owns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Propagation {
    /// What its finalizers already say, else Background.
    Unsaid,
    Background,
    Foreground,
    Orphan,
}

/// What becomes of an object that is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is gone.
    Gone,
    /// It waits for its finalizers or for its grace period.
    Waits,
}

impl DeleteOptions {
    /// What a controller of the server itself asks for.
    pub(crate) fn of_controller(propagation: Propagation, grace_period_seconds: Option<i64>) -> DeleteOptions {
        let policy = match propagation {
            Propagation::Unsaid => None,
            Propagation::Background => Some("Background"),
            Propagation::Foreground => Some("Foreground"),
            Propagation::Orphan => Some("Orphan"),
        };
        DeleteOptions {
            grace_period_seconds,
            propagation_policy: policy.map(str::to_owned),
            ..DeleteOptions::default()
        }
    }

    /// The options as admission shows them.
    pub(crate) fn print(&self) -> Value {
        let mut options = json!({"kind": "DeleteOptions", "apiVersion": "meta.k8s.io/v1"});
        if let Some(seconds) = self.grace_period_seconds {
            options["gracePeriodSeconds"] = seconds.into();
        }
        if let Some(policy) = &self.propagation_policy {
            options["propagationPolicy"] = policy.as_str().into();
        }
        if let Some(orphan) = self.orphan_dependents {
            options["orphanDependents"] = orphan.into();
        }
        if let Some(wanted) = &self.preconditions {
            let fields = [("uid", &wanted.uid), ("resourceVersion", &wanted.resource_version)];
            let said = fields.into_iter().filter_map(|(field, value)| Some((field.to_owned(), value.clone()?.into())));
            options["preconditions"] = Value::Object(said.collect());
        }
        if let Some(stages) = self.dry_run.as_ref().filter(|stages| !stages.is_empty()) {
            options["dryRun"] = json!(stages);
        }
        options
    }

    /// The policy, or why the options contradict each other.
    pub(crate) fn propagation(&self) -> Answer<Propagation> {
        let invalid = |error| Err(invalid_options("DeleteOptions", &[error]));
        let policy = self.propagation_policy.as_deref().filter(|policy| !policy.is_empty());
        match (policy, self.orphan_dependents) {
            (Some(policy), Some(_)) => invalid(FieldError::invalid(
                "propagationPolicy",
                &format!("\"{policy}\""),
                "orphanDependents and deletionPropagation cannot be both set",
            )),
            (Some("Background"), None) | (None, Some(false)) => Ok(Propagation::Background),
            (Some("Foreground"), None) => Ok(Propagation::Foreground),
            (Some("Orphan"), None) | (None, Some(true)) => Ok(Propagation::Orphan),
            (None, None) => Ok(Propagation::Unsaid),
            (Some(other), None) => {
                let known = &["Foreground", "Background", "Orphan", "nil"];
                invalid(FieldError::not_supported("propagationPolicy", other, known))
            }
        }
    }
}

impl Write<'_> {
    /// Works out what a deletion makes of an object. Admission is asked about what was requested: where that is a collection,
    /// it has no name.
    pub(crate) async fn attempt_delete(
        &self,
        snapshot: &ClusterSnapshot,
        requested: &ResolvedTarget,
        options: &DeleteOptions,
    ) -> Answer<(Attempted, Fate)> {
        let (target, propagation) = (&self.target, options.propagation()?);
        let Some(old) = snapshot.current(target) else {
            return Err(not_found(&target.kind, target.name()));
        };
        options.preconditions.as_ref().map_or(Ok(()), |wanted| wanted.check(&target.kind, old))?;
        snapshot.converter().prepare(&target.kind, std::slice::from_ref(old)).await?;
        let before = view::object(&target.kind, old)?;
        let mut notes = Notes::default();
        let attributes = self.attributes(Operation::Delete, requested, Some(&before));
        self.admission.validate(snapshot, &attributes, None, &mut notes).await?;
        let stored = match view::is_as_stored(&target.kind, old) {
            true => Cow::Borrowed(&before),
            false => Cow::Owned(old.object()),
        };
        let deleted = snapshot.deleted(&target.kind, &stored, propagation, options.grace_period_seconds);
        let fate = deleted.fate();
        let end = match (deleted, self.dry_run) {
            (Deleted::Unchanged, _) => End::Answer(Arc::clone(old)),
            (Deleted::Gone, DryRun::No) => End::Commit(Ready::remove(target, old, &stored)),
            (Deleted::Gone, DryRun::All) => End::Answer(Arc::clone(old)),
            (Deleted::Marked(object), DryRun::No) => End::Commit(Ready::put(target, Some(old), &object)),
            (Deleted::MarkedAndGone(object), DryRun::No) => End::Commit(Ready::put_and_remove(target, old, &object)),
            (Deleted::Marked(object) | Deleted::MarkedAndGone(object), DryRun::All) => {
                End::Answer(write::unstored(&object, snapshot.revision)?)
            }
        };
        Ok((Attempted { code: 200, warnings: notes.warnings, end }, fate))
    }
}

/// What a deletion makes of an object.
pub(crate) enum Deleted {
    /// It is being deleted already.
    Unchanged,
    /// It is to wait, as this.
    Marked(Object),
    /// It goes as it is.
    Gone,
    /// It goes as this, which its watchers see before.
    MarkedAndGone(Object),
}

impl Deleted {
    fn fate(&self) -> Fate {
        match self {
            Deleted::Unchanged | Deleted::Marked(_) => Fate::Waits,
            Deleted::Gone | Deleted::MarkedAndGone(_) => Fate::Gone,
        }
    }
}

impl ClusterSnapshot {
    /// The objects that a deletion of many is about.
    pub(crate) fn selected(&self, target: &ResolvedTarget, selection: &Selection) -> Vec<Arc<Entry>> {
        let snapshot = self.of(&target.kind.resource());
        let all = scan(&snapshot, target.namespace.as_deref(), "");
        all.filter(|(key, entry)| selection.matches(key, entry)).map(|(_, entry)| Arc::clone(entry)).collect()
    }

    fn deleted(&self, kind: &Kind, stored: &Object, propagation: Propagation, asked: Option<i64>) -> Deleted {
        let strategy = kind.strategy;
        if let Some(deleted) = strategy.begin_deletion(self, stored, propagation) {
            return deleted;
        }
        let mut object = stored.clone();
        let grace = Grace::of(strategy, &object, asked);
        let propagation = if strategy.supports_garbage_collection() { propagation } else { Propagation::Unsaid };
        if grace != Grace::Pending {
            object.set_finalizers(&finalizers(&object, propagation));
        }
        let goes = object.finalizers().is_empty() && grace.is_over();
        if !goes || grace != Grace::None {
            self.mark(&mut object, &grace);
        }
        let is_same = object == *stored || (goes && grace == Grace::None);
        match (goes, is_same) {
            (false, true) => Deleted::Unchanged,
            (false, false) => Deleted::Marked(object),
            (true, true) => Deleted::Gone,
            (true, false) => Deleted::MarkedAndGone(object),
        }
    }

    /// Sets what says that an object is being deleted.
    fn mark(&self, object: &mut Object, grace: &Grace) {
        let seconds = match grace {
            Grace::Pending => return,
            Grace::None => 0,
            Grace::First(seconds) | Grace::Shorter { seconds, .. } => *seconds,
        };
        let until = match grace {
            Grace::Shorter { until, .. } => until.clone(),
            _ if object.is_deleting() => return,
            _ => self.clock.seconds_from_now(seconds),
        };
        if !object.is_deleting() && object.generation() > 0 {
            object.set_meta("generation", object.generation() + 1);
        }
        object.set_meta("deletionTimestamp", until);
        object.set_meta("deletionGracePeriodSeconds", seconds);
    }
}

impl Preconditions {
    /// That the object is at a version.
    pub(crate) fn of_version(version: String) -> Preconditions {
        Preconditions { uid: None, resource_version: Some(version) }
    }

    fn check(&self, kind: &Kind, entry: &Entry) -> Answer<()> {
        let name = entry.head.name();
        let uid = entry.head.uid().unwrap_or_default();
        if let Some(asked) = self.uid.as_deref().filter(|asked| *asked != uid) {
            let why = format!(
                "the UID in the precondition ({asked}) does not match the UID in record ({uid}). The object might have \
                 been deleted and then recreated"
            );
            return Err(precondition_failed(kind, name, &why));
        }
        let version = entry.revision.to_string();
        if let Some(asked) = self.resource_version.as_deref().filter(|asked| *asked != version) {
            let why = format!(
                "the ResourceVersion in the precondition ({asked}) does not match the ResourceVersion in record \
                 ({version}). The object might have been modified"
            );
            return Err(precondition_failed(kind, name, &why));
        }
        Ok(())
    }
}

/// The finalizers of an object once it is deleted in this way.
pub(crate) fn finalizers(object: &Object, propagation: Propagation) -> Vec<String> {
    let mut finalizers = object.finalizers();
    if propagation == Propagation::Unsaid {
        return finalizers;
    }
    finalizers.retain(|finalizer| finalizer != FOREGROUND && finalizer != ORPHAN);
    match propagation {
        Propagation::Foreground => finalizers.push(FOREGROUND.to_owned()),
        Propagation::Orphan => finalizers.push(ORPHAN.to_owned()),
        Propagation::Background | Propagation::Unsaid => {}
    }
    finalizers
}

/// Whether DELETE answers with the object although it is gone.
pub(crate) fn answers_with_object(kind: &Kind) -> bool {
    kind.storage.returns_deleted
}

/// The finalizer of an object that goes after what it owns.
pub(crate) const FOREGROUND: &str = "foregroundDeletion";

/// The finalizer of an object that leaves what it owns behind.
pub(crate) const ORPHAN: &str = "orphan";
