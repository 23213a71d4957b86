//! What is seen of requests from outside: metrics and the audit log.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use pintle_apiserver::Server;
use serde_json::{Value, json};

use super::world::{MAPS, World};

/// A file that can be looked into while it is written.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink {
    fn events(&self) -> Vec<Value> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Stage, verb and code of each event.
    fn stages(&self) -> Vec<String> {
        let line = |event: Value| {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let code = event["responseStatus"]["code"].as_u64().map_or_else(String::new, |code| format!(" {code}"));
            format!("{} {}{code}", text(&event["stage"]), text(&event["verb"]))
        };
        self.events().into_iter().map(line).collect()
    }
}

fn world(sink: &Sink) -> World {
    World { server: Server::builder().rbac().metrics(true).audit_log(sink.clone()).build() }
}

/// The lines of `/metrics` about ConfigMaps, without histograms' buckets and the times they took.
async fn measured(world: &World) -> Vec<String> {
    let text = world.get("/metrics").await.text;
    let is_meant = |line: &&str| line.contains("configmaps") && !line.contains("_bucket") && !line.contains("_sum");
    text.lines().filter(is_meant).map(str::to_owned).collect()
}

#[tokio::test]
async fn requests_are_counted_as_kube_apiserver_counts_them() {
    let world = world(&Sink::default());
    let map = json!({"metadata": {"name": "a"}});
    world.post(MAPS, map.clone()).await.expect(201);
    world.post(MAPS, map.clone()).await.expect(409);
    world.post(&format!("{MAPS}?dryRun=All"), json!({"metadata": {"name": "b"}})).await.expect(201);
    world.get(MAPS).await.expect(200);
    let apply = [("content-type", "application/apply-patch+yaml")];
    let body = br#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}"#.to_vec();
    world.send("PATCH", &format!("{MAPS}/a?fieldManager=m"), &apply, body).await.expect(200);
    // Who may not ask, what there is not and what is not about objects is not counted.
    World { server: world.server.as_user("jane", &[]) }.get(MAPS).await.expect(403);
    world.get("/apis/apps/v1/nothing").await;
    world.get("/apis").await.expect(200);

    let labels = |dry_run: &str, scope: &str, verb: &str| {
        format!(
            "component=\"apiserver\",dry_run=\"{dry_run}\",group=\"\",resource=\"configmaps\",scope=\"{scope}\",\
             subresource=\"\",verb=\"{verb}\",version=\"v1\""
        )
    };
    let total =
        |code: u16, labels: String, count: u64| format!("apiserver_request_total{{code=\"{code}\",{labels}}} {count}");
    let measured = measured(&world).await;
    let totals: Vec<&String> = measured.iter().filter(|line| line.starts_with("apiserver_request_total")).collect();
    let expected = [
        total(200, labels("", "namespace", "LIST"), 1),
        total(200, labels("", "resource", "APPLY"), 1),
        total(201, labels("", "resource", "POST"), 1),
        total(409, labels("", "resource", "POST"), 1),
        total(201, labels("All", "resource", "POST"), 1),
    ];
    assert_eq!(totals, expected.iter().collect::<Vec<_>>());
    for line in [
        format!("apiserver_request_duration_seconds_count{{{}}} 2", labels("", "resource", "POST")),
        "apiserver_resource_objects{group=\"\",resource=\"configmaps\"} 1".to_owned(),
        "apiserver_storage_objects{resource=\"configmaps\"} 1".to_owned(),
    ] {
        assert!(measured.contains(&line), "{line}: {measured:#?}");
    }
}

#[tokio::test]
async fn a_watch_is_under_way_until_its_client_is_gone_and_is_audited_twice() {
    let sink = Sink::default();
    let world = world(&sink);
    let open = async |count: u64| {
        let lines = measured(&world).await;
        let line = lines.iter().find(|line| line.starts_with("apiserver_longrunning_requests"));
        let line = line.unwrap_or_else(|| panic!("{lines:#?}"));
        assert!(line.ends_with(&format!(" {count}")), "{line}");
    };
    let watch = world.watch(&format!("{MAPS}?watch=true")).await;
    open(1).await;
    assert_eq!(sink.stages()[..2], ["RequestReceived watch", "ResponseStarted watch 200"]);
    drop(watch);
    open(0).await;
    assert!(sink.stages().contains(&"ResponseComplete watch 200".to_owned()), "{:?}", sink.stages());
    let inflight = world.get("/metrics").await.text;
    assert!(inflight.contains("apiserver_current_inflight_requests{request_kind=\"mutating\"} 0"), "{inflight}");
}

#[tokio::test]
async fn the_audit_log_has_events_as_kube_apiserver_writes_them() {
    let sink = Sink::default();
    let world = world(&sink);
    let headers = [("user-agent", "test"), ("audit-id", "7"), ("content-type", "application/json")];
    world.send("POST", MAPS, &headers, br#"{"metadata": {"name": "a"}}"#.to_vec()).await.expect(201);
    let [received, complete] = &sink.events()[..] else { panic!("{:?}", sink.events()) };
    let mut received = received.clone();
    let time = received["requestReceivedTimestamp"].take();
    assert_eq!(time.as_str().map(str::len), Some("2026-11-17T17:40:00.794501Z".len()));
    received["stageTimestamp"].take();
    assert_eq!(
        received,
        json!({
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata", "auditID": "7",
            "stage": "RequestReceived", "requestURI": MAPS, "verb": "create",
            "user": {"username": "kubernetes-admin", "groups": ["system:masters", "system:authenticated"]},
            "userAgent": "test",
            "objectRef": {"resource": "configmaps", "namespace": "default", "apiVersion": "v1"},
            "requestReceivedTimestamp": null, "stageTimestamp": null,
        })
    );
    assert_eq!(complete["objectRef"]["name"], "a");
    assert_eq!(complete["responseStatus"], json!({"metadata": {}, "code": 201}));
    let allowed = json!({"authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": ""});
    assert_eq!(complete["annotations"], allowed);

    let acting = [("impersonate-user", "jane")];
    world.send("GET", "/apis/apps/v1/deployments", &acting, Vec::new()).await.expect(403);
    let refused = sink.events().pop().unwrap();
    assert_eq!(refused["user"]["username"], "kubernetes-admin");
    assert_eq!(refused["impersonatedUser"], json!({"username": "jane", "groups": ["system:authenticated"]}));
    assert_eq!(refused["objectRef"], json!({"resource": "deployments", "apiGroup": "apps", "apiVersion": "v1"}));
    let why = "deployments.apps is forbidden: User \"jane\" cannot list resource \"deployments\" in API group \"apps\" at \
               the cluster scope";
    assert_eq!(
        refused["responseStatus"],
        json!({
            "metadata": {}, "status": "Failure", "message": why, "reason": "Forbidden",
            "details": {"group": "apps", "kind": "deployments"}, "code": 403,
        })
    );
    assert_eq!(refused["annotations"]["authorization.k8s.io/decision"], "forbid");
}

#[tokio::test]
async fn nothing_is_counted_unless_it_is_asked_for() {
    let world = World::new();
    world.get(MAPS).await.expect(200);
    let text = world.get("/metrics").await.text;
    assert!(text.contains("kubernetes_build_info") && !text.contains("apiserver_request_total"), "{text}");
}
