//! PUT: an object replaced, or its status.
//!
//! In: the whole new object. Out: the stored one. The rules of what may change live here and serve PATCH as well:
//! system metadata stays, the main path leaves the status alone and the status path everything else, generation
//! counts changes of content, a write that changes nothing is none, and the last finalizer's removal is a deletion.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::cluster::commit::Ready;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::cluster::{DryRun, ResolvedTarget};
use crate::codec::object::Object;
use crate::codec::typed;
use crate::managed_fields::{self, Tracker};
use crate::registry::create::NewObject;
use crate::registry::custom_resource;
use crate::registry::guaranteed_update::{Outcome, TryUpdate};
use crate::registry::subresources::{SubresourceType, scale};
use crate::registry::validation;
use crate::registry::write::{self, Attempted, End, Write};
use crate::response::status::{Answer, FieldError, conflict, conflict_because, invalid, not_found, unforeseen};
use crate::storage::entry::Entry;
use crate::storage::view;

/// The whole new state of an object, or of its status or scale.
pub(crate) struct Replacement(Object);

impl Replacement {
    pub(crate) fn new(target: &ResolvedTarget, body: Value) -> Answer<Replacement> {
        let object = super::object(target, body)?;
        super::check_name(target, &object)?;
        Ok(Replacement(object))
    }
}

impl TryUpdate for Replacement {
    fn try_update(&self, target: &ResolvedTarget, old: &Entry, tracker: &Tracker) -> Answer<Outcome> {
        let Replacement(object) = self;
        let before = view::object(&target.kind, old)?;
        if target.subresource_type() == SubresourceType::Scale {
            return scale::outcome(target, before, object, tracker);
        }
        if matches!(object.meta("resourceVersion"), "" | "0") && target.kind.storage.needs_version {
            let error = FieldError::invalid("metadata.resourceVersion", "0", "must be specified for an update");
            // The one place where kube-apiserver names the resource instead of the Kind.
            return Err(invalid(&target.kind.plural, &target.kind.group, target.name(), &[error]));
        }
        check_uid(target, object.meta("uid"), before.meta("uid"))?;
        tracked(target, before, object.clone(), tracker)
    }
}

/// The outcome of a change whose writer is yet to be noted.
pub(super) fn tracked(target: &ResolvedTarget, before: Object, mut new: Object, tracker: &Tracker) -> Answer<Outcome> {
    tracker.track(target, Some(&before), &mut new);
    Ok(Outcome { before, new, warnings: Vec::new() })
}

impl Write<'_> {
    /// Works out what a replacement makes of its object, or of a new one where its kind allows that.
    pub(crate) async fn attempt_replace(
        &self,
        snapshot: &ClusterSnapshot,
        replacement: Replacement,
    ) -> Answer<Attempted> {
        if let Some(attempted) = self.attempt_update(snapshot, &replacement).await? {
            return Ok(attempted);
        }
        let Replacement(mut object) = replacement;
        if !self.target.kind.storage.creates_on_update {
            return Err(not_found(&self.target.kind, self.target.name()));
        }
        // A client that names a uid means the object that had it, not a new one.
        check_uid(&self.target, object.meta("uid"), "")?;
        object.put_meta("resourceVersion", None);
        // By the path of its status as well.
        let whole = self.to(ResolvedTarget { subresource: None, ..self.target.clone() });
        let new = NewObject::of_body(snapshot, &whole.target, object.into_value())?;
        whole.attempt_create(snapshot, new).await
    }

    /// How an update of an object ends that has passed all checks.
    pub(super) async fn end_update(
        &self,
        snapshot: &ClusterSnapshot,
        target: &ResolvedTarget,
        old: &Arc<Entry>,
        before: &Object,
        mut object: Object,
    ) -> Answer<Attempted> {
        let warnings = match &target.subresource {
            None => target.kind.strategy.warnings(Some(before), &object),
            Some(_) => Vec::new(),
        };
        // Some clients still send the link of old. It is a change until the object is stored without it, and with a change
        // the times at which managers wrote are new, too.
        let link =
            object.metadata_mut().remove("selfLink").filter(|link| link.as_str().is_some_and(|text| !text.is_empty()));
        let is_same = match link {
            None => managed_fields::same_but_times(&object, before),
            Some(_) => object == *before,
        };
        let object = snapshot.keep_at_storage_version(&target.kind, object).await?;
        let unstored = |object: &Object| write::unstored(&linked(object, link.as_ref()), snapshot.revision);
        let end = match self.dry_run {
            DryRun::All if link.is_some() => End::Answer(unstored(&object)?),
            _ if is_same && is_stored_so(target, old, &object) => End::Answer(Arc::clone(old)),
            DryRun::All => End::Answer(unstored(&object)?),
            // The new state is answered but never stored: watchers receive the last one that was.
            DryRun::No if is_released(&target.kind, &object) => {
                End::CommitAndAnswer(Ready::remove(target, old, &old.object()), unstored(&object)?)
            }
            DryRun::No => End::Commit(Ready::put(target, Some(old), &object)),
        };
        Ok(Attempted { code: 200, warnings, end })
    }
}

