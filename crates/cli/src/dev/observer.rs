//! Follows the objects of a kind, and the events that controllers write: for the view, and as lines.

use std::collections::BTreeSet;

use futures::StreamExt;
use jiff::Timestamp;
use k8s_openapi::api::events::v1::Event as KubeEvent;
use pintle::api::{Api, DynamicObject};
use pintle::runtime::watcher::{self, Event, watcher};
use pintle::{Client, ResourceExt};
use tokio::time::Instant;

use super::kind::WatchedKind;
use super::view::model::Tone;
use super::view::object_row::{ObjectKey, ObjectRow};
use super::view::shared_model::SharedModel;
use crate::narrator::Narrator;

/// Follows the objects of one kind, as long as it is polled.
pub(super) async fn follow_objects(client: Client, kind: WatchedKind, model: SharedModel, narrator: Narrator) {
    let objects: Api<DynamicObject> = Api::all_with(client, &kind.resource);
    let mut observer = Observer { kind, listed: BTreeSet::new(), model, narrator };
    watcher(objects, watcher::Config::default())
        .for_each(|event| {
            observer.see(event);
            std::future::ready(())
        })
        .await;
}

/// Follows what controllers report as Event objects, as long as it is polled.
pub(super) async fn follow_events(client: Client, model: SharedModel) {
    let events: Api<KubeEvent> = Api::all(client);
    watcher(events, watcher::Config::default())
        .for_each(|event| {
            // Those of the first list are older than the view.
            if let Ok(Event::Apply(event)) = event {
                show_event(&event, &model);
            }
            std::future::ready(())
        })
        .await;
}

struct Observer {
    kind: WatchedKind,
    /// What the list that is under way has shown so far.
    listed: BTreeSet<ObjectKey>,
    model: SharedModel,
    narrator: Narrator,
}

impl Observer {
    fn see(&mut self, event: watcher::Result<Event<DynamicObject>>) {
        let kind = self.kind.name();
        match event {
            Ok(Event::InitApply(object) | Event::Apply(object) | Event::Delete(object))
                if is_in_every_namespace(&kind, &object) => {}
            Ok(Event::Init) => {
                self.listed.clear();
                self.narrator.say_in_lines("watch", format_args!("Init: listing {}", self.kind.resource.plural));
            }
            Ok(Event::InitApply(object)) => {
                self.listed.insert(ObjectKey::of(&kind, &object));
                self.narrator.say_in_lines("watch", format_args!("InitApply: {}", describe(&object)));
                self.show(&object);
            }
            Ok(Event::InitDone) => {
                let listed = std::mem::take(&mut self.listed);
                let known = listed.len();
                self.model.with(|model| model.retain(&kind, |key| listed.contains(key)));
                self.narrator.say_in_lines("watch", format_args!("InitDone: {known} known, following changes"));
            }
            Ok(Event::Apply(object)) => {
                self.narrator.say_in_lines("event", format_args!("Apply: {}", describe(&object)));
                self.show(&object);
            }
            Ok(Event::Delete(object)) => {
                self.narrator.say_in_lines("event", format_args!("Delete: {}", describe(&object)));
                self.model.with(|model| model.delete(&ObjectKey::of(&kind, &object)));
            }
            Err(error) => self.narrator.trouble("watch", format_args!("{error}; it goes on by itself")),
        }
    }

    fn show(&self, object: &DynamicObject) {
        let row = ObjectRow::of(object, Instant::now(), Timestamp::now());
        self.model.with(|model| model.apply(ObjectKey::of(&self.kind.name(), object), row));
    }
}

/// Whether it is one that the server gives every namespace: nobody wants to see those.
fn is_in_every_namespace(kind: &str, object: &DynamicObject) -> bool {
    matches!((kind, object.name_any().as_str()), ("configmaps", "kube-root-ca.crt") | ("serviceaccounts", "default"))
}

fn describe(object: &DynamicObject) -> String {
    let now = Instant::now();
    let state = ObjectRow { deletion: None, ..ObjectRow::of(object, now, Timestamp::now()) }.summary(now);
    let leaving = if object.metadata.deletion_timestamp.is_some() { ", being deleted" } else { "" };
    format!(
        "{} at version {}, generation {}, {state}{leaving}",
        ObjectKey::of("", object).path(),
        object.resource_version().unwrap_or_default(),
        object.metadata.generation.unwrap_or_default(),
    )
}

fn show_event(event: &KubeEvent, model: &SharedModel) {
    let regarding = event.regarding.clone().unwrap_or_default();
    let name = regarding.name.unwrap_or_default();
    let path = regarding.namespace.map_or_else(|| name.clone(), |namespace| format!("{namespace}/{name}"));
    let (reason, note) = (event.reason.as_deref().unwrap_or_default(), event.note.as_deref().unwrap_or_default());
    let tone = if event.type_.as_deref() == Some("Warning") { Tone::Trouble } else { Tone::Plain };
    model.with(|model| model.say("event", format!("{path} {reason}: {note}"), tone, Instant::now()));
}
