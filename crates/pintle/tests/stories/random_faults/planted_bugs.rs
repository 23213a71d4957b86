//! Bugs to be found, each planted outside of the product: between the watcher and the store, between the client and the
//! server, or around the reconciler. What the product then does is what it would do with the bug inside.

use std::sync::{Arc, Mutex};

use k8s_openapi::api::core::v1::ConfigMap;
use pintle::client::{Body, ClientBuilder};
use pintle::runtime::reflector::Store;
use pintle::runtime::watcher::{Event, Result};
use pintle::testing::Server;
use pintle::{Client, ResourceExt};
use tower::util::MapRequestLayer;

use super::stores::ROCK;

/// A bug.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Plant {
    /// A watch's delete does not reach the store.
    DroppedDelete,
    /// A change now and then does not reach the store.
    DroppedChange,
    /// A relist takes the place of what was known before it is complete.
    SwapBeforeInitDone,
    /// A list that broke in the middle is taken for a complete one.
    BrokenListKept,
    /// A relist adds and changes, and what it does not name stays.
    RelistKeepsWhatIsGone,
    /// An older event comes after a newer one.
    OldEventAgain,
    /// A watch is resumed where it first began.
    VersionNotAdvanced,
    /// A watch is resumed behind what was not told yet.
    VersionTooFar,
    /// `Action::requeue` is lost.
    LostRequeue,
    /// What failed is not tried again.
    LostRetry,
    /// Children do not wake their owners.
    OwnerNotWoken,
    /// Deletes of the controller's objects are not handled.
    UnhandledDelete,
    /// An object is reconciled twice at once.
    TwiceAtOnce,
}

impl Plant {
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

    pub(super) fn is_of_controllers(self) -> bool {
        use Plant::{LostRequeue, LostRetry, OwnerNotWoken, TwiceAtOnce, UnhandledDelete};
        matches!(self, LostRequeue | LostRetry | OwnerNotWoken | UnhandledDelete | TwiceAtOnce)
    }

    /// What becomes of each event on its way to the store.
    pub(super) fn spoiling(self) -> impl FnMut(Result<Event<ConfigMap>>) -> Vec<Result<Event<ConfigMap>>> + Send {
        let mut spoiler = Spoiler::default();
        move |item| match item {
            Ok(event) => spoiler.spoil(self, event).into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        }
    }
}

#[derive(Default)]
struct Spoiler {
    lists: usize,
    is_listing: bool,
    events: usize,
    is_swapped: bool,
    last: Option<ConfigMap>,
}

impl Spoiler {
    fn spoil(&mut self, plant: Plant, event: Event<ConfigMap>) -> Vec<Event<ConfigMap>> {
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
        match (plant, event) {
            (Plant::DroppedDelete, Event::Delete(_)) => vec![],
            (Plant::DroppedChange, Event::Apply(_)) if self.events.is_multiple_of(3) => vec![],
            (Plant::SwapBeforeInitDone, Event::InitApply(object)) if !self.is_swapped => {
                self.is_swapped = true;
                vec![Event::InitApply(object), Event::InitDone]
            }
            (Plant::BrokenListKept, Event::Init) if is_broken => vec![Event::InitDone, Event::Init],
            (Plant::RelistKeepsWhatIsGone, Event::Init | Event::InitDone) if self.lists > 1 => vec![],
            (Plant::RelistKeepsWhatIsGone, Event::InitApply(object)) if self.lists > 1 => vec![Event::Apply(object)],
            (Plant::OldEventAgain, Event::Apply(object)) => {
                let old = self.last.replace(object.clone()).filter(|old| old.name_any() == object.name_any());
                std::iter::once(object).chain(old).map(Event::Apply).collect()
            }
            (_, event) => vec![event],
        }
    }
}

/// Where every request passes: the bugs of resuming are planted here, and behind them it is checked that no watch asks for
/// what the store knows, and that the store never shows half a list.
#[derive(Clone)]
pub(super) struct Toll {
    store: Store<ConfigMap>,
    plant: Option<Plant>,
    first: Arc<Mutex<Option<String>>>,
    wrong: Arc<Mutex<Option<String>>>,
}

const VERSION: &str = "&resourceVersion=";

impl Toll {
    pub(super) fn new(store: Store<ConfigMap>, plant: Option<Plant>) -> Self {
        Self { store, plant, first: Arc::default(), wrong: Arc::default() }
    }

    pub(super) fn client(&self, server: &Server) -> Client {
        let toll = self.clone();
        let pay = move |request| toll.pay(request);
        ClientBuilder::new(server.clone(), "default").with_layer(&MapRequestLayer::new(pay)).build()
    }

    /// What was wrong with a request.
    pub(super) fn verdict(&self) -> std::result::Result<(), String> {
        self.wrong.lock().unwrap().take().map_or(Ok(()), Err)
    }

    fn pay(&self, mut request: http::Request<Body>) -> http::Request<Body> {
        self.check_rock();
        let uri = request.uri().to_string();
        if !uri.contains("watch=true") {
            return request;
        }
        let Some((before, after)) = uri.split_once(VERSION) else { return request };
        let (version, rest) = after.split_at(after.find('&').unwrap_or(after.len()));
        // A streaming list asks for no version, or for zero where any will do; it is no watch from there.
        if version.parse::<u64>().is_err() || uri.contains("sendInitialEvents=true") {
            return request;
        }
        let spoilt = self.spoil(version);
        self.check(&spoilt);
        *request.uri_mut() = format!("{before}{VERSION}{spoilt}{rest}").parse().unwrap();
        request
    }

    fn spoil(&self, version: &str) -> String {
        match self.plant {
            Some(Plant::VersionNotAdvanced) => {
                self.first.lock().unwrap().get_or_insert_with(|| version.to_owned()).clone()
            }
            Some(Plant::VersionTooFar) => (version.parse::<u64>().unwrap() + 2).to_string(),
            _ => version.to_owned(),
        }
    }

    /// Who was there before the store and stays is in it as soon as it is ready, and ever after; one that came in a form
    /// that cannot be read is shown by its name alone.
    fn check_rock(&self) {
        if self.store.is_ready() && self.store.is_complete() && self.store.find(|it| it.name_any() == ROCK).is_none() {
            self.wrong.lock().unwrap().get_or_insert(format!("{ROCK} is there, and not in the store"));
        }
    }

    fn check(&self, version: &str) {
        let newest = self.store.state().iter().filter_map(|it| it.resource_version()?.parse::<u64>().ok()).max();
        if newest.is_some_and(|newest| newest > version.parse().unwrap()) {
            let wrong = format!("a watch is asked for from {version}, and the store knows {newest:?}");
            self.wrong.lock().unwrap().get_or_insert(wrong);
        }
    }
}
