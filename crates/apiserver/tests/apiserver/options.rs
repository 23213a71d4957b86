//! The options of a write: dry run, field validation, field manager.

use super::world::{MAPS, World, version};
use serde_json::json;

#[tokio::test]
async fn options_are_checked_under_the_name_of_their_verb() {
    let world = World::new();
    world.map("a").await;
    let (long, path) = ("m".repeat(129), format!("{MAPS}/a"));
    let table = [
        (
            "POST",
            MAPS,
            format!("fieldManager={long}"),
            "CreateOptions",
            "fieldManager: Too long: may not be more than 128 bytes",
        ),
        ("PUT", &path, "fieldManager=a%07".to_owned(), "UpdateOptions", "should only contain printable characters"),
        (
            "PUT",
            &path,
            "fieldValidation=Some".to_owned(),
            "UpdateOptions",
            "fieldValidation: Unsupported value: \"Some\"",
        ),
        ("PATCH", &path, "dryRun=None".to_owned(), "PatchOptions", "dryRun: Unsupported value: [\"None\"]"),
    ];
    for (method, path, query, options, message) in table {
        let headers =
            [("content-type", if method == "PATCH" { "application/merge-patch+json" } else { "application/json" })];
        let reply = world.send(method, &format!("{path}?{query}"), &headers, b"{}".to_vec()).await;
        assert_eq!(reply.code, 422, "{}", reply.text);
        assert_eq!(reply.json()["details"]["kind"], options);
        assert!(reply.message().contains(message), "{}", reply.text);
    }
}

#[tokio::test]
async fn a_dry_run_answers_and_stores_nothing() {
    let world = World::new();
    world.map("a").await;
    let before = world.server.revision();
    let dry = |path: &str| format!("{path}?dryRun=All");
    let created = world.post(&dry(MAPS), json!({"metadata": {"name": "b"}})).await.expect(201);
    assert_eq!(version(&created), "");
    assert_eq!(world.post(&dry(MAPS), json!({"metadata": {"name": "a"}})).await.code, 409);
    let path = format!("{MAPS}/a");
    assert_eq!(world.merge(&dry(&path), json!({"data": {"k": "v"}})).await.expect(200)["data"]["k"], "v");
    world.delete(&dry(&path)).await.expect(200);
    assert_eq!(world.server.revision(), before);
    let status = world.post(&format!("{MAPS}?dryRun=Some"), json!({"metadata": {"name": "b"}})).await.expect(422);
    assert!(
        status["message"]
            .as_str()
            .unwrap()
            .contains("dryRun: Unsupported value: [\"Some\"]: supported values: \"All\"")
    );
}

#[tokio::test]
async fn whoever_asks_for_field_validation_is_told_that_there_is_none() {
    let world = World::new();
    for (index, (asked, warned)) in [("Strict", true), ("Warn", true), ("Ignore", false)].into_iter().enumerate() {
        let name = json!({"metadata": {"name": format!("m{index}")}});
        let reply = world.post(&format!("{MAPS}?fieldValidation={asked}"), name).await;
        assert_eq!(reply.code, 201);
        assert_eq!(
            reply.header("warning").starts_with("299 - \"field validation is not implemented"),
            warned,
            "{asked}"
        );
    }
    let reply = world.post(&format!("{MAPS}?fieldValidation=Maybe"), json!({"metadata": {"name": "x"}})).await;
    assert_eq!(reply.code, 422);
}
