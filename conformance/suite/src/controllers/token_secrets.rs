//! Secrets that hold a token of a service account.

use serde_json::{Value, json};

use crate::behaviour::behaviours;
use crate::place::Place;

behaviours! {
    "ServiceAccount": a_secret_for_an_account_gets_its_token,
        a_secret_goes_with_its_account,
        a_secret_for_no_account_goes;
}

const SECRETS: &str = "/api/v1/namespaces/{ns}/secrets";
const ACCOUNTS: &str = "/api/v1/namespaces/{ns}/serviceaccounts";

async fn secret(p: &Place, account: &str) {
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/service-account-token",
        "metadata": {"name": "token", "annotations": {"kubernetes.io/service-account.name": account}},
    });
    p.create(SECRETS, secret).await;
}

async fn filled(p: &Place) -> Value {
    p.becomes("it has a token", &format!("{SECRETS}/token"), |secret| secret["data"]["token"].is_string()).await
}

async fn a_secret_for_an_account_gets_its_token(p: &Place) {
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}});
    let account = p.create(ACCOUNTS, account).await;
    secret(p, "robot").await;
    let secret = filled(p).await;
    let fields: Vec<&String> = secret["data"].as_object().into_iter().flat_map(|data| data.keys()).collect();
    assert_eq!(fields, ["ca.crt", "namespace", "token"]);
    assert_eq!(secret["metadata"]["annotations"]["kubernetes.io/service-account.uid"], account["metadata"]["uid"]);
    let token = secret["data"]["token"].as_str().unwrap_or_default();
    let token = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, token).unwrap_or_default();
    let review = json!({
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview",
        "spec": {"token": String::from_utf8_lossy(&token)},
    });
    let review = p.create("/apis/authentication.k8s.io/v1/tokenreviews", review).await;
    assert_eq!(review["status"]["authenticated"], true, "{review}");
    assert_eq!(review["status"]["user"]["username"], p.named("system:serviceaccount:{ns}:robot").as_str());
}

async fn a_secret_goes_with_its_account(p: &Place) {
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}});
    p.create(ACCOUNTS, account).await;
    secret(p, "robot").await;
    filled(p).await;
    p.delete(&format!("{ACCOUNTS}/robot")).await.value(200);
    p.eventually("it is gone", &format!("{SECRETS}/token"), |answer| answer.code == 404).await;
}

async fn a_secret_for_no_account_goes(p: &Place) {
    secret(p, "nobody").await;
    p.eventually("it is gone", &format!("{SECRETS}/token"), |answer| answer.code == 404).await;
}
