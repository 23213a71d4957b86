//! Kinds that are asked and answered, and bodies in YAML.

use super::world::{DOCUMENTS, MAPS, World};
use serde_json::json;

#[tokio::test]
async fn without_rbac_every_user_may_do_everything() {
    let world = World::new();
    let asked = json!({"user": "a", "resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "default"}});
    let table = [
        ("/apis/authorization.k8s.io/v1/subjectaccessreviews", asked.clone()),
        ("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", json!({"nonResourceAttributes": {"path": "/"}})),
        ("/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews", asked),
    ];
    for (path, spec) in table {
        let reviewed = world.post(path, json!({"spec": spec})).await.expect(201);
        assert_eq!(reviewed["status"], json!({"allowed": true}), "{path}");
        let empty = world.post(path, json!({"spec": {}})).await;
        assert_eq!(empty.code, 422, "{path}");
        assert!(
            empty.message().contains("exactly one of nonResourceAttributes or resourceAttributes"),
            "{}",
            empty.text
        );
    }
    let rules = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
    let reviewed = world.post(rules, json!({"spec": {"namespace": "default"}})).await.expect(201);
    assert_eq!(reviewed["status"]["resourceRules"][0]["verbs"], json!(["*"]));
    assert_eq!(world.post(rules, json!({})).await.message(), "no namespace on request");
}

#[tokio::test]
async fn a_self_review_names_the_user_or_the_impersonated_one() {
    let world = World::new();
    let path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    let own = world.post(path, json!({})).await.expect(201);
    assert_eq!(own["status"]["userInfo"]["groups"], json!(["system:masters", "system:authenticated"]));
    let headers = [
        ("impersonate-user", "jane"),
        ("impersonate-group", "dev"),
        ("impersonate-extra-a%2fb", "x"),
        ("impersonate-uid", "7"),
    ];
    let other = world.send("POST", path, &headers, b"{}".to_vec()).await.expect(201);
    let expected =
        json!({"username": "jane", "uid": "7", "groups": ["dev", "system:authenticated"], "extra": {"a/b": ["x"]}});
    assert_eq!(other["status"]["userInfo"], expected);
}

#[tokio::test]
async fn an_unknown_token_belongs_to_no_user() {
    let world = World::new();
    let path = "/apis/authentication.k8s.io/v1/tokenreviews";
    let reviewed = world.post(path, json!({"spec": {"token": "abc"}})).await.expect(201);
    assert_eq!(reviewed["status"], json!({"user": {}, "error": "invalid bearer token"}));
    assert_eq!(world.post(path, json!({})).await.code, 400);
}

#[tokio::test]
async fn bodies_may_be_yaml() {
    let world = World::new();
    let yaml = [("content-type", "application/yaml")];
    let body = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n";
    let created = world.send("POST", MAPS, &yaml, body.to_vec()).await.expect(201);
    assert_eq!(created["data"], json!({"k": "v"}));
    let twice = b"metadata:\n  name: b\nfoo: 1\ndata:\n  k: v\n  k: w\n";
    assert_eq!(world.send("POST", &format!("{MAPS}?fieldValidation=Strict"), &yaml, twice.to_vec()).await.code, 400);
    let warned = world.send("POST", MAPS, &yaml, twice.to_vec()).await;
    assert_eq!(warned.headers.get_all("warning").iter().count(), 2);
    assert_eq!(warned.expect(201)["data"], json!({"k": "w"}));
    assert_eq!(world.send("POST", MAPS, &yaml, b"a: [".to_vec()).await.code, 400);
}

#[tokio::test]
async fn objects_travel_as_protobuf_where_both_sides_like() {
    let world = World::new();
    let media_type = pintle_wire::protobuf::MEDIA_TYPE;
    let headers = [("content-type", media_type), ("accept", "application/vnd.kubernetes.protobuf,application/json")];
    let sent = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "v"}});
    let body = pintle_wire::protobuf::from_json(sent.to_string().as_bytes()).unwrap();
    let read = |bytes: &[u8]| -> serde_json::Value {
        serde_json::from_slice(&pintle_wire::protobuf::to_json(bytes).unwrap()).unwrap()
    };
    let (parts, created) = world.bytes("POST", MAPS, &headers, body.clone()).await;
    assert_eq!((parts.status.as_u16(), parts.headers["content-type"].to_str().unwrap()), (201, media_type));
    assert_eq!(read(&created)["data"], json!({"k": "v"}));
    let (_, list) = world.bytes("GET", MAPS, &[("accept", media_type)], Vec::new()).await;
    assert_eq!(read(&list)["items"][0]["metadata"]["name"], "a");
    let (_, missing) = world.bytes("GET", &format!("{MAPS}/none"), &[("accept", media_type)], Vec::new()).await;
    assert_eq!(read(&missing)["reason"], "NotFound");
    world.define().await;
    assert_eq!(world.send("POST", DOCUMENTS, &[("content-type", media_type)], body).await.code, 415);
    let documents = world.send("GET", DOCUMENTS, &headers[1..], Vec::new()).await;
    assert_eq!(documents.header("content-type"), "application/json");
}

#[tokio::test]
async fn answers_come_as_yaml_and_large_ones_packed() {
    let world = World::new();
    let large = "x".repeat(200_000);
    world.post(MAPS, json!({"metadata": {"name": "a"}, "data": {"k": large}})).await.expect(201);
    let yaml = world.send("GET", &format!("{MAPS}/a"), &[("accept", "application/yaml")], Vec::new()).await;
    assert_eq!(yaml.header("content-type"), "application/yaml");
    assert!(yaml.text.contains("kind: ConfigMap"));
    let (parts, bytes) = world.bytes("GET", MAPS, &[("accept-encoding", "gzip")], Vec::new()).await;
    assert_eq!(parts.headers["content-encoding"], "gzip");
    assert!(bytes.len() < 10_000, "{} bytes", bytes.len());
    let (parts, _) = world.bytes("GET", "/api/v1/namespaces", &[("accept-encoding", "gzip")], Vec::new()).await;
    assert!(!parts.headers.contains_key("content-encoding"));
}

#[tokio::test]
async fn the_better_media_type_is_given_and_equals_by_their_order() {
    let world = World::new();
    world.map("a").await;
    let path = format!("{MAPS}/a");
    let table = [
        ("application/yaml;q=0.5, application/json", "application/json"),
        ("application/json;q=0.5, application/yaml", "application/yaml"),
        ("application/yaml, application/json", "application/yaml"),
        ("*/*, application/yaml", "application/yaml"),
        ("application/json;as=Table;g=meta.k8s.io;v=v1;q=0.1, application/json", "application/json"),
    ];
    for (accept, expected) in table {
        let reply = world.send("GET", &path, &[("accept", accept)], vec![]).await;
        assert_eq!(reply.header("content-type"), expected, "{accept}");
        assert!(!reply.text.contains("columnDefinitions"), "{accept}");
    }
}

#[tokio::test]
async fn a_list_of_a_kind_that_was_just_defined_has_items() {
    let world = World::new();
    world.define().await;
    let list = world.get(DOCUMENTS).await.expect(200);
    assert_eq!(list["items"], json!([]), "never null");
}
