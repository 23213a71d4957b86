//! Admission: what may still change or refuse a write between its request and its object's checks.
//!
//! ```text
//!   object ─► mutate: plugins, policies, then webhooks one after the other ─► strategy, validation
//!                                                                        │
//!   commit ◄─ validate: plugins, policies, then webhooks all at once ◄────┘
//! ```
//! In: what a request does to an object, and the cluster as it was looked at. Out: the object changed, or a refusal; and
//! notes for its client and its trace. Plugins are pure over the snapshot; only webhooks await, and
//! policies where a webhook has to convert what they look at. A write that loses at its
//! commit passes through here again.

mod asked;
pub(crate) mod expressions;
mod match_conditions;
mod matching;
pub(crate) mod plugins;
pub(crate) mod policies;
mod rounds;
pub(crate) mod webhooks;

use std::sync::{Mutex, PoisonError};

use plugins::resource_quota::Charge;
use plugins::{AdmissionPlugin, Plugins};
use rounds::Rounds;
use serde_json::Value;
use webhooks::Webhooks;

use crate::cluster::snapshot::ClusterSnapshot;
use crate::cluster::{DryRun, ResolvedTarget};
use crate::codec::object::Object;
use crate::request::user::User;
use crate::response::status::Answer;
use crate::webhook::WebhookClient;

/// What a request does to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Create,
    Update,
    Delete,
}

impl Operation {
    /// As rules of webhooks spell it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Operation::Create => "CREATE",
            Operation::Update => "UPDATE",
            Operation::Delete => "DELETE",
        }
    }
}

/// What admission is asked about, besides the new object.
#[derive(Clone, Copy)]
pub(crate) struct Attributes<'a> {
    pub(crate) operation: Operation,
    /// The kind, namespace, name and subresource of the request; a new object's name may only be in the object.
    pub(crate) target: &'a ResolvedTarget,
    pub(crate) user: &'a User,
    pub(crate) dry_run: DryRun,
    /// CreateOptions, UpdateOptions, PatchOptions or DeleteOptions, as JSON with their kind.
    pub(crate) options: &'a Value,
    /// The object as it was, at the version of the request; `None` of a create.
    pub(crate) old: Option<&'a Object>,
    pub(crate) record: &'a Record,
}

/// What admission has to say beside its decision.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// For the client, as `Warning` headers.
    pub(crate) warnings: Vec<String>,
    /// For the trace: `webhook/key` and value.
    pub(crate) audit_annotations: Vec<(String, String)>,
}

impl Notes {
    /// Warns the client, once; what cannot be a header is not sent.
    fn warn(&mut self, warning: String) {
        let is_sent = !warning.is_empty() && !warning.contains(char::is_control);
        if is_sent && !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }
}

/// What admission said about a request and no attempt carries on: everything where it refused, and what is for the trace.
#[derive(Debug, Default)]
pub(crate) struct Record(Mutex<Notes>);

