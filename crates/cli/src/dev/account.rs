//! Who the controller is: a service account, and a role with all that its reconciler does.

use k8s_openapi::api::authentication::v1::{TokenRequest, TokenRequestSpec};
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use pintle::Client;
use pintle::api::{Api, PostParams};
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::narrator::Narrator;

/// Installs the account with its role, and returns a token of it.
pub(super) async fn install(client: &Client, narrator: &Narrator) -> Result<SecretString, Failure> {
    let token = make(client).await.map_err(|error| Failure::new(format!("cannot make the account {NAME}"), error))?;
    narrator.say("role", format_args!("the controller runs as system:serviceaccount:default:{NAME}, RBAC is on"));
    Ok(token)
}

async fn make(client: &Client) -> pintle::Result<SecretString> {
    let how = PostParams::default();
    let accounts: Api<ServiceAccount> = Api::default_namespaced(client.clone());
    accounts.create(&how, &read(json!({"metadata": {"name": NAME}}))?).await?;
    Api::<ClusterRole>::all(client.clone()).create(&how, &read(role())?).await?;
    Api::<ClusterRoleBinding>::all(client.clone()).create(&how, &read(binding())?).await?;
    let spec = TokenRequestSpec { expiration_seconds: Some(TOKEN_SECONDS), ..TokenRequestSpec::default() };
    let request = TokenRequest { spec: Some(spec), ..TokenRequest::default() };
    let issued = accounts.create_token_request(NAME, &how, &request).await?;
    Ok(SecretString::from(issued.status.and_then(|status| status.token).unwrap_or_default()))
}

/// What `publisher` does, and nothing else.
fn role() -> Value {
    let rule = |group: &str, resources: &[&str], verbs: &[&str]| json!({"apiGroups": [group], "resources": resources, "verbs": verbs});
    json!({
        "metadata": {"name": NAME},
        "rules": [
            rule("example.com", &["documents"], &["get", "list", "watch", "patch"]),
            rule("example.com", &["documents/status"], &["patch"]),
            rule("", &["configmaps"], &["get", "list", "watch", "create", "patch"]),
            rule("events.k8s.io", &["events"], &["create", "patch"]),
        ],
    })
}

fn binding() -> Value {
    json!({
        "metadata": {"name": NAME},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": NAME},
        "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": "default"}],
    })
}

fn read<K: serde::de::DeserializeOwned>(value: Value) -> pintle::Result<K> {
    serde_json::from_value(value).map_err(pintle::Error::SerdeError)
}

/// A month: longer than a developer watches one controller at work.
const TOKEN_SECONDS: i64 = 30 * 24 * 60 * 60;

/// The name of the account, its role and its binding.
const NAME: &str = "document-publisher";
