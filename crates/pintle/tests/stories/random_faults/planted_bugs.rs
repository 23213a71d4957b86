//! Bugs that the schedules must find. Each is planted outside of the product: between watcher and store, between client
//! and server, or around the reconciler. The product then behaves as if the bug were inside.

use std::sync::{Arc, Mutex};

use k8s_openapi::api::core::v1::ConfigMap;
use pintle::client::{Body, ClientBuilder};
use pintle::runtime::reflector::Store;
use pintle::runtime::watcher::{Event, Result};
use pintle::testing::Server;
use pintle::{Client, ResourceExt};
use tower::util::MapRequestLayer;

use super::stores::PERMANENT;

/// A bug, named after what goes wrong.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum PlantedBug {
    /// A delete of a watch does not reach the store.
    DroppedDelete,
    /// Some changes do not reach the store.
    DroppedChange,
    /// A relist replaces the contents of the store before it is complete.
    SwapBeforeInitDone,
    /// A list that broke in the middle is treated as complete.
    BrokenListKept,
    /// A relist adds and changes objects but removes none.
    RelistKeepsWhatIsGone,
    /// An older event arrives after a newer one.
    OldEventAgain,
    /// A watch is resumed from its first version.
    VersionNotAdvanced,
    /// A watch is resumed after events that it has not received yet.
    VersionTooFar,
    /// `Action::requeue` is lost.
    LostRequeue,
    /// A failed reconcile is not retried.
    LostRetry,
    /// Children do not trigger their owners.
    OwnerNotWoken,
    /// Deletes of the controller's objects are not handled.
    UnhandledDelete,
    /// An object is reconciled twice at once.
    TwiceAtOnce,
}

impl PlantedBug {
    pub(super) const ALL: [Self; 13] = [
        Self::DroppedDelete,
        Self::DroppedChange,
        Self::SwapBeforeInitDone,
        Self::BrokenListKept,
        Self::RelistKeepsWhatIsGone,
        Self::OldEventAgain,
        Self::VersionNotAdvanced,
        Self::VersionTooFar,
        Self::LostRequeue,
        Self::LostRetry,
        Self::OwnerNotWoken,
        Self::UnhandledDelete,
        Self::TwiceAtOnce,
    ];

    pub(super) fn is_in_controllers(self) -> bool {
        use PlantedBug::{LostRequeue, LostRetry, OwnerNotWoken, TwiceAtOnce, UnhandledDelete};
        matches!(self, LostRequeue | LostRetry | OwnerNotWoken | UnhandledDelete | TwiceAtOnce)
    }

    /// Changes the events on their way to the store.
    pub(super) fn changing_events(
        self,
    ) -> impl FnMut(Result<Event<ConfigMap>>) -> Vec<Result<Event<ConfigMap>>> + Send {
        let mut planted = PlantedInEvents::default();
        move |item| match item {
            Ok(event) => planted.apply_bug(self, event).into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        }
    }
}

#[derive(Default)]
struct PlantedInEvents {
    lists: usize,
    is_listing: bool,
    events: usize,
    is_swapped: bool,
    last: Option<ConfigMap>,
}

