//! Webhook configurations as they are used: read once when they are stored, and shared by every write.
//!
//! In: stored MutatingWebhookConfigurations and ValidatingWebhookConfigurations. Out: their webhooks, in the order in which
//! they are asked: by the name of the configuration, then as they stand in it. A copy of [`WebhookConfigurations`] is two
//! reference counts.

use std::sync::Arc;
use std::time::Duration;

use imbl::OrdMap;
use pintle_core::labels::Requirements;
use serde_json::Value;

use super::match_conditions::MatchConditions;
use super::rules::Rule;
use crate::codec::object::Object;
use crate::registry::subresources::selector;
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
    pub(super) rules: Vec<Rule>,
    pub(super) match_policy: MatchPolicy,
    namespace_selector: LabelSelector,
    object_selector: LabelSelector,
    pub(super) failure_policy: FailurePolicy,
    pub(super) timeout: Duration,
    /// `v1` or `v1beta1`.
    pub(super) review_version: &'static str,
    pub(super) reinvocation: Reinvocation,
    pub(super) match_conditions: MatchConditions,
}

/// Whether a rule means its versions alone, or everything that is stored as the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MatchPolicy {
    Exact,
    Equivalent,
}

/// What becomes of a write whose webhook cannot be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailurePolicy {
    Fail,
    Ignore,
}

/// Whether a mutating webhook is asked again where another one changed the object after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reinvocation {
    Never,
    IfNeeded,
}

/// Which labels are meant.
#[derive(Debug)]
enum LabelSelector {
    Everything,
    Of(Requirements),
    Nothing,
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
        let list = |field: &str| hook.get(field).and_then(Value::as_array).into_iter().flatten();
        let seconds = hook.get("timeoutSeconds").and_then(Value::as_u64).unwrap_or(TIMEOUT_SECONDS);
        Webhook {
            name: text("name").to_owned(),
            client_config: ClientConfig::read(hook.get("clientConfig").unwrap_or(&Value::Null)),
            rules: list("rules").map(Rule::read).collect(),
            match_policy: if text("matchPolicy") == "Exact" { MatchPolicy::Exact } else { MatchPolicy::Equivalent },
            namespace_selector: LabelSelector::read(hook.get("namespaceSelector")),
            object_selector: LabelSelector::read(hook.get("objectSelector")),
            failure_policy: if text("failurePolicy") == "Ignore" { FailurePolicy::Ignore } else { FailurePolicy::Fail },
            timeout: Duration::from_secs(seconds),
            review_version: review::version(hook.get("admissionReviewVersions").unwrap_or(&Value::Null)),
            reinvocation: match text("reinvocationPolicy") {
                "IfNeeded" => Reinvocation::IfNeeded,
                _ => Reinvocation::Never,
            },
            match_conditions: MatchConditions::read(hook),
        }
    }

    /// Whether a namespace with these labels is meant.
    pub(super) fn selects_namespace(&self, labels: Option<&Value>) -> bool {
        self.namespace_selector.matches(labels)
    }

    /// Whether a namespace may be left out.
    pub(super) fn selects_every_namespace(&self) -> bool {
        matches!(self.namespace_selector, LabelSelector::Everything)
    }

    /// Whether one of the states of an object is meant.
    pub(super) fn selects_object(&self, states: [Option<&Object>; 2]) -> bool {
        if matches!(self.object_selector, LabelSelector::Everything) {
            return true;
        }
        states.into_iter().flatten().any(|object| self.object_selector.matches(object.metadata().get("labels")))
    }
}

impl LabelSelector {
    fn read(value: Option<&Value>) -> LabelSelector {
        let Some(value) = value.filter(|value| !value.is_null()) else { return LabelSelector::Everything };
        match selector::text(value).map(|text| (text.is_empty(), text.parse::<Requirements>())) {
            Some((true, _)) => LabelSelector::Everything,
            Some((false, Ok(requirements))) => LabelSelector::Of(requirements),
            _ => LabelSelector::Nothing,
        }
    }

    fn matches(&self, labels: Option<&Value>) -> bool {
        match self {
            LabelSelector::Everything => true,
            LabelSelector::Nothing => false,
            LabelSelector::Of(requirements) => {
                requirements.matches_by(|key| labels.and_then(|labels| labels.get(key)).and_then(Value::as_str))
            }
        }
    }
}

const GROUP: &str = "admissionregistration.k8s.io";
const MUTATING: &str = "mutatingwebhookconfigurations";
const VALIDATING: &str = "validatingwebhookconfigurations";

/// kube-apiserver's default.
const TIMEOUT_SECONDS: u64 = 10;
