//! Every write of a leader, in the order of their versions.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::Api;
use pintle::runtime::watcher;

use crate::cluster::value;

/// One write.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Write {
    pub(crate) term: i32,
    pub(crate) by: String,
}

/// What was written so far.
pub(crate) struct Writes {
    seen: Arc<Mutex<Seen>>,
    watching: tokio::task::JoinHandle<()>,
}

#[derive(Default)]
struct Seen {
    last: Option<Write>,
    count: usize,
    /// The first write that came after one of a later term, or of another writer in the same term.
    fault: Option<String>,
}

impl Writes {
    /// Watches the objects of `maps`.
    pub(crate) fn watch(maps: Api<ConfigMap>) -> Self {
        let seen = Arc::<Mutex<Seen>>::default();
        let noted = Arc::clone(&seen);
        let watching = tokio::spawn(async move {
            let mut events = watcher(maps, watcher::Config::default().labels("failover=object")).boxed();
            while let Some(event) = events.next().await {
                // A list would hide the order.
                if let Ok(watcher::Event::Apply(map)) = event {
                    noted.lock().unwrap().note(&map);
                }
            }
        });
        Self { seen, watching }
    }

    /// The last one.
    pub(crate) fn last(&self) -> Write {
        let seen = self.seen.lock().unwrap();
        assert_eq!(seen.fault, None, "two wrote at once");
        seen.last.clone().expect("something was written")
    }

    pub(crate) fn count(&self) -> usize {
        drop(self.last());
        self.seen.lock().unwrap().count
    }

    /// Waits for a write like that.
    pub(crate) async fn until(&self, limit: Duration, is_meant: impl Fn(&Write) -> bool) -> Write {
        let begun = Instant::now();
        loop {
            {
                let seen = self.seen.lock().unwrap();
                assert_eq!(seen.fault, None, "two wrote at once");
                if let Some(write) = seen.last.clone().filter(&is_meant) {
                    return write;
                }
                assert!(begun.elapsed() < limit, "nobody took over within {limit:?}; the last was {:?}", seen.last);
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Seen {
    fn note(&mut self, map: &ConfigMap) {
        let (Some(term), Some(by)) = (value(map, "term").and_then(|term| term.parse().ok()), value(map, "by")) else {
            return;
        };
        let write = Write { term, by: by.to_owned() };
        if let Some(last) = &self.last {
            let is_late = write.term < last.term || (write.term == last.term && write.by != last.by);
            if is_late && self.fault.is_none() {
                self.fault = Some(format!("{write:?} came after {last:?}"));
            }
        }
        self.count += 1;
        self.last = Some(write);
    }
}

impl Drop for Writes {
    fn drop(&mut self) {
        self.watching.abort();
    }
}