impl PlantedInEvents {
    fn apply_bug(&mut self, bug: PlantedBug, event: Event<ConfigMap>) -> Vec<Event<ConfigMap>> {
        self.events += 1;
        let is_broken = self.is_listing && matches!(event, Event::Init);
        if matches!(event, Event::Init) {
            self.lists += 1;
            self.is_swapped = false;
        }
        match event {
            Event::Init => self.is_listing = true,
            Event::InitDone => self.is_listing = false,
            Event::InitApply(_) | Event::Apply(_) | Event::Delete(_) => {}
        }
        match (bug, event) {
            (PlantedBug::DroppedDelete, Event::Delete(_)) => vec![],
            (PlantedBug::DroppedChange, Event::Apply(_)) if self.events.is_multiple_of(3) => vec![],
            (PlantedBug::SwapBeforeInitDone, Event::InitApply(object)) if !self.is_swapped => {
                self.is_swapped = true;
                vec![Event::InitApply(object), Event::InitDone]
            }
            (PlantedBug::BrokenListKept, Event::Init) if is_broken => vec![Event::InitDone, Event::Init],
            (PlantedBug::RelistKeepsWhatIsGone, Event::Init | Event::InitDone) if self.lists > 1 => vec![],
            (PlantedBug::RelistKeepsWhatIsGone, Event::InitApply(object)) if self.lists > 1 => {
                vec![Event::Apply(object)]
            }
            (PlantedBug::OldEventAgain, Event::Apply(object)) => {
                let old = self.last.replace(object.clone()).filter(|old| old.name_any() == object.name_any());
                std::iter::once(object).chain(old).map(Event::Apply).collect()
            }
            (_, event) => vec![event],
        }
    }
}

/// Sees every request. It plants the bugs of resuming, and then checks that no watch requests what the store has already and
/// that the store never shows half a list.
#[derive(Clone)]
pub(super) struct RequestCheck {
    store: Store<ConfigMap>,
    bug: Option<PlantedBug>,
    first: Arc<Mutex<Option<String>>>,
    wrong: Arc<Mutex<Option<String>>>,
}

const VERSION: &str = "&resourceVersion=";

impl RequestCheck {
    pub(super) fn new(store: Store<ConfigMap>, bug: Option<PlantedBug>) -> Self {
        Self { store, bug, first: Arc::default(), wrong: Arc::default() }
    }

    pub(super) fn client(&self, server: &Server) -> Client {
        let check = self.clone();
        let check_request = move |request| check.check_request(request);
        ClientBuilder::new(server.clone(), "default").with_layer(&MapRequestLayer::new(check_request)).build()
    }

    /// The first error that was found.
    pub(super) fn verdict(&self) -> std::result::Result<(), String> {
        self.wrong.lock().unwrap().take().map_or(Ok(()), Err)
    }

    fn check_request(&self, mut request: http::Request<Body>) -> http::Request<Body> {
        self.check_permanent();
        let uri = request.uri().to_string();
        if !uri.contains("watch=true") {
            return request;
        }
        let Some((before, after)) = uri.split_once(VERSION) else { return request };
        let (version, rest) = after.split_at(after.find('&').unwrap_or(after.len()));
        // A streaming list sends no version, or zero where any will do. It does not resume a watch.
        if version.parse::<u64>().is_err() || uri.contains("sendInitialEvents=true") {
            return request;
        }
        let changed = self.apply_bug(version);
        self.check(&changed);
        *request.uri_mut() = format!("{before}{VERSION}{changed}{rest}").parse().unwrap();
        request
    }

    fn apply_bug(&self, version: &str) -> String {
        match self.bug {
            Some(PlantedBug::VersionNotAdvanced) => {
                self.first.lock().unwrap().get_or_insert_with(|| version.to_owned()).clone()
            }
            Some(PlantedBug::VersionTooFar) => (version.parse::<u64>().unwrap() + 2).to_string(),
            _ => version.to_owned(),
        }
    }

    /// The permanent object must be in the store as soon as it is ready, and from then on. If it does not decode, only its
    /// name is there.
    fn check_permanent(&self) {
        if self.store.is_ready()
            && self.store.is_complete()
            && self.store.find(|it| it.name_any() == PERMANENT).is_none()
        {
            self.wrong.lock().unwrap().get_or_insert(format!("{PERMANENT} exists and is not in the store"));
        }
    }

    fn check(&self, version: &str) {
        let newest = self.store.state().iter().filter_map(|it| it.resource_version()?.parse::<u64>().ok()).max();
        if newest.is_some_and(|newest| newest > version.parse().unwrap()) {
            let wrong = format!("a watch starts at {version}, and the store has {newest:?}");
            self.wrong.lock().unwrap().get_or_insert(wrong);
        }
    }
}