impl Record {
    /// Takes over what is not carried on.
    pub(crate) fn keep<T>(&self, done: &Answer<T>, notes: &mut Notes) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, value) in notes.audit_annotations.drain(..) {
            // A write that lost at its commit is asked about again.
            kept.audit_annotations.retain(|(known, _)| *known != key);
            kept.audit_annotations.push((key, value));
        }
        if done.is_err() {
            kept.warnings.append(&mut notes.warnings);
        }
    }

    /// What was warned of before admission goes with a refusal, too, and comes first.
    pub(crate) fn with_warnings<T>(&self, warnings: &[String], done: Answer<T>) -> Answer<T> {
        if done.is_err() {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.warnings.splice(0..0, warnings.iter().cloned());
        }
        done
    }

    /// What was kept.
    pub(crate) fn into_notes(self) -> Notes {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The admission of a server.
#[derive(Debug, Default, Clone)]
pub(crate) struct Admission {
    plugins: Plugins,
    /// None for what the server itself puts into its cluster, which no policy judges either.
    webhooks: Option<Webhooks>,
}

impl Admission {
    /// Admission by these plugins, and by webhooks that are called in this way.
    pub(crate) fn new(plugins: Plugins, client: WebhookClient) -> Admission {
        Admission { plugins, webhooks: Some(Webhooks::new(client)) }
    }

    /// Whether a plugin is on.
    pub(crate) fn has(&self, plugin: AdmissionPlugin) -> bool {
        self.plugins.has(plugin)
    }

    /// The same without webhooks and policies, for what the server itself puts into its cluster.
    pub(crate) fn without_webhooks(&self) -> Admission {
        Admission { webhooks: None, ..self.clone() }
    }

    /// The webhooks, if those that a plugin calls are called.
    fn webhooks(&self, plugin: AdmissionPlugin) -> Option<&Webhooks> {
        self.webhooks.as_ref().filter(|_| self.has(plugin))
    }

    /// Whether a webhook would be asked about a write, or about what a policy has to see of it.
    pub(crate) fn calls_webhooks(
        &self,
        snapshot: &ClusterSnapshot,
        operation: Operation,
        target: &ResolvedTarget,
    ) -> bool {
        self.webhooks.as_ref().is_some_and(|webhooks| {
            webhooks.are_called(snapshot, operation, target) || snapshot.policies.may_wait(&snapshot.catalog, target)
        })
    }

    /// Lets plugins and webhooks change an object that is to be stored.
    pub(crate) async fn mutate(
        &self,
        snapshot: &ClusterSnapshot,
        attributes: &Attributes<'_>,
        object: &mut Object,
        notes: &mut Notes,
    ) -> Answer<()> {
        let done = self.try_mutate(snapshot, attributes, object, notes).await;
        attributes.record.keep(&done, notes);
        done
    }

    async fn try_mutate(
        &self,
        snapshot: &ClusterSnapshot,
        attributes: &Attributes<'_>,
        object: &mut Object,
        notes: &mut Notes,
    ) -> Answer<()> {
        self.plugins.mutate(snapshot, attributes, object)?;
        let webhooks = self.webhooks(AdmissionPlugin::MutatingAdmissionWebhook);
        let has_policies =
            self.webhooks(AdmissionPlugin::MutatingAdmissionPolicy).is_some() && snapshot.policies.may_mutate();
        let (mut asked_policies, mut asked_webhooks) = (Rounds::default(), Rounds::default());
        let mut left_by_policies = None;
        if has_policies {
            policies::mutate(snapshot, attributes, object, &mut asked_policies).await?;
            left_by_policies = Some(object.clone());
        }
        if let Some(webhooks) = webhooks {
            webhooks.mutate(snapshot, attributes, Some(object), notes, &mut asked_webhooks).await?;
        }
        if !asked_policies.has_changed && !asked_webhooks.has_changed {
            return Ok(());
        }
        let left_by_webhooks = object.clone();
        self.plugins.mutate(snapshot, attributes, object)?;
        if let Some(left) = left_by_policies {
            asked_policies.begin_second(left != *object);
            policies::mutate(snapshot, attributes, object, &mut asked_policies).await?;
        }
        let Some(webhooks) = webhooks else { return Ok(()) };
        asked_webhooks.begin_second(left_by_webhooks != *object);
        webhooks.mutate(snapshot, attributes, Some(object), notes, &mut asked_webhooks).await
    }

    /// What a write that was admitted takes from the quotas of its namespace, or which has too little left.
    pub(crate) fn charge(
        &self,
        snapshot: &ClusterSnapshot,
        attributes: &Attributes<'_>,
        object: &Object,
        notes: &mut Notes,
    ) -> Answer<Option<Charge>> {
        if !self.has(AdmissionPlugin::ResourceQuota) {
            return Ok(None);
        }
        let done = plugins::resource_quota::charge(snapshot, attributes, object);
        attributes.record.keep(&done, notes);
        done
    }

    /// Lets plugins and webhooks refuse what is about to be stored, or deleted (then there is no new object).
    pub(crate) async fn validate(
        &self,
        snapshot: &ClusterSnapshot,
        attributes: &Attributes<'_>,
        object: Option<&Object>,
        notes: &mut Notes,
    ) -> Answer<()> {
        let done = self.try_validate(snapshot, attributes, object, notes).await;
        attributes.record.keep(&done, notes);
        done
    }

    async fn try_validate(
        &self,
        snapshot: &ClusterSnapshot,
        attributes: &Attributes<'_>,
        object: Option<&Object>,
        notes: &mut Notes,
    ) -> Answer<()> {
        let mutating = self.webhooks(AdmissionPlugin::MutatingAdmissionWebhook).filter(|_| object.is_none());
        if let Some(webhooks) = mutating {
            // Of what is deleted a mutating webhook is asked as well, and has nothing to change.
            webhooks.mutate(snapshot, attributes, None, notes, &mut Rounds::default()).await?;
        }
        self.plugins.validate(snapshot, attributes, object, notes)?;
        if self.webhooks(AdmissionPlugin::ValidatingAdmissionPolicy).is_some() {
            policies::validate(snapshot, attributes, object, notes).await?;
        }
        match self.webhooks(AdmissionPlugin::ValidatingAdmissionWebhook) {
            Some(webhooks) => webhooks.validate(snapshot, attributes, object, notes).await,
            None => Ok(()),
        }
    }
}
