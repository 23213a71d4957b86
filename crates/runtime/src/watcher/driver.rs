//! Performs what the machine wants: opens the call, reads it, feeds back what came.
//!
//! It decides nothing but how long to wait. A list is complete or it failed; a watch ends by itself, by the server, or
//! when its time is up; each is one input for the machine.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::future::Future;
use std::time::Duration;

use futures::stream::{Stream, StreamExt};
use pintle_client::Error as ClientErr;
use pintle_client::api::{Api, PackedList, PackedWatch};
use pintle_core::params::WatchParams;
use pintle_core::{Resource, Status, WatchEvent};
use pintle_wire::{DecodeError, Packed};
use serde::de::{DeserializeOwned, Error as _};
use tokio::time::{Instant, timeout, timeout_at};

use super::backoff::{Backoff, Pauses};
use super::machine::{Fault, Input, Machine, Output, State, Want};
use super::{Config, Error, Event, Result, undecodable};

/// A watch that lived less than this and told nothing is a failure, or a server that closes every watch would be asked
/// without pause.
const FUTILE_WATCH: Duration = Duration::from_secs(1);
/// How long past its own timeout a watch may live before it is taken for dead.
const WATCH_GRACE: Duration = Duration::from_secs(30);
/// A streaming list that ended without its bookmark after so long was none.
const STREAMING_LIST_PATIENCE: Duration = Duration::from_secs(60);
/// Servers give up on a call after 60 s.
const ANSWER_PATIENCE: Duration = Duration::from_secs(70);
/// A streaming list that brings nothing for so long comes from a server that does not know it; client-go warns after
/// the same time.
const STREAMING_LIST_SILENCE: Duration = Duration::from_secs(10);

/// How objects are passed on: decoded, or as they came.
pub(super) type Form<K, T> = fn(Packed<K>) -> Result<T, DecodeError>;

/// The endless stream of what the machine tells.
pub(super) fn run<K, T>(
    api: Api<K>,
    config: Config,
    backoff: Box<dyn Backoff>,
    form: Form<K, T>,
) -> impl Stream<Item = Result<Event<T>>> + Send
where
    K: Resource + DeserializeOwned + Send + 'static,
    T: Send + 'static,
{
    let machine = Machine::new(config.initial_list_strategy.clone(), config.list_semantic.clone());
    let driver = Driver {
        api,
        config,
        form,
        machine,
        pauses: Pauses::new(backoff),
        pause_until: None,
        open: Open::Nothing,
        told: VecDeque::new(),
        has_given_up: false,
    };
    futures::stream::unfold(driver, |mut driver| async move { Some((driver.next().await?, driver)) })
}

