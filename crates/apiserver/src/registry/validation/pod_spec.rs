//! The spec of a pod, wherever it stands: containers that could run, with the volumes and ports they name, on nodes that
//! could be found.
//!
//! ```text
//!   volumes ─► claims ─► containers ─► init containers ─► policies ─► security ─► scheduling ─► names ─► operating system
//! ```
//! In: a spec with its defaults. Out: every error, in the order in which kube-apiserver finds them. Single fields are tables of
//! [`rules`]; what hangs together is in the files below.

mod container;
mod environment;
mod handlers;
mod mounts;
mod projections;
mod resources;
mod scheduling;
mod security;
mod volumes;

use serde_json::Value;

use crate::registry::validation::field::Field;
use crate::registry::validation::metadata;
use crate::registry::validation::rules::{self, Rule, Rules};
use crate::response::status::FieldError;

/// What is wrong with the spec of a pod.
pub(crate) fn errors(spec: &Field<'_>) -> Vec<FieldError> {
    let (mut errors, volumes) = volumes::errors(&spec.field("volumes"));
    errors.extend(claims(&spec.field("resourceClaims")));
    errors.extend(container::all(spec, &volumes));
    errors.extend(rules::errors(spec, POLICIES));
    errors.extend(metadata::labels(&spec.field("nodeSelector").path, Some(spec.field("nodeSelector").value)));
    errors.extend(security::of_pod(spec));
    errors.extend(scheduling::affinity(&spec.field("affinity")));
    errors.extend(name_resolution(spec));
    errors.extend(each(&spec.field("readinessGates"), &[("conditionType", Rule::Key)]));
    errors.extend(scheduling::gates(&spec.field("schedulingGates")));
    errors.extend(scheduling::spread(&spec.field("topologySpreadConstraints")));
    errors.extend(rules::errors(spec, NAMES));
    errors.extend(scheduling::tolerations(&spec.field("tolerations")));
    errors.extend(spec.field("hostAliases").items().flat_map(|alias| host_alias(&alias)));
    errors.extend(security::of_host_users(spec));
    errors.extend(operating_system(spec));
    errors
}

/// Each item of a list obeys the rules.
fn each(list: &Field<'_>, rules: Rules) -> Vec<FieldError> {
    list.items().flat_map(|item| rules::errors(&item, rules)).collect()
}

fn claims(claims: &Field<'_>) -> Vec<FieldError> {
    let (mut errors, mut taken) = (Vec::new(), Vec::new());
    for claim in claims.items() {
        let name = claim.field("name");
        if taken.contains(&name.text()) {
            errors.push(FieldError::duplicate(&name.path, &name.value.to_string()));
        } else {
            taken.push(name.text());
        }
        errors.extend(rules::errors(&claim, &[("name", Rule::Required), ("name", Rule::Label)]));
        let sources = ["resourceClaimName", "resourceClaimTemplateName"].map(|source| claim.field(source));
        let count = sources.iter().filter(|source| !source.value.is_null()).count();
        if count != 1 {
            let [by_name, by_template] = &sources;
            let shown = format!(
                "{{\"Name\":{},\"ResourceClaimName\":{},\"ResourceClaimTemplateName\":{}}}",
                name.value, by_name.value, by_template.value
            );
            let why = if count == 0 { "must specify one of" } else { "at most one of" };
            let why = if count == 0 {
                format!("{why}: `resourceClaimName`, `resourceClaimTemplateName`")
            } else {
                format!("{why} `resourceClaimName` or `resourceClaimTemplateName` may be specified")
            };
            errors.push(FieldError::invalid(&claim.path, &shown, &why));
        }
    }
    errors
}

fn name_resolution(spec: &Field<'_>) -> Vec<FieldError> {
    let config = spec.field("dnsConfig");
    let (servers, searches) = (config.field("nameservers"), config.field("searches"));
    let mut errors = Vec::new();
    if spec.field("dnsPolicy").text() == "None" {
        if config.value.is_null() {
            let why = "must provide `dnsConfig` when `dnsPolicy` is None";
            return vec![FieldError::required(&config.path, why)];
        }
        errors.extend(servers.required_because("must provide at least one DNS nameserver when `dnsPolicy` is None"));
    }
    if servers.items().count() > SERVERS_MAX {
        errors.push(servers.wrong("must not have more than 3 nameservers"));
    }
    errors.extend(each(&servers, &[("", Rule::Address)]));
    if searches.items().count() > SEARCHES_MAX {
        errors.push(searches.wrong("must not have more than 32 search paths"));
    }
    errors.extend(searches.items().flat_map(|path| search_path(&path)));
    for option in config.field("options").items().filter(|option| option.field("name").is_empty()) {
        errors.push(FieldError::required(&option.path, "must not be empty"));
    }
    errors
}

/// A domain that may have underscores, and a dot at its end.
fn search_path(path: &Field<'_>) -> Vec<FieldError> {
    let name = path.text().strip_suffix('.').unwrap_or(path.text());
    let is_part = |part: &str| {
        let part = part.strip_prefix('_').unwrap_or(part);
        let is_edge = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        let bytes = part.as_bytes();
        let is_inner = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
        is_edge(bytes.first()) && is_edge(bytes.last()) && bytes.iter().all(is_inner)
    };
    let mut errors = Vec::new();
    if name.len() > SEARCH_LENGTH_MAX {
        errors.push(path.wrong_text("must be no more than 253 characters"));
    }
    if !name.is_empty() && !name.split('.').all(is_part) {
        errors.push(path.wrong_text(SEARCH_PATH));
    }
    errors
}

fn host_alias(alias: &Field<'_>) -> Vec<FieldError> {
    let mut errors = rules::errors(alias, &[("ip", Rule::Address)]);
    errors.extend(each(&alias.field("hostnames"), &[("", Rule::Subdomain)]));
    errors
}

fn operating_system(spec: &Field<'_>) -> Vec<FieldError> {
    let system = spec.field("os");
    if system.value.is_null() {
        return Vec::new();
    }
    match system.field("name").text() {
        "linux" => security::of_linux(spec),
        "windows" => security::of_windows(spec),
        "" => vec![FieldError::required(&system.field("name").path, "cannot be empty")],
        other => vec![FieldError::not_supported(&system.path, other, &["linux", "windows"])],
    }
}

/// Whether a field that can be true is.
fn is_true(field: &Field<'_>) -> bool {
    *field.value == Value::Bool(true)
}

const POLICIES: Rules = &[
    ("restartPolicy", Rule::OneOf(&["Always", "OnFailure", "Never"])),
    ("dnsPolicy", Rule::OneOf(&["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"])),
];

const NAMES: Rules = &[
    ("serviceAccountName", Rule::Subdomain),
    ("nodeName", Rule::Subdomain),
    ("activeDeadlineSeconds", Rule::Between(1, i32::MAX as i64)),
    ("hostname", Rule::Label),
    ("subdomain", Rule::Label),
];

/// glibc's limits.
const SERVERS_MAX: usize = 3;
const SEARCHES_MAX: usize = 32;
const SEARCH_LENGTH_MAX: usize = 253;

const SEARCH_PATH: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', \
                           and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
                           '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";
