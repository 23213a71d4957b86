//! Patches: parts of an object changed.

use super::world::{DOCUMENTS, MAPS, World};
use serde_json::json;

#[tokio::test]
async fn patches_change_parts_and_conflict_only_by_their_own_version() {
    let world = World::new();
    let first = world.map("a").await;
    let path = format!("{MAPS}/a");
    let json = "application/json-patch+json";
    let add = json!([{"op": "add", "path": "/data", "value": {"k": "v"}}]);
    assert_eq!(world.patch(&path, json, &add).await.expect(200)["data"]["k"], "v");
    let patched = world.merge(&path, json!({"data": {"k": null, "l": "w"}})).await.expect(200);
    assert_eq!(patched["data"], json!({"l": "w"}));
    let stale = json!({"metadata": {"resourceVersion": first}, "data": {"m": "x"}});
    assert_eq!(world.merge(&path, stale).await.code, 409);
    let fails = world.patch(&path, json, &json!([{"op": "test", "path": "/data/l", "value": "no"}])).await;
    assert_eq!(
        (fails.code, fails.message().as_str()),
        (422, "the server rejected our request due to an error in our request")
    );
    assert_eq!(world.patch(&path, json, &json!({"no": "list"})).await.code, 400);
    assert_eq!(world.merge(&path, json!({"metadata": {"name": "b"}})).await.code, 400);
    assert_eq!(
        world.merge(&format!("{MAPS}/none"), json!({})).await.expect(404)["message"],
        "configmaps \"none\" not found"
    );
}

#[tokio::test]
async fn patch_kinds_that_are_missing_are_refused_by_name() {
    let world = World::new();
    world.define().await;
    world.map("a").await;
    world.post(DOCUMENTS, json!({"metadata": {"name": "a"}})).await.expect(201);
    let strategic = "application/strategic-merge-patch+json";
    let table = [
        (
            format!("{DOCUMENTS}/a"),
            strategic,
            "accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
        ),
        (format!("{MAPS}/a"), "text/plain", "415: Unsupported Media Type"),
        (format!("{DOCUMENTS}/a"), "text/plain", "application/merge-patch+json, application/apply-patch+yaml"),
    ];
    for (path, content_type, message) in table {
        let reply = world.patch(&path, content_type, &json!({})).await;
        assert_eq!(reply.code, 415, "{}", reply.text);
        assert!(reply.message().contains(message), "{}", reply.text);
    }
}

#[tokio::test]
async fn a_strategic_patch_merges_by_the_keys_of_the_type() {
    let world = World::new();
    let pods = "/api/v1/namespaces/default/pods";
    let containers = json!([{"name": "a", "image": "1"}, {"name": "b", "image": "1"}]);
    world.post(pods, json!({"metadata": {"name": "p"}, "spec": {"containers": containers}})).await.expect(201);
    let patch = json!({"spec": {"containers": [{"name": "b", "image": "2"}]}, "metadata": {"labels": {"a": "b"}}});
    let patched = world.patch(&format!("{pods}/p"), "application/strategic-merge-patch+json", &patch).await.expect(200);
    let images: Vec<_> =
        patched["spec"]["containers"].as_array().unwrap().iter().map(|it| it["image"].clone()).collect();
    assert_eq!(images, ["1", "2"]);
    assert_eq!(patched["metadata"]["labels"], json!({"a": "b"}));
    let keyless = json!({"spec": {"containers": [{"image": "2"}]}});
    let refused = world.patch(&format!("{pods}/p"), "application/strategic-merge-patch+json", &keyless).await;
    assert!(refused.message().contains("does not contain declared merge key: name"), "{}", refused.text);
}
