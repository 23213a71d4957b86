//! POST: a new object.
//!
//! In: a body. Out: the stored object with name, uid, timestamp and generation set by the server. What a client must
//! not set is wiped without a word, as kube-apiserver does; only a resourceVersion is an error.

use serde_json::{Value, json};

use crate::cluster::{Cluster, Run, Subject, Written};
use crate::names;
use crate::object::Object;
use crate::status::{Answer, FieldError, already_exists, invalid_object, names_exhausted, unforeseen};
use crate::typed;

impl Cluster {
    /// Creates an object.
    pub(crate) fn create(&mut self, subject: &Subject, body: Value, run: Run) -> Answer<Written> {
        let mut object = super::object(subject, body)?;
        if !matches!(object.meta("resourceVersion"), "" | "0") {
            return Err(unforeseen("resourceVersion should not be set on objects to be created"));
        }
        self.check_creation_possible(subject, &object)?;
        label_namespace(subject, &mut object);
        self.track(subject, None, &mut object);
        self.insert(subject, object, run)
    }

    /// Stores a new object whose managers are known.
    pub(crate) fn insert(&mut self, subject: &Subject, mut object: Object, run: Run) -> Answer<Written> {
        self.prepare_new(subject, &mut object)?;
        self.choose_name(subject, &mut object)?;
        finish_namespace(subject, &mut object);
        self.complete_new(subject, &mut object);
        typed::finish(&subject.kind, &mut object);
        super::custom::check(subject, None, &object)?;
        let place = subject.place(object.name());
        let warnings = super::unenforced::warnings(subject, &object);
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
        self.definitions.check_not_terminating(&subject.kind)
    }

    fn prepare_new(&mut self, subject: &Subject, object: &mut Object) -> Answer<()> {
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
        self.prepare_definition(subject, None, object)
    }

    /// The name asked for, checked, or a free one made from generateName.
    fn choose_name(&mut self, subject: &Subject, object: &mut Object) -> Answer<()> {
        let base = object.meta("generateName").to_owned();
        let generated = object.name().is_empty() && !base.is_empty();
        for _ in 0..names::GENERATE_TRIES {
            if generated {
                object.set_meta("name", names::generate(&base, &mut self.random));
            }
            check_name(subject, object)?;
            let place = subject.place(object.name());
            match self.store.get(&place.resource, &place.key) {
                None => return Ok(()),
                Some(_) if generated => {}
                Some(taken) => return Err(already_exists(&subject.kind, object.name(), taken.head.is_deleting())),
            }
        }
        Err(names_exhausted(&subject.kind, object.name()))
    }
}

fn check_name(subject: &Subject, object: &Object) -> Answer<()> {
    let name = object.name();
    let error = if name.is_empty() {
        FieldError::required("metadata.name", "name or generateName is required")
    } else if let Some(why) = names::refused(&subject.kind, name) {
        FieldError::invalid("metadata.name", &format!("\"{name}\""), &why)
    } else {
        return Ok(());
    };
    Err(invalid_object(&subject.kind, name, error))
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
fn label_namespace(subject: &Subject, object: &mut Object) {
    let name = object.name().to_owned();
    if subject.kind.is("", "namespaces") && !name.is_empty() {
        object.set_label("kubernetes.io/metadata.name", &name);
    }
}

/// Metadata that only the server sets.
const WIPED: &[&str] = &[
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
    "generation",
];
