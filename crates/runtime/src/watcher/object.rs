//! A watch of one object by its name.

use std::fmt;

use futures::stream::{Stream, StreamExt};
use pintle_client::Api;
use pintle_core::Resource;
use serde::de::DeserializeOwned;

use super::{Config, Event, Result, watcher};

/// Follows the object `name`: `Some` as it is whenever it comes or changes, `None` when it is not there or goes.
///
/// On an `Api` of all namespaces several objects can have the name; use one of a single namespace.
pub fn watch_object<K>(api: Api<K>, name: &str) -> impl Stream<Item = Result<Option<K>>> + Send + use<K>
where
    K: Resource + Clone + DeserializeOwned + fmt::Debug + Send + 'static,
{
    let config = Config::default().fields(&format!("metadata.name={name}"));
    let mut presence = Presence::default();
    watcher(api, config).filter_map(move |event| {
        let known = match event {
            Ok(event) => presence.on(event).map(Ok),
            Err(error) => Some(Err(error)),
        };
        std::future::ready(known)
    })
}

/// Whether the list at hand has named the object.
#[derive(Default)]
struct Presence {
    was_listed: bool,
}

impl Presence {
    /// The object, or that there is none, if `event` decides that.
    fn on<K>(&mut self, event: Event<K>) -> Option<Option<K>> {
        match event {
            Event::Init => {
                self.was_listed = false;
                None
            }
            Event::InitApply(object) => {
                self.was_listed = true;
                Some(Some(object))
            }
            // A list that does not name it, be it because it went before, says that it is not there.
            Event::InitDone => (!self.was_listed).then_some(None),
            Event::Apply(object) => Some(Some(object)),
            Event::Delete(_) => Some(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_that_a_list_does_not_name_is_not_there() {
        let mut presence = Presence::default();
        let events = [Event::Init, Event::InitDone, Event::Apply(1), Event::Init, Event::InitApply(2), Event::InitDone];
        let known: Vec<_> = events.into_iter().filter_map(|event| presence.on(event)).collect();
        assert_eq!(known, [None, Some(1), Some(2)]);
        let gone: Vec<_> = [Event::Init, Event::InitDone].into_iter().filter_map(|it| presence.on::<u8>(it)).collect();
        assert_eq!(gone, [None], "deleted while no watch was open");
    }
}
