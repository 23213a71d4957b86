//! DELETE: an object removed, or marked until its finalizers are done.
//!
//! In: options from body and query. Out: the object that still stands there, or the fact that it is gone.
//! Foreground and Orphan are finalizers which the garbage collector takes off. Namespaces end in a way of their own.

mod grace;

use std::sync::Arc;

use grace::Grace;
use serde::Deserialize;

use crate::catalog::kinds::Kind;
use crate::cluster::{Cluster, DryRun, ResolvedTarget};
use crate::codec::object::Object;
use crate::response::status::{Answer, FieldError, invalid_options, not_found, precondition_failed};
use crate::storage::entry::Entry;
use crate::storage::selection::Selection;
use crate::storage::store::{Place, scan};

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

/// What a delete came to.
pub(crate) enum Deleted {
    /// It is gone; this is its last state.
    Gone(Arc<Entry>),
    /// It waits for its finalizers or for its grace period.
    Marked(Arc<Entry>),
}

impl DeleteOptions {
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

impl Cluster {
    /// Deletes an object.
    pub(crate) fn delete(
        &mut self,
        target: &ResolvedTarget,
        options: &DeleteOptions,
        dry_run: DryRun,
    ) -> Answer<Deleted> {
        let propagation = options.propagation()?;
        let place = target.place(target.name());
        let Some(old) = self.store.get(&place.resource, &place.key) else {
            return Err(not_found(&target.kind, target.name()));
        };
        options.preconditions.as_ref().map_or(Ok(()), |wanted| wanted.check(&target.kind, &old))?;
        self.delete_entry(&place, &target.kind, &old, propagation, options.grace_period_seconds, dry_run)
    }

    /// Deletes every selected object and returns them as they were.
    pub(crate) fn delete_collection(
        &mut self,
        target: &ResolvedTarget,
        selection: &Selection,
        options: &DeleteOptions,
        dry_run: DryRun,
    ) -> Answer<Vec<Arc<Entry>>> {
        let snapshot = self.store.snapshot(&target.kind.resource());
        let chosen: Vec<Arc<Entry>> = scan(&snapshot, target.namespace.as_deref(), "")
            .filter(|(key, entry)| selection.matches(key, entry))
            .map(|(_, entry)| Arc::clone(entry))
            .collect();
        for entry in &chosen {
            let one = ResolvedTarget {
                namespace: entry.head.namespace().map(str::to_owned),
                name: Some(entry.head.name().to_owned()),
                ..target.clone()
            };
            match self.delete(&one, options, dry_run) {
                Err(refusal) if refusal.code != 404 => return Err(refusal),
                _ => {}
            }
        }
        Ok(chosen)
    }

    /// Deletes what is known to exist.
    pub(crate) fn delete_entry(
        &mut self,
        place: &Place,
        kind: &Kind,
        old: &Arc<Entry>,
        propagation: Propagation,
        asked: Option<i64>,
        dry_run: DryRun,
    ) -> Answer<Deleted> {
        if kind.is("", "namespaces") {
            return self.delete_namespace(place, kind, old, propagation, dry_run);
        }
        let mut object = old.object();
        if let Some(marked) = self.marked_definition(kind, &object) {
            return Ok(Deleted::Marked(match dry_run {
                DryRun::No => self.put(place, marked)?,
                DryRun::All => self.dry_run(&marked)?,
            }));
        }
        let before = object.clone();
        let grace = Grace::of(kind, &object, asked);
        // Events own nothing, and nobody may wait for that.
        let propagation = if kind.plural == "events" && !kind.is_custom() { Propagation::Unsaid } else { propagation };
        if grace != Grace::Pending {
            object.set_finalizers(&finalizers(&object, propagation));
        }
        let goes = object.finalizers().is_empty() && grace.is_over();
        if !goes || grace != Grace::None {
            self.mark(&mut object, &grace);
        }
        let marked = match dry_run {
            _ if object == before || (goes && grace == Grace::None) => Arc::clone(old),
            DryRun::No => self.put(place, object)?,
            DryRun::All => self.dry_run(&object)?,
        };
        Ok(match dry_run {
            _ if !goes => Deleted::Marked(marked),
            DryRun::No => Deleted::Gone(self.remove(place, marked.object())?),
            DryRun::All => Deleted::Gone(marked),
        })
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