/// A state that is answered but not stored, with the link that was sent.
fn linked<'a>(object: &'a Object, link: Option<&Value>) -> Cow<'a, Object> {
    let mut object = Cow::Borrowed(object);
    if let Some(link) = link {
        object.to_mut().set_meta("selfLink", link.clone());
    }
    object
}

/// Whether what is stored is this, in this shape and at this version: what was stored under another schema is stored anew.
fn is_stored_so(target: &ResolvedTarget, old: &Entry, object: &Object) -> bool {
    !target.kind.is_custom() || managed_fields::same_but_times(object, &old.object())
}

impl ClusterSnapshot {
    /// The new state of an object as its path writes it, with what only the server decides, checked; and what is
    /// only warned of, because it was so before.
    pub(super) fn checked_change(
        &self,
        target: &ResolvedTarget,
        before: &Object,
        mut new: Object,
        warnings: &mut Vec<String>,
    ) -> Answer<Object> {
        let strategy = target.kind.strategy;
        let managers = new.metadata_mut().remove("managedFields");
        let mut object = match target.subresource.as_deref() {
            None => self.merged(target, before, new)?,
            Some("status") => strategy.prepare_for_status_update(self, before, new),
            Some(_) => strategy.prepare_for_subresource_update(self, target, before, new)?,
        };
        object.put_meta("managedFields", managers);
        object.put_meta("resourceVersion", before.metadata().get("resourceVersion").cloned());
        typed::finish(&target.kind, &mut object);
        warnings.extend(custom_resource::rule_warnings(&target.kind, before, &object));
        validation::check_change(target, before, &object)?;
        Ok(object)
    }

    /// The new object with what a client cannot change put back.
    fn merged(&self, target: &ResolvedTarget, before: &Object, mut new: Object) -> Answer<Object> {
        keep_system_metadata(before, &mut new);
        let has_status = target.kind.has_status();
        if has_status {
            new.put("status", before.get("status").cloned());
        }
        let strategy = target.kind.strategy;
        strategy.prepare_for_update(self, target, before, &mut new)?;
        typed::finish(&target.kind, &mut new);
        let is_other = !new.same_content(before, !has_status) || strategy.is_new_generation(before, &new);
        if target.kind.storage.has_generation && is_other {
            new.set_meta("generation", before.generation() + 1);
        }
        Ok(new)
    }
}

/// Whether an object is being deleted and nothing holds it back any more.
pub(crate) fn is_released(kind: &Kind, object: &Object) -> bool {
    let grace = object.metadata().get("deletionGracePeriodSeconds").and_then(Value::as_i64).unwrap_or_default();
    object.is_deleting() && object.finalizers().is_empty() && grace == 0 && !kind.strategy.is_held(object)
}

pub(crate) fn check_preconditions(target: &ResolvedTarget, before: &Object, new: &Object) -> Answer<()> {
    check_uid(target, new.meta("uid"), before.meta("uid"))?;
    check_version(target, before, new)
}

/// The version that a client names is the one that is there.
pub(super) fn check_version(target: &ResolvedTarget, before: &Object, new: &Object) -> Answer<()> {
    let version = new.meta("resourceVersion");
    if !version.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(unforeseen(format!("strconv.ParseUint: parsing {version:?}: invalid syntax")));
    }
    if !matches!(version, "" | "0") && version != before.meta("resourceVersion") {
        return Err(conflict(&target.kind, target.name()));
    }
    Ok(())
}

fn check_uid(target: &ResolvedTarget, asked: &str, found: &str) -> Answer<()> {
    if asked.is_empty() || asked == found {
        return Ok(());
    }
    let key = target.namespace.iter().map(String::as_str).chain([target.name()]).collect::<Vec<_>>().join("/");
    let why = format!(
        "StorageError: invalid object, Code: 4, Key: /registry/{}/{key}, ResourceVersion: 0, AdditionalErrorMsg: \
         Precondition failed: UID in precondition: {asked}, UID in object meta: {found}",
        target.kind.plural
    );
    Err(conflict_because(&target.kind, target.name(), &why))
}

/// Puts back what only the server sets, and what the client left out of what it may not change.
pub(super) fn keep_system_metadata(before: &Object, new: &mut Object) {
    for field in RESTORED {
        new.put_meta(field, before.metadata().get(*field).cloned());
    }
    if before.is_deleting() {
        new.put_meta("deletionTimestamp", before.metadata().get("deletionTimestamp").cloned());
    }
    for field in KEPT {
        if new.metadata().get(*field).is_none_or(|asked| asked.is_null() || asked == "") {
            new.put_meta(field, before.metadata().get(*field).cloned());
        }
    }
}

/// Metadata which a client may leave out but not change.
const KEPT: &[&str] = &["namespace", "uid", "deletionGracePeriodSeconds"];

/// Metadata which is put back whatever a client says: some print a time in another way than they read it.
const RESTORED: &[&str] = &["creationTimestamp", "generation"];
