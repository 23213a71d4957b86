//! How the versions of a definition become each other: by their names alone, or by a webhook that has to be said.

use serde_json::Value;

use crate::registry::validation::names::label_1035;
use crate::response::status::FieldError;

/// What is wrong with `spec.conversion`; none is stated where it is null.
pub(super) fn errors(conversion: &Value) -> Vec<FieldError> {
    if conversion.is_null() {
        return Vec::new();
    }
    let strategy = conversion.get("strategy").and_then(Value::as_str).unwrap_or_default();
    let mut errors = Vec::new();
    match strategy {
        "None" | "Webhook" => {}
        "" => errors.push(FieldError::required("spec.conversion.strategy", "")),
        other => {
            errors.push(FieldError::not_supported("spec.conversion.strategy", other, &["None", "Webhook"]));
        }
    }
    let webhook = conversion.get("webhook").unwrap_or(&Value::Null);
    let (config, versions) = (webhook.get("clientConfig"), strings(webhook.get("conversionReviewVersions")));
    if strategy == "Webhook" {
        errors.extend(config_error(config));
        errors.extend(review_errors(&versions));
        return errors;
    }
    let why = "should not be set when strategy is not set to Webhook";
    if config.is_some_and(|config| !config.is_null()) {
        errors.push(FieldError::forbidden(CONFIG, why));
    }
    if !versions.is_empty() {
        errors.push(FieldError::forbidden(REVIEWS, why));
    }
    errors
}

fn config_error(config: Option<&Value>) -> Option<FieldError> {
    let Some(config) = config.filter(|config| !config.is_null()) else {
        return Some(FieldError::required(CONFIG, "required when strategy is set to Webhook"));
    };
    let has = |field: &str| config.get(field).is_some_and(|value| !value.is_null());
    (has("url") == has("service")).then(|| FieldError::required(CONFIG, "exactly one of url or service is required"))
}

fn review_errors(versions: &[&str]) -> Vec<FieldError> {
    if versions.is_empty() {
        return vec![FieldError::required(REVIEWS, "")];
    }
    let mut errors = Vec::new();
    for (place, version) in versions.iter().enumerate() {
        let at = format!("{REVIEWS}[{place}]");
        if versions[..place].contains(version) {
            errors.push(FieldError::invalid_text(&at, version, "duplicate version"));
        }
        errors.extend(label_1035(version).iter().map(|why| FieldError::invalid_text(&at, version, why)));
    }
    if !versions.iter().any(|version| KNOWN_REVIEWS.contains(version)) {
        let why = format!("must include at least one of {}", KNOWN_REVIEWS.join(", "));
        errors.push(FieldError::invalid(REVIEWS, &serde_json::json!(versions).to_string(), &why));
    }
    errors
}

fn strings(list: Option<&Value>) -> Vec<&str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// kube-apiserver's own names for these places are not those of the document.
const CONFIG: &str = "spec.conversion.webhookClientConfig";
const REVIEWS: &str = "spec.conversion.conversionReviewVersions";

/// The reviews that kube-apiserver can send.
const KNOWN_REVIEWS: &[&str] = &["v1", "v1beta1"];
