//! Prints what a watch of the Documents yields.

use futures::StreamExt;
use pintle::runtime::watcher::{self, Event, watcher};
use pintle::{Api, ResourceExt};

use super::document::Document;
use crate::narrator::Narrator;

pub(super) async fn run(documents: Api<Document>, narrator: Narrator) {
    let mut known = 0;
    watcher(documents, watcher::Config::default())
        .for_each(|event| {
            print(event, &mut known, &narrator);
            std::future::ready(())
        })
        .await;
}

fn print(event: watcher::Result<Event<Document>>, known: &mut usize, narrator: &Narrator) {
    match event {
        Ok(Event::Init) => {
            *known = 0;
            narrator.say("watch", "Init: listing documents");
        }
        Ok(Event::InitApply(document)) => {
            *known += 1;
            narrator.say("watch", format_args!("InitApply: {}", describe(&document)));
        }
        Ok(Event::InitDone) => narrator.say("watch", format_args!("InitDone: {known} known, following changes")),
        Ok(Event::Apply(document)) => narrator.say("event", format_args!("Apply: {}", describe(&document))),
        Ok(Event::Delete(document)) => narrator.say("event", format_args!("Delete: {}", describe(&document))),
        Err(error) => narrator.say("watch", format_args!("{error}; it goes on by itself")),
    }
}

fn describe(document: &Document) -> String {
    let phase = document.status.as_ref().map_or("not published yet", |status| status.phase.as_str());
    let leaving = if document.metadata.deletion_timestamp.is_some() { ", being deleted" } else { "" };
    format!(
        "{}/{} at version {}, generation {}, {phase}{leaving}",
        document.namespace().unwrap_or_default(),
        document.name_any(),
        document.resource_version().unwrap_or_default(),
        document.metadata.generation.unwrap_or_default(),
    )
}
