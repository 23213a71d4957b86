//! Performs what the machine wants: opens the call, reads it, feeds back what came.
//!
//! It decides nothing but how long to wait. A list is complete or it failed; a watch ends by itself, by the server, or
//! when its time is up; each is one input for the machine.

use std::collections::VecDeque;
use std::time::Duration;

use futures::stream::{Stream, StreamExt};
use pintle_client::Error as ClientErr;
use pintle_client::api::{Api, PackedList, PackedWatch};
use pintle_core::params::WatchParams;
use pintle_core::{Resource, Status, WatchEvent};
use pintle_wire::Packed;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout_at};

use super::backoff::{Backoff, Pauses};
use super::machine::{Fault, Input, Machine, Output, State, Want};
use super::{Config, Error, Event, Result};

/// A watch that lived less than this and told nothing is a failure, or a server that closes every watch would be asked
/// without pause.
const FUTILE_WATCH: Duration = Duration::from_secs(1);
/// How long past its own timeout a watch may live before it is taken for dead.
const WATCH_GRACE: Duration = Duration::from_secs(30);
/// A streaming list that brings nothing for so long comes from a server that does not know it; client-go warns after
/// the same time.
const STREAMING_LIST_SILENCE: Duration = Duration::from_secs(10);

/// The endless stream of what the machine tells.
pub(super) fn run<K>(
    api: Api<K>,
    config: Config,
    backoff: Box<dyn Backoff>,
) -> impl Stream<Item = Result<Event<Packed<K>>>> + Send
where
    K: Resource + DeserializeOwned + Send + 'static,
{
    let machine = Machine::new(config.initial_list_strategy.clone(), config.list_semantic.clone());
    let driver = Driver {
        api,
        config,
        machine,
        pauses: Pauses::new(backoff),
        pause_until: None,
        open: Open::Nothing,
        told: VecDeque::new(),
        has_given_up: false,
    };
    futures::stream::unfold(driver, |mut driver| async move { Some((driver.next().await?, driver)) })
}

struct Driver<K> {
    api: Api<K>,
    config: Config,
    machine: Machine,
    pauses: Pauses,
    pause_until: Option<Instant>,
    open: Open<K>,
    told: VecDeque<Result<Event<Packed<K>>>>,
    has_given_up: bool,
}

/// The call that is open.
enum Open<K> {
    Nothing,
    List(PackedList<K>),
    Watch(OpenWatch<K>),
}

struct OpenWatch<K> {
    stream: PackedWatch<K>,
    opened: Instant,
    dies: Instant,
    has_told: bool,
}

/// What was seen, and the error to tell if the machine wants it told.
type Seen<K> = (Input<Packed<K>>, Option<Error>);

