//! The secrets that a pod refers to, against those that its account lists.
//!
//! In: a pod, and its account where that enforces its list. Out: why the first reference is refused, in kube-apiserver's words.

use serde_json::Value;

use crate::codec::object::Object;

/// The first reference to a secret that the account does not list.
pub(super) fn not_of_account(pod: &Object, account: &Object) -> Option<String> {
    let listed = |field: &str, name: &str| {
        let list = account.get(field).and_then(Value::as_array).into_iter().flatten();
        list.into_iter().any(|known| known["name"] == name)
    };
    let because = |what: &str| {
        format!("is not allowed because service account {} does not reference that {what}", account.name())
    };
    let unlisted = references(pod).find(|(_, secret)| !listed("secrets", secret));
    if let Some((whose, secret)) = unlisted {
        return Some(format!("{whose}secret.secretName=\"{secret}\" {}", because("secret")));
    }
    let pulls = pod.items_at("/spec/imagePullSecrets").filter_map(|secret| secret["name"].as_str());
    let unlisted = pulls.enumerate().find(|(_, name)| !listed("imagePullSecrets", name));
    unlisted.map(|(at, name)| format!("imagePullSecrets[{at}].name=\"{name}\" {}", because("imagePullSecret")))
}

/// Why a node may not report such a pod.
pub(super) fn forbidden_to_mirror(pod: &Object) -> Option<&'static str> {
    let has_pulls = pod.items_at("/spec/imagePullSecrets").next().is_some();
    let mut sources = pod.items_at("/spec/volumes").filter_map(|volume| volume["projected"]["sources"].as_array());
    if !pod.text_at("/spec/serviceAccountName").is_empty() {
        Some("a mirror pod may not reference service accounts")
    } else if has_pulls || references(pod).next().is_some() {
        Some("a mirror pod may not reference secrets")
    } else if sources.any(|sources| sources.iter().any(|source| source["serviceAccountToken"].is_object())) {
        Some("a mirror pod may not use ServiceAccountToken volume projections")
    } else {
        None
    }
}

/// Every secret in volumes and in the environment of containers, with what refers to it.
fn references(pod: &Object) -> impl Iterator<Item = (String, &str)> {
    let volumes = pod.items_at("/spec/volumes").filter_map(|volume| volume["secret"]["secretName"].as_str());
    let volumes = volumes.map(|secret| ("volume with ".to_owned(), secret));
    let first = pod.items_at("/spec/initContainers").flat_map(|container| of_container("init container", container));
    let usual = pod.items_at("/spec/containers").flat_map(|container| of_container("container", container));
    volumes.chain(first).chain(usual)
}

fn of_container<'a>(what: &str, container: &'a Value) -> Vec<(String, &'a str)> {
    let name = container["name"].as_str().unwrap_or_default();
    let list = |field: &str| container[field].as_array().into_iter().flatten();
    let variables = list("env").filter_map(|variable| {
        let secret = variable["valueFrom"]["secretKeyRef"]["name"].as_str()?;
        let whose = variable["name"].as_str().unwrap_or_default();
        Some((format!("{what} {name} with envVar {whose} referencing "), secret))
    });
    let whole = list("envFrom").filter_map(|source| source["secretRef"]["name"].as_str());
    let whole = whole.map(|secret| (format!("{what} {name} with envFrom referencing "), secret));
    variables.chain(whole).collect()
}
