//! Which writes a webhook is asked about, and as what.

use serde_json::{Value, json};

use super::program::{Program, hook, mutating, patch, validating};
use super::{MUTATING, VALIDATING};
use crate::apiserver::world::MAPS;

const SCALERS: &str = "horizontalpodautoscalers";

fn rules(mut hook: Value, rules: &Value) -> Value {
    hook["rules"] = json!([rules]);
    hook
}

fn everything() -> Value {
    json!({"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"], "operations": ["*"]})
}

#[tokio::test(start_paused = true)]
async fn selectors_mean_the_namespace_and_either_state_of_the_object() {
    let program = Program::new(|_, _| json!({"allowed": true}));
    let world = program.world();
    for (name, labels) in [("watched", json!({"watched": "yes"})), ("other", json!({}))] {
        world.post("/api/v1/namespaces", json!({"metadata": {"name": name, "labels": labels}})).await.expect(201);
    }
    let mut selecting = hook("v");
    selecting["namespaceSelector"] = json!({"matchLabels": {"watched": "yes"}});
    selecting["objectSelector"] = json!({"matchExpressions": [{"key": "is", "operator": "In", "values": ["meant"]}]});
    world.post(VALIDATING, validating("v", &[selecting])).await.expect(201);
    let maps = |namespace: &str| format!("/api/v1/namespaces/{namespace}/configmaps");
    let map = |labels: Value| json!({"metadata": {"name": "a", "labels": labels}});
    world.post(&maps("other"), map(json!({"is": "meant"}))).await.expect(201);
    world.post(&maps("watched"), map(json!({}))).await.expect(201);
    assert_eq!(program.reviews().len(), 0);
    let merge = [("content-type", "application/merge-patch+json")];
    for label in [r#""meant""#, "null"] {
        let body = format!(r#"{{"metadata":{{"labels":{{"is":{label}}}}}}}"#);
        world.send("PATCH", &format!("{}/a", maps("watched")), &merge, body.into_bytes()).await.expect(200);
    }
    // The first gains the label, the second loses it: both are meant.
    assert_eq!(program.reviews().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_namespace_is_selected_by_its_own_labels_and_is_in_itself() {
    let program = Program::new(|_, _| json!({"allowed": true}));
    let world = program.world();
    let mut selecting = rules(
        hook("v"),
        &json!({"apiGroups": [""], "apiVersions": ["v1"], "resources": ["namespaces"], "operations": ["CREATE"]}),
    );
    selecting["namespaceSelector"] = json!({"matchLabels": {"watched": "yes"}});
    world.post(VALIDATING, validating("v", &[selecting])).await.expect(201);
    world.post("/api/v1/namespaces", json!({"metadata": {"name": "a"}})).await.expect(201);
    let labelled = json!({"metadata": {"name": "b", "labels": {"watched": "yes"}}});
    world.post("/api/v1/namespaces", labelled).await.expect(201);
    let [review] = &program.reviews()[..] else { panic!("{:?}", program.reviews()) };
    assert_eq!((&review.body["request"]["name"], &review.body["request"]["namespace"]), (&json!("b"), &json!("b")));
}

#[tokio::test(start_paused = true)]
async fn an_equivalent_version_is_converted_to_and_back() {
    let program = Program::new(|_, review| {
        let spec = review["request"]["object"]["spec"].clone();
        assert_eq!(spec["metrics"][0]["resource"]["target"]["averageUtilization"], 5, "{spec}");
        patch(&json!([{"op": "replace", "path": "/spec/maxReplicas", "value": 9}]))
    });
    let world = program.world();
    let of_v2 = |policy: &str| {
        let rule = json!({"apiGroups": ["autoscaling"], "apiVersions": ["v2"], "resources": [SCALERS], "operations": ["CREATE"]});
        let mut hook = rules(hook("m"), &rule);
        hook["matchPolicy"] = policy.into();
        hook
    };
    let scalers = format!("/apis/autoscaling/v1/namespaces/default/{SCALERS}");
    let scaler = |name: &str| {
        json!({"metadata": {"name": name}, "spec": {"maxReplicas": 3, "targetCPUUtilizationPercentage": 5,
        "scaleTargetRef": {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}}})
    };
    world.post(MUTATING, mutating("m", &[of_v2("Exact")])).await.expect(201);
    assert_eq!(world.post(&scalers, scaler("exact")).await.expect(201)["spec"]["maxReplicas"], 3);
    world.send("DELETE", &format!("{MUTATING}/m"), &[], Vec::new()).await.expect(200);
    world.post(MUTATING, mutating("m", &[of_v2("Equivalent")])).await.expect(201);
    let made = world.post(&scalers, scaler("equivalent")).await.expect(201);
    assert_eq!((&made["apiVersion"], &made["spec"]["maxReplicas"]), (&json!("autoscaling/v1"), &json!(9)));
    let request = &program.reviews()[0].body["request"];
    assert_eq!((&request["kind"]["version"], &request["requestKind"]["version"]), (&json!("v2"), &json!("v1")));
    assert_eq!(request["resource"]["version"], "v2");
    assert_eq!(request["object"]["apiVersion"], "autoscaling/v2");
}

#[tokio::test(start_paused = true)]
async fn subresources_are_asked_about_as_what_they_are() {
    let program = Program::new(|path, review| match path {
        "/m" if review["request"]["subResource"] == "scale" => {
            patch(&json!([{"op": "replace", "path": "/spec/replicas", "value": 7}]))
        }
        _ => json!({"allowed": true}),
    });
    let world = program.world();
    let sets = "/apis/apps/v1/namespaces/default/replicasets";
    let set = json!({"metadata": {"name": "s"}, "spec": {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": {
        "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}});
    world.post(sets, set).await.expect(201);
    world.post(MUTATING, mutating("m", &[rules(hook("m"), &everything())])).await.expect(201);
    let merge = [("content-type", "application/merge-patch+json")];
    let scaled = world.send("PATCH", &format!("{sets}/s/scale"), &merge, br#"{"spec":{"replicas":2}}"#.to_vec()).await;
    assert_eq!(scaled.expect(200)["spec"]["replicas"], 7);
    let scale = program.reviews().remove(0).body["request"].clone();
    assert_eq!(scale["kind"], json!({"group": "autoscaling", "version": "v1", "kind": "Scale"}));
    assert_eq!(scale["resource"]["resource"], "replicasets");
    assert_eq!((&scale["subResource"], &scale["requestSubResource"]), (&json!("scale"), &json!("scale")));
    assert_eq!((&scale["object"]["kind"], &scale["object"]["spec"]["replicas"]), (&json!("Scale"), &json!(2)));
    assert_eq!(scale["oldObject"]["spec"]["replicas"], 1);

    let pods = "/api/v1/namespaces/default/pods";
    world
        .post(pods, json!({"metadata": {"name": "p"}, "spec": crate::apiserver::world::pod_spec(json!({}))}))
        .await
        .expect(201);
    let eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}});
    world.post(&format!("{pods}/p/eviction"), eviction).await.expect(201);
    let reviews = program.reviews();
    let kinds: Vec<&Value> = reviews.iter().map(|review| &review.body["request"]["kind"]["kind"]).collect();
    assert!(kinds.contains(&&json!("Eviction")), "{kinds:?}");
}

#[tokio::test(start_paused = true)]
async fn reviews_that_are_not_stored_are_not_asked_about() {
    let program = Program::new(|_, _| json!({"allowed": false}));
    let world = program.world();
    world.post(VALIDATING, validating("v", &[rules(hook("v"), &everything())])).await.expect(201);
    let body = json!({"spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}});
    world.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body).await.expect(201);
    assert_eq!(program.reviews().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn webhooks_are_asked_in_the_order_of_their_configurations_names() {
    let program = Program::new(|_, _| json!({"allowed": true}));
    let world = program.world();
    world.post(MUTATING, mutating("b", &[hook("third")])).await.expect(201);
    world.post(MUTATING, mutating("a", &[hook("first"), hook("second")])).await.expect(201);
    world.post(MAPS, json!({"metadata": {"name": "a"}})).await.expect(201);
    let urls: Vec<String> = program.reviews().into_iter().map(|review| review.url).collect();
    assert_eq!(urls, ["first", "second", "third"].map(|name| format!("https://hooks.test/{name}?timeout=10s")));
}

#[tokio::test(start_paused = true)]
async fn the_deletion_of_a_collection_is_reviewed_for_each_object_and_under_no_name() {
    let program = Program::new(|_, _| json!({"allowed": true}));
    let world = program.world();
    for name in ["a", "b"] {
        world.map(name).await;
    }
    let deletes =
        json!({"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["DELETE"]});
    world.post(VALIDATING, validating("v", &[rules(hook("v"), &deletes)])).await.expect(201);
    world.delete(&format!("{MAPS}?fieldSelector=metadata.name!=kube-root-ca.crt")).await.expect(200);
    let reviews = program.reviews();
    let shown = reviews.iter().map(|review| {
        let request = &review.body["request"];
        (request["name"].as_str().unwrap_or_default(), request["oldObject"]["metadata"]["name"].as_str().unwrap())
    });
    assert_eq!(shown.collect::<Vec<_>>(), [("", "a"), ("", "b")]);
}

#[tokio::test(start_paused = true)]
async fn an_old_version_is_refused_after_mutating_webhooks_and_before_validating_ones() {
    let program = Program::new(|_, _| json!({"allowed": true}));
    let world = program.world();
    world.map("a").await;
    world.post(MUTATING, mutating("m", &[hook("m")])).await.expect(201);
    world.post(VALIDATING, validating("v", &[hook("v")])).await.expect(201);
    let stale = json!({"metadata": {"name": "a", "resourceVersion": "1"}, "data": {"k": "v"}});
    world.put(&format!("{MAPS}/a"), &stale).await.expect(409);
    assert_eq!(program.reviews().len(), 1, "{:?}", program.reviews());
}
