//! What containers may use and are promised: amounts of things that are known, and never more promised than allowed.

use serde_json::Value;

use crate::codec::typed::quantity::Quantity;
use crate::registry::validation::field::Field;
use crate::registry::validation::qualified_names;
use crate::registry::validation::rules::Rule;
use crate::response::status::FieldError;

/// What is wrong with the resources of a container.
pub(super) fn of_container(container: &Field<'_>, pod_claims: &Field<'_>) -> Vec<FieldError> {
    let resources = container.field("resources");
    let (limits, requests) = (resources.field("limits"), resources.field("requests"));
    let mut errors = Vec::new();
    let (mut has_pages, mut has_others) = (false, false);
    for (name, limit) in amounts(&limits) {
        errors.extend(amount(&limits, name, limit));
        has_pages |= name.starts_with(PAGES);
        has_others |= matches!(name, "cpu" | "memory");
    }
    for (name, request) in amounts(&requests) {
        errors.extend(amount(&requests, name, request));
        errors.extend(against_limit(&resources, name, request));
        has_pages |= name.starts_with(PAGES);
        has_others |= matches!(name, "cpu" | "memory");
    }
    if has_pages && !has_others {
        errors.push(resources.forbidden("HugePages require cpu or memory"));
    }
    errors.extend(claims(&resources.field("claims"), pod_claims));
    errors
}

fn amounts<'a>(list: &Field<'a>) -> impl Iterator<Item = (&'a str, &'a str)> {
    let entries = list.value.as_object().into_iter().flatten();
    entries.filter_map(|(name, amount)| Some((name.as_str(), amount.as_str()?)))
}

/// A name that is known, and how much of it there can be.
fn amount(list: &Field<'_>, name: &str, text: &str) -> Vec<FieldError> {
    let path = format!("{}[{name}]", list.path);
    let mut errors: Vec<FieldError> =
        qualified_names::key(name).iter().map(|why| FieldError::invalid_text(&path, name, why)).collect();
    let is_named = |known: &[&str]| known.contains(&name) || name.starts_with(PAGES);
    if !name.contains('/') {
        if errors.is_empty() && !is_named(STANDARD) && !is_quota(name) {
            errors.push(FieldError::invalid_text(&path, name, "must be a standard resource type or fully qualified"));
        }
        if !is_named(OF_CONTAINERS) {
            errors.push(FieldError::invalid_text(&path, name, "must be a standard resource for containers"));
        }
    }
    let Some(quantity) = Quantity::parse(text) else { return errors };
    if quantity.is_negative() {
        errors.push(FieldError::invalid_text(&path, text, "must be greater than or equal to 0"));
    }
    if is_whole(name) && quantity.to_i64().is_none() {
        errors.push(FieldError::invalid_text(&path, text, "must be an integer"));
    }
    if let Some(size) = name.strip_prefix(PAGES) {
        let size = Quantity::parse(size).and_then(Quantity::to_i64).filter(|size| *size > 0);
        let fits = size.zip(quantity.to_i64()).is_some_and(|(size, bytes)| bytes % size == 0);
        if !fits {
            let why = format!("{text} is not positive integer multiple of {name}");
            errors.push(FieldError::invalid_text(&path, text, &why));
        }
    }
    errors
}

/// Less is promised than allowed; of what cannot be shared, exactly as much.
fn against_limit(resources: &Field<'_>, name: &str, request: &str) -> Option<FieldError> {
    let (limits, requests) = (resources.field("limits"), resources.field("requests"));
    let is_shared = !is_whole(name) && !name.starts_with(PAGES);
    let Some(limit) = limits.value.get(name).and_then(Value::as_str) else {
        let why = "Limit must be set for non overcommitable resources";
        return (!is_shared).then(|| FieldError::required(&limits.path, why));
    };
    let (asked, allowed) = (Quantity::parse(request)?, Quantity::parse(limit)?);
    let why = if !is_shared && asked != allowed {
        format!("must be equal to {name} limit of {limit}")
    } else if is_shared && asked > allowed {
        format!("must be less than or equal to {name} limit of {limit}")
    } else {
        return None;
    };
    Some(FieldError::invalid_text(&requests.path, request, &why))
}

/// Things that come one by one: those of other projects.
fn is_whole(name: &str) -> bool {
    name.split_once('/').is_some_and(|(domain, _)| domain != "kubernetes.io" && !domain.ends_with(".kubernetes.io"))
}

/// Names that only quotas have.
fn is_quota(name: &str) -> bool {
    name.starts_with("requests.") || name.starts_with("limits.")
}

fn claims(claims: &Field<'_>, of_pod: &Field<'_>) -> Vec<FieldError> {
    let known: Vec<&str> = of_pod.items().map(|claim| claim.field("name").text()).collect();
    let (mut errors, mut taken) = (Vec::new(), Vec::new());
    for claim in claims.items() {
        let name = claim.field("name").text();
        if name.is_empty() {
            errors.push(FieldError::required(&claim.path, ""));
            continue;
        }
        let shown = format!("{name:?}");
        if taken.contains(&name) {
            errors.push(FieldError::duplicate(&claim.path, &shown));
        }
        taken.push(name);
        if !known.contains(&name) {
            let there = if known.is_empty() { "which is empty".to_owned() } else { known.join(", ") };
            let why = format!("{shown}: must be one of the names in pod.spec.resourceClaims {there}");
            errors.push(FieldError::not_found(&claim.path, &why));
        }
    }
    errors
}

/// How a container takes new amounts. Of an unknown value the path leaves out which item it is in.
pub(super) fn resize_policies(policies: &Field<'_>) -> Vec<FieldError> {
    let (mut errors, mut taken) = (Vec::new(), Vec::new());
    for policy in policies.items() {
        let name = policy.field("resourceName");
        if taken.contains(&name.text()) {
            errors.push(FieldError::duplicate(&policy.path, &name.value.to_string()));
        }
        taken.push(name.text());
        let fields: [(&str, &'static [&'static str]); 2] =
            [("resourceName", &["cpu", "memory"]), ("restartPolicy", &["NotRequired", "RestartContainer"])];
        for (field, known) in fields {
            let field = Field { path: policies.path.clone(), ..policy.field(field) };
            errors.extend(Rule::Choice(known).errors(&field));
        }
    }
    errors
}

/// How the names of large pages begin.
const PAGES: &str = "hugepages-";

const OF_CONTAINERS: &[&str] = &["cpu", "memory", "ephemeral-storage"];

/// Names without a domain.
const STANDARD: &[&str] = &[
    "cpu",
    "memory",
    "ephemeral-storage",
    "storage",
    "pods",
    "services",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
];
