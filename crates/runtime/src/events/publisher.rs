//! Writes events to the server, counting repeated ones in the first.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1::{Event as EventObject, EventSeries};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};
use pintle_client::{Api, Client, Error};
use pintle_core::params::{Patch, PatchParams, PostParams};
use tokio::time::Instant;

use super::{Event, EventType, Reference, Reporter};

pub(super) struct Publisher {
    client: Client,
    reporter: Reporter,
    /// What was written lately. Each has a lock of its own, so that one call to the server delays only the same event.
    recent: Mutex<HashMap<Sameness, Arc<Recent>>>,
    last_name: AtomicI64,
}

/// Whether events with different notes are the same event.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum SameNote {
    IsNeeded,
    IsNotNeeded,
}

/// What makes two events the same.
#[derive(Clone, Eq, Hash, PartialEq)]
struct Sameness {
    type_: EventType,
    action: String,
    reason: String,
    regarding: Reference,
    related: Option<Reference>,
    note: Option<String>,
}

#[derive(Default)]
struct Recent {
    series: tokio::sync::Mutex<Option<Series>>,
}

struct Series {
    name: String,
    count: i32,
    last: Instant,
}

/// An event that was not repeated for so long is written anew; client-go's number.
const SERIES_ENDS: Duration = Duration::from_secs(6 * 60);
/// So many different events are remembered; client-go's number.
const SERIES_MAX: usize = 4096;
/// Where events about objects without a namespace go, as everywhere in Kubernetes.
const CLUSTER_EVENTS: &str = "default";
/// A name has at most 253 characters, of which 17 are ours.
const OBJECT_NAME_MAX: usize = 253 - 17;

impl Publisher {
    pub(super) fn new(client: Client, reporter: Reporter) -> Self {
        Self { client, reporter, recent: Mutex::default(), last_name: AtomicI64::new(0) }
    }

    pub(super) fn reporter(&self) -> &Reporter {
        &self.reporter
    }

    pub(super) async fn publish(
        &self,
        event: &Event,
        regarding: &ObjectReference,
        note: SameNote,
    ) -> Result<(), Error> {
        let namespace = regarding.namespace.as_deref().unwrap_or(CLUSTER_EVENTS);
        let events: Api<EventObject> = Api::namespaced(self.client.clone(), namespace);
        let recent = self.recent(event, regarding, note);
        let mut series = recent.series.lock().await;
        let now = Instant::now();
        if let Some(known) = series.as_mut().filter(|known| now.duration_since(known.last) < SERIES_ENDS) {
            match self.count(&events, known).await {
                // The server has forgotten it, as it does after an hour.
                Err(Error::Api(status)) if status.is_not_found() => {}
                counted => return counted.map(|()| known.last = now),
            }
        }
        let name = self.create(&events, event, regarding, namespace).await?;
        *series = Some(Series { name, count: 1, last: now });
        Ok(())
    }

    fn recent(&self, event: &Event, regarding: &ObjectReference, note: SameNote) -> Arc<Recent> {
        let sameness = Sameness {
            type_: event.type_,
            action: event.action.clone(),
            reason: event.reason.clone(),
            regarding: Reference(regarding.clone()),
            related: event.secondary.clone().map(Reference),
            note: event.note.clone().filter(|_| note == SameNote::IsNeeded),
        };
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if recent.len() >= SERIES_MAX && !recent.contains_key(&sameness) {
            let now = Instant::now();
            recent.retain(|_, recent| recent.is_current(now));
            if recent.len() >= SERIES_MAX {
                recent.clear();
            }
        }
        Arc::clone(recent.entry(sameness).or_default())
    }

    async fn count(&self, events: &Api<EventObject>, series: &mut Series) -> Result<(), Error> {
        let counted = EventSeries { count: series.count + 1, last_observed_time: MicroTime(jiff::Timestamp::now()) };
        let patch = Patch::Merge(serde_json::json!({ "series": counted }));
        events.patch(&series.name, &PatchParams::default(), &patch).await?;
        series.count += 1;
        Ok(())
    }

    async fn create(
        &self,
        events: &Api<EventObject>,
        event: &Event,
        regarding: &ObjectReference,
        namespace: &str,
    ) -> Result<String, Error> {
        let now = jiff::Timestamp::now();
        let name = self.name(regarding.name.as_deref().unwrap_or_default(), now);
        let metadata =
            ObjectMeta { name: Some(name.clone()), namespace: Some(namespace.to_owned()), ..ObjectMeta::default() };
        let object = EventObject {
            metadata,
            action: Some(event.action.clone()),
            reason: Some(event.reason.clone()),
            note: event.note.clone(),
            type_: Some(event.type_.as_str().to_owned()),
            event_time: Some(MicroTime(now)),
            regarding: Some(regarding.clone()),
            related: event.secondary.clone(),
            reporting_controller: Some(self.reporter.controller.clone()),
            // The server insists on one.
            reporting_instance: Some(self.reporter.instance.as_ref().unwrap_or(&self.reporter.controller).clone()),
            ..EventObject::default()
        };
        events.create(&PostParams::default(), &object).await?;
        Ok(name)
    }

    /// `{object}.{nanoseconds}`, as Kubernetes names its own, never the same twice.
    fn name(&self, object: &str, now: jiff::Timestamp) -> String {
        let now = i64::try_from(now.as_nanosecond()).unwrap_or(i64::MAX);
        let later = |last: i64| Some(now.max(last.saturating_add(1)));
        let last = self.last_name.fetch_update(Ordering::Relaxed, Ordering::Relaxed, later).unwrap_or_else(|last| last);
        let object: String = object.chars().take(OBJECT_NAME_MAX).collect();
        format!("{object}.{:016x}", now.max(last.saturating_add(1)))
    }
}

impl Recent {
    /// Whether it may still be counted up; one that is being written is.
    fn is_current(&self, now: Instant) -> bool {
        let Ok(series) = self.series.try_lock() else { return true };
        series.as_ref().is_some_and(|series| now.duration_since(series.last) < SERIES_ENDS)
    }
}
