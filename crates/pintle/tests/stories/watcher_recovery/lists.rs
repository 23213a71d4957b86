//! Lists that are old, expire, or are not what the server can do: each is followed by one that is right.

use super::*;

/// kube 5: an older list replaces the store, and deleted objects come back.
#[tokio::test(start_paused = true)]
async fn a_relist_from_a_lagging_replica_does_not_bring_deleted_objects_back() {
    for config in [by_pages(), watcher::Config::default(), by_pages().any_semantic()] {
        let follower = Follower::on(server(), config);
        follower.create("a").await;
        follower.settles().await;
        follower.delete("a").await;
        follower.create("b").await;
        follower.settles().await;
        let stale = follower
            .server
            .fault(Requests::all().of("configmaps").within("default").times(1), Fault::Stale { behind: 3 });
        let mut changes = follower.store.changes();
        follower.server.fault(watches().times(1), Fault::gone());
        follower.server.cut_watches(&watches());
        sleep(Duration::from_secs(120)).await;
        assert_eq!(stale.fired(), 1, "the first list is stale");
        assert!(follower.is_true().await);
        let changed: Vec<_> =
            std::iter::from_fn(|| futures::FutureExt::now_or_never(changes.next()).flatten()).collect();
        assert_eq!(
            changed.iter().map(|it| it.key.name.as_ref()).collect::<Vec<_>>(),
            ["b"],
            "{changed:?}, {}",
            stale.fired()
        );
    }
}

/// A restored etcd: the older list is right now, and an operator should know.
#[tokio::test(start_paused = true)]
async fn a_cluster_restored_from_a_backup_is_accepted_and_logged() {
    let log = Log::catch();
    let follower = Follower::on(server(), watcher::Config::default());
    follower.create("a").await;
    follower.settles().await;
    let backup = follower.server.revision();
    follower.create("b").await;
    follower.settles().await;
    follower.server.rewind(backup).unwrap();
    // Servers accept a watch from a future version and stay silent, so only the next list shows it.
    follower.server.fault(watches().times(1), Fault::gone());
    follower.server.cut_watches(&watches());
    assert!(follower.settles().await < 60);
    assert_eq!(follower.store.len(), 1);
    assert_eq!(log.lines_with("older than what was seen").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_server_without_streaming_lists_is_detected_listed_by_pages_and_remembered() {
    for (fault, patience) in [
        (Fault::StreamingListRefused, 0),
        (Fault::StreamingListIgnored, 11),
        (Fault::NoEndBookmark, 11),
        (Fault::NoBookmarks, 11),
    ] {
        let server = server();
        let (name, is_remembered) = (fault.name(), !matches!(fault, Fault::StreamingListRefused));
        server.fault(watches(), fault);
        let follower = Follower::on(server, watcher::Config::default());
        follower.create("a").await;
        let settled = follower.settles().await;
        assert!(settled <= patience, "{name}: {settled} s");
        for round in 0..3 {
            follower.server.expire_history();
            follower.server.cut_watches(&watches());
            follower.create(&format!("b{round}")).await;
            let settled = follower.settles().await;
            assert!(settled <= 20, "{name}: {settled} s for relist {round}");
        }
        if is_remembered {
            assert_eq!(follower.asked("sendInitialEvents=true"), 1, "{name} is remembered");
        }
    }
}

/// The consumer may take its time: the server is not to blame for it, and streams its lists as before.
#[tokio::test(start_paused = true)]
async fn a_slow_consumer_of_a_streaming_list_does_not_make_the_server_one_without_them() {
    let server = server();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    for name in ["a", "b", "c"] {
        maps.create(&PostParams::default(), &config_map(name)).await.unwrap();
    }
    // The list stays open, so that it can be cut before its end.
    server.fault(watches(), Fault::NoEndBookmark);
    let mut watch = watcher(maps, watcher::Config::default()).boxed();
    let (mut rounds, mut is_cut) = (0, false);
    while rounds < 2 {
        match watch.next().await.unwrap() {
            Ok(watcher::Event::InitApply(_)) if !is_cut => {
                sleep(Duration::from_secs(100)).await;
                is_cut = server.cut_watches(&watches()) > 0;
            }
            Ok(watcher::Event::InitDone) => {
                rounds += 1;
                // The next round begins when the watch cannot go on from here.
                let other: Api<ConfigMap> = Api::default_namespaced(server.client());
                other.create(&PostParams::default(), &config_map(&format!("d{rounds}"))).await.unwrap();
                server.expire_history();
                server.cut_watches(&watches());
            }
            _ => {}
        }
    }
    assert_eq!(asked(&server, "sendInitialEvents=true"), 2, "after a round by pages the next one is streamed again");
}

/// kube: pages from the beginning, which expire again before the last of them is read, without end.
#[tokio::test(start_paused = true)]
async fn pages_that_expire_each_time_are_followed_by_everything_at_once() {
    let server = server();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    for name in ["a", "b", "c"] {
        maps.create(&PostParams::default(), &config_map(name)).await.unwrap();
    }
    let (store, writer) = store();
    let watch = watcher(maps.clone(), by_pages().page_size(1)).reflect(writer);
    let following = watch.for_each(|event| {
        let (server, maps) = (server.clone(), maps.clone());
        async move {
            if matches!(event, Ok(watcher::Event::InitApply(_))) {
                let patch = Patch::Merge(serde_json::json!({"data": {"now": format!("{:?}", Instant::now())}}));
                maps.patch("c", &PatchParams::default(), &patch).await.unwrap();
                server.expire_history();
            }
        }
    });
    tokio::select! {
        biased;
        ready = store.wait_until_ready() => ready.unwrap(),
        () = following => unreachable!("a watch does not end"),
        () = sleep(Duration::from_secs(600)) => panic!("the list is never complete"),
    }
    assert_eq!(store.len(), 3);
    assert_eq!((asked(&server, "limit=1"), asked(&server, "continue=")), (2, 1), "one page, one more, and no others");
}

/// Silence is not enough to detect it: with constant changes a server that ignores the option is never silent.
#[tokio::test(start_paused = true)]
async fn a_server_without_streaming_lists_is_detected_even_if_objects_keep_changing() {
    for fault in [Fault::StreamingListIgnored, Fault::NoEndBookmark] {
        let server = server();
        server.fault(watches(), fault);
        let follower = Follower::on(server, watcher::Config::default());
        let start = Instant::now();
        let mut number = 0;
        while !follower.store.is_ready() {
            follower.create(&format!("m{number}")).await;
            follower.touch("m0").await;
            number += 1;
            sleep(Duration::from_millis(500)).await;
        }
        assert!(start.elapsed().as_secs() <= 15, "after {:?}", start.elapsed());
    }
}

/// kube before 3.0: each reconnect yielded all objects as initial again.
#[tokio::test(start_paused = true)]
async fn a_completed_streaming_list_that_is_cut_resumes_without_listing_again() {
    let follower = Follower::on(server(), watcher::Config::default());
    follower.create("a").await;
    follower.settles().await;
    for round in 0..5 {
        follower.server.cut_watches(&watches());
        follower.create(&format!("b{round}")).await;
        follower.settles().await;
    }
    assert_eq!(follower.asked("sendInitialEvents=true"), 1);
}

/// kube 5 sends no version with a limit, so `any_semantic()` had no effect.
#[tokio::test(start_paused = true)]
async fn any_semantic_lists_with_resource_version_zero() {
    let follower = Follower::on(server(), by_pages().any_semantic());
    follower.store.wait_until_ready().await.unwrap();
    assert_eq!(follower.asked("resourceVersion=0"), 1);
}
