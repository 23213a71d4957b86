//! Who has to trust the authorities: entries of webhook configurations, and the conversion of definitions.
//!
//! Pure: from an object as it is to the patch that puts the bundle into those of its entries that call us, and into no other.
//! Each change is guarded by a test of the entry's name, so that a list that changed meanwhile is not patched at the wrong place.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::Uri;
use k8s_openapi::api::admissionregistration::v1::{MutatingWebhookConfiguration, ValidatingWebhookConfiguration};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use pintle_core::ApiResource;
use serde_json::{Value, json};

/// An object that says whom to call and whom to trust.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Target {
    pub(super) kind: TargetKind,
    pub(super) name: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TargetKind {
    Validating,
    Mutating,
    Definition,
}

/// Whom a client configuration calls, if it calls us.
#[derive(Clone, Debug)]
pub(super) struct Callee {
    /// The namespace and name of our Service.
    pub(super) service: Option<(String, String)>,
    /// The names of the certificate.
    pub(super) names: Vec<String>,
}

impl TargetKind {
    pub(super) fn resource(self) -> ApiResource {
        match self {
            Self::Validating => ApiResource::erase::<ValidatingWebhookConfiguration>(&()),
            Self::Mutating => ApiResource::erase::<MutatingWebhookConfiguration>(&()),
            Self::Definition => ApiResource::erase::<CustomResourceDefinition>(&()),
        }
    }

    /// The operations that bring `bundle` to the entries that call us; none where they have it.
    pub(super) fn operations(self, object: &Value, callee: &Callee, bundle: &str) -> Vec<Value> {
        let bundle = STANDARD.encode(bundle);
        let needs = |config: &Value| callee.is_called_by(config) && config["caBundle"] != bundle.as_str();
        let add = |path: String| json!({"op": "add", "path": path, "value": bundle});
        let test = |path: String, value: &Value| json!({"op": "test", "path": path, "value": value});
        if self == Self::Definition {
            let webhook = &object["spec"]["conversion"]["webhook"];
            let is_called = object["spec"]["conversion"]["strategy"] == "Webhook" && needs(&webhook["clientConfig"]);
            let path = |rest: &str| format!("/spec/conversion{rest}");
            let both = [test(path("/strategy"), &json!("Webhook")), add(path("/webhook/clientConfig/caBundle"))];
            return if is_called { both.into() } else { Vec::new() };
        }
        let entries = object["webhooks"].as_array().into_iter().flatten().enumerate();
        let ours = entries.filter(|(_, entry)| needs(&entry["clientConfig"]));
        ours.flat_map(|(index, entry)| {
            let path = |rest: &str| format!("/webhooks/{index}/{rest}");
            [test(path("name"), &entry["name"]), add(path("clientConfig/caBundle"))]
        })
        .collect()
    }
}

impl Callee {
    fn is_called_by(&self, config: &Value) -> bool {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let service = (text(&config["service"]["namespace"]), text(&config["service"]["name"]));
        if self.service.as_ref() == Some(&service) {
            return true;
        }
        let url = config["url"].as_str().and_then(|url| url.parse::<Uri>().ok());
        let host = url.as_ref().and_then(Uri::host).map(|host| host.trim_matches(['[', ']']));
        host.is_some_and(|host| self.names.iter().any(|name| name == host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn callee() -> Callee {
        Callee { service: Some(("system".into(), "hook".into())), names: vec!["127.0.0.1".into(), "::1".into()] }
    }

    fn service(namespace: &str, name: &str) -> Value {
        json!({"service": {"namespace": namespace, "name": name}})
    }

    #[test]
    fn only_entries_that_call_us_get_the_bundle_and_each_is_tested_by_name() {
        let encoded = STANDARD.encode("PEM");
        let mut done = service("system", "hook");
        done["caBundle"] = encoded.as_str().into();
        let configs = [
            service("system", "hook"),
            service("system", "other"),
            done,
            json!({"url": "https://127.0.0.1:9443/validate"}),
            json!({"url": "https://elsewhere/validate"}),
            json!({"url": "https://[::1]/validate"}),
        ];
        let webhooks = configs.iter().enumerate();
        let entry = |(index, config)| json!({"name": format!("w{index}"), "clientConfig": config});
        let object = json!({"webhooks": webhooks.map(entry).collect::<Vec<_>>()});
        let operations = TargetKind::Mutating.operations(&object, &callee(), "PEM");
        let paths: Vec<_> = operations.iter().map(|operation| operation["path"].as_str().unwrap()).collect();
        let expected = [0, 3, 5]
            .map(|index| [format!("/webhooks/{index}/name"), format!("/webhooks/{index}/clientConfig/caBundle")])
            .concat();
        assert_eq!(paths, expected);
        assert_eq!(operations[1], json!({"op": "add", "path": paths[1], "value": encoded}));
        assert_eq!(operations[2], json!({"op": "test", "path": paths[2], "value": "w3"}));
    }

    #[test]
    fn a_definition_gets_it_where_its_conversion_calls_us() {
        let definition = |strategy: &str, config: Value| json!({"spec": {"conversion": {"strategy": strategy, "webhook": {"clientConfig": config}}}});
        let count = |object: Value| TargetKind::Definition.operations(&object, &callee(), "PEM").len();
        assert_eq!(count(definition("Webhook", service("system", "hook"))), 2);
        assert_eq!(count(definition("None", service("system", "hook"))), 0);
        assert_eq!(count(definition("Webhook", service("x", "hook"))), 0);
        assert_eq!(count(json!({"spec": {}})), 0);
    }
}
