//! Faults of single requests: each fires, is counted, and shows in the trace.

use std::time::Duration;

use super::world::{MAPS, World, names, version};
use futures::FutureExt;
use pintle_apiserver::{Fault, Interrupted, Requests, Server, TraceEvent};
use pintle_wire::{CutError, Cutter, FrameError, Framer, HeadReader, Limits, MediaType};
use serde_json::{Value, json};
use tokio::time::{Instant, advance};

/// The names of the faults in the trace, in order.
pub(crate) fn traced(world: &World) -> Vec<&'static str> {
    let lines = world.server.trace();
    lines.iter().filter_map(|line| if let TraceEvent::Fault(name) = line.event { Some(name) } else { None }).collect()
}

#[tokio::test]
async fn each_refusal_has_the_code_the_reason_and_the_retry_time_it_should_have() {
    let second = Some(Duration::from_secs(1));
    let table = [
        (Fault::forbidden(), 403, "Forbidden", ""),
        (Fault::conflict(), 409, "Conflict", ""),
        (Fault::gone(), 410, "Expired", ""),
        (Fault::too_many_requests(second), 429, "TooManyRequests", "1"),
        (Fault::internal_error(), 500, "InternalError", ""),
        (Fault::unavailable(second), 503, "ServiceUnavailable", "1"),
        (Fault::timeout(), 504, "Timeout", ""),
    ];
    for (fault, code, reason, retry_after) in table {
        let world = World::new();
        let name = fault.name();
        let rule = world.server.fault(Requests::creates().times(1), fault);
        let refused = world.post(MAPS, json!({"metadata": {"name": "a"}})).await;
        assert_eq!(refused.header("retry-after"), retry_after);
        assert_eq!(refused.expect(code)["reason"], reason);
        assert_eq!(world.get(&format!("{MAPS}/a")).await.code, 404, "it had no effect");
        assert_eq!(world.post(MAPS, json!({"metadata": {"name": "a"}})).await.code, 201, "once and no more");
        assert_eq!((rule.fired(), world.server.faults_fired()[name]), (1, 1));
        assert_eq!(traced(&world), [name]);
    }
}

#[tokio::test]
async fn a_rule_means_the_requests_it_names_as_often_as_it_says() {
    let world = World::new();
    let rule = world.server.fault(Requests::gets().of("configmaps").skip(1).times(2), Fault::internal_error());
    let mut codes = Vec::new();
    for _ in 0..4 {
        codes.push(world.get(&format!("{MAPS}/a")).await.code);
        assert_eq!(world.get(MAPS).await.code, 200, "a list is not a get");
    }
    assert_eq!(codes, [404, 500, 500, 404]);
    assert_eq!((rule.met(), rule.fired()), (4, 2));
    let third = world.server.fault(Requests::gets().nth(3), Fault::internal_error());
    let mut codes = Vec::new();
    for _ in 0..4 {
        codes.push(world.get(&format!("{MAPS}/a")).await.code);
    }
    assert_eq!((codes, third.fired()), (vec![404, 404, 500, 404], 1));
}

#[tokio::test]
async fn a_lifted_rule_is_over() {
    let world = World::new();
    let rule = world.server.fault(Requests::all(), Fault::forbidden());
    assert_eq!(world.get(MAPS).await.code, 403);
    assert_eq!(world.get("/healthz").await.code, 403, "all is all");
    rule.lift();
    assert_eq!(world.get(MAPS).await.code, 200);
    world.server.fault(Requests::all(), Fault::forbidden());
    world.server.lift_faults();
    assert_eq!(world.get(MAPS).await.code, 200);
}

#[tokio::test]
async fn chance_is_drawn_from_the_seed_and_changes_no_uid() {
    let run = async |faulty: bool| {
        let world = World::new();
        if faulty {
            world.server.fault(Requests::lists().with_chance(0.5), Fault::internal_error());
        }
        let mut codes = Vec::new();
        for _ in 0..20 {
            codes.push(world.get(MAPS).await.code);
        }
        let uid = world.post(MAPS, json!({"metadata": {"name": "a"}})).await.expect(201)["metadata"]["uid"].clone();
        (codes, uid)
    };
    let (first, second, plain) = (run(true).await, run(true).await, run(false).await);
    assert_eq!(first, second);
    assert!(first.0.contains(&500) && first.0.contains(&200));
    assert_eq!(first.1, plain.1);
}

