//! Secrets of type `kubernetes.io/service-account-token`: they get a token of their account, and go with it.
//!
//! In: such a Secret. Out: the same with `token`, `namespace` and, where the server is served, `ca.crt`; or its end.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::plan::{Built, Identity, Plan};
use super::view::{View, annotation};
use crate::codec::object::Object;
use crate::registry::delete::Propagation;
use crate::storage::store::StorageKey;

pub(super) fn reconcile(view: &View<'_>, _: &StorageKey, secret: &Object) -> Plan {
    let mut plan = Plan::new(CONTROLLER);
    if secret.text("type") != TYPE || secret.is_deleting() {
        return plan;
    }
    let namespace = secret.meta("namespace");
    let account = view.get(ACCOUNTS, Some(namespace), annotation(secret, NAME));
    let uid = annotation(secret, UID);
    let Some(account) = account.filter(|account| uid.is_empty() || uid == account.meta("uid")) else {
        plan.delete(SECRETS, secret, Propagation::Background, None);
        return plan;
    };
    let mut filled = secret.clone();
    filled.change(|secret| secret["metadata"]["annotations"][UID] = account.meta("uid").into());
    let encoded = |text: &str| Value::from(STANDARD.encode(text));
    let cluster = view.cluster;
    let authority = cluster.defaults.as_ref().map(|defaults| defaults.ca_pem.as_str()).unwrap_or_default();
    filled.change_field("data", |data| {
        if data.get("token").is_none() {
            let token = cluster.legacy_token(
                namespace,
                account.name(),
                account.meta("uid"),
                (secret.name(), secret.meta("uid")),
            );
            data.insert("token".to_owned(), encoded(&token));
        }
        data.entry("namespace").or_insert_with(|| encoded(namespace));
        if !authority.is_empty() {
            data.insert("ca.crt".to_owned(), encoded(authority));
        }
    });
    plan.update(SECRETS, secret, filled);
    plan
}

const SECRETS: Built = Built::new("", "v1", "secrets");
const ACCOUNTS: Built = Built::new("", "v1", "serviceaccounts");

const TYPE: &str = "kubernetes.io/service-account-token";
const NAME: &str = "kubernetes.io/service-account.name";
const UID: &str = "kubernetes.io/service-account.uid";

const CONTROLLER: Identity = Identity::controller("tokens-controller", "tokens-controller");
