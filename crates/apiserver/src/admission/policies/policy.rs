//! One policy, compiled, and one binding.

use std::fmt;

use pintle_cel::{Composition, Environment};
use serde_json::Value;

use crate::admission::expressions::{Authorization, Params, environment};
use crate::admission::match_conditions::{FailurePolicy, MatchConditions};
use crate::admission::matching::{Criteria, LabelSelector};
use crate::codec::object::Object;

/// A policy; what it says of the writes that it is about are its rules.
#[derive(Debug)]
pub(super) struct Policy<R> {
    pub(super) name: String,
    pub(super) criteria: Criteria,
    pub(super) failure_policy: FailurePolicy,
    pub(super) param_kind: Option<ParamKind>,
    pub(super) match_conditions: MatchConditions,
    pub(super) composition: Composition,
    pub(super) rules: R,
}

/// What a policy says.
pub(super) trait Rules: Sized {
    /// Compiles the rules in the spec of a policy.
    fn read(spec: &Value, params: Params, composition: &Composition) -> Self;
}

/// The kind of a policy's parameters.
#[derive(Debug)]
pub(crate) struct ParamKind {
    pub(crate) group: String,
    pub(super) version: String,
    pub(super) kind: String,
}

/// Where a policy is in force, and with which parameters.
#[derive(Debug)]
pub(super) struct Binding {
    pub(super) name: String,
    /// The name of its policy.
    pub(super) policy: String,
    pub(super) criteria: Option<Criteria>,
    pub(super) param_ref: Option<ParamRef>,
    /// `Deny`, `Warn`, `Audit`.
    pub(super) actions: Vec<String>,
}

/// Which parameters are meant.
#[derive(Debug)]
pub(super) struct ParamRef {
    pub(super) namespace: String,
    pub(super) chosen: Chosen,
    pub(super) when_missing: WhenMissing,
}

/// How parameters are chosen.
#[derive(Debug)]
pub(super) enum Chosen {
    Name(String),
    Labels(LabelSelector),
}

/// What becomes of a write whose parameters are not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WhenMissing {
    Allow,
    Deny,
}

impl<R: Rules> Policy<R> {
    pub(super) fn read(policy: &Object) -> Policy<R> {
        let spec = policy.get("spec").unwrap_or(&Value::Null);
        let param_kind = spec.get("paramKind").filter(|kind| !kind.is_null()).map(ParamKind::read);
        let params = if param_kind.is_some() { Params::Known } else { Params::Unknown };
        let environment = environment(params, Authorization::Known);
        let composition = compose(spec, &environment);
        Policy {
            name: policy.name().to_owned(),
            criteria: Criteria::of_policy(spec.get("matchConstraints").unwrap_or(&Value::Null)),
            failure_policy: FailurePolicy::read(spec),
            param_kind,
            match_conditions: MatchConditions::read(spec, &environment),
            rules: R::read(spec, params, &composition),
            composition,
        }
    }
}

/// The variables of a policy. What does not compile fails whoever asks for it.
fn compose(spec: &Value, environment: &Environment) -> Composition {
    let mut composition = Composition::new();
    for variable in spec.get("variables").and_then(Value::as_array).into_iter().flatten() {
        let text = |field: &str| variable.get(field).and_then(Value::as_str).unwrap_or_default();
        drop(composition.add(environment, text("name"), text("expression")));
    }
    composition
}

impl ParamKind {
    pub(crate) fn read(kind: &Value) -> ParamKind {
        let text = |field: &str| kind.get(field).and_then(Value::as_str).unwrap_or_default();
        let (group, version) = text("apiVersion").split_once('/').unwrap_or(("", text("apiVersion")));
        ParamKind { group: group.to_owned(), version: version.to_owned(), kind: text("kind").to_owned() }
    }
}

impl fmt::Display for ParamKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}, Kind={}", self.group, self.version, self.kind)
    }
}

impl Binding {
    pub(super) fn read(binding: &Object) -> Binding {
        let spec = binding.get("spec").unwrap_or(&Value::Null);
        let there = |field: &str| spec.get(field).filter(|value| !value.is_null());
        let actions = there("validationActions").and_then(Value::as_array).into_iter().flatten();
        Binding {
            name: binding.name().to_owned(),
            policy: there("policyName").and_then(Value::as_str).unwrap_or_default().to_owned(),
            criteria: there("matchResources").map(Criteria::of_policy),
            param_ref: there("paramRef").map(ParamRef::read),
            actions: actions.filter_map(Value::as_str).map(str::to_owned).collect(),
        }
    }
}

impl ParamRef {
    fn read(reference: &Value) -> ParamRef {
        let text = |field: &str| reference.get(field).and_then(Value::as_str).unwrap_or_default();
        ParamRef {
            namespace: text("namespace").to_owned(),
            chosen: match text("name") {
                "" => Chosen::Labels(LabelSelector::read(reference.get("selector"))),
                name => Chosen::Name(name.to_owned()),
            },
            when_missing: match text("parameterNotFoundAction") {
                "Deny" => WhenMissing::Deny,
                _ => WhenMissing::Allow,
            },
        }
    }
}
