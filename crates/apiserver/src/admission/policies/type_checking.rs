//! The types of a ValidatingAdmissionPolicy's expressions, checked against the schemas of the kinds that it is about.
//!
//! In: the spec of a policy, and the kinds that are served. Out: per expression what does not fit, kind by kind, in the words
//! of kube-controller-manager 1.37. It hinders nothing: a policy is stored with expressions about objects of any type. Kinds are
//! those that rules name: wildcards and subresources are not followed.

use std::collections::BTreeMap;
use std::sync::Arc;

use pintle_cel::{CompileError, Composition, Environment, Root, Schema};
use serde_json::Value;

use super::policy::ParamKind;
use crate::admission::expressions::{Authorization, Described, ObjectSchema, Params, environment_about};
use crate::catalog::Catalog;
use crate::catalog::kinds::{self, Kind};

/// What does not fit in an expression.
pub(crate) struct TypeWarning {
    /// Where the expression stands.
    pub(crate) field: String,
    pub(crate) warning: String,
}

/// What does not fit in the expressions of a policy. `number` distinguishes its types from those of other policies.
pub(crate) fn type_warnings(catalog: &Catalog, spec: &Value, number: u32) -> Vec<TypeWarning> {
    let described = |kind: &Kind| ObjectSchema {
        schema: Schema::read(&catalog.resolved_schema(kind), Root::Part),
        type_name: format!("{}{number}", kind.kind),
    };
    let param_kind = spec.get("paramKind").filter(|kind| !kind.is_null()).map(ParamKind::read);
    let known = if param_kind.is_some() { Params::Known } else { Params::Unknown };
    let params = param_kind.and_then(|kind| catalog.param_kind(&kind).ok()).map(|kind| described(&kind));
    let checkers: Vec<Checker> = kinds_of(catalog, spec)
        .values()
        .map(|kind| {
            let object = described(kind);
            Checker::new(kind, spec, &Described { object: Some(&object), params: params.as_ref() }, known)
        })
        .collect();
    let mut warnings = Vec::new();
    for (place, validation) in items(spec, "validations").enumerate() {
        for field in ["expression", "messageExpression"] {
            let Some(text) = validation.get(field).and_then(Value::as_str).filter(|text| !text.is_empty()) else {
                continue;
            };
            let said: Vec<String> = checkers.iter().filter_map(|checker| checker.warning(field, text)).collect();
            if !said.is_empty() {
                let field = format!("spec.validations[{place}].{field}");
                warnings.push(TypeWarning { field, warning: said.join("\n") });
            }
        }
    }
    warnings
}

/// Checks expressions about objects of one kind.
struct Checker {
    /// As Go prints it.
    kind: String,
    full: Environment,
    for_messages: Environment,
}

impl Checker {
    fn new(kind: &Kind, spec: &Value, about: &Described<'_>, params: Params) -> Checker {
        let full = environment_about(about, params, Authorization::Known);
        let mut composition = Composition::new();
        for variable in items(spec, "variables") {
            let text = |field: &str| variable.get(field).and_then(Value::as_str).unwrap_or_default();
            // A variable that does not fit is of any type to those who refer to it, and nothing is said of it.
            drop(composition.add(&full, text("name"), text("expression")));
        }
        Checker {
            kind: format!("{}/{}, Kind={}", kind.group, kind.version, kind.kind),
            full: full.with_composition(&composition),
            for_messages: environment_about(about, params, Authorization::Unknown).with_composition(&composition),
        }
    }

    fn warning(&self, field: &str, text: &str) -> Option<String> {
        let environment = if field == "expression" { &self.full } else { &self.for_messages };
        match environment.compile(text) {
            Err(CompileError::Invalid(issues)) => Some(format!("{}: {issues}\n", self.kind)),
            _ => None,
        }
    }
}

/// The kinds that a policy's rules name, each once, by group, version and name.
fn kinds_of(catalog: &Catalog, spec: &Value) -> BTreeMap<[String; 3], Arc<Kind>> {
    let mut found = BTreeMap::new();
    for rule in spec.get("matchConstraints").into_iter().flat_map(|constraints| items(constraints, "resourceRules")) {
        let mut count = 0;
        let [groups, versions, resources] = ["apiGroups", "apiVersions", "resources"].map(|field| words(rule, field));
        let versioned = |group| versions.iter().map(move |version| (group, version));
        for (group, version) in groups.iter().flat_map(versioned) {
            for kind in resources.iter().flat_map(|resource| resolved(catalog, group, version, resource)) {
                found.insert([kind.group.clone(), kind.version.clone(), kind.kind.clone()], kind);
                count += 1;
                if count == KINDS_MAX {
                    return found;
                }
            }
        }
    }
    found
}

/// The words of a rule in their order; none if one stands for all.
fn words<'a>(rule: &'a Value, field: &str) -> Vec<&'a str> {
    let mut words: Vec<&str> = items(rule, field).filter_map(Value::as_str).collect();
    if field == "resources" {
        words.retain(|word| !word.contains(['*', '/']));
    } else if words.contains(&"*") {
        return Vec::new();
    }
    words.sort_unstable();
    words
}

/// The kinds of a resource; without a group, of any group.
fn resolved(catalog: &Catalog, group: &str, version: &str, resource: &str) -> Vec<Arc<Kind>> {
    let resource = resource.to_lowercase();
    let is_it = |kind: &Arc<Kind>| {
        kind.version == version
            && (group.is_empty() || kind.group == group)
            && (kind.plural == resource || kind.singular == resource)
    };
    kinds::built_in_all().cloned().chain(catalog.custom_kinds().cloned()).filter(is_it).collect()
}

fn items<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value.get(field).and_then(Value::as_array).into_iter().flatten()
}

/// Of a rule that names more, these are looked at, and no rule after it.
const KINDS_MAX: usize = 10;
