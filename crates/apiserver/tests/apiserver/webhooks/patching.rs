//! What a mutating webhook's patch makes of an object.

use serde_json::{Value, json};

use super::MUTATING;
use super::program::{Program, hook, mutating, patch};
use crate::apiserver::world::{DEFINITIONS, DOCUMENTS, MAPS};

async fn patched(operations: Value) -> (u16, Value) {
    let program = Program::new(move |_, _| patch(&operations));
    let world = program.world();
    world.post(MUTATING, mutating("x", &[hook("x")])).await.expect(201);
    let reply = world.post(MAPS, json!({"metadata": {"name": "a"}, "data": {"a": "1"}})).await;
    (reply.code, reply.json())
}

#[tokio::test(start_paused = true)]
async fn a_patch_changes_what_is_stored_and_its_fields_have_no_manager() {
    let (code, made) = patched(json!([{"op": "add", "path": "/data/b", "value": "2"}])).await;
    assert_eq!((code, &made["data"]), (201, &json!({"a": "1", "b": "2"})));
    assert!(made["metadata"]["managedFields"][0]["fieldsV1"]["f:data"].get("f:b").is_none());
}

#[tokio::test(start_paused = true)]
async fn what_it_names_is_named_so_and_what_it_may_not_set_stays() {
    let (code, made) = patched(json!([{"op": "replace", "path": "/metadata/name", "value": "other"}])).await;
    assert_eq!((code, &made["metadata"]["name"]), (201, &json!("other")));
    let (code, made) = patched(json!([{"op": "add", "path": "/metadata/uid", "value": "mine"}])).await;
    assert_eq!(code, 201);
    assert_ne!(made["metadata"]["uid"], "mine");
    let (code, made) = patched(json!([{"op": "add", "path": "/unknown", "value": 1}])).await;
    assert_eq!((code, made.get("unknown")), (201, None));
}

#[tokio::test(start_paused = true)]
async fn a_patch_that_does_not_fit_is_an_error_of_its_own() {
    let table: [(Value, u16, &str); 7] = [
        (json!([{"op": "frob", "path": "/data/p"}]), 500, "Internal error occurred: Unexpected kind: frob"),
        (
            json!([{"op": "remove", "path": "/data/p"}]),
            500,
            "Internal error occurred: error in remove for path: '/data/p': Unable to remove nonexistent key: p: missing value",
        ),
        (
            json!([{"op": "test", "path": "/data/a", "value": "2"}]),
            500,
            "Internal error occurred: testing value /data/a failed: test failed",
        ),
        (
            json!([{"op": "add", "path": "/data/p", "value": 1}]),
            500,
            "Internal error occurred: json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
        ),
        (
            json!([{"op": "replace", "path": "/kind", "value": "Foo"}]),
            500,
            "Internal error occurred: no kind \"Foo\" is registered for version \"v1\" in scheme \"pkg/runtime/scheme.go:111\"",
        ),
        (
            json!([{"op": "replace", "path": "/metadata/namespace", "value": "other"}]),
            400,
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        (
            json!([{"op": "replace", "path": "", "value": {}}]),
            422,
            "ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName is required",
        ),
    ];
    for (operations, code, message) in table {
        let (found, status) = patched(operations.clone()).await;
        assert_eq!((found, status["message"].as_str().unwrap_or_default()), (code, message), "{operations}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_webhook_is_asked_again_if_another_one_changed_the_object_after_it() {
    let program = Program::new(|path, review| {
        let data = &review["request"]["object"]["data"];
        match path {
            // Changes nothing the second time.
            "/set" => patch(&json!([{"op": "add", "path": "/data/set", "value": "x"}])),
            _ => {
                let count: u64 = data["count"].as_str().and_then(|count| count.parse().ok()).unwrap_or_default();
                patch(&json!([{"op": "add", "path": "/data/count", "value": (count + 1).to_string()}]))
            }
        }
    });
    let again = |name: &str| {
        let mut hook = hook(name);
        hook["reinvocationPolicy"] = "IfNeeded".into();
        hook
    };
    // As kube-apiserver did: the first of two that count is asked twice, of two that set the same each once.
    for (hooks, calls, count) in [
        ([again("count"), hook("also-count")], 3, json!("3")),
        ([again("set"), again("set")], 2, Value::Null),
        ([hook("count"), hook("also-count")], 2, json!("2")),
    ] {
        let world = program.world();
        let before = program.reviews().len();
        let mut hooks = hooks;
        hooks[1]["name"] = "second.example.com".into();
        world.post(MUTATING, mutating("m", &hooks)).await.expect(201);
        let made = world.post(MAPS, json!({"metadata": {"name": "a"}, "data": {"a": "1"}})).await.expect(201);
        assert_eq!(program.reviews().len() - before, calls, "{hooks:?}");
        assert_eq!(made["data"].get("count").cloned().unwrap_or_default(), count);
    }
}

#[tokio::test(start_paused = true)]
async fn a_custom_resource_is_pruned_and_defaulted_again() {
    let program = Program::new(|_, _| patch(&json!([{"op": "add", "path": "/spec", "value": {"unknown": 1}}])));
    let world = program.world();
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "size": {"type": "integer", "default": 3},
    }}}});
    let definition = json!({"metadata": {"name": "documents.example.com"}, "spec": {
        "group": "example.com", "scope": "Namespaced", "names": {"plural": "documents", "kind": "Document"},
        "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
    }});
    world.post(DEFINITIONS, definition).await.expect(201);
    let mut of_documents = hook("x");
    of_documents["rules"] =
        json!([{"apiGroups": ["example.com"], "apiVersions": ["*"], "resources": ["*"], "operations": ["CREATE"]}]);
    world.post(MUTATING, mutating("x", &[of_documents])).await.expect(201);
    let made = world.post(DOCUMENTS, json!({"metadata": {"name": "a"}})).await.expect(201);
    assert_eq!(made["spec"], json!({"size": 3}));
}

#[tokio::test(start_paused = true)]
async fn what_is_deleted_cannot_be_patched() {
    let program = Program::new(|_, _| patch(&json!([{"op": "add", "path": "/data", "value": {}}])));
    let world = program.world();
    world.post(MAPS, json!({"metadata": {"name": "a"}})).await.expect(201);
    world.post(MUTATING, mutating("x", &[hook("x")])).await.expect(201);
    let reply = world.send("DELETE", &format!("{MAPS}/a"), &[], Vec::new()).await;
    let why = "Internal error occurred: admission webhook \"x.example.com\" attempted to modify the object, which is not \
               supported for this operation";
    assert_eq!((reply.code, reply.message().as_str()), (500, why));
}
