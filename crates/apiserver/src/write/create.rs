//! POST: a new object.
//!
//! In: a body. Out: the stored object with name, uid, timestamp and generation set by the server. What a client must
//! not set is wiped without a word, as kube-apiserver does; only a resourceVersion is an error.

use serde_json::{Value, json};

use crate::cluster::{Cluster, Run, Subject, Written};
use crate::convert;
use crate::crd;
use crate::managed::Tracker;
use crate::names;
use crate::object::Object;
use crate::protection;
use crate::status::{Answer, already_exists, names_exhausted, unforeseen};
use crate::typed;
use crate::valid;

/// A new object as far as it does not depend on what else there is.
pub(crate) struct Draft(Object);

impl Draft {
    pub(crate) fn new(subject: &Subject, body: Value, tracker: &Tracker) -> Answer<Draft> {
        let mut object = super::object(subject, body)?;
        if !matches!(object.meta("resourceVersion"), "" | "0") {
            return Err(unforeseen("resourceVersion should not be set on objects to be created"));
        }
        tracker.track(subject, None, &mut object);
        Ok(Draft(object))
    }
}

impl Cluster {
    /// Creates an object.
    pub(crate) fn create(&mut self, subject: &Subject, body: Value, run: Run) -> Answer<Written> {
        let draft = Draft::new(subject, body, &self.tracker(&subject.kind))?;
        self.create_drafted(subject, draft, run)
    }

    /// Creates an object that was worked out before.
    pub(crate) fn create_drafted(&mut self, subject: &Subject, draft: Draft, run: Run) -> Answer<Written> {
        self.check_creation_possible(subject, &draft.0)?;
        self.insert(subject, draft.0, run)
    }

    /// Stores a new object whose managers are known.
    pub(crate) fn insert(&mut self, subject: &Subject, mut object: Object, run: Run) -> Answer<Written> {
        if let Some(hub) = convert::hub(&subject.kind) {
            convert::convert(&mut object, &hub);
            return self.insert(&Subject { kind: hub, ..subject.clone() }, object, run);
        }
        self.prepare_new(subject, &mut object);
        let generated = self.choose_name(subject, &mut object);
        finish_namespace(subject, &mut object);
        self.complete_new(subject, &mut object);
        typed::finish(&subject.kind, &mut object);
        valid::check_new(subject, &object)?;
        self.check_name_is_free(subject, &object, generated)?;
        let place = subject.place(object.name());
        let mut warnings = super::custom::warnings(subject, None, &object);
        warnings.extend(super::unenforced::warnings(subject, &object));
        self.keep_at_storage_version(&subject.kind, &mut object);
        let entry = match run {
            Run::Real => self.put(&place, object)?,
            Run::Dry => self.rehearse(&object)?,
        };
        Ok(Written { warnings, ..Written::new(201, entry) })
    }

    /// The namespace exists, and the kind is not on its way out.
    pub(super) fn check_creation_possible(&self, subject: &Subject, object: &Object) -> Answer<()> {
        if let Some(namespace) = &subject.namespace {
            self.check_namespace_takes(&subject.kind, namespace, object.name())?;
        }
        self.definitions.check_not_terminating(&subject.kind, object.name())
    }

    fn prepare_new(&mut self, subject: &Subject, object: &mut Object) {
        for field in WIPED {
            object.put_meta(field, None);
        }
        object.set_meta("uid", self.uid());
        object.set_meta("creationTimestamp", self.clock.timestamp());
        if subject.kind.has_status() && !subject.kind.storage.keeps_status {
            object.remove("status");
        }
        if let Some(phase) = subject.kind.storage.first_phase {
            object.set("status", json!({"phase": phase}));
        }
        if subject.kind.storage.has_generation {
            object.set_meta("generation", 1);
        }
        crd::fill_in(&subject.kind, object);
        protection::protect(&subject.kind, object);
    }

    /// Makes a name from generateName where none is asked for, a free one if there is; says whether it did.
    fn choose_name(&mut self, subject: &Subject, object: &mut Object) -> bool {
        let base = object.meta("generateName").to_owned();
        if !object.name().is_empty() || base.is_empty() {
            return false;
        }
        for _ in 0..names::GENERATE_TRIES {
            object.set_meta("name", names::generate(&base, &mut self.random));
            let place = subject.place(object.name());
            if self.store.get(&place.resource, &place.key).is_none() {
                break;
            }
        }
        true
    }

    fn check_name_is_free(&self, subject: &Subject, object: &Object, generated: bool) -> Answer<()> {
        let place = subject.place(object.name());
        match self.store.get(&place.resource, &place.key) {
            None => Ok(()),
            Some(_) if generated => Err(names_exhausted(&subject.kind, object.name())),
            Some(taken) => Err(already_exists(&subject.kind, object.name(), taken.head.is_deleting())),
        }
    }
}

/// A namespace carries its own name as a label, and the finalizer that its deletion waits for.
pub(crate) fn finish_namespace(subject: &Subject, object: &mut Object) {
    if !subject.kind.is("", "namespaces") {
        return;
    }
    label_namespace(subject, object);
    let spec = object.get("spec").cloned().unwrap_or_default();
    if spec.get("finalizers").is_none() {
        object.set("spec", json!({"finalizers": ["kubernetes"]}));
    }
}

/// A namespace carries its own name as a label.
pub(super) fn label_namespace(subject: &Subject, object: &mut Object) {
    let name = object.name().to_owned();
    if subject.kind.is("", "namespaces") && !name.is_empty() {
        object.set_label("kubernetes.io/metadata.name", &name);
    }
}

/// Metadata that only the server sets.
const WIPED: &[&str] =
    &["uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"];