#[tokio::test]
async fn a_request_can_be_lost_before_it_takes_effect_and_its_answer_after() {
    let world = World::new();
    let body = |name: &str| json!({"metadata": {"name": name}}).to_string().into_bytes();
    let before = world.server.fault(Requests::creates().nth(1), Fault::LostRequest);
    let after = world.server.fault(Requests::creates().nth(1), Fault::LostResponse);
    assert_eq!(world.try_send("POST", MAPS, &[], body("a")).await.err(), Some(Interrupted));
    assert_eq!(world.get(&format!("{MAPS}/a")).await.code, 404);
    assert_eq!(world.try_send("POST", MAPS, &[], body("b")).await.err(), Some(Interrupted));
    assert_eq!(world.get(&format!("{MAPS}/b")).await.code, 200);
    assert_eq!((before.fired(), after.fired()), (1, 1));
    assert_eq!(traced(&world), ["lost request", "lost response"]);
    assert!(world.server.trace().iter().any(|line| line.event == TraceEvent::Interrupted));
}

#[tokio::test(start_paused = true)]
async fn a_request_can_be_delayed_or_never_answered() {
    let world = World::new();
    world.server.fault(Requests::lists().times(1), Fault::Delay(Duration::from_secs(7)));
    let begun = Instant::now();
    assert_eq!(world.get(MAPS).await.code, 200);
    assert_eq!(begun.elapsed(), Duration::from_secs(7));
    world.server.fault(Requests::lists().times(1), Fault::Hang);
    assert!(tokio::time::timeout(Duration::from_secs(3600), world.get(MAPS)).await.is_err());
    assert_eq!(traced(&world), ["delay", "hang"]);
}

#[tokio::test]
async fn a_stale_read_shows_the_past_under_its_own_version() {
    let world = World::new();
    let first = world.map("a").await;
    world.map("b").await;
    world.map("c").await;
    let rule = world.server.fault(Requests::reads().of("configmaps"), Fault::Stale { behind: 2 });
    let list = world.get(MAPS).await.expect(200);
    assert_eq!((names(&list), version(&list)), (vec!["a".to_owned()], first.clone()));
    assert_eq!(world.get(&format!("{MAPS}/b")).await.code, 404);
    assert_eq!(world.get(&format!("{MAPS}/a")).await.code, 200);
    let newest = world.server.revision();
    let refused = world.get(&format!("{MAPS}?resourceVersion={newest}")).await;
    assert_eq!(refused.code, 504, "a replica that lags behind cannot answer from the future: {}", refused.text);
    assert_eq!(rule.fired(), 4);
    rule.lift();
    assert_eq!(names(&world.get(MAPS).await.expect(200)), ["a", "b", "c"]);
}

#[tokio::test]
async fn an_answer_can_break_off_at_any_byte() {
    let world = World::new();
    world.map("a").await;
    let whole = world.get(MAPS).await.text;
    for at in [0, 1, whole.len() / 2, whole.len() - 1] {
        let rule = world.server.fault(Requests::lists().times(1), Fault::Truncate { at });
        assert!(world.try_send("GET", MAPS, &[], Vec::new()).await.is_err(), "at {at}");
        assert_eq!(rule.fired(), 1);
    }
    let beyond = world.server.fault(Requests::lists().times(1), Fault::Truncate { at: whole.len() });
    assert_eq!(world.get(MAPS).await.text, whole);
    assert_eq!(beyond.fired(), 0, "nothing was cut off");
}

#[tokio::test]
async fn one_object_of_a_list_can_be_undecodable() {
    let world = World::new();
    world.map("a").await;
    world.map("b").await;
    world.server.fault(Requests::reads(), Fault::Undecodable { nth: 1 });
    let list = world.get(MAPS).await.expect(200);
    assert_eq!(names(&list), ["a", "b"]);
    assert!(list["items"][0].get("data").is_none());
    assert_eq!(list["items"][1]["data"], "undecodable");
    assert_eq!(world.get(&format!("{MAPS}/a")).await.expect(200)["data"], "undecodable");
    assert_eq!(traced(&world), ["undecodable", "undecodable"]);
}

/// What a client reads of objects in protobuf: the name of each, and whether the rest can be read.
fn read(heads: &mut HeadReader, object: pintle_wire::Body<'_>) -> (String, bool) {
    (heads.read_body(object).unwrap().name().to_owned(), object.decode::<Value>().is_ok())
}

