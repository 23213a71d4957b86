//! Admission webhooks: programs of the cluster that change or refuse what is written.
//!
//! ```text
//!  configurations ─► rules, selectors, conditions: who is asked? ─► review ─► WebhookClient ─► verdict ─┬─► denied
//!  (compiled when stored)                                              ▲                                ├─► warnings, notes
//!                                                                      └──── asked: the object ◄─ patch ┘
//! ```
//! In: what a request does to an object, and the configurations in the cluster as it was looked at. Out: the object changed,
//! or a refusal. This is where a write waits for something that is not the server. Mutating webhooks are asked one after
//! the other, and once more where another one changed the object after them and they want it; validating ones all at once.

mod configuration;
mod review;

use configuration::Webhook;
use futures::future::join_all;
use review::{Malformed, Phase, Verdict};
use serde_json::Value;

pub(crate) use configuration::WebhookConfigurations;

use super::asked::{Asked, Shown};
use super::match_conditions::FailurePolicy;
use super::rounds::Rounds;
use super::{Attributes, Notes, Operation};
use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::response::status::{Answer, Refusal, forbidden, internal};
use crate::storage::store::{Resource, StorageKey, key};
use crate::webhook::{CallError, Caller, WebhookClient};

/// How webhooks are called.
#[derive(Debug, Default, Clone)]
pub(crate) struct Webhooks {
    client: WebhookClient,
}

impl Webhooks {
    pub(crate) fn new(client: WebhookClient) -> Webhooks {
        Webhooks { client }
    }

    /// Whether a webhook may be asked about a write; which labels its object will have is not known yet.
    pub(crate) fn are_called(&self, snapshot: &ClusterSnapshot, operation: Operation, target: &ResolvedTarget) -> bool {
        snapshot.webhooks.all().any(|hook| hook.criteria.may_match(snapshot, operation, target))
    }

    /// Asks mutating webhooks, one after the other; of what is deleted there is no object to change.
    pub(super) async fn mutate(
        &self,
        snapshot: &ClusterSnapshot,
        attributes: &Attributes<'_>,
        mut object: Option<&mut Object>,
        notes: &mut Notes,
        rounds: &mut Rounds<usize>,
    ) -> Answer<()> {
        for (at, hook) in snapshot.webhooks.mutating().enumerate() {
            if !rounds.is_due(&at) {
                continue;
            }
            let Some(kind) = hook.criteria.kind_matched(snapshot, attributes, object.as_deref()) else { continue };
            let asked = Asked { snapshot, target: attributes.target, kind };
            let Some(shown) = hook.shown(&asked, attributes, object.as_deref()).await? else { continue };
            let has_changed = self.mutate_by(hook, &asked, &shown, object.as_deref_mut(), notes).await?;
            rounds.note(at, hook.reinvocation, has_changed);
        }
        Ok(())
    }

    async fn mutate_by(
        &self,
        hook: &Webhook,
        asked: &Asked<'_>,
        shown: &Shown,
        object: Option<&mut Object>,
        notes: &mut Notes,
    ) -> Answer<bool> {
        let verdict = match self.ask(hook, Phase::Mutating, asked, shown).await {
            Ok(verdict) => verdict,
            Err(why) => return hook.failed(&why).map_or(Ok(false), Err),
        };
        let patch = verdict.note(notes)?;
        match (object, &shown.object) {
            _ if patch.is_empty() => Ok(false),
            (Some(object), Some(shown)) => asked.patch(&patch, shown, object).await,
            _ => {
                let name = &hook.name;
                Err(internal(&format!(
                    "admission webhook {name:?} attempted to modify the object, which is not supported for this operation"
                )))
            }
        }
    }

