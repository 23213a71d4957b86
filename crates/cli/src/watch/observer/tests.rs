//! What is told of events, and of what they leave out.

use pintle::Client;
use pintle::api::{Api, ApiResource, DynamicObject, GroupVersionKind};
use pintle::runtime::watcher::watcher;
use pintle_apiserver::Server;
use serde_json::json;

use super::*;

/// The report of a watch that was never polled.
pub(in crate::watch) fn idle_report() -> Report {
    let client = Client::new(Server::new(), "default");
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "ConfigMap"));
    watcher(Api::<DynamicObject>::all_with(client, &resource), watcher::Config::default()).health().report()
}

fn object(name: &str, uid: &str, version: &str, changed_at: &str) -> DynamicObject {
    let metadata = json!({"name": name, "uid": uid, "resourceVersion": version, "creationTimestamp": changed_at});
    serde_json::from_value(json!({"metadata": metadata})).unwrap()
}

const TEN: &str = "2026-01-01T10:00:00Z";
const LATER: &str = "2026-01-01T10:00:05Z";

/// Names, sources and ages of what each event is reported as.
fn told(observer: &mut Observer, report: &Report, events: Vec<Event<DynamicObject>>) -> Vec<String> {
    let time: Timestamp = "2026-01-01T10:00:06.5Z".parse().unwrap();
    let notices = events.into_iter().flat_map(|event| observer.on_event(event, report, time, Instant::now()));
    let told = notices.map(|notice| match notice.what {
        What::Object(change, seen) => {
            let age = seen.latency.map(|age| format!(" {} s", age.as_secs_f64())).unwrap_or_default();
            format!("{change:?} {} {:?}{age}", seen.name, seen.source)
        }
        other => other.name().to_owned(),
    });
    told.collect()
}

#[tokio::test]
async fn what_happened_while_nobody_watched_is_found_by_the_next_list() {
    let (mut observer, mut report) = (Observer::new(Instant::now()), idle_report());
    let begun = told(
        &mut observer,
        &report,
        vec![
            Event::Init,
            Event::InitApply(object("a", "1", "1", TEN)),
            Event::InitApply(object("b", "2", "2", TEN)),
            Event::InitApply(object("c", "3", "3", TEN)),
            Event::InitApply(object("d", "4", "4", TEN)),
            Event::InitDone,
        ],
    );
    let expected = ["LISTING", "Exists a List", "Exists b List", "Exists c List", "Exists d List", "SYNCED"];
    assert_eq!(begun, expected);
    report.watches = 1;
    assert!(observer.is_behind(&report));
    assert!(observer.opened(&report, Timestamp::UNIX_EPOCH).is_none(), "a list is followed by a watch");

    let again = told(
        &mut observer,
        &report,
        vec![
            Event::Init,
            Event::InitApply(object("a", "1", "1", TEN)),
            Event::InitApply(object("b", "2", "9", LATER)),
            // Another one of the same name.
            Event::InitApply(object("c", "5", "10", LATER)),
            Event::InitApply(object("e", "6", "11", LATER)),
            Event::InitDone,
        ],
    );
    let expected = ["LISTING", "Modified b List", "Added c List", "Added e List", "Deleted d List", "SYNCED"];
    assert_eq!(again, expected);
    report.watches = 2;
    assert!(observer.opened(&report, Timestamp::UNIX_EPOCH).is_none());
    report.watches = 3;
    assert!(observer.opened(&report, Timestamp::UNIX_EPOCH).is_some(), "the watch before had ended");
}

#[tokio::test]
async fn a_change_is_as_old_as_the_newest_time_in_it_and_a_time_seen_before_says_nothing() {
    let (mut observer, mut report) = (Observer::new(Instant::now()), idle_report());
    told(&mut observer, &report, vec![Event::Init]);
    report.watches = 1;
    told(&mut observer, &report, vec![Event::InitDone]);
    assert!(!observer.is_behind(&report), "the watch that brought the list goes on");
    let changes = told(
        &mut observer,
        &report,
        vec![
            Event::Apply(object("a", "1", "1", LATER)),
            Event::Apply(object("a", "1", "2", LATER)),
            Event::Apply(object("b", "2", "3", "2026-01-01T10:00:09Z")),
            Event::Delete(object("a", "1", "4", LATER)),
        ],
    );
    // The server's clock is ahead for the third.
    let expected = ["Added a Watch 1.5 s", "Modified a Watch", "Added b Watch 0 s", "Deleted a Watch"];
    assert_eq!(changes, expected);
    let (mean, max) = observer.latency().of_all().unwrap();
    assert_eq!((mean, max), (Duration::from_millis(750), Duration::from_millis(1500)));
}
