//! Webhook configurations as they are used: read once when they are stored, and shared by every write.
//!
//! In: stored MutatingWebhookConfigurations and ValidatingWebhookConfigurations. Out: their webhooks, in the order in which
//! they are asked: by the name of the configuration, then as they stand in it. A copy of [`WebhookConfigurations`] is two
//! reference counts.

use std::sync::Arc;
use std::time::Duration;

use imbl::OrdMap;
use serde_json::Value;

use crate::admission::expressions::{Authorization, Params, environment};
use crate::admission::match_conditions::{FailurePolicy, MatchConditions};
use crate::admission::matching::Criteria;
use crate::admission::rounds::Reinvocation;
use crate::codec::object::Object;
use crate::storage::entry::Entry;
use crate::storage::store::{Resource, StorageKey};
use crate::webhook::{ClientConfig, review};

/// Every webhook of a cluster.
#[derive(Debug, Clone, Default)]
pub(crate) struct WebhookConfigurations {
    mutating: OrdMap<String, Arc<Vec<Webhook>>>,
    validating: OrdMap<String, Arc<Vec<Webhook>>>,
}

/// One webhook.
#[derive(Debug)]
pub(crate) struct Webhook {
    pub(super) name: String,
    pub(super) client_config: ClientConfig,
    pub(super) criteria: Criteria,
    pub(super) failure_policy: FailurePolicy,
    pub(super) timeout: Duration,
    /// `v1` or `v1beta1`.
    pub(super) review_version: &'static str,
    pub(super) reinvocation: Reinvocation,
    pub(super) match_conditions: MatchConditions,
}

impl WebhookConfigurations {
    /// Notes a configuration that was stored; says whether the place is one of a configuration.
    pub(crate) fn put(&mut self, place: &StorageKey, entry: &Entry) {
        if let Some(configurations) = self.of(&place.resource) {
            let hooks = Webhook::all(&entry.object());
            configurations.insert(place.key.to_string(), Arc::new(hooks));
        }
    }

    /// Forgets a configuration that was removed.
    pub(crate) fn remove(&mut self, place: &StorageKey) {
        if let Some(configurations) = self.of(&place.resource) {
            configurations.remove(place.key.as_ref());
        }
    }

    fn of(&mut self, resource: &Resource) -> Option<&mut OrdMap<String, Arc<Vec<Webhook>>>> {
        if resource.is(GROUP, MUTATING) {
            Some(&mut self.mutating)
        } else if resource.is(GROUP, VALIDATING) {
            Some(&mut self.validating)
        } else {
            None
        }
    }

    pub(super) fn mutating(&self) -> impl Iterator<Item = &Webhook> {
        self.mutating.values().flat_map(|hooks| hooks.iter())
    }

    pub(super) fn validating(&self) -> impl Iterator<Item = &Webhook> {
        self.validating.values().flat_map(|hooks| hooks.iter())
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Webhook> {
        self.mutating().chain(self.validating())
    }

    /// The resources whose objects are configurations.
    pub(crate) fn resources() -> [Resource; 2] {
        [Resource::new(GROUP, MUTATING), Resource::new(GROUP, VALIDATING)]
    }
}

impl Webhook {
    fn all(configuration: &Object) -> Vec<Webhook> {
        let hooks = configuration.get("webhooks").and_then(Value::as_array);
        hooks.into_iter().flatten().map(Webhook::read).collect()
    }

    fn read(hook: &Value) -> Webhook {
        let text = |field: &str| hook.get(field).and_then(Value::as_str).unwrap_or_default();
        let seconds = hook.get("timeoutSeconds").and_then(Value::as_u64).unwrap_or(TIMEOUT_SECONDS);
        Webhook {
            name: text("name").to_owned(),
            client_config: ClientConfig::read(hook.get("clientConfig").unwrap_or(&Value::Null)),
            criteria: Criteria::of_webhook(hook),
            failure_policy: FailurePolicy::read(hook),
            timeout: Duration::from_secs(seconds),
            review_version: review::version(hook.get("admissionReviewVersions").unwrap_or(&Value::Null)),
            reinvocation: Reinvocation::read(hook),
            match_conditions: MatchConditions::read(hook, &environment(Params::Unknown, Authorization::Known)),
        }
    }
}

const GROUP: &str = "admissionregistration.k8s.io";
const MUTATING: &str = "mutatingwebhookconfigurations";
const VALIDATING: &str = "validatingwebhookconfigurations";

/// kube-apiserver's default.
const TIMEOUT_SECONDS: u64 = 10;
