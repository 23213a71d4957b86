//! ValidatingWebhookConfigurations and MutatingWebhookConfigurations: names that are domains, rules that say what they are
//! about, and one place to call.

use serde_json::Value;

use crate::admission::expressions::Params;
use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::admissionregistration::{expressions, rules};
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::metadata::FinalizerRule;
use crate::registry::validation::{label_selector, names};
use crate::response::status::FieldError;
use crate::response::table::columns::Column;

/// The strategy of both.
#[derive(Debug)]
pub(super) struct WebhookConfigurations;

impl Strategy for WebhookConfigurations {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Any
    }

    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        errors(object)
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![Column::name(), Column::count("Webhooks", "integer", &[".webhooks"]), Column::age()]
    }
}

/// What is wrong with a ValidatingWebhookConfiguration or MutatingWebhookConfiguration.
fn errors(object: &Object) -> Vec<FieldError> {
    let hooks = Field::of(object, "webhooks");
    let mut errors = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for hook in hooks.items() {
        errors.extend(webhook(&hook));
        let name = hook.field("name");
        if seen.contains(&name.text()) {
            errors.push(FieldError::duplicate(&name.path, &name.value.to_string()));
        }
        seen.push(name.text());
    }
    errors
}

fn webhook(hook: &Field<'_>) -> Vec<FieldError> {
    let mut errors = full_name(&hook.field("name"));
    errors.extend(hook.field("rules").items().flat_map(|rule| rules::errors(&rule)));
    errors.extend(hook.field("failurePolicy").one_of(&["Fail", "Ignore"]));
    errors.extend(hook.field("matchPolicy").one_of(&["Equivalent", "Exact"]));
    let effects = hook.field("sideEffects");
    errors.extend(effects.required_because("must specify one of None, NoneOnDryRun"));
    errors.extend(effects.one_of(&["None", "NoneOnDryRun"]));
    errors.extend(hook.field("reinvocationPolicy").one_of(&["IfNeeded", "Never"]));
    let timeout = hook.field("timeoutSeconds");
    if timeout.value.as_i64().is_some_and(|seconds| !(1..=TIMEOUT_MAX).contains(&seconds)) {
        errors.push(timeout.wrong(&format!("the timeout value must be between 1 and {TIMEOUT_MAX} seconds")));
    }
    for selector in ["namespaceSelector", "objectSelector"] {
        errors.extend(label_selector::errors(&hook.field(selector)));
    }
    errors.extend(client_config(&hook.field("clientConfig")));
    let versions = hook.field("admissionReviewVersions");
    errors.extend(versions.required_because("must specify one of v1, v1beta1"));
    errors.extend(expressions::match_conditions(&hook.field("matchConditions"), Params::Unknown));
    errors
}

fn full_name(name: &Field<'_>) -> Vec<FieldError> {
    let mut errors: Vec<FieldError> = name.required().into_iter().collect();
    errors.extend(name.subdomain());
    if errors.is_empty() && name.text().split('.').count() < 3 {
        errors.push(name.wrong_text("should be a domain with at least three segments separated by dots"));
    }
    errors
}

fn client_config(config: &Field<'_>) -> Vec<FieldError> {
    let (url, service) = (config.field("url"), config.field("service"));
    match (url.value, service.value) {
        (Value::Null, Value::Null) => {
            vec![FieldError::required(&config.path, "exactly one of url or service is required")]
        }
        (Value::Null, _) => service_errors(&service),
        (_, Value::Null) => url_errors(&url),
        _ => vec![FieldError::required(&config.path, "exactly one of url or service is required")],
    }
}

fn url_errors(url: &Field<'_>) -> Vec<FieldError> {
    let form = "; desired format: https://host[/path]";
    let Ok(parsed) = url.text().parse::<http::Uri>() else {
        return vec![url.wrong_text(&format!("url must be a valid URL{form}"))];
    };
    let shown = |value: &str, why: &str| FieldError::invalid_text(&url.path, value, why);
    let mut errors = Vec::new();
    let scheme = parsed.scheme_str().unwrap_or_default();
    if scheme != "https" {
        errors.push(shown(scheme, &format!("'https' is the only allowed URL scheme{form}")));
    }
    let authority = parsed.authority().map(http::uri::Authority::as_str).unwrap_or_default();
    if authority.is_empty() {
        errors.push(shown("", &format!("host must be specified{form}")));
    }
    if let Some((user, _)) = authority.rsplit_once('@') {
        errors.push(shown(user, "user information is not permitted in the URL"));
    }
    if let Some((_, fragment)) = url.text().split_once('#') {
        errors.push(shown(fragment, "fragments are not permitted in the URL"));
    }
    if let Some(query) = parsed.query() {
        errors.push(shown(query, "query parameters are not permitted in the URL"));
    }
    errors
}

fn service_errors(service: &Field<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    errors.extend(service.field("name").required_because("service name is required"));
    errors.extend(service.field("namespace").required_because("service namespace is required"));
    let port = service.field("port");
    if port.between(1, 65535).is_some() {
        errors.push(port.wrong("port is not valid: must be between 1 and 65535, inclusive"));
    }
    let path = service.field("path");
    if !path.is_empty() && path.text() != "/" {
        errors.extend(path_errors(&path));
    }
    errors
}

fn path_errors(path: &Field<'_>) -> Vec<FieldError> {
    let Some(rest) = path.text().strip_prefix('/') else {
        return vec![path.wrong_text("must start with a '/'")];
    };
    let steps: Vec<&str> = rest.strip_suffix('/').unwrap_or(rest).split('/').collect();
    let mut errors = Vec::new();
    for (place, step) in steps.iter().enumerate() {
        if step.is_empty() {
            return vec![path.wrong_text(&format!("segment[{place}] may not be empty"))];
        }
        let wrong = names::subdomain(step);
        errors.extend(wrong.iter().map(|why| path.wrong_text(&format!("segment[{place}]: {why}"))));
    }
    errors
}

/// kube-apiserver waits for no webhook longer than this.
const TIMEOUT_MAX: i64 = 30;
