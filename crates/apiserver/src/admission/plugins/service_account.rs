//! ServiceAccount: a pod runs as an account of its namespace, and finds its token where every client looks for it.
//!
//! In: new pods. Out: the same with the account `default` unless it names one, a volume with token, certificate authority and
//! namespace mounted into every container, and the account's secrets for images; a refusal where the account is missing, or
//! allows fewer secrets than the pod refers to (`secrets`). Mirror pods, which a node reports, may refer to none of it.

mod secrets;

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use crate::admission::{Attributes, Notes};
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::registry::validation::names;
use crate::response::status::Answer;
use crate::storage::store::Resource;

/// Gives a new pod its account, its token and the account's secrets for images.
pub(super) fn mutate(snapshot: &ClusterSnapshot, attributes: &Attributes<'_>, object: &mut Object) -> Answer<()> {
    if !attributes.creates("", "pods") || is_mirror(object) {
        return Ok(());
    }
    if object.text_at("/spec/serviceAccountName").is_empty() {
        object.change_field("spec", |spec| {
            spec.insert("serviceAccountName".to_owned(), "default".into());
            spec.insert("serviceAccount".to_owned(), "default".into());
        });
    }
    let account = account(snapshot, attributes, object)?;
    if mounts_token(object, &account) {
        mount_token(snapshot, object);
    }
    let has_own = object.items_at("/spec/imagePullSecrets").next().is_some();
    if let Some(secrets) = account.get("imagePullSecrets").filter(|secrets| !has_own && secrets.is_array()) {
        object.change_field("spec", |spec| drop(spec.insert("imagePullSecrets".to_owned(), secrets.clone())));
    }
    Ok(())
}

/// Refuses a pod whose account is missing, or that refers to what it may not.
pub(super) fn validate(
    snapshot: &ClusterSnapshot,
    attributes: &Attributes<'_>,
    object: Option<&Object>,
    _: &mut Notes,
) -> Answer<()> {
    let Some(pod) = object.filter(|_| attributes.creates("", "pods")) else { return Ok(()) };
    let refused = |why: &str| Err(attributes.forbidden(Some(pod), why));
    if is_mirror(pod) {
        return secrets::forbidden_to_mirror(pod).map_or(Ok(()), refused);
    }
    let account = account(snapshot, attributes, pod)?;
    let annotation = account.metadata().get("annotations").and_then(|all| all.get(ENFORCED)?.as_str());
    if annotation.is_some_and(|value| matches!(value, "1" | "t" | "T" | "true" | "TRUE" | "True")) {
        return secrets::not_of_account(pod, &account).map_or(Ok(()), |why| refused(&why));
    }
    Ok(())
}

fn account(snapshot: &ClusterSnapshot, attributes: &Attributes<'_>, pod: &Object) -> Answer<Object> {
    let (namespace, name) = (attributes.namespace(), pod.text_at("/spec/serviceAccountName"));
    let all = snapshot.objects.get(&*ACCOUNTS);
    let entry = all.and_then(|all| all.get(format!("{namespace}/{name}").as_str()));
    entry.map(|entry| entry.object()).ok_or_else(|| {
        let why = format!("error looking up service account {namespace}/{name}: serviceaccount \"{name}\" not found");
        attributes.forbidden(Some(pod), &why)
    })
}

fn is_mirror(pod: &Object) -> bool {
    pod.metadata().get("annotations").is_some_and(|all| all.get(MIRROR).is_some())
}

/// Whether a pod wants its token: it says so itself, or its account does, or neither says otherwise.
fn mounts_token(pod: &Object, account: &Object) -> bool {
    let said = |value: Option<&Value>| value.and_then(Value::as_bool);
    said(pod.at("/spec/automountServiceAccountToken"))
        .or(said(account.get("automountServiceAccountToken")))
        .unwrap_or(true)
}

fn mount_token(snapshot: &ClusterSnapshot, pod: &mut Object) {
    // Asked again after a webhook, it goes on with the volume that it made before.
    let known = pod.items_at("/spec/volumes").filter_map(|volume| volume["name"].as_str());
    let known = known.into_iter().find(|name| name.starts_with(VOLUME_PREFIX)).map(str::to_owned);
    let is_known = known.is_some();
    let volume = known.unwrap_or_else(|| snapshot.ids.draw(|random| names::generate(VOLUME_PREFIX, random)));
    let mount = json!({"name": volume, "readOnly": true, "mountPath": MOUNT_PATH});
    let mut is_used = false;
    pod.change_field("spec", |spec| {
        for list in ["initContainers", "containers"] {
            let containers = spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
            for container in containers.filter_map(Value::as_object_mut) {
                let mounts = list_in(container, "volumeMounts");
                if !mounts.iter().any(|known| known["mountPath"] == MOUNT_PATH) {
                    mounts.push(mount.clone());
                    is_used = true;
                }
            }
        }
        if is_used && !is_known {
            list_in(spec, "volumes").push(token_volume(&volume));
        }
    });
}

/// The list in a field, made where there is none.
fn list_in<'a>(fields: &'a mut Map<String, Value>, field: &str) -> &'a mut Vec<Value> {
    let list = fields.entry(field.to_owned()).or_insert_with(|| json!([]));
    if !list.is_array() {
        *list = json!([]);
    }
    list.as_array_mut().expect("made a list just now")
}

fn token_volume(name: &str) -> Value {
    let namespace = json!({"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}});
    let sources = json!([
        {"serviceAccountToken": {"expirationSeconds": TOKEN_SECONDS, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"downwardAPI": {"items": [namespace]}},
    ]);
    json!({"name": name, "projected": {"sources": sources, "defaultMode": FILE_MODE}})
}

static ACCOUNTS: LazyLock<Resource> = LazyLock::new(|| Resource::new("", "serviceaccounts"));

/// How the name of the volume with the token begins.
const VOLUME_PREFIX: &str = "kube-api-access-";

/// Where every client looks for the token of its pod.
const MOUNT_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// An hour and seven seconds: kube-apiserver's mark of a token that the server itself asked for.
const TOKEN_SECONDS: i64 = 60 * 60 + 7;

/// Octal 0644.
const FILE_MODE: i64 = 420;

const MIRROR: &str = "kubernetes.io/config.mirror";
const ENFORCED: &str = "kubernetes.io/enforce-mountable-secrets";
