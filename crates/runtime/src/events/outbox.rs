//! The way of emitted events: a bounded queue, and one task that sends them in order.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use pintle_client::Error;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::correlator::Correlator;
use super::publisher::{Publisher, SameNote};
use super::{Event, Reference};

pub(super) struct Outbox {
    publisher: Arc<Publisher>,
    queue: OnceLock<mpsc::Sender<Letter>>,
    counts: Arc<Counts>,
}

type Letter = (Event, ObjectReference);

struct Counts {
    dropped: AtomicU64,
    /// How many are on their way.
    pending: watch::Sender<usize>,
}

/// So many events wait at most; client-go's number.
const QUEUE_MAX: usize = 1000;
/// So often an event is tried, client-go's number: two minutes of an API server that is down.
const TRIES_MAX: u32 = 12;
/// Between tries.
const RETRY_AFTER: Duration = Duration::from_secs(10);

impl Outbox {
    pub(super) fn new(publisher: Arc<Publisher>) -> Self {
        let counts = Counts { dropped: AtomicU64::new(0), pending: watch::Sender::new(0) };
        Self { publisher, queue: OnceLock::new(), counts: Arc::new(counts) }
    }

    pub(super) fn dropped(&self) -> u64 {
        self.counts.dropped.load(Ordering::Relaxed)
    }

    pub(super) fn post(&self, event: &Event, regarding: &ObjectReference) {
        let Ok(runtime) = Handle::try_current() else {
            return self.counts.drop_one("emit was called outside a tokio runtime, where no event can be sent");
        };
        let queue = self.queue.get_or_init(|| {
            let (queue, letters) = mpsc::channel(QUEUE_MAX);
            runtime.spawn(send_all(Arc::clone(&self.publisher), Arc::clone(&self.counts), letters));
            queue
        });
        self.counts.pending.send_modify(|pending| *pending += 1);
        if queue.try_send((event.clone(), regarding.clone())).is_err() {
            self.counts.drop_one("too many events wait to be sent: is the API server slow?");
            self.counts.done();
        }
    }

    pub(super) async fn flush(&self) {
        // The sender lives as long as this does, so the wait ends only by reaching zero.
        let _ = self.counts.pending.subscribe().wait_for(|pending| *pending == 0).await;
    }
}

impl Counts {
    fn drop_one(&self, why: &str) {
        let before = self.dropped.fetch_add(1, Ordering::Relaxed);
        // At 1, 2, 4, 8, …: seen at once, and no flood of its own.
        if (before + 1).is_power_of_two() {
            tracing::warn!(dropped = before + 1, "events are lost: {why}");
        }
    }

    fn done(&self) {
        self.pending.send_modify(|pending| *pending -= 1);
    }
}

async fn send_all(publisher: Arc<Publisher>, counts: Arc<Counts>, mut letters: mpsc::Receiver<Letter>) {
    let mut correlator = Correlator::default();
    while let Some((event, regarding)) = letters.recv().await {
        match correlator.judge(&event, &Reference(regarding.clone()), Instant::now()) {
            Some(event) => send(&publisher, &counts, &event, &regarding).await,
            None => counts.drop_one("one object had too many of them"),
        }
        counts.done();
    }
}

async fn send(publisher: &Publisher, counts: &Counts, event: &Event, regarding: &ObjectReference) {
    for _ in 1..TRIES_MAX {
        match publisher.publish(event, regarding, SameNote::IsNeeded).await {
            Ok(()) => return,
            Err(error) if is_final(&error) => {
                return counts.drop_one(&format!("the server refused one: {error}{}", remedy(&error)));
            }
            Err(_) => tokio::time::sleep(RETRY_AFTER).await,
        }
    }
    if let Err(error) = publisher.publish(event, regarding, SameNote::IsNeeded).await {
        counts.drop_one(&format!("the API server did not take one for two minutes: {error}"));
    }
}

/// What to do about a refusal.
fn remedy(error: &Error) -> &'static str {
    match error {
        Error::Api(status) if status.is_forbidden() => {
            "; a role must grant create and patch on events of API group \"events.k8s.io\" to this program"
        }
        _ => "",
    }
}

/// Whether trying again will not help.
fn is_final(error: &Error) -> bool {
    matches!(error, Error::Api(status) if (400..500).contains(&status.code) && status.code != 429)
}