    /// Asks validating webhooks, all at once.
    pub(super) async fn validate(
        &self,
        snapshot: &ClusterSnapshot,
        attributes: &Attributes<'_>,
        object: Option<&Object>,
        notes: &mut Notes,
    ) -> Answer<()> {
        let mut calls = Vec::new();
        for hook in snapshot.webhooks.validating() {
            let Some(kind) = hook.criteria.kind_matched(snapshot, attributes, object) else { continue };
            let asked = Asked { snapshot, target: attributes.target, kind };
            if let Some(shown) = hook.shown(&asked, attributes, object).await? {
                calls.push(self.validate_by(hook, asked, shown));
            }
        }
        if calls.is_empty() {
            return Ok(());
        }
        // Everything that is said is passed on; the first refusal, in the order of the webhooks, is the answer.
        let mut refused = Ok(());
        for verdict in join_all(calls).await {
            let noted = verdict.and_then(|verdict| verdict.note(notes)).map(drop);
            refused = refused.and(noted);
        }
        refused
    }

    async fn validate_by(&self, hook: &Webhook, asked: Asked<'_>, shown: Shown) -> Answer<Verdict> {
        match self.ask(hook, Phase::Validating, &asked, &shown).await {
            Ok(verdict) => Ok(verdict),
            Err(why) => hook.failed(&why).map_or_else(|| Ok(Verdict::default()), Err),
        }
    }

    /// Asks one webhook; the error is why it could not be asked.
    async fn ask(&self, hook: &Webhook, phase: Phase, asked: &Asked<'_>, shown: &Shown) -> Result<Verdict, String> {
        let uid = asked.snapshot.ids.uid();
        let review = review::print(hook, &uid, shown.request.clone(), shown.object.as_ref(), shown.old.as_ref());
        let has_service = asked.snapshot.has_service(hook);
        let sent = self.client.post(Caller::Admission, &hook.client_config, hook.timeout, &review, has_service);
        let value = sent.await.map_err(|error| match error {
            CallError::Client(_) => error.to_string(),
            CallError::Call(why) => format!("failed to call webhook: {why}"),
        })?;
        review::read(hook, phase, &uid, &value).map_err(|malformed| match malformed {
            Malformed::Unreadable(why) => format!("failed to call webhook: {why}"),
            Malformed::Invalid(why) => format!("received invalid webhook response: {why}"),
            Malformed::Patch(why) => format!("received undecodable patch in webhook response: {why}"),
        })
    }
}

impl Webhook {
    /// What it is shown of a write; nothing if its conditions leave the write out.
    async fn shown(
        &self,
        asked: &Asked<'_>,
        attributes: &Attributes<'_>,
        object: Option<&Object>,
    ) -> Answer<Option<Shown>> {
        let shown = Shown::of(asked, attributes, object).await?;
        if self.match_conditions.is_empty() {
            return Ok(Some(shown));
        }
        match self.match_conditions.hold(self.failure_policy, &shown.write(asked.snapshot, attributes)) {
            Ok(holds) => Ok(holds.then_some(shown)),
            Err(why) => Err(forbidden(&attributes.target.kind, shown.name(), &why)),
        }
    }

    /// What becomes of a request whose webhook could not be asked.
    fn failed(&self, why: &str) -> Option<Refusal> {
        let sentence = format!("failed calling webhook {:?}: {why}", self.name);
        match self.failure_policy {
            FailurePolicy::Fail => Some(internal(&sentence)),
            FailurePolicy::Ignore => {
                tracing::warn!("{sentence}: its failurePolicy is Ignore");
                None
            }
        }
    }
}

impl Verdict {
    /// Passes on what was said beside the decision, and returns the patch, or the refusal.
    fn note(self, notes: &mut Notes) -> Answer<Vec<Value>> {
        self.warnings.into_iter().for_each(|warning| notes.warn(warning));
        notes.audit_annotations.extend(self.audit_annotations);
        self.denied.map_or(Ok(self.patch), Err)
    }
}

impl ClusterSnapshot {
    fn has_service(&self, hook: &Webhook) -> bool {
        hook.client_config.service().is_some_and(|service| {
            let key = key(Some(&service.namespace), &service.name);
            self.get(&StorageKey { resource: Resource::new("", "services"), key }).is_some()
        })
    }
}