#[tokio::test(start_paused = true)]
async fn an_object_can_be_undecodable_in_lists_and_watches_of_protobuf() {
    let world = World::new();
    for name in ["a", "b", "c"] {
        world.map(name).await;
    }
    let expected = [("a".to_owned(), true), ("b".to_owned(), false), ("c".to_owned(), true)];
    let rule = world.server.fault(Requests::all(), Fault::Undecodable { nth: 1 });
    let (mut heads, mut listed, mut watched) = (HeadReader::new(), Vec::new(), Vec::new());
    let protobuf = [("accept", "application/vnd.kubernetes.protobuf")];
    let (_, body) = world.bytes("GET", MAPS, &protobuf, Vec::new()).await;
    let mut cutter = Cutter::new(MediaType::Protobuf, Limits::default());
    let mut on_item = |object: pintle_wire::Body<'_>| {
        listed.push(read(&mut heads, object));
        Ok::<_, CutError>(())
    };
    cutter.push(&body, &mut on_item).unwrap();
    assert_eq!((&listed[..], rule.fired()), (&expected[..], 1));

    let path = format!("{MAPS}?watch=true&resourceVersion=0&timeoutSeconds=5");
    let protobuf = [("accept", "application/vnd.kubernetes.protobuf;stream=watch")];
    let (_, body) = world.bytes("GET", &path, &protobuf, Vec::new()).await;
    let mut framer = Framer::new(MediaType::Protobuf, Limits::default());
    let mut on_frame = |frame: pintle_wire::Frame<'_>| {
        watched.push(read(&mut heads, frame.object));
        Ok::<_, FrameError>(())
    };
    framer.push(&body, &mut on_frame).unwrap();
    assert_eq!((&watched[..], rule.fired()), (&expected[..], 2));
}

