//! Metrics over TLS, for whom a role of the cluster allows them: on both servers, by a scraper with a token of its own.

use std::net::SocketAddr;

use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::core::v1::{Secret, ServiceAccount};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use pintle::api::{Api, DeleteParams, PostParams};
use pintle::client::Body;
use pintle::config::Kubeconfig;
use pintle::manager::Manager;
use pintle::manager::certificates::ManagedCertificate;
use pintle::{Client, Config};
use serde_json::{Value, json};

use crate::world::{World, config_map};

/// A service account of the story, and a token of it.
async fn account(world: &World, name: &str) -> String {
    let accounts: Api<ServiceAccount> = Api::default_namespaced(world.client.clone());
    let made = ServiceAccount { metadata: config_map(name).metadata, ..ServiceAccount::default() };
    accounts.create(&PostParams::default(), &made).await.unwrap();
    let request = accounts.create_token_request(name, &PostParams::default(), &TokenRequest::default()).await;
    request.unwrap().status.unwrap().token.expect("a token request is answered with a token")
}

/// A ClusterRole with one rule for an account; both have the name of the story and the account.
async fn allow(world: &World, account: &str, rule: &Value) -> String {
    let name = format!("{}-{account}", world.namespace());
    let role = json!({"metadata": {"name": name}, "rules": [rule]});
    let binding = json!({
        "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": world.namespace()}],
    });
    let role: ClusterRole = serde_json::from_value(role).unwrap();
    let binding: ClusterRoleBinding = serde_json::from_value(binding).unwrap();
    Api::all(world.client.clone()).create(&PostParams::default(), &role).await.unwrap();
    Api::all(world.client.clone()).create(&PostParams::default(), &binding).await.unwrap();
    name
}

/// A scraper that trusts `authority`, in base64, and has this token.
fn scraper(address: SocketAddr, authority: &Value, token: Option<&str>) -> Client {
    let cluster = json!({"server": format!("https://{address}"), "certificate-authority-data": authority});
    let config = json!({"apiVersion": "v1", "kind": "Config", "current-context": "metrics",
        "clusters": [{"name": "metrics", "cluster": cluster}],
        "users": [{"name": "metrics", "user": {"token": token}}],
        "contexts": [{"name": "metrics", "context": {"cluster": "metrics", "user": "metrics"}}]});
    let mut config = Config::try_from(Kubeconfig::from_yaml(&config.to_string()).unwrap()).unwrap();
    config.default_retry = false;
    Client::try_from(config).unwrap()
}

/// What a scraper is answered: the code, and the first line or all that says it.
async fn scrape(scraper: &Client) -> (u16, String) {
    let answer = scraper.send(http::Request::get("/metrics").body(Body::empty()).unwrap()).await.unwrap();
    let (code, body) = (answer.status().as_u16(), answer.into_body().collect_bytes().await.unwrap());
    (code, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn metrics_over_tls_are_shown_to_a_token_whose_role_allows_it_and_to_no_other() {
    let world = World::with_rbac();
    let certificate = ManagedCertificate::new(world.client.clone(), world.namespace(), "metrics").host("127.0.0.1");
    certificate.look().await.unwrap();
    let (scrapes, stranger) = (account(&world, "scraper").await, account(&world, "stranger").await);
    let reviews = json!({"apiGroups": ["authentication.k8s.io", "authorization.k8s.io"],
        "resources": ["tokenreviews", "subjectaccessreviews"], "verbs": ["create"]});
    let roles = [
        allow(&world, "operator", &reviews).await,
        allow(&world, "scraper", &json!({"nonResourceURLs": ["/metrics"], "verbs": ["get"]})).await,
    ];
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let manager = Manager::builder(world.client_of_account("operator"))
        .secure_metrics(any, certificate.serving().tls().unwrap())
        .build();
    let running = tokio::spawn({
        let manager = manager.clone();
        async move { manager.run_until(std::future::pending()).await }
    });
    world.until("the server listens", async || manager.metrics_address().is_some()).await;
    let address = manager.metrics_address().unwrap();

    let secret = Api::<Secret>::default_namespaced(world.client.clone()).get("metrics").await.unwrap();
    let authority = &serde_json::to_value(secret).unwrap()["data"]["ca.crt"];
    let ask = async |token: Option<&str>| scrape(&scraper(address, authority, token)).await;
    assert_eq!(ask(None).await, (401, "Unauthorized\n".to_owned()));
    assert_eq!(ask(Some("nonsense")).await, (401, "Unauthorized\n".to_owned()));
    let denied = format!("Authorization denied for user system:serviceaccount:{}:stranger\n", world.namespace());
    assert_eq!(ask(Some(&stranger)).await, (403, denied));
    // A real server's authorizer learns of a role a moment after it was stored, and a denial is kept for half a minute.
    world.until("the role is known", async || ask(Some(&scrapes)).await.0 == 200).await;
    let (_, text) = ask(Some(&scrapes)).await;
    assert!(text.contains("rest_client_requests_total{code=\"201\""), "its own reviews are among them: {text}");

    let other = ManagedCertificate::new(world.client.clone(), world.namespace(), "other").host("127.0.0.1");
    other.look().await.unwrap();
    let other = Api::<Secret>::default_namespaced(world.client.clone()).get("other").await.unwrap();
    let distrusting = scraper(address, &serde_json::to_value(other).unwrap()["data"]["ca.crt"], Some(&scrapes));
    let request = http::Request::get("/metrics").body(Body::empty()).unwrap();
    assert!(distrusting.send(request).await.is_err(), "the token is not sent to whom the scraper does not trust");
    running.abort();
    for name in roles {
        Api::<ClusterRole>::all(world.client.clone()).delete(&name, &DeleteParams::default()).await.unwrap();
        Api::<ClusterRoleBinding>::all(world.client.clone()).delete(&name, &DeleteParams::default()).await.unwrap();
    }
}
