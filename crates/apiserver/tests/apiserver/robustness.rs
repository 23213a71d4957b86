//! Requests that no client should send: each gets an answer, and the server goes on.

use super::world::{DOCUMENTS, MAPS, World, version};
use serde_json::{Value, json};

const JSON_PATCH: &str = "application/json-patch+json";

/// JSON of this many arrays, one in the other.
fn nested(depth: usize) -> Vec<u8> {
    [vec![b'['; depth], vec![b']'; depth]].concat()
}

#[tokio::test]
async fn bodies_that_are_not_objects_are_refused() {
    let world = World::new();
    let deep = [b"{\"metadata\":{\"name\":\"a\"},\"data\":".to_vec(), nested(100_000), b"}".to_vec()].concat();
    let bodies = [
        b"".to_vec(),
        b"[]".to_vec(),
        b"\"text\"".to_vec(),
        b"{\"metadata\":[]}".to_vec(),
        b"{\"metadata\":{\"name\":\"a\"}} trailing".to_vec(),
        b"{\"metadata\":{\"name\":\"a\",\"finalizers\":[1]}}".to_vec(),
        b"{\"metadata\":{\"name\":\"a\",\"finalizers\":\"x\"}}".to_vec(),
        b"{\"metadata\":{\"name\":\"a\",\"ownerReferences\":{}}}".to_vec(),
        b"{\"metadata\":{\"name\":\"a\",\"annotations\":{\"x\":1}}}".to_vec(),
        b"{\"metadata\":{\"name\":\"a\",\"labels\":[]}}".to_vec(),
        deep,
        nested(1_000_000),
    ];
    for body in bodies {
        let shown = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
        for (method, path) in [("POST", MAPS.to_owned()), ("PUT", format!("{MAPS}/a"))] {
            let reply = world.send(method, &path, &[], body.clone()).await;
            assert!(matches!(reply.code, 400 | 404), "{method} {shown}: {} {}", reply.code, reply.text);
        }
    }
    assert!(world.get(MAPS).await.expect(200)["items"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn names_that_are_none_are_refused() {
    let world = World::new();
    let long = "a".repeat(254);
    for name in [&b"\xff\xfe"[..], b"\\ud800"] {
        let body = [b"{\"metadata\":{\"name\":\"", name, b"\"}}"].concat();
        let reply = world.send("POST", MAPS, &[], body).await;
        assert_eq!(reply.code, 422, "bytes that are not text are read as Go reads them: {}", reply.text);
    }
    for name in ["", ".", "..", "a/b", "a%2fb", "A", "a b", "ä", "a\u{0}", "-a", "a\n", "\"", "a?b", &long] {
        let reply = world.post(MAPS, json!({"metadata": {"name": name}})).await;
        assert_eq!(reply.code, 422, "{name:?}: {}", reply.text);
    }
    for name in [json!(1), json!([]), json!({})] {
        let reply = world.post(MAPS, json!({"metadata": {"name": name}})).await;
        assert!(matches!(reply.code, 400 | 422), "{}", reply.text);
    }
    let missing = ["/%ff", "/a%2fb", "/a%00", "/a//b"].map(|path| (path, 404));
    for (path, code) in missing.into_iter().chain([("/..", 400), ("/%2e%2e", 400), ("//", 200)]) {
        let reply = world.get(&format!("{MAPS}{path}")).await;
        assert_eq!(reply.code, code, "{path}: {}", reply.text);
    }
}

#[tokio::test]
async fn extreme_numbers_in_a_query_are_answered() {
    let world = World::new();
    world.map("a").await;
    let most = u64::MAX;
    for query in [&format!("limit={}", i64::MAX), "limit=0", "limit=-1", "limit=1&limit=2"] {
        assert_eq!(world.get(&format!("{MAPS}?{query}")).await.code, 200, "{query}");
    }
    for query in [
        &format!("limit={most}"),
        "limit=99999999999999999999999",
        "limit=1e3",
        "limit=",
        "timeoutSeconds=x",
        "resourceVersion=-1",
    ] {
        assert_eq!(world.get(&format!("{MAPS}?{query}")).await.code, 400, "{query}");
    }
    for seconds in ["0", "1", &i64::MAX.to_string()] {
        let query = format!("watch=true&timeoutSeconds={seconds}&allowWatchBookmarks=true");
        let mut watch = world.watch(&format!("{MAPS}?{query}")).await;
        assert!(watch.line().await.starts_with("ADDED a"), "{seconds}");
        assert!(watch.line().await.starts_with("BOOKMARK"), "{seconds}");
        assert!(watch.is_quiet(), "{seconds}");
    }
    let grace = world.delete(&format!("{MAPS}/a?gracePeriodSeconds={}", i64::MIN)).await;
    assert_eq!(grace.code, 200, "{}", grace.text);
}

#[tokio::test]
async fn a_period_without_end_means_no_bookmarks() {
    let server = pintle_apiserver::Server::builder().bookmark_period(std::time::Duration::MAX).build();
    let world = World { server };
    let mut watch = world.watch(&format!("{MAPS}?watch=true&allowWatchBookmarks=true")).await;
    assert!(watch.line().await.starts_with("BOOKMARK"));
    assert!(watch.is_quiet());
}

#[tokio::test]
async fn a_continue_token_from_the_future_is_too_large() {
    use base64::Engine as _;
    tokio::time::pause();
    let world = World::new();
    let token = base64::engine::general_purpose::URL_SAFE_NO_PAD
        .encode(r#"{"v":"meta.k8s.io/v1","rv":99999,"start":"a\u0000"}"#);
    let reply = world.get(&format!("{MAPS}?limit=1&continue={token}")).await;
    assert_eq!(reply.code, 504, "{}", reply.text);
    assert!(reply.message().starts_with("Timeout: Too large resource version: 99999, current: "));
}

#[tokio::test]
async fn a_json_patch_cannot_grow_an_object_without_bound() {
    let world = World::new();
    world.define().await;
    world.post(DOCUMENTS, json!({"metadata": {"name": "a"}, "spec": {"x": {"y": "0123456789"}}})).await.expect(201);
    let path = format!("{DOCUMENTS}/a");
    let doubling: Vec<Value> =
        (0..40).map(|turn| json!({"op": "copy", "from": "/spec/x", "path": format!("/spec/x/z{turn}")})).collect();
    let reply = world.patch(&path, JSON_PATCH, &json!(doubling)).await;
    assert_eq!(reply.code, 422, "{}", reply.text);
    let before = world.get(&path).await.expect(200);
    let mut value = json!(1);
    for _ in 0..100 {
        value = json!({ "d": value });
    }
    let deepening: Vec<Value> = (0..1000)
        .map(|turn| json!({"op": "add", "path": format!("/spec{}", "/d".repeat(100 * turn + 1)), "value": value}))
        .take(40)
        .collect();
    let reply = world.patch(&path, JSON_PATCH, &json!(deepening)).await;
    assert_eq!(reply.code, 422, "{}", reply.text);
    assert_eq!(world.get(&path).await.expect(200), before, "and nothing of it was stored");
    let sinking: Vec<Value> = (0..200)
        .flat_map(|_| {
            [
                json!({"op": "add", "path": "/outer", "value": {}}),
                json!({"op": "move", "from": "/spec", "path": "/outer/spec"}),
                json!({"op": "move", "from": "/outer", "path": "/spec"}),
            ]
        })
        .collect();
    assert_eq!(world.patch(&path, JSON_PATCH, &json!(sinking)).await.code, 422);
    world.merge(&path, json!({"spec": {"x": 1}})).await.expect(200);
}

#[tokio::test]
async fn the_deepest_object_that_is_taken_can_be_changed_and_deleted() {
    let world = World::new();
    world.define().await;
    let body = |depth| {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        let kind = "\"apiVersion\":\"example.com/v1\",\"kind\":\"Document\"";
        format!("{{{kind},\"metadata\":{{\"name\":\"a\",\"finalizers\":[\"x/y\"]}},\"spec\":{open}{close}}}")
            .into_bytes()
    };
    let mut depth = 200;
    while world.send("POST", DOCUMENTS, &[], body(depth)).await.code != 201 {
        depth -= 1;
    }
    let path = format!("{DOCUMENTS}/a");
    world.merge(&path, json!({"metadata": {"labels": {"a": "b"}}})).await.expect(200);
    let deeper = format!("[{{\"op\":\"add\",\"path\":\"/spec{}/0\",\"value\":[]}}]", "/0".repeat(depth - 1));
    let patched = world.send("PATCH", &path, &[("content-type", JSON_PATCH)], deeper.into_bytes()).await;
    assert_eq!(patched.code, 422, "{}", patched.text);
    world.delete(&path).await.expect(200);
    world.merge(&path, json!({"metadata": {"finalizers": null}})).await.expect(200);
    assert_eq!(world.get(&path).await.code, 404);
}

#[tokio::test]
async fn the_old_path_of_a_watch_only_watches() {
    let world = World::new();
    world.map("a").await;
    let old = "/api/v1/watch/namespaces/default/configmaps";
    for method in ["DELETE", "POST", "PUT"] {
        let reply = world.send(method, old, &[], b"{\"metadata\":{\"name\":\"b\"}}".to_vec()).await;
        assert!(matches!(reply.code, 404 | 405), "{method}: {} {}", reply.code, reply.text);
    }
    assert_eq!(super::world::names(&world.get(MAPS).await.expect(200)), ["a"]);
}

#[tokio::test]
async fn a_watch_of_nothing_that_is_selected_stays_open_and_quiet() {
    let world = World::new();
    let from = world.map("a").await;
    let query = "watch=true&fieldSelector=metadata.name%3Dnone,metadata.namespace%3Ddefault";
    let mut watch = world.watch(&format!("{MAPS}?{query}&resourceVersion={from}")).await;
    for number in 0..500 {
        world.merge(&format!("{MAPS}/a"), json!({"data": {"n": number.to_string()}})).await.expect(200);
    }
    assert!(watch.is_quiet());
    let none = world.map("none").await;
    assert_eq!(watch.line().await, format!("ADDED none@{none}"));
    assert_eq!(version(&world.get(&format!("{MAPS}/none")).await.expect(200)), none);
}

#[tokio::test]
async fn bad_requests_do_no_harm_to_others() {
    const MERGE: &str = "application/merge-patch+json";
    let world = World::new();
    world.map("a").await;
    let before = world.get(MAPS).await.expect(200);
    let one = format!("{MAPS}/a");
    let large = [b"{\"metadata\":{\"name\":\"b\"},\"data\":{\"k\":\"".to_vec(), vec![b'a'; 10 << 20], b"\"}}".to_vec()]
        .concat();
    let path = format!("[{{\"op\":\"add\",\"path\":\"{}\",\"value\":1}}]", "/a".repeat(20_000)).into_bytes();
    let table = [
        ("POST", MAPS.to_owned(), "application/json", b"{\"metadata\": {\"name\": \"b\"".to_vec(), 400),
        ("POST", MAPS.to_owned(), "text/html", b"<b>".to_vec(), 415),
        ("POST", MAPS.to_owned(), "application/json", large.clone(), 413),
        ("PATCH", one.clone(), MERGE, large, 413),
        ("POST", MAPS.to_owned(), "application/json", nested(1_000_000), 400),
        ("PATCH", one.clone(), MERGE, nested(1_000_000), 400),
        ("PATCH", one.clone(), JSON_PATCH, nested(1_000_000), 400),
        ("PATCH", one.clone(), JSON_PATCH, path, 422),
        ("POST", MAPS.to_owned(), "application/json", b"{\"metadata\":{\"name\":\"\xff\"}}".to_vec(), 422),
        ("GET", format!("{MAPS}?labelSelector={}", "(".repeat(10_000)), "", Vec::new(), 400),
        ("GET", format!("{MAPS}?fieldSelector={}", "=".repeat(10_000)), "", Vec::new(), 400),
        ("GET", format!("{MAPS}?limit=1&continue={}", "A".repeat(50_000)), "", Vec::new(), 400),
    ];
    let answers = table.iter().map(|(method, path, media_type, body, code)| {
        let (world, before, one) = (&world, &before, &one);
        async move {
            let headers = [("content-type", *media_type)];
            let bad = world.send(method, path, &headers, body.clone());
            let (bad, good) = tokio::join!(bad, world.get(one));
            assert_eq!(bad.code, *code, "{method} {media_type}: {}", bad.text);
            assert_eq!(good.code, 200);
            assert_eq!(&world.get(MAPS).await.expect(200), before, "nothing has changed");
        }
    });
    futures::future::join_all(answers).await;
}
