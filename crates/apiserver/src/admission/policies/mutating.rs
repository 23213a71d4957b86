//! MutatingAdmissionPolicies: what is about to be stored, changed by their mutations one after the other.
//!
//! In: the policies in force, and what a request does to an object. Out: the object changed; or a refusal with everything
//! that failed, unless the policies do not mind.

mod apply_configuration;
mod mutation;

use pintle_core::response::StatusCause;
use serde_json::Value;

use super::namespace::namespace_object;
use super::selection::{Invocation, select};
use crate::admission::Attributes;
use crate::admission::asked::{Asked, Shown, Unknown};
use crate::admission::match_conditions::FailurePolicy;
use crate::admission::rounds::Rounds;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::response::status::{Answer, Refusal};

pub(super) use mutation::Mutations;

/// Lets mutating policies change an object that is to be stored.
pub(in crate::admission) async fn mutate(
    snapshot: &ClusterSnapshot,
    attributes: &Attributes<'_>,
    object: &mut Object,
    rounds: &mut Rounds<String>,
) -> Answer<()> {
    let namespace = namespace_object(snapshot, attributes);
    let (mut errors, mut invocations) = (Vec::new(), Vec::new());
    for selected in select(&snapshot.policies.mutating, snapshot, attributes, Some(object)).await {
        match selected {
            Ok(invocation) => invocations.push(invocation),
            Err(wrong) if wrong.policy.failure_policy == FailurePolicy::Fail => {
                let message = match wrong.binding {
                    Some(binding) => denied(&wrong.policy.name, &binding.name, &wrong.why),
                    None => format!("policy {:?} denied request: {}", wrong.policy.name, wrong.why),
                };
                errors.push(PolicyError { message, reason: "Forbidden" });
            }
            Err(_) => {}
        }
    }
    let mut is_patched = false;
    for invocation in &invocations {
        let mut turn = Turn { snapshot, attributes, namespace: namespace.as_ref(), invocation, failed: Vec::new() };
        is_patched |= turn.take(object, rounds).await?;
        if invocation.policy.failure_policy == FailurePolicy::Fail {
            errors.append(&mut turn.failed);
        }
    }
    if is_patched {
        // As in kube-apiserver, a patch that changes nothing counts as well.
        rounds.has_changed = true;
        rounds.require_all();
    }
    if errors.is_empty() { Ok(()) } else { Err(refusal(attributes, object, errors)) }
}

/// Something that failed.
struct PolicyError {
    message: String,
    reason: &'static str,
}

fn denied(policy: &str, binding: &str, why: &str) -> String {
    format!("policy '{policy}' with binding '{binding}' denied request: {why}")
}

/// 403 with the reason of the first error, and all of them as causes.
fn refusal(attributes: &Attributes<'_>, object: &Object, errors: Vec<PolicyError>) -> Refusal {
    let mut refusal = attributes.forbidden(Some(object), "admission request denied by policy");
    if let Some(first) = errors.first() {
        refusal.message.clone_from(&first.message);
        first.reason.clone_into(&mut refusal.reason);
    }
    let causes = errors.into_iter().map(|error| StatusCause { message: error.message, ..StatusCause::default() });
    if let Some(details) = &mut refusal.details {
        details.causes.extend(causes);
    }
    refusal
}

/// One policy with one parameter, and an object that it may change.
struct Turn<'a> {
    snapshot: &'a ClusterSnapshot,
    attributes: &'a Attributes<'a>,
    namespace: Option<&'a Value>,
    invocation: &'a Invocation<'a, Mutations>,
    failed: Vec<PolicyError>,
}

impl Turn<'_> {
    /// Changes the object; says whether a patch was applied.
    async fn take(&mut self, object: &mut Object, rounds: &mut Rounds<String>) -> Answer<bool> {
        let policy = self.invocation.policy;
        let shown = self.shown(object).await?;
        let mut write = shown.write(self.snapshot, self.attributes);
        write.params = self.invocation.params.as_ref();
        match policy.match_conditions.hold(policy.failure_policy, &write) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(why) => {
                self.fail(&why);
                return Ok(false);
            }
        }
        let key = self.key();
        if !rounds.is_due(&key) {
            return Ok(false);
        }
        let before = object.clone();
        let mut is_patched = false;
        for mutation in &policy.rules.mutations {
            let shown = self.shown(object).await?;
            let mut write = shown.write(self.snapshot, self.attributes);
            (write.params, write.namespace) = (self.invocation.params.as_ref(), self.namespace);
            let asked = self.asked();
            match mutation.patched(&asked, &policy.composition, &write) {
                Ok(patched) => {
                    asked.take(patched, Unknown::Refused, object).await?;
                    is_patched = true;
                }
                Err(why) => self.fail(&why),
            }
        }
        rounds.note(key, policy.rules.reinvocation, before != *object);
        Ok(is_patched)
    }

    fn asked(&self) -> Asked<'_> {
        Asked { snapshot: self.snapshot, target: self.attributes.target, kind: self.invocation.kind.clone() }
    }

    async fn shown(&self, object: &Object) -> Answer<Shown> {
        Shown::of(&self.asked(), self.attributes, Some(object)).await
    }

    /// What makes it another than the others: policy, binding and parameter.
    fn key(&self) -> String {
        let Invocation { policy, binding, params, .. } = self.invocation;
        let param = |path: &str| params.as_ref().and_then(|params| params.pointer(path)).and_then(Value::as_str);
        let (namespace, name) = (param("/metadata/namespace"), param("/metadata/name"));
        [Some(policy.name.as_str()), Some(&binding.name), namespace, name].map(Option::unwrap_or_default).join("/")
    }

    fn fail(&mut self, why: &str) {
        let message = denied(&self.invocation.policy.name, &self.invocation.binding.name, why);
        self.failed.push(PolicyError { message, reason: "Invalid" });
    }
}
