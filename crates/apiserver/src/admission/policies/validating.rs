//! ValidatingAdmissionPolicies: what is about to be stored or deleted, judged by their validations.
//!
//! In: the policies in force, and what a request does to an object. Out: the refusal of the first validation that denies,
//! and what all of them have to say beside it.

mod evaluation;

use std::sync::Arc;

use pintle_core::response::StatusCause;
use serde_json::Value;

use super::namespace::namespace_object;
use super::selection::{Invocation, select};
use crate::admission::asked::{Asked, Shown};
use crate::admission::match_conditions::FailurePolicy;
use crate::admission::{Attributes, Notes};
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::go_json;
use crate::codec::object::Object;
use crate::response::status::{Answer, Refusal};

pub(super) use evaluation::Validations;
use evaluation::{Annotation, Judgement};

/// Lets validating policies refuse what is about to be stored, or deleted (then there is no new object).
pub(in crate::admission) async fn validate(
    snapshot: &ClusterSnapshot,
    attributes: &Attributes<'_>,
    object: Option<&Object>,
    notes: &mut Notes,
) -> Answer<()> {
    let policies = &snapshot.policies.validating;
    if policies.is_empty() {
        return Ok(());
    }
    let mut said = Said::default();
    let mut sight = Sight::new(snapshot, attributes, object);
    for selected in select(policies, snapshot, attributes, object).await {
        let invocation = match selected {
            Ok(invocation) => invocation,
            Err(wrong) => {
                if wrong.policy.failure_policy == FailurePolicy::Fail {
                    let binding = wrong.binding.map(|binding| binding.name.as_str());
                    said.denied.push(Denial::new(&wrong.policy.name, binding, &wrong.why, ""));
                }
                continue;
            }
        };
        match sight.judge(&invocation).await {
            Ok(judgement) => said.take(&invocation, judgement, notes),
            Err(why) if invocation.policy.failure_policy == FailurePolicy::Fail => {
                let why = format!("failed to configure binding: failed to convert object version: {why}");
                said.denied.push(Denial::new(&invocation.policy.name, Some(&invocation.binding.name), &why, ""));
            }
            Err(_) => {}
        }
    }
    said.publish(notes);
    said.denied.into_iter().next().map_or(Ok(()), |denial| Err(denial.refusal(attributes, object)))
}

/// What policies see of a write: its objects at the kinds that they ask for, and its namespace.
struct Sight<'a> {
    snapshot: &'a ClusterSnapshot,
    attributes: &'a Attributes<'a>,
    object: Option<&'a Object>,
    /// By apiVersion, each made once.
    shown: Vec<(String, Shown)>,
    namespace: Option<Value>,
}

impl<'a> Sight<'a> {
    fn new(snapshot: &'a ClusterSnapshot, attributes: &'a Attributes<'_>, object: Option<&'a Object>) -> Sight<'a> {
        Sight { snapshot, attributes, object, shown: Vec::new(), namespace: namespace_object(snapshot, attributes) }
    }

    /// What a policy says of the write; the error is why the write cannot be shown to it.
    async fn judge(&mut self, invocation: &Invocation<'_, Validations>) -> Result<Judgement, String> {
        let version = invocation.kind.api_version();
        let at = match self.shown.iter().position(|(known, _)| *known == version) {
            Some(at) => at,
            None => {
                let kind = Arc::clone(&invocation.kind);
                let asked = Asked { snapshot: self.snapshot, target: self.attributes.target, kind };
                let shown = Shown::of(&asked, self.attributes, self.object).await.map_err(|refusal| refusal.message)?;
                self.shown.push((version, shown));
                self.shown.len() - 1
            }
        };
        let mut write = self.shown[at].1.write(self.snapshot, self.attributes);
        write.params = invocation.params.as_ref();
        Ok(evaluation::judge(invocation.policy, write, self.namespace.as_ref()))
    }
}

