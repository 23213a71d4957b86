//! The admin path: faults, watches, history, pause, rewind, trace and clock by request.

use pintle_apiserver::{ServeOptions, Server};
use serde_json::{Value, json};

use super::socket::{Events, Socket};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// A server with an admin path, and its two tokens.
struct World {
    socket: Socket,
    admin: String,
}

impl World {
    async fn new() -> World {
        let socket = Socket::serve(&Server::new(), ServeOptions::new().admin(None)).await;
        let admin = socket.admin_token();
        World { socket, admin }
    }

    /// A request of an ordinary client.
    async fn client(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        self.socket.ask(method, path, self.socket.token(), &body).await
    }

    async fn create(&self, name: &str) -> Value {
        let (code, made) = self.client("POST", MAPS, json!({"metadata": {"name": name}})).await;
        assert_eq!(code, 201, "{made}");
        made
    }

    async fn admin(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        self.socket.ask(method, &format!("/pintle/v1{path}"), &self.admin, &body).await
    }

    /// One that is done.
    async fn do_(&self, method: &str, path: &str, body: Value) -> Value {
        let (code, answer) = self.admin(method, path, body).await;
        assert!(code == 200 || code == 201, "{method} {path}: {answer}");
        answer
    }

    async fn watch(&self, query: &str) -> Events {
        self.socket.begin(&format!("{MAPS}?watch=1&{query}"), self.socket.token()).await
    }
}

#[tokio::test]
async fn a_rule_makes_requests_fail_and_counts_them_until_it_is_lifted() {
    let world = World::new().await;
    world.create("m").await;
    let asked = json!({"requests": {"verb": "get", "resource": "configmaps", "times": 2}, "fault": {"type": "answer", "code": 409}});
    let rule = world.do_("POST", "/faults", asked.clone()).await;
    assert_eq!((&rule["id"], &rule["fault"], &rule["requests"]), (&json!(1), &asked["fault"], &asked["requests"]));
    let get = async || world.client("GET", &format!("{MAPS}/m"), Value::Null).await.0;
    assert_eq!([get().await, get().await, get().await], [409, 409, 200]);
    let rule = world.do_("GET", "/faults/1", Value::Null).await;
    assert_eq!((&rule["met"], &rule["fired"]), (&json!(3), &json!(2)));
    let forever =
        world.do_("POST", "/faults", json!({"fault": {"type": "answer", "code": 503, "retryAfterSeconds": 1}})).await;
    assert_eq!(get().await, 503);
    world.do_("DELETE", &format!("/faults/{}", forever["id"]), Value::Null).await;
    assert_eq!(get().await, 200);
    let listed = world.do_("GET", "/faults", Value::Null).await;
    assert_eq!((&listed["rules"][0]["id"], &listed["fired"]["answer 409"]), (&json!(1), &json!(2)));
    assert_eq!(world.admin("GET", "/faults/2", Value::Null).await.0, 404);
    world.do_("DELETE", "/faults", Value::Null).await;
    assert_eq!(world.do_("GET", "/faults", Value::Null).await["rules"], json!([]));
}

