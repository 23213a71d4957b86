//! `matchConditions`: expressions that say whether a webhook is asked about a write.
//!
//! ```text
//!   configuration ─ compiled when stored ─► conditions ─┬─ one is false ──► the webhook is not asked
//!   object, oldObject, request, authorizer ─────────────┼─ all are true ──► it is
//!                                                       └─ one fails ─────► as its failurePolicy says
//! ```
//! A false condition wins over one that fails. All conditions of a webhook share one budget of cost.

use std::fmt;
use std::sync::LazyLock;

use pintle_cel::{
    AccessCheck, Authorize, Authorizer, COST_PER_CALL_MAX, CompileError, Decision, Environment,
    MATCH_CONDITIONS_COST_BUDGET, Program, ResourceAttributes, Subject, Type, Value as Cel,
};
use serde_json::Value;

use super::configuration::FailurePolicy;
use crate::authorization;
use crate::authorization::attributes::{Attributes, Requested};
use crate::request::user::User;

/// The conditions of a webhook.
#[derive(Debug, Default)]
pub(super) struct MatchConditions(Vec<Condition>);

#[derive(Debug)]
struct Condition {
    expression: String,
    /// What was stored by a server that knew more can lack a program.
    program: Result<Program, NoCondition>,
}

/// What the conditions are asked about.
pub(super) struct Write<'a> {
    pub(super) object: Option<&'a Value>,
    pub(super) old: Option<&'a Value>,
    /// The review's request.
    pub(super) request: &'a Value,
    pub(super) resource: ResourceAttributes,
    pub(super) access: Access<'a>,
}

/// Who may do what, for the variable `authorizer`.
pub(super) struct Access<'a> {
    pub(super) authorizer: &'a authorization::Authorizer,
    pub(super) user: &'a User,
}

impl MatchConditions {
    pub(super) fn read(hook: &Value) -> MatchConditions {
        let conditions = hook.get("matchConditions").and_then(Value::as_array).into_iter().flatten();
        let expression = |condition: &Value| condition.get("expression")?.as_str().map(str::trim).map(str::to_owned);
        let read = conditions.filter_map(expression).map(|expression| {
            let program = compile(&expression);
            Condition { expression, program }
        });
        MatchConditions(read.collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a webhook is asked; the error is why that cannot be said where its policy is to fail.
    pub(super) fn hold(&self, policy: FailurePolicy, write: &Write<'_>) -> Result<bool, String> {
        match (self.evaluate(write), policy) {
            (Ok(holds), _) => Ok(holds),
            (Err(why), FailurePolicy::Fail) => Err(why),
            (Err(_), FailurePolicy::Ignore) => Ok(false),
        }
    }

    fn evaluate(&self, write: &Write<'_>) -> Result<bool, String> {
        let authorizer = Authorizer::new(&write.access);
        let variables = [
            Some(write.object.map_or(Cel::Null, Cel::from)),
            Some(write.old.map_or(Cel::Null, Cel::from)),
            // It is declared, and has no value here.
            Some(Cel::Null),
            Some(Cel::from(write.request)),
            Some(authorizer.value()),
            Some(authorizer.request_resource(write.resource.clone())),
        ];
        let mut budget = MATCH_CONDITIONS_COST_BUDGET;
        let mut failed = Vec::new();
        let mut is_false = false;
        for Condition { expression, program } in &self.0 {
            let program = match program {
                Ok(program) => program,
                Err(why) => {
                    failed.push(format!("compilation error: {why}"));
                    continue;
                }
            };
            let evaluation = program.evaluate(&variables, COST_PER_CALL_MAX);
            budget = budget.checked_sub(evaluation.cost).ok_or(
                "validation failed due to running out of cost budget, no further validation rules will be run",
            )?;
            match evaluation.result {
                Ok(Cel::Bool(holds)) => is_false |= !holds,
                Ok(_) => {}
                Err(error) => failed.push(format!("expression '{expression}' resulted in error: {error}")),
            }
        }
        match &failed[..] {
            _ if is_false => Ok(false),
            [] => Ok(true),
            [why] => Err(why.clone()),
            several => Err(format!("[{}]", several.join(", "))),
        }
    }
}

/// Why an expression is no condition.
#[derive(Debug)]
pub(crate) enum NoCondition {
    /// It cannot be read, or is no truth.
    Invalid(String),
    /// A constant of it cannot be computed, which kube-apiserver takes for a mistake of its own.
    Internal(String),
}

impl fmt::Display for NoCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (NoCondition::Invalid(why) | NoCondition::Internal(why)) = self;
        f.write_str(why)
    }
}

