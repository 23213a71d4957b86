//! POST: a new object.
//!
//! In: a body. Out: the stored object with name, uid, timestamp and generation set by the server. What a client must
//! not set is wiped without a word, as kube-apiserver does; only a resourceVersion is an error.

use serde_json::{Value, json};

use crate::catalog::crd;
use crate::cluster::{Cluster, DryRun, ResolvedTarget, Written};
use crate::codec::conversion;
use crate::codec::object::Object;
use crate::codec::typed;
use crate::controllers::in_use_protection;
use crate::managed::Tracker;
use crate::registry::validation;
use crate::registry::validation::names;
use crate::response::status::{Answer, already_exists, names_exhausted, unforeseen};

/// A new object as far as it does not depend on what else there is.
pub(crate) struct Draft(Object);

impl Draft {
    pub(crate) fn new(target: &ResolvedTarget, body: Value, tracker: &Tracker) -> Answer<Draft> {
        let mut object = super::object(target, body)?;
        if !matches!(object.meta("resourceVersion"), "" | "0") {
            return Err(unforeseen("resourceVersion should not be set on objects to be created"));
        }
        tracker.track(target, None, &mut object);
        Ok(Draft(object))
    }
}

impl Cluster {
    /// Creates an object.
    pub(crate) fn create(&mut self, target: &ResolvedTarget, body: Value, dry_run: DryRun) -> Answer<Written> {
        let draft = Draft::new(target, body, &self.tracker(&target.kind))?;
        self.create_drafted(target, draft, dry_run)
    }

    /// Creates an object that was worked out before.
    pub(crate) fn create_drafted(&mut self, target: &ResolvedTarget, draft: Draft, dry_run: DryRun) -> Answer<Written> {
        self.check_creation_possible(target, &draft.0)?;
        self.check_role_write(target, None, &draft.0)?;
        self.insert(target, draft.0, dry_run)
    }

    /// Stores a new object whose managers are known.
    pub(crate) fn insert(&mut self, target: &ResolvedTarget, mut object: Object, dry_run: DryRun) -> Answer<Written> {
        if let Some(hub) = conversion::hub(&target.kind) {
            conversion::convert(&mut object, &hub);
            return self.insert(&ResolvedTarget { kind: hub, ..target.clone() }, object, dry_run);
        }
        self.prepare_new(target, &mut object);
        let generated = self.choose_name(target, &mut object);
        finish_namespace(target, &mut object);
        self.complete_new(target, &mut object);
        typed::finish(&target.kind, &mut object);
        validation::check_new(target, &object)?;
        self.check_create_allowed(target)?;
        self.check_name_is_free(target, &object, generated)?;
        let place = target.place(object.name());
        let mut warnings = super::strategy::custom_resource::warnings(target, None, &object);
        warnings.extend(super::strategy::unenforced::warnings(target, &object));
        self.keep_at_storage_version(&target.kind, &mut object);
        let entry = match dry_run {
            DryRun::No => self.put(&place, object)?,
            DryRun::All => self.dry_run(&object)?,
        };
        Ok(Written { warnings, ..Written::new(201, entry) })
    }

    /// The namespace exists, and the kind is not on its way out.
    pub(super) fn check_creation_possible(&self, target: &ResolvedTarget, object: &Object) -> Answer<()> {
        if let Some(namespace) = &target.namespace {
            self.check_namespace_takes(&target.kind, namespace, object.name())?;
        }
        self.definitions.check_not_terminating(&target.kind, object.name())
    }

    fn prepare_new(&mut self, target: &ResolvedTarget, object: &mut Object) {
        for field in WIPED {
            object.put_meta(field, None);
        }
        object.set_meta("uid", self.uid());
        object.set_meta("creationTimestamp", self.clock.timestamp());
        if target.kind.has_status() && !target.kind.storage.keeps_status {
            object.remove("status");
        }
        if let Some(phase) = target.kind.storage.first_phase {
            object.set("status", json!({"phase": phase}));
        }
        if target.kind.storage.has_generation {
            object.set_meta("generation", 1);
        }
        crd::fill_in(&target.kind, object);
        in_use_protection::protect(&target.kind, object);
    }

    /// Makes a name from generateName where none is asked for, a free one if there is; says whether it did.
    fn choose_name(&mut self, target: &ResolvedTarget, object: &mut Object) -> bool {
        let base = object.meta("generateName").to_owned();
        if !object.name().is_empty() || base.is_empty() {
            return false;
        }
        for _ in 0..names::GENERATE_TRIES {
            object.set_meta("name", names::generate(&base, &mut self.random));
            let place = target.place(object.name());
            if self.store.get(&place.resource, &place.key).is_none() {
                break;
            }
        }
        true
    }

    fn check_name_is_free(&self, target: &ResolvedTarget, object: &Object, generated: bool) -> Answer<()> {
        let place = target.place(object.name());
        match self.store.get(&place.resource, &place.key) {
            None => Ok(()),
            Some(_) if generated => Err(names_exhausted(&target.kind, object.name())),
            Some(taken) => Err(already_exists(&target.kind, object.name(), taken.head.is_deleting())),
        }
    }
}

/// A namespace carries its own name as a label, and the finalizer that its deletion waits for.
pub(crate) fn finish_namespace(target: &ResolvedTarget, object: &mut Object) {
    if !target.kind.is("", "namespaces") {
        return;
    }
    label_namespace(target, object);
    let spec = object.get("spec").cloned().unwrap_or_default();
    if spec.get("finalizers").is_none() {
        object.set("spec", json!({"finalizers": ["kubernetes"]}));
    }
}

/// A namespace carries its own name as a label.
pub(super) fn label_namespace(target: &ResolvedTarget, object: &mut Object) {
    let name = object.name().to_owned();
    if target.kind.is("", "namespaces") && !name.is_empty() {
        object.set_label("kubernetes.io/metadata.name", &name);
    }
}

/// Metadata that only the server sets.
const WIPED: &[&str] =
    &["uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"];