#[tokio::test]
async fn watches_are_cut_and_history_expires() {
    let world = World::new().await;
    let before = world.create("before").await["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    let mut watch = world.watch(&format!("resourceVersion={before}")).await;
    world.create("seen").await;
    assert_eq!(watch.next().await.unwrap()["object"]["metadata"]["name"], "seen");
    assert_eq!(world.do_("POST", "/watches/cut", json!({"resource": "secrets"})).await["watches"], 0);
    assert_eq!(world.do_("POST", "/watches/cut", json!({"resource": "configmaps"})).await["watches"], 1);
    assert_eq!(watch.next().await, None);
    world.do_("POST", "/expire-history", Value::Null).await;
    let mut watch = world.watch(&format!("resourceVersion={before}")).await;
    let event = watch.next().await.unwrap();
    assert_eq!((&event["type"], &event["object"]["code"]), (&json!("ERROR"), &json!(410)));
    let (code, said) = world.admin("POST", "/watches/stop", Value::Null).await;
    assert!(code == 404 && said["message"].as_str().unwrap().contains("cut, break, stall, resume, bookmark"), "{said}");
}

#[tokio::test]
async fn a_paused_server_answers_its_admin_alone() {
    let world = World::new().await;
    world.do_("POST", "/pause", Value::Null).await;
    let waiting = world.client("GET", "/version", Value::Null);
    tokio::pin!(waiting);
    tokio::select! {
        biased;
        answered = &mut waiting => panic!("it was paused: {answered:?}"),
        state = world.do_("GET", "/state", Value::Null) => assert_eq!(state["paused"], true),
    }
    assert_eq!(world.do_("POST", "/resume", Value::Null).await["paused"], false);
    assert_eq!(waiting.await.0, 200);
}

#[tokio::test]
async fn a_server_is_rewound_and_traced() {
    let world = World::new().await;
    world.create("kept").await;
    let revision = world.do_("GET", "/state", Value::Null).await["revision"].clone();
    world.create("undone").await;
    assert_eq!(world.do_("POST", "/rewind", json!({"revision": revision})).await["revision"], revision);
    let code = async |name: &str| world.client("GET", &format!("{MAPS}/{name}"), Value::Null).await.0;
    assert_eq!([code("kept").await, code("undone").await], [200, 404]);
    let (code, said) = world.admin("POST", "/rewind", json!({"revision": 1_000_000})).await;
    assert!(code == 410 && said["message"].as_str().unwrap().contains("cannot go back to version 1000000"), "{said}");
    let trace = world.do_("GET", "/trace", Value::Null).await;
    let lines = trace["lines"].as_array().unwrap();
    assert!(lines.iter().any(|line| line["event"] == "server" && line["done"] == "rewind"), "{trace}");
    let last = lines.last().unwrap();
    assert_eq!((&last["method"], &last["code"]), (&json!("GET"), &json!(404)));
    assert!(!trace.to_string().contains("/pintle/"), "what the admin asks is not in it");
}

#[tokio::test]
async fn the_clock_moves_timestamps_events_and_tokens() {
    let world = World::new().await;
    let account = "/api/v1/namespaces/default/serviceaccounts/default/token";
    let asked =
        json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 600}});
    let issued = world.client("POST", account, asked).await.1["status"]["token"].as_str().unwrap().to_owned();
    let events = "/api/v1/namespaces/default/events";
    let event = json!({"metadata": {"name": "e"}, "involvedObject": {"namespace": "default"}});
    assert_eq!(world.client("POST", events, event).await.0, 201);
    let known = async || world.socket.ask("GET", "/version", &issued, &Value::Null).await.0;
    let stays = async || world.client("GET", &format!("{events}/e"), Value::Null).await.0;
    let mut watch = world.socket.begin(&format!("{events}?watch=1"), world.socket.token()).await;
    assert_eq!(watch.next().await.unwrap()["type"], "ADDED");
    assert_eq!(known().await, 200);
    world.do_("POST", "/clock", json!({"advanceSeconds": 601})).await;
    assert_eq!((known().await, stays().await), (401, 200), "ten minutes: the token is over, the event stays");
    world.do_("POST", "/clock", json!({"advanceSeconds": 3000})).await;
    assert_eq!(watch.next().await.unwrap()["type"], "DELETED", "an hour: watchers see it go without another request");
    let clock = world.do_("POST", "/clock", json!({"stopped": true, "set": "2030-01-01T00:00:00Z"})).await;
    assert_eq!((&clock["now"], &clock["stopped"]), (&json!("2030-01-01T00:00:00.000000Z"), &json!(true)));
    assert_eq!(world.create("m").await["metadata"]["creationTimestamp"], "2030-01-01T00:00:00Z");
    world.do_("POST", "/clock", json!({"advanceSeconds": -1.5})).await;
    assert_eq!(world.create("n").await["metadata"]["creationTimestamp"], "2029-12-31T23:59:58Z");
}