impl<K> Driver<K>
where
    K: Resource + DeserializeOwned + Send + 'static,
{
    async fn next(&mut self) -> Option<Result<Event<Packed<K>>>> {
        loop {
            if let Some(told) = self.told.pop_front() {
                return Some(told);
            }
            if self.has_given_up {
                return None;
            }
            if let Some(until) = self.pause_until.take() {
                tokio::time::sleep_until(until).await;
            }
            let (input, error) = match std::mem::replace(&mut self.open, Open::Nothing) {
                Open::Nothing => self.open().await,
                Open::List(list) => self.read_list(list).await,
                Open::Watch(watch) => self.read_watch(watch).await,
            };
            self.perform(input, error);
        }
    }

    /// Files what the machine wants told, and the pause it wants made after that.
    fn perform(&mut self, input: Input<Packed<K>>, mut error: Option<Error>) {
        for output in self.machine.on(input).into_iter().flatten() {
            match output {
                Output::Init => self.told.push_back(Ok(Event::Init)),
                Output::InitApply(object) => self.told.push_back(Ok(Event::InitApply(object))),
                Output::InitDone => self.told.push_back(Ok(Event::InitDone)),
                Output::Apply(object) => self.told.push_back(Ok(Event::Apply(object))),
                Output::Delete(object) => self.told.push_back(Ok(Event::Delete(object))),
                Output::Report => self.told.extend(error.take().map(Err)),
                Output::Pause => self.pause(),
            }
        }
        if let Some(error) = error {
            tracing::debug!(kind = std::any::type_name::<K>(), %error, "the watch goes on another way");
        }
        if self.machine.state() == &State::Empty {
            self.open = Open::Nothing;
        }
    }

    fn pause(&mut self) {
        let now = Instant::now();
        match self.pauses.next(now) {
            Some(pause) => self.pause_until = Some(now + pause),
            None => self.has_given_up = true,
        }
    }

    async fn open(&mut self) -> Seen<K> {
        match self.machine.want() {
            Want::Begin => (Input::Begin, None),
            Want::List {
                continue_token,
                semantic,
            } => {
                match self
                    .api
                    .list_packed(&self.config.list_params(semantic, continue_token))
                    .await
                {
                    Ok(list) => self.read_list(list).await,
                    Err(error) => list_failed(error),
                }
            }
            Want::StreamingList => self.watch(self.config.streaming_params(), String::new()).await,
            Want::Watch { resource_version } => {
                let version = resource_version.to_owned();
                self.watch(self.config.watch_params(), version).await
            }
        }
    }

    async fn watch(&mut self, params: WatchParams, resource_version: String) -> Seen<K> {
        match self.api.watch_packed(&params, &resource_version).await {
            Ok(stream) => {
                let opened = Instant::now();
                let timeout = Duration::from_secs(params.timeout.unwrap_or_default().into());
                let dies = opened + timeout + WATCH_GRACE;
                self.open = Open::Watch(OpenWatch {
                    stream,
                    opened,
                    dies,
                    has_told: false,
                });
                (Input::Opened, None)
            }
            Err(error) => (Input::Refused(fault(&error)), Some(Error::WatchStartFailed(error))),
        }
    }

    async fn read_list(&mut self, mut list: PackedList<K>) -> Seen<K> {
        match list.next().await {
            Some(Ok(object)) => {
                self.open = Open::List(list);
                (Input::Item(object), None)
            }
            Some(Err(error)) => list_failed(error),
            None => {
                let metadata = list.metadata().cloned().unwrap_or_default();
                let page_end = Input::PageEnd {
                    resource_version: metadata.resource_version,
                    continue_token: metadata.continue_,
                };
                (page_end, Some(Error::NoResourceVersion))
            }
        }
    }

    async fn read_watch(&mut self, mut watch: OpenWatch<K>) -> Seen<K> {
        let is_initial = self.machine.state() == &State::InitialWatch;
        let silent = Instant::now() + STREAMING_LIST_SILENCE;
        let deadline = if is_initial { silent.min(watch.dies) } else { watch.dies };
        match timeout_at(deadline, watch.stream.next()).await {
            Err(_) if is_initial => (Input::Stalled, None),
            Err(_) => (Input::Ended { was_futile: false }, None),
            Ok(None) => {
                let was_futile = !watch.has_told && watch.opened.elapsed() < FUTILE_WATCH;
                (Input::Ended { was_futile }, None)
            }
            Ok(Some(event)) => {
                watch.has_told |= event.is_ok();
                let seen = seen_event(event);
                if !matches!(seen.0, Input::ErrorEvent(_)) {
                    self.open = Open::Watch(watch);
                }
                seen
            }
        }
    }
}

fn seen_event<K>(event: Result<WatchEvent<Packed<K>>, ClientErr>) -> Seen<K> {
    let version = |object: &Packed<K>| object.head().resource_version().map(std::borrow::Cow::into_owned);
    match event {
        Ok(WatchEvent::Added(object) | WatchEvent::Modified(object)) => {
            let version = version(&object);
            (Input::Applied(object, version), None)
        }
        Ok(WatchEvent::Deleted(object)) => {
            let version = version(&object);
            (Input::Deleted(object, version), None)
        }
        Ok(WatchEvent::Bookmark(bookmark)) => {
            let ends_initial_events = bookmark.ends_initial_events();
            (
                Input::Bookmark {
                    resource_version: bookmark.metadata.resource_version,
                    ends_initial_events,
                },
                None,
            )
        }
        Ok(WatchEvent::Error(status)) => (Input::ErrorEvent(fault_of(&status)), Some(Error::WatchError(status))),
        Err(error) => (Input::Unreadable(None), Some(Error::WatchFailed(error))),
    }
}

fn list_failed<K>(error: ClientErr) -> Seen<K> {
    (Input::ListFailed(fault(&error)), Some(Error::InitialListFailed(error)))
}

fn fault(error: &ClientErr) -> Fault {
    match error {
        ClientErr::Api(status) => fault_of(status),
        _ => Fault::Other,
    }
}

fn fault_of(status: &Status) -> Fault {
    match status {
        _ if status.is_gone_or_expired() => Fault::Gone,
        _ if status.is_too_large_resource_version() => Fault::TooLarge,
        _ => Fault::Other,
    }
}
