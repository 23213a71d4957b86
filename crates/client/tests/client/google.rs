//! The `gcp` auth-provider: a token that Google's service gives to a service account.
//!
//! The credentials are found by a variable, which is a process's, so the call is made by one: this program, running
//! [`asks_with_googles_token`]. The key of the service account is made here, by OpenSSL.

use std::process::Command;

use openssl::pkey::PKey;
use openssl::rsa::Rsa;
use pintle_client::Client;
use pintle_client::config::Kubeconfig;
use serde_json::json;

use crate::folder::Folder;
use crate::served::{Asked, Notes, Served, VERSION, json as answer};

#[tokio::test(flavor = "multi_thread")]
async fn a_service_account_is_given_a_token_once() {
    let seen = Notes::<String>::default();
    let noted = seen.clone();
    let served = Served::plain(move |asked: Asked| {
        noted.add(format!("{} {}", asked.path(), asked.header("authorization")));
        let token = json!({"access_token": "t0ken", "expires_in": 3600, "token_type": "Bearer"});
        async move { if asked.path() == "/token" { answer(token.to_string()) } else { answer(VERSION) } }
    })
    .await;
    let url = format!("http://{}", served.address);
    let key = PKey::from_rsa(Rsa::generate(2048).unwrap()).unwrap().private_key_to_pem_pkcs8().unwrap();
    let account = json!({"type": "service_account", "client_email": "robot@example.com",
        "private_key": String::from_utf8(key).unwrap(), "token_uri": format!("{url}/token")});
    let kubeconfig = json!({"current-context": "a", "contexts": [{"name": "a", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": url}}],
        "users": [{"name": "u", "user": {"auth-provider": {"name": "gcp", "config": {}}}}]});
    let folder = Folder::new("google");
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "--ignored", "google::asks_with_googles_token"]);
    child.env("KUBECONFIG", folder.write("kubeconfig", &kubeconfig.to_string()));
    child.env("GOOGLE_APPLICATION_CREDENTIALS", folder.write("account", &account.to_string()));
    let output = tokio::task::spawn_blocking(move || child.output().unwrap()).await.unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(seen.all(), ["/token ", "/version Bearer t0ken", "/version Bearer t0ken"]);
}

#[tokio::test]
#[ignore = "a part of the test above, in a process of its own"]
async fn asks_with_googles_token() {
    let client = Client::try_from(Kubeconfig::read().unwrap()).unwrap();
    for _ in 0..2 {
        client.apiserver_version().await.unwrap();
    }
}