#[tokio::test]
async fn what_is_wrong_is_refused_by_its_name() {
    let world = World::new().await;
    for (path, body, code, said) in [
        ("/faults", json!({"fault": {"type": "cutt"}}), 422, "fault.type: Unsupported value: \"cutt\""),
        (
            "/faults",
            json!({"fault": {"type": "cut", "afer": 1}}),
            422,
            "fault.afer: Forbidden: there is no such field here; those that there are: type, after",
        ),
        (
            "/faults",
            json!({"requests": {"times": -1}, "fault": {"type": "hang"}}),
            422,
            "requests.times: Invalid value: -1",
        ),
        ("/faults", json!({"requests": {}}), 422, "fault: Required value"),
        ("/faults", json!("cut"), 400, "the body is a string"),
        ("/clock", json!({}), 400, "advanceSeconds, set, stopped or reset"),
        ("/clock", json!({"set": "tomorrow"}), 422, "set: Invalid value: \"tomorrow\": must be a time"),
        ("/clock", json!({"advanceSeconds": 1e12}), 400, "years from 0001 to 9999"),
        ("/rewind", json!({}), 422, "revision: Required value"),
        ("/pause", json!({"for": 1}), 422, "for: Forbidden: there is no such field"),
        ("/fork", json!({}), 404, "pintle serve --workspaces"),
        ("/fault", json!({}), 404, "below /pintle/v1 there are state, faults"),
        ("/trace", json!({}), 405, "it takes GET"),
    ] {
        let (found, answer) = world.admin("POST", path, body.clone()).await;
        assert_eq!((found, &answer["kind"]), (code, &json!("Status")), "{path} {body}: {answer}");
        assert!(answer["message"].as_str().unwrap().contains(said), "{path} {body}: {answer}");
    }
    assert_eq!(world.do_("GET", "/faults", Value::Null).await["rules"], json!([]), "nothing was made");
    let index = world.do_("GET", "", Value::Null).await;
    assert!(index["paths"].as_array().unwrap().iter().any(|path| path["path"] == "/pintle/v1/faults/*"));
}

#[tokio::test]
async fn what_is_done_to_a_workspace_is_done_to_it_alone() {
    let options = ServeOptions::new().workspaces(2, None).admin(None);
    let socket = Socket::serve(&Server::new(), options).await;
    let (_, made) = socket.ask("POST", "/pintle/v1/workspaces", socket.token(), &json!({"name": "a"})).await;
    let (token, admin) = (made["token"].as_str().unwrap(), made["adminToken"].as_str().unwrap());
    for (path, body) in [
        ("faults", json!({"fault": {"type": "answer", "code": 500}})),
        ("clock", json!({"set": "2040-01-01T00:00:00Z"})),
    ] {
        let (code, said) = socket.ask("POST", &format!("/workspaces/a/pintle/v1/{path}"), admin, &body).await;
        assert!(code < 300, "{said}");
    }
    assert_eq!(socket.ask("GET", "/workspaces/a/version", token, &Value::Null).await.0, 500);
    assert_eq!(socket.ask("GET", "/version", socket.token(), &Value::Null).await.0, 200);
    let (_, clock) = socket.ask("GET", "/pintle/v1/clock", &socket.admin_token(), &Value::Null).await;
    assert_eq!(clock["movedBySeconds"], 0.0);
    // A fork of it has its clock and its objects, and none of its faults.
    let (code, fork) = socket.ask("POST", "/workspaces/a/pintle/v1/fork", admin, &json!({"name": "b"})).await;
    assert_eq!(code, 201, "{fork}");
    let path = format!("/workspaces/b{MAPS}");
    let (code, map) =
        socket.ask("POST", &path, fork["token"].as_str().unwrap(), &json!({"metadata": {"name": "m"}})).await;
    assert_eq!(code, 201, "{map}");
    assert!(map["metadata"]["creationTimestamp"].as_str().unwrap().starts_with("2040-"), "{map}");
}