#[tokio::test]
async fn older_servers_know_no_protobuf_and_no_aggregated_discovery() {
    let world = World { server: Server::builder().older_server().build() };
    let accept = [("accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json")];
    assert_eq!(world.send("GET", "/apis", &accept, Vec::new()).await.expect(200)["kind"], "APIGroupList");
    let protobuf = [("content-type", "application/vnd.kubernetes.protobuf")];
    world.send("POST", MAPS, &protobuf, Vec::new()).await.expect(415);
    let both = [("accept", "application/vnd.kubernetes.protobuf,application/json")];
    assert_eq!(world.send("GET", MAPS, &both, Vec::new()).await.header("content-type"), "application/json");
    let streaming = format!("{MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
    world.get(&streaming).await.expect(422);
    assert_eq!(traced(&world), ["legacy discovery", "JSON only", "JSON only", "streaming list refused"]);
}

#[tokio::test(start_paused = true)]
async fn a_handle_without_faults_is_neither_refused_nor_cut_nor_traced() {
    let world = World::new();
    let observer = World { server: world.server.without_faults() };
    world.server.fault(Requests::all(), Fault::unavailable(None));
    world.get(MAPS).await.expect(503);
    let mut watch = observer.watch(&format!("{MAPS}?watch=true")).await;
    assert_eq!(world.server.break_watches(&Requests::watches()), 0);
    observer.post(MAPS, json!({"metadata": {"name": "a"}})).await.expect(201);
    assert_eq!(watch.next().await.unwrap()["object"]["metadata"]["name"], "a");
    let paths: Vec<String> = world.server.trace().into_iter().map(|line| line.path).collect();
    assert_eq!(paths, [MAPS, MAPS], "the fault and the answer of the one request that met it");
}

#[tokio::test(start_paused = true)]
async fn the_trace_says_how_long_a_request_took() {
    let world = World::new();
    let slowness = Duration::from_secs(2);
    world.server.fault(Requests::lists(), Fault::Delay(slowness));
    world.get(MAPS).await.expect(200);
    let after: Vec<Duration> = world.server.trace().iter().map(|line| line.after).collect();
    assert_eq!(after, [Duration::ZERO, slowness]);
}

#[tokio::test]
async fn what_is_done_to_the_whole_server_is_in_its_trace() {
    let world = World::new();
    let version = world.server.revision();
    world.server.pause();
    world.server.resume();
    world.server.rewind(version).unwrap();
    world.server.expire_history();
    let lines: Vec<String> = world.server.trace().iter().map(ToString::to_string).collect();
    assert_eq!(lines, ["server: pause", "server: resume", "server: rewind", "server: expire history"]);
    assert!(world.server.rewind(version + 1).is_err());
    assert_eq!(world.server.trace().len(), 4, "what did not happen is not in the trace");
}

#[tokio::test]
async fn storms_of_conflicts_and_of_429s_pass_and_every_gust_is_counted() {
    let world = World::new();
    let conflicts = world.server.fault(Requests::writes().of("configmaps").times(20), Fault::conflict());
    let busy = Fault::too_many_requests(Some(Duration::from_secs(1)));
    let refusals = world.server.fault(Requests::lists().of("configmaps").times(5), busy);
    for _ in 0..20 {
        let refused = world.post(MAPS, json!({"metadata": {"name": "a"}})).await;
        assert_eq!(refused.expect(409)["reason"], "Conflict");
    }
    for _ in 0..5 {
        let refused = world.get(MAPS).await;
        assert_eq!((refused.code, refused.header("retry-after")), (429, "1"));
    }
    world.map("a").await;
    assert_eq!(world.get(MAPS).await.code, 200);
    assert_eq!((conflicts.fired(), refusals.fired()), (20, 5));
    assert_eq!(world.server.faults_fired(), [("answer 409", 20), ("answer 429", 5)].into());
    assert_eq!(traced(&world).len(), 25);
}

#[tokio::test(start_paused = true)]
async fn a_paused_server_answers_nothing_until_it_goes_on() {
    let world = World::new();
    let mut watch = world.watch(&format!("{MAPS}?watch=true&resourceVersion={}", world.server.revision())).await;
    let created = world.map("a").await;
    world.server.pause();
    let waiting = world.get(MAPS);
    tokio::pin!(waiting);
    assert!(waiting.as_mut().now_or_never().is_none());
    assert!(watch.is_quiet());
    advance(Duration::from_secs(60)).await;
    assert!(waiting.as_mut().now_or_never().is_none());
    world.server.resume();
    assert_eq!(waiting.await.code, 200);
    assert_eq!(watch.line().await, format!("ADDED a@{created}"));
}

#[tokio::test]
async fn a_rewound_server_is_as_it_was_and_counts_on_from_there() {
    let world = World::new();
    world.define().await;
    let first: u64 = world.map("a").await.parse().unwrap();
    let mut watch = world.watch(&format!("{MAPS}?watch=true&resourceVersion={first}")).await;
    world.map("b").await;
    world.delete(&format!("{MAPS}/a")).await.expect(200);
    world.server.rewind(first).unwrap();
    assert_eq!(watch.line().await, format!("ADDED b@{}", first + 1));
    assert!(watch.line().await.starts_with("DELETED a@"));
    assert_eq!(watch.line().await, "END");
    let list = world.get(MAPS).await.expect(200);
    assert_eq!((names(&list), version(&list)), (vec!["a".to_owned()], first.to_string()));
    assert_eq!(world.map("c").await, (first + 1).to_string(), "versions are given out again");
    assert_eq!(world.get(super::world::DOCUMENTS).await.code, 200, "definitions are served as before");
    assert!(world.server.rewind(first + 100).is_err());
    world.server.expire_history();
    assert!(world.server.rewind(first).is_err());
}

#[tokio::test]
async fn history_can_be_forgotten_up_to_a_version() {
    let world = World::new();
    let first = world.map("a").await;
    let second = world.map("b").await;
    world.map("c").await;
    world.server.expire_history_before(second.parse().unwrap());
    let code = async |from: &str| {
        let mut watch = world.watch(&format!("{MAPS}?watch=true&resourceVersion={from}")).await;
        watch.next().await.unwrap()["object"]["code"].clone()
    };
    assert_eq!(code(&first).await, 410);
    assert_eq!(code(&second).await, json!(null));
}

#[tokio::test]
async fn uids_come_from_where_the_builder_says() {
    let mut next = 0;
    let uids = move || {
        next += 1;
        uuid::Uuid::from_u128(next)
    };
    let world = World { server: Server::builder().uids(uids).build() };
    world.map("a").await;
    let uid = |object: &Value| object["metadata"]["uid"].as_str().unwrap().to_owned();
    let first = uid(&world.get("/api/v1/namespaces/default").await.expect(200));
    assert_eq!(first, "00000000-0000-0000-0000-000000000001");
    assert_ne!(uid(&world.get(&format!("{MAPS}/a")).await.expect(200)), first);
}
