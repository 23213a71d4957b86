//! POST: a new object.
//!
//! In: a body. Out: the stored object with name, uid, timestamp and generation set by the server. What a client must
//! not set is wiped without a word, as kube-apiserver does; only a resourceVersion is an error, unless it is a dry run.

use serde_json::{Value, json};

use crate::admission::plugins::resource_quota::Charge;
use crate::admission::{Notes, Operation};
use crate::cluster::commit::Ready;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::cluster::{DryRun, ResolvedTarget};
use crate::codec::conversion;
use crate::codec::object::Object;
use crate::codec::typed;
use crate::registry::validation;
use crate::registry::validation::names;
use crate::registry::write::{self, Attempted, End, Write};
use crate::response::status::{Answer, already_exists, names_exhausted, unforeseen};

/// A new object as mutating admission sees it: with its managers, and without what only the server sets.
pub(crate) struct NewObject {
    object: Object,
    /// The version that it came with, which what is new does not have; mostly empty.
    version: String,
}

impl NewObject {
    /// Makes an object of a decoded body.
    pub(crate) fn of_body(snapshot: &ClusterSnapshot, target: &ResolvedTarget, body: Value) -> Answer<NewObject> {
        let mut object = super::object(target, body)?;
        snapshot.tracker(&target.kind).track(target, None, &mut object);
        NewObject::new(snapshot, target, object)
    }

    /// A new object whose managers are known.
    pub(crate) fn new(snapshot: &ClusterSnapshot, target: &ResolvedTarget, mut object: Object) -> Answer<NewObject> {
        snapshot.catalog.check_not_terminating(&target.kind, object.name())?;
        let version = object.meta("resourceVersion").to_owned();
        for field in WIPED {
            object.put_meta(field, None);
        }
        Ok(NewObject { object, version })
    }

    /// The name that it came with.
    pub(crate) fn name(&self) -> &str {
        self.object.name()
    }
}

impl Write<'_> {
    /// Works out what a new object becomes.
    pub(crate) async fn attempt_create(&self, snapshot: &ClusterSnapshot, new: NewObject) -> Answer<Attempted> {
        let NewObject { mut object, version } = new;
        let mut notes = Notes::default();
        let attributes = self.attributes(Operation::Create, &self.target, None);
        self.admission.mutate(snapshot, &attributes, &mut object, &mut notes).await?;
        self.check_role_write(snapshot, None, &object)?;
        snapshot.stamp(&self.target, &mut object);
        let mut target = self.target.clone();
        if let Some(hub) = conversion::hub(&target.kind) {
            conversion::convert(&mut object, &hub);
            target.kind = hub;
        }
        target.kind.strategy.note_creator(self.user, &mut object);
        match self.dry_run {
            DryRun::No => snapshot.prepare_new(&target, &mut object)?,
            DryRun::All => {
                let network = snapshot.network.of_trial();
                ClusterSnapshot { network, ..snapshot.clone() }.prepare_new(&target, &mut object)?;
            }
        }
        validation::check_new(&target, &object)?;
        let warnings = target.kind.strategy.warnings(None, &object);
        let checked = self.check_create(snapshot, &target, &object, &version, &mut notes).await;
        let charge = self.record.with_warnings(&warnings, checked)?;
        let mut object = snapshot.keep_at_storage_version(&target.kind, object).await?;
        let end = match self.dry_run {
            DryRun::No => End::Commit(Ready::put(&target, None, &object).charging(charge)),
            DryRun::All => {
                object.put_meta("resourceVersion", (!version.is_empty()).then(|| version.into()));
                End::Answer(write::unstored(&object, snapshot.revision)?)
            }
        };
        Ok(Attempted { code: 201, warnings: write::noted(notes, warnings), end })
    }

    /// Whether a valid new object may be created; what it is charged to quotas.
    async fn check_create(
        &self,
        snapshot: &ClusterSnapshot,
        target: &ResolvedTarget,
        object: &Object,
        version: &str,
        notes: &mut Notes,
    ) -> Answer<Option<Charge>> {
        let attributes = self.attributes(Operation::Create, &self.target, None);
        self.check_parameters_readable(snapshot, None, object)?;
        self.check_create_allowed(snapshot)?;
        self.admission.validate(snapshot, &attributes, Some(object), notes).await?;
        let charge = self.admission.charge(snapshot, &attributes, object, notes)?;
        // What is no version is as good as none. A trial does not get as far as the storage, which refuses it.
        if self.dry_run == DryRun::No && version.parse::<u64>().is_ok_and(|version| version > 0) {
            return Err(unforeseen("resourceVersion should not be set on objects to be created"));
        }
        snapshot.check_name_is_free(target, object)?;
        Ok(charge)
    }
}

impl ClusterSnapshot {
    /// Sets what says which object it is.
    fn stamp(&self, target: &ResolvedTarget, object: &mut Object) {
        object.set_meta("uid", self.ids.uid());
        object.set_meta("creationTimestamp", self.clock.timestamp());
        self.choose_name(target, object);
    }

    /// Sets what the server decides about a new object.
    fn prepare_new(&self, target: &ResolvedTarget, object: &mut Object) -> Answer<()> {
        if target.kind.has_status() && !target.kind.storage.keeps_status {
            object.remove("status");
        }
        if let Some(phase) = target.kind.storage.first_phase {
            object.set("status", json!({"phase": phase}));
        }
        if target.kind.storage.has_generation {
            object.set_meta("generation", 1);
        }
        target.kind.strategy.prepare_for_create(self, target, object)?;
        typed::finish(&target.kind, object);
        Ok(())
    }

    /// Makes a name from generateName where none is asked for, a free one if there is.
    fn choose_name(&self, target: &ResolvedTarget, object: &mut Object) {
        let base = object.meta("generateName").to_owned();
        if !object.name().is_empty() || base.is_empty() {
            return;
        }
        for _ in 0..names::GENERATE_TRIES {
            object.set_meta("name", self.ids.draw(|random| names::generate(&base, random)));
            if self.get(&target.place(object.name())).is_none() {
                return;
            }
        }
    }

    fn check_name_is_free(&self, target: &ResolvedTarget, object: &Object) -> Answer<()> {
        match self.get(&target.place(object.name())) {
            None => Ok(()),
            // Whoever chose the name in the end: the client, a webhook or a policy.
            Some(_) if !object.meta("generateName").is_empty() => Err(names_exhausted(&target.kind, object.name())),
            Some(taken) => Err(already_exists(&target.kind, object.name(), taken.head.is_deleting())),
        }
    }
}

/// Metadata that only the server sets.
const WIPED: &[&str] =
    &["uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"];