/// Compiles a condition, or says why it is none.
pub(crate) fn compile(expression: &str) -> Result<Program, NoCondition> {
    let program = ENVIRONMENT.compile(expression).map_err(|error| match error {
        CompileError::Instantiation(_) => NoCondition::Internal(error.to_string()),
        _ => NoCondition::Invalid(error.to_string()),
    })?;
    match program.kind() {
        Type::Bool => Ok(program),
        other => Err(NoCondition::Invalid(format!("must evaluate to bool but got {}", other.full_name()))),
    }
}

static ENVIRONMENT: LazyLock<Environment> = LazyLock::new(|| {
    Environment::new()
        .with("object", Type::Dyn)
        .with("oldObject", Type::Dyn)
        .with("namespaceObject", namespace_type())
        .with("request", request_type())
        .with("authorizer", Type::authorizer())
        .with("authorizer.requestResource", Type::resource_check())
});

fn object(name: &str, fields: &[(&str, Type)]) -> Type {
    Type::object(name, fields.iter().map(|(name, kind)| ((*name).to_owned(), kind.clone())).collect())
}

/// `request`: what a review tells of the request, without the objects.
fn request_type() -> Type {
    let three = |name: &str, last: &str| {
        object(name, &[("group", Type::String), ("version", Type::String), (last, Type::String)])
    };
    let kind = three("kubernetes.GroupVersionKind", "kind");
    let resource = three("kubernetes.GroupVersionResource", "resource");
    let texts = Type::list(Type::String);
    let user = object(
        "kubernetes.UserInfo",
        &[
            ("username", Type::String),
            ("uid", Type::String),
            ("groups", texts.clone()),
            ("extra", Type::map(Type::String, texts)),
        ],
    );
    object(
        "kubernetes.AdmissionRequest",
        &[
            ("kind", kind.clone()),
            ("resource", resource.clone()),
            ("subResource", Type::String),
            ("requestKind", kind),
            ("requestResource", resource),
            ("requestSubResource", Type::String),
            ("name", Type::String),
            ("namespace", Type::String),
            ("operation", Type::String),
            ("userInfo", user),
            ("dryRun", Type::Bool),
            ("options", Type::Dyn),
        ],
    )
}

/// `namespaceObject`, as admission policies know it.
fn namespace_type() -> Type {
    let texts = || Type::list(Type::String);
    let labels = || Type::map(Type::String, Type::String);
    let metadata = object(
        "kubernetes.NamespaceMetadata",
        &[
            ("name", Type::String),
            ("generateName", Type::String),
            ("namespace", Type::String),
            ("labels", labels()),
            ("annotations", labels()),
            ("UID", Type::String),
            ("creationTimestamp", Type::Timestamp),
            ("deletionGracePeriodSeconds", Type::Int),
            ("deletionTimestamp", Type::Timestamp),
            ("generation", Type::Int),
            ("resourceVersion", Type::String),
            ("finalizers", texts()),
        ],
    );
    let condition = object(
        "kubernetes.NamespaceCondition",
        &[
            ("status", Type::String),
            ("type", Type::String),
            ("lastTransitionTime", Type::Timestamp),
            ("message", Type::String),
            ("reason", Type::String),
        ],
    );
    let status = [("conditions", Type::list(condition)), ("phase", Type::String)];
    object(
        "kubernetes.Namespace",
        &[
            ("metadata", metadata),
            ("spec", object("kubernetes.NamespaceSpec", &[("finalizers", texts())])),
            ("status", object("kubernetes.NamespaceStatus", &status)),
        ],
    )
}

impl fmt::Debug for Access<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").field("user", &self.user.name).finish_non_exhaustive()
    }
}

impl Authorize for Access<'_> {
    fn authorize(&self, who: &Subject, what: &AccessCheck) -> Decision {
        let account;
        let user = match who {
            Subject::Requester => self.user,
            Subject::ServiceAccount { namespace, name } => {
                account = User::named(&format!("system:serviceaccount:{namespace}:{name}"), Vec::new());
                &account
            }
        };
        let attributes = match what {
            AccessCheck::Path { path, verb } => {
                Attributes { verb: verb.clone(), requested: Requested::Path(path.clone()) }
            }
            AccessCheck::Resource { resource, verb } => {
                let ResourceAttributes { group, resource, subresource, namespace, name, .. } = resource.clone();
                let requested =
                    authorization::attributes::ResourceAttributes { group, resource, subresource, namespace, name };
                Attributes::new(verb, requested)
            }
        };
        let decision = self.authorizer.authorize(user, &attributes);
        Decision { allowed: decision.is_allowed, reason: decision.reason, error: None }
    }
}