struct Driver<K, T> {
    api: Api<K>,
    config: Config,
    form: Form<K, T>,
    machine: Machine,
    pauses: Pauses,
    pause_until: Option<Instant>,
    open: Open<K>,
    told: VecDeque<Result<Event<T>>>,
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
type Seen<T> = (Input<T>, Option<Error>);

impl<K, T> Driver<K, T>
where
    K: Resource + DeserializeOwned + Send + 'static,
{
    async fn next(&mut self) -> Option<Result<Event<T>>> {
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
    fn perform(&mut self, input: Input<T>, mut error: Option<Error>) {
        for output in self.machine.on(input).into_iter().flatten() {
            match output {
                Output::Init => self.told.push_back(Ok(Event::Init)),
                Output::InitApply(object) => self.told.push_back(Ok(Event::InitApply(object))),
                Output::InitDone => {
                    self.pauses.succeeded(Instant::now());
                    self.told.push_back(Ok(Event::InitDone));
                }
                Output::Apply(object) => self.told.push_back(Ok(Event::Apply(object))),
                Output::Delete(object) => self.told.push_back(Ok(Event::Delete(object))),
                Output::Report => self.told.extend(error.take().map(Err)),
                Output::Pause => self.pause(),
                Output::WentBack => {
                    let kind = std::any::type_name::<K>();
                    tracing::warn!(kind, "the list is older than what was seen before: was the cluster restored?");
                }
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
        match self.pauses.failed(now) {
            Some(pause) => self.pause_until = Some(now + pause),
            None => self.has_given_up = true,
        }
    }

    async fn open(&mut self) -> Seen<T> {
        match self.machine.want() {
            Want::Begin => (Input::Begin, None),
            Want::List { continue_token, semantic } => {
                let params = self.config.list_params(semantic, continue_token);
                match answered(self.api.list_packed(&params)).await {
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

    async fn watch(&mut self, params: WatchParams, resource_version: String) -> Seen<T> {
        match answered(self.api.watch_packed(&params, &resource_version)).await {
            Ok(stream) => {
                let opened = Instant::now();
                let dies = opened + lifetime(&params) + WATCH_GRACE;
                self.pauses.succeeded(opened);
                self.open = Open::Watch(OpenWatch { stream, opened, dies, has_told: false });
                (Input::Opened, None)
            }
            Err(error) => (Input::Refused(fault(&error)), Some(Error::WatchStartFailed(error))),
        }
    }

    async fn read_list(&mut self, mut list: PackedList<K>) -> Seen<T> {
        let next = async { list.next().await.transpose() };
        match answered(next).await.transpose() {
            Some(Ok(packed)) => match (self.form)(packed) {
                Ok(object) => {
                    self.open = Open::List(list);
                    (Input::Item(object), None)
                }
                Err(error) => list_failed(serde_error(&error)),
            },
            Some(Err(error)) => list_failed(error),
            None => {
                let metadata = list.metadata().cloned().unwrap_or_default();
                let (resource_version, continue_token) = (metadata.resource_version, metadata.continue_);
                let is_unversioned = resource_version.as_deref().unwrap_or_default().is_empty();
                let error = is_unversioned.then_some(Error::NoResourceVersion);
                (Input::PageEnd { resource_version, continue_token }, error)
            }
        }
    }

    async fn read_watch(&mut self, mut watch: OpenWatch<K>) -> Seen<T> {
        let is_initial = self.machine.state() == &State::InitialWatch;
        let silent = Instant::now() + STREAMING_LIST_SILENCE;
        let deadline = if is_initial { silent.min(watch.dies) } else { watch.dies };
        match timeout_at(deadline, watch.stream.next()).await {
            Err(_) if is_initial => (Input::Stalled, None),
            Err(_) => (Input::Ended { was_futile: false }, None),
            Ok(None) if is_initial && watch.opened.elapsed() >= STREAMING_LIST_PATIENCE => (Input::Stalled, None),
            Ok(None) => {
                let was_futile = !watch.has_told && watch.opened.elapsed() < FUTILE_WATCH;
                if was_futile {
                    let kind = std::any::type_name::<K>();
                    tracing::warn!(kind, "the server ended the watch at once and told nothing; asking again later");
                }
                (Input::Ended { was_futile }, None)
            }
            Ok(Some(event)) => {
                // A bookmark alone is no progress: it would come again at once.
                watch.has_told |= !matches!(event, Ok(WatchEvent::Bookmark(_)) | Err(_));
                let seen = self.seen(event);
                if !matches!(seen.0, Input::ErrorEvent(_)) {
                    self.open = Open::Watch(watch);
                }
                seen
            }
        }
    }

    fn seen(&self, event: Result<WatchEvent<Packed<K>>, ClientErr>) -> Seen<T> {
        match event {
            Ok(WatchEvent::Added(object) | WatchEvent::Modified(object)) => self.seen_applied(object),
            Ok(WatchEvent::Deleted(object)) => self.seen_deleted(object),
            Ok(WatchEvent::Bookmark(bookmark)) => {
                let ends_initial_events = bookmark.ends_initial_events();
                (Input::Bookmark { resource_version: bookmark.metadata.resource_version, ends_initial_events }, None)
            }
            Ok(WatchEvent::Error(status)) => (Input::ErrorEvent(fault_of(&status)), Some(Error::WatchError(status))),
            Err(error) => (Input::Unreadable(None), Some(Error::WatchFailed(error))),
        }
    }

    fn seen_applied(&self, packed: Packed<K>) -> Seen<T> {
        let version = version(&packed);
        match (self.form)(packed) {
            Ok(object) => (Input::Applied(object, version), None),
            Err(error) => (Input::Unreadable(version), Some(undecodable(&error))),
        }
    }

    fn seen_deleted(&self, packed: Packed<K>) -> Seen<T> {
        let version = version(&packed);
        match (self.form)(packed) {
            Ok(object) => (Input::Deleted(object, version), None),
            // Whoever keeps a store would keep it for ever; a list shows that it is gone.
            Err(error) => (Input::ErrorEvent(Fault::Gone), Some(undecodable(&error))),
        }
    }
}

fn version<K>(packed: &Packed<K>) -> Option<String> {
    packed.head().resource_version().map(Cow::into_owned)
}

/// What `call` brings, or an error if it brings nothing for too long. A client made from a `Config` says so earlier and
/// better; one made from any service may not say it at all.
async fn answered<A>(call: impl Future<Output = Result<A, ClientErr>>) -> Result<A, ClientErr> {
    let silent = |_| Err(ClientErr::Service(format!("no answer within {} s", ANSWER_PATIENCE.as_secs()).into()));
    timeout(ANSWER_PATIENCE, call).await.unwrap_or_else(silent)
}

/// How long the server should let the watch live.
fn lifetime(params: &WatchParams) -> Duration {
    match params.timeout {
        // The server decides, and no server known lets one live for so long.
        None | Some(0) => Duration::from_secs(24 * 60 * 60),
        Some(seconds) => Duration::from_secs(seconds.into()),
    }
}

fn serde_error(error: &DecodeError) -> ClientErr {
    ClientErr::SerdeError(serde_json::Error::custom(error))
}

fn list_failed<T>(error: ClientErr) -> Seen<T> {
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
        _ if status.is_too_large_resource_version() || status.code == 400 => Fault::Unknown,
        _ => Fault::Other,
    }
}
