//! Faults of watches: each fires where it says, is counted, and shows in the trace.

use std::time::Duration;

use super::faults::traced;
use super::world::{MAPS, Watch, World};
use pintle_apiserver::{Fault, Requests, Server};
use serde_json::json;
use tokio::time::{Instant, advance};

const STREAMING: &str = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

/// A watch from now on of a world with one rule about watches, and three objects created since.
async fn bent(fault: Fault) -> (World, Watch, pintle_apiserver::Rule) {
    let world = World::new();
    let rule = world.server.fault(Requests::watches().of("configmaps"), fault);
    let watch = world.watch(&format!("{MAPS}?watch=true&resourceVersion={}", world.server.revision())).await;
    for name in ["a", "b", "c"] {
        world.map(name).await;
    }
    (world, watch, rule)
}

/// The types of the next events, without what follows them.
async fn kinds(watch: &mut Watch, count: usize) -> Vec<String> {
    let mut kinds = Vec::new();
    for _ in 0..count {
        kinds.push(watch.line().await.split('@').next().unwrap_or_default().to_owned());
    }
    kinds
}

#[tokio::test]
async fn a_watch_is_cut_or_broken_or_expires_after_the_event_that_was_said() {
    let table = [
        (Fault::Cut { after: 2 }, "END", "cut"),
        (Fault::Break { after: 2 }, "BROKEN", "break"),
        (Fault::Expire { after: 2 }, "ERROR ", "expire"),
        (Fault::internal_error().in_watch(2), "ERROR ", "error event"),
    ];
    for (fault, end, name) in table {
        let (world, mut watch, rule) = bent(fault).await;
        assert_eq!(kinds(&mut watch, 3).await, ["ADDED a", "ADDED b", end]);
        assert_eq!((rule.fired(), traced(&world)), (1, vec![name]));
        assert!(matches!(&*watch.line().await, "END" | "BROKEN"), "nothing comes after");
    }
    let (_, mut watch, rule) = bent(Fault::Cut { after: 0 }).await;
    assert_eq!((watch.line().await, rule.fired()), ("END".to_owned(), 1));
    let (_, mut watch, rule) = bent(Fault::Cut { after: 9 }).await;
    assert_eq!(kinds(&mut watch, 3).await, ["ADDED a", "ADDED b", "ADDED c"]);
    assert_eq!(rule.fired(), 0, "it never got there");
}

#[tokio::test(start_paused = true)]
async fn a_stalled_watch_is_silent_and_open() {
    let (world, mut watch, rule) = bent(Fault::Stall { after: 1 }).await;
    assert_eq!(kinds(&mut watch, 1).await, ["ADDED a"]);
    assert!(tokio::time::timeout(Duration::from_secs(1000), watch.next()).await.is_err());
    assert_eq!((rule.fired(), traced(&world)), (1, vec!["stall"]));
    assert_eq!(world.server.cut_watches(&Requests::watches()), 1);
    assert_eq!(watch.line().await, "END", "even a silent watch can be cut");
}

#[tokio::test(start_paused = true)]
async fn events_can_be_slow() {
    let (_, mut watch, rule) = bent(Fault::SlowEvents(Duration::from_secs(2))).await;
    let begun = Instant::now();
    assert_eq!(kinds(&mut watch, 3).await, ["ADDED a", "ADDED b", "ADDED c"]);
    assert_eq!((begun.elapsed(), rule.fired()), (Duration::from_secs(6), 1));
}

#[tokio::test]
async fn a_frame_can_break_off_at_any_byte() {
    let (_, mut watch, _) = bent(Fault::Cut { after: 3 }).await;
    let first = watch.next().await.unwrap().to_string().len() + 1;
    for at in [0, 1, first - 1, first, first + 1] {
        let (world, mut watch, rule) = bent(Fault::Truncate { at }).await;
        let mut whole = 0;
        while watch.next().await.is_some() {
            whole += 1;
        }
        assert!(watch.broken);
        assert_eq!((whole, watch.text.len()), (at / first, at % first), "at {at}");
        assert_eq!((rule.fired(), traced(&world)), (1, vec!["truncate"]));
    }
}

#[tokio::test]
async fn one_event_can_be_undecodable_and_the_watch_goes_on() {
    let (_, mut watch, rule) = bent(Fault::Undecodable { nth: 1 }).await;
    let events = [watch.next().await.unwrap(), watch.next().await.unwrap(), watch.next().await.unwrap()];
    assert_eq!(
        events.each_ref().map(|event| event["object"]["data"].clone()),
        [json!(null), json!("undecodable"), json!(null)]
    );
    assert_eq!((&events[1]["object"]["metadata"]["name"], rule.fired()), (&json!("b"), 1));
}

