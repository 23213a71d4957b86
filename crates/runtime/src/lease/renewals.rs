//! Each renewal of a lease as it happens, by a watch, for a candidate that stands by.
//!
//! In: the lease's changes. Out: the lease after each of them. The watch makes a takeover prompt and nothing safe: a candidate
//! claims only what it has read again. Where a lease may not be watched, or its watch is broken, the candidate's own reads
//! show the renewals a pause later.

use std::time::Duration;

use futures::stream::{BoxStream, StreamExt};
use k8s_openapi::api::coordination::v1::Lease;
use pintle_client::client::unrepeated::once;
use pintle_client::{Api, Error};
use pintle_core::WatchEvent;
use pintle_core::params::WatchParams;
use tokio::time::{Instant, sleep_until};

/// The watch of one lease.
pub(super) struct Renewals {
    api: Api<Lease>,
    params: WatchParams,
    events: Option<BoxStream<'static, Result<WatchEvent<Lease>, Error>>>,
    /// It is not opened before.
    next_try: Instant,
}

/// So long after it has ended a watch is opened again.
const PAUSE: Duration = Duration::from_secs(5);
/// A server that refuses it has a role that lacks `watch`, which seldom changes: an audit log should not be full of it.
const REFUSED_PAUSE: Duration = Duration::from_secs(10 * 60);

impl Renewals {
    pub(super) fn new(api: Api<Lease>, name: &str) -> Self {
        let params = WatchParams::default().fields(&format!("metadata.name={name}"));
        Self { api, params, events: None, next_try: Instant::now() }
    }

    /// Waits until the lease is written after `version`, and returns it. That it was deleted is not reported: its holder
    /// notices that later, and whoever stands by must not be faster.
    pub(super) async fn next(&mut self, version: Option<&str>) -> Lease {
        loop {
            let Some(events) = &mut self.events else {
                self.open(version).await;
                continue;
            };
            match events.next().await {
                Some(Ok(WatchEvent::Added(lease) | WatchEvent::Modified(lease))) => return lease,
                Some(Ok(WatchEvent::Deleted(_) | WatchEvent::Bookmark(_))) => {}
                Some(Ok(WatchEvent::Error(_)) | Err(_)) | None => {
                    (self.events, self.next_try) = (None, Instant::now() + PAUSE);
                }
            }
        }
    }

    async fn open(&mut self, version: Option<&str>) {
        // What does not exist is claimed, and not waited for.
        let Some(version) = version else { return std::future::pending().await };
        sleep_until(self.next_try).await;
        match once(self.api.watch(&self.params, version)).await {
            Ok(events) => self.events = Some(events.boxed()),
            Err(error) => {
                tracing::debug!("a lease cannot be watched, so it is read now and then: {error}");
                let pause = if matches!(error, Error::Api(_)) { REFUSED_PAUSE } else { PAUSE };
                self.next_try = Instant::now() + pause;
            }
        }
    }
}
