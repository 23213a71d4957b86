//! Endpoints of Services, addresses of load balancers, tokens of service accounts.

use super::{DEPLOYMENTS, PODS, World, cluster, template};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

const SERVICES: &str = "/api/v1/namespaces/default/services";
const SLICES: &str = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
const SECRETS: &str = "/api/v1/namespaces/default/secrets";

async fn endpoints(world: &World) -> Vec<Value> {
    let slices = world.items(&format!("{SLICES}?labelSelector=kubernetes.io/service-name=web")).await;
    slices.iter().flat_map(|slice| slice["endpoints"].as_array().cloned().unwrap_or_default()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_service_has_the_endpoints_of_the_pods_that_it_selects() {
    let world = cluster();
    let service = json!({
        "metadata": {"name": "web"},
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": "http"}]},
    });
    world.post(SERVICES, service).await.expect(201);
    let slices = world.items(SLICES).await;
    assert!(slices.len() == 1 && slices[0]["metadata"]["ownerReferences"][0]["kind"] == "Service", "{slices:?}");
    let slow = json!({"pintle.dev/ready-after": "5s"});
    let spec = json!({"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template("web:1", slow)});
    world.post(DEPLOYMENTS, json!({"metadata": {"name": "web"}, "spec": spec})).await.expect(201);
    let found = endpoints(&world).await;
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|it| it["conditions"]["ready"] == false), "{found:?}");
    world.pass(6).await;
    assert!(endpoints(&world).await.iter().all(|it| it["conditions"]["ready"] == true));
    let slice = world.items(SLICES).await.remove(0);
    assert_eq!(slice["ports"][0]["port"], 8080, "{slice}");
    let old = world.get("/api/v1/namespaces/default/endpoints/web").await.expect(200);
    assert_eq!(old["subsets"][0]["addresses"].as_array().unwrap().len(), 2, "{old}");

    let pod = world.names_at(PODS).await.remove(0);
    world.merge(&format!("{PODS}/{pod}"), json!({"metadata": {"labels": {"app": "else"}}})).await.expect(200);
    let names: Vec<Value> = endpoints(&world).await.iter().map(|it| it["targetRef"]["name"].clone()).collect();
    assert!(names.len() == 2 && !names.contains(&json!(pod)), "another pod took its place: {names:?}");
}

#[tokio::test(start_paused = true)]
async fn a_load_balancer_has_an_address_of_its_own_until_it_is_none() {
    let world = cluster();
    for name in ["a", "b"] {
        let service = json!({"metadata": {"name": name}, "spec": {"type": "LoadBalancer", "ports": [{"port": 80}]}});
        world.post(SERVICES, service).await.expect(201);
    }
    let a = world.get(&format!("{SERVICES}/a")).await.expect(200);
    let b = world.get(&format!("{SERVICES}/b")).await.expect(200);
    let address = |service: &Value| service["status"]["loadBalancer"]["ingress"][0]["ip"].as_str().unwrap().to_owned();
    assert_ne!(address(&a), address(&b));
    world.merge(&format!("{SERVICES}/a"), json!({"spec": {"type": "ClusterIP"}})).await.expect(200);
    let a = world.get(&format!("{SERVICES}/a")).await.expect(200);
    assert!(a["status"]["loadBalancer"].get("ingress").is_none() && a["metadata"].get("finalizers").is_none(), "{a}");
    world.delete(&format!("{SERVICES}/b")).await.expect(200);
    assert_eq!(world.get(&format!("{SERVICES}/b")).await.code, 404);
}

#[tokio::test(start_paused = true)]
async fn a_secret_for_a_service_account_gets_its_token_and_goes_with_it() {
    let world = cluster();
    world.post("/api/v1/namespaces/default/serviceaccounts", json!({"metadata": {"name": "bot"}})).await.expect(201);
    let secret = json!({
        "metadata": {"name": "bot-token", "annotations": {"kubernetes.io/service-account.name": "bot"}},
        "type": "kubernetes.io/service-account-token",
    });
    world.post(SECRETS, secret).await.expect(201);
    let filled = world.get(&format!("{SECRETS}/bot-token")).await.expect(200);
    assert!(filled["metadata"]["annotations"]["kubernetes.io/service-account.uid"].is_string(), "{filled}");
    let token = STANDARD.decode(filled["data"]["token"].as_str().unwrap()).unwrap();
    let review = json!({"spec": {"token": String::from_utf8(token).unwrap()}});
    let review = world.post("/apis/authentication.k8s.io/v1/tokenreviews", review).await.expect(201);
    assert_eq!(review["status"]["user"]["username"], "system:serviceaccount:default:bot", "{review}");
    world.delete("/api/v1/namespaces/default/serviceaccounts/bot").await.expect(200);
    assert_eq!(world.get(&format!("{SECRETS}/bot-token")).await.code, 404);
}