#[tokio::test]
async fn a_stale_streaming_list_begins_in_the_past_and_catches_up() {
    let world = World::new();
    let first = world.map("a").await;
    let second = world.map("b").await;
    world.server.fault(Requests::watches(), Fault::Stale { behind: 1 });
    let mut watch = world.watch(&format!("{MAPS}?{STREAMING}")).await;
    assert_eq!(watch.line().await, format!("ADDED a@{first}"));
    assert_eq!(watch.line().await, format!("BOOKMARK @{first}"));
    assert_eq!(watch.line().await, format!("ADDED b@{second}"));
}

#[tokio::test(start_paused = true)]
async fn bookmarks_can_be_withheld_and_sent() {
    let world = World::new();
    let at = world.map("a").await;
    let rule = world.server.fault(Requests::watches().times(1), Fault::NoBookmarks);
    let mut without = world.watch(&format!("{MAPS}?{STREAMING}")).await;
    let mut with = world.watch(&format!("{MAPS}?{STREAMING}")).await;
    for watch in [&mut without, &mut with] {
        assert_eq!(watch.line().await, format!("ADDED a@{at}"));
    }
    assert_eq!(with.line().await, format!("BOOKMARK @{at}"));
    assert!(with.is_quiet() && without.is_quiet());
    world.post("/api/v1/namespaces", json!({"metadata": {"name": "n"}})).await.expect(201);
    assert_eq!(world.server.send_bookmarks(&Requests::watches().of("configmaps")), 2);
    assert_eq!(with.line().await, format!("BOOKMARK @{}", world.server.revision()));
    advance(Duration::from_secs(61)).await;
    assert!(with.line().await.starts_with("BOOKMARK @"));
    assert!(without.is_quiet(), "it gets none");
    assert_eq!(rule.fired(), 1);
}

#[tokio::test]
async fn older_servers_refuse_ignore_or_never_end_a_streaming_list() {
    let server = |fault| World { server: Server::builder().fault(Requests::watches(), fault).build() };
    let refusing = server(Fault::StreamingListRefused);
    let status = refusing.get(&format!("{MAPS}?{STREAMING}")).await.expect(422);
    assert!(status["message"].as_str().unwrap().contains("sendInitialEvents is forbidden for watch"), "{status}");
    let ignoring = server(Fault::StreamingListIgnored);
    ignoring.map("a").await;
    let mut watch = ignoring.watch(&format!("{MAPS}?{STREAMING}")).await;
    assert!(watch.is_quiet(), "what exists is not sent");
    let later = ignoring.map("b").await;
    assert_eq!(watch.line().await, format!("ADDED b@{later}"));
    let endless = server(Fault::NoEndBookmark);
    let at = endless.map("a").await;
    let mut watch = endless.watch(&format!("{MAPS}?{STREAMING}")).await;
    assert_eq!(watch.line().await, format!("ADDED a@{at}"));
    assert!(watch.is_quiet(), "it never says that this was all");
    for (world, name) in
        [(&refusing, "streaming list refused"), (&ignoring, "streaming list ignored"), (&endless, "no end bookmark")]
    {
        assert_eq!(traced(world), [name]);
        assert_eq!(world.server.faults_fired()[name], 1);
        assert_eq!(world.get(MAPS).await.code, 200, "everything else is as ever");
    }
}

#[tokio::test]
async fn open_watches_are_cut_broken_and_stalled_by_order() {
    let world = World::new();
    let path = format!("{MAPS}?watch=true&resourceVersion={}", world.server.revision());
    let (mut maps, mut secrets) = (world.watch(&path).await, world.watch(&path.replace("configmaps", "secrets")).await);
    assert_eq!(world.server.stall_watches(&Requests::watches().of("configmaps")), 1);
    let at = world.map("a").await;
    assert!(maps.is_quiet());
    assert_eq!(world.server.resume_watches(&Requests::watches().of("configmaps")), 1);
    assert_eq!(maps.line().await, format!("ADDED a@{at}"), "what it missed is sent");
    assert_eq!(world.server.break_watches(&Requests::watches().of("configmaps")), 1);
    assert_eq!(maps.line().await, "BROKEN");
    drop(maps);
    assert_eq!(world.server.cut_watches(&Requests::watches()), 1, "the broken one is gone");
    assert_eq!(secrets.line().await, "END");
    assert_eq!(traced(&world), ["stall", "resume", "break", "cut"]);
}