/// What the policies said so far.
#[derive(Default)]
struct Said {
    denied: Vec<Denial>,
    /// What `Audit` notes, as JSON.
    failures: Vec<String>,
    /// The values of audit annotations, by policy and key.
    annotations: Vec<(String, Vec<String>)>,
}

impl Said {
    fn take(&mut self, invocation: &Invocation<'_, Validations>, judgement: Judgement, notes: &mut Notes) {
        let (policy, binding) = (&invocation.policy.name, &invocation.binding.name);
        for violation in judgement.violations {
            for action in &invocation.binding.actions {
                match action.as_str() {
                    "Deny" => {
                        self.denied.push(Denial::new(policy, Some(binding), &violation.message, &violation.reason));
                    }
                    "Audit" => self.failures.push(audited(invocation, violation.at, &violation.message)),
                    "Warn" => notes.warn(format!(
                        "Validation failed for ValidatingAdmissionPolicy '{policy}' with binding '{binding}': {}",
                        violation.message
                    )),
                    _ => {}
                }
            }
        }
        for annotation in judgement.annotations {
            match annotation {
                Annotation::Published { key, value } => self.annotate(format!("{policy}/{key}"), value),
                Annotation::Failed(why) => self.denied.push(Denial::new(policy, Some(binding), &why, "")),
            }
        }
    }

    /// Values of several parameters stand beside each other, each once.
    fn annotate(&mut self, key: String, value: String) {
        match self.annotations.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) if values.contains(&value) => {}
            Some((_, values)) => values.push(value),
            None => self.annotations.push((key, vec![value])),
        }
    }

    fn publish(&mut self, notes: &mut Notes) {
        let annotations = self.annotations.drain(..).map(|(key, values)| (key, values.join(", ")));
        notes.audit_annotations.extend(annotations);
        self.failures.truncate(AUDITED_FAILURES_MAX);
        if !self.failures.is_empty() {
            let value = format!("[{}]", self.failures.join(","));
            notes.audit_annotations.push((AUDITED_FAILURES.to_owned(), value));
        }
    }
}

/// A violation as the audit log has it; the order of the fields is kube-apiserver's.
fn audited(invocation: &Invocation<'_, Validations>, at: usize, message: &str) -> String {
    let Invocation { policy, binding, .. } = invocation;
    format!(
        "{{\"message\":{},\"policy\":{},\"binding\":{},\"expressionIndex\":{at},\"validationActions\":{}}}",
        go_json::text(&message.into()),
        go_json::text(&policy.name.as_str().into()),
        go_json::text(&binding.name.as_str().into()),
        go_json::text(&binding.actions.clone().into()),
    )
}

/// Why a write is refused.
struct Denial {
    message: String,
    reason: String,
}

impl Denial {
    fn new(policy: &str, binding: Option<&str>, why: &str, reason: &str) -> Denial {
        let binding = binding.map(|binding| format!(" with binding '{binding}'")).unwrap_or_default();
        let message = format!("ValidatingAdmissionPolicy '{policy}'{binding} denied request: {why}");
        Denial { message, reason: if reason.is_empty() { "Invalid" } else { reason }.to_owned() }
    }

    /// A refusal with the code of its reason, although it says that the object is forbidden.
    fn refusal(self, attributes: &Attributes<'_>, object: Option<&Object>) -> Refusal {
        let mut refusal = attributes.forbidden(object, &self.message);
        refusal.code = match self.reason.as_str() {
            "Forbidden" => 403,
            "RequestEntityTooLarge" => 413,
            _ => 422,
        };
        refusal.reason = self.reason;
        if let Some(details) = &mut refusal.details {
            details.causes.push(StatusCause { message: self.message, ..StatusCause::default() });
        }
        refusal
    }
}

/// Where the audit log has violations.
const AUDITED_FAILURES: &str = "validation.policy.admission.k8s.io/validation_failure";

/// The audit log has no more violations of one request than this.
const AUDITED_FAILURES_MAX: usize = 50;
