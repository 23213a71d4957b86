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
        ("PUT", &path, "fieldManager=a%07".to_owned(), "UpdateOptions", "invalid character U+0007 (at position 1)"),
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
async fn unknown_and_duplicate_fields_are_warned_about_refused_or_ignored() {
    let world = World::new();
    let body = br#"{"metadata":{"name":"a","foo":1},"data":{"k":"1","k":"2"},"bar":{"x":1}}"#;
    let found = ["unknown field \"metadata.foo\"", "duplicate field \"data.k\"", "unknown field \"bar\""];
    let strict = world.send("POST", &format!("{MAPS}?fieldValidation=Strict"), &[], body.to_vec()).await;
    assert_eq!((strict.code, strict.json()["reason"].clone()), (400, json!("BadRequest")));
    assert!(strict.message().ends_with(&format!("strict decoding error: {}", found.join(", "))), "{}", strict.text);
    for asked in ["", "?fieldValidation=Warn", "?fieldValidation=Ignore"] {
        let reply = world.send("POST", &format!("{MAPS}{asked}"), &[], body.to_vec()).await;
        let warnings: Vec<_> =
            reply.headers.get_all("warning").iter().map(|it| it.to_str().unwrap().to_owned()).collect();
        let expected: Vec<_> = found.iter().map(|it| format!("299 - \"{}\"", it.replace('"', "\\\""))).collect();
        assert_eq!(warnings, if asked.ends_with("Ignore") { Vec::new() } else { expected }, "{asked}");
        let stored = reply.expect(201);
        assert!(stored.get("bar").is_none() && stored["metadata"].get("foo").is_none(), "{stored}");
        assert_eq!(stored["data"], json!({"k": "2"}));
        world.delete(&format!("{MAPS}/a")).await.expect(200);
    }
    let reply = world.post(&format!("{MAPS}?fieldValidation=Maybe"), json!({"metadata": {"name": "x"}})).await;
    assert_eq!(reply.code, 422);
}

#[tokio::test]
async fn a_patch_is_checked_like_the_object_it_makes() {
    let world = World::new();
    world.map("a").await;
    let path = format!("{MAPS}/a");
    let warned = world.merge(&path, json!({"datum": 1})).await;
    assert_eq!(warned.header("warning"), "299 - \"unknown field \\\"datum\\\"\"");
    assert!(warned.expect(200).get("datum").is_none());
    world.merge(&path, json!({"data": {"x": 1}})).await.expect(422);
    assert_eq!(world.merge(&format!("{path}?fieldValidation=Strict"), json!({"datum": 1})).await.code, 422);
}
