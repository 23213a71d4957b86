//! Performs what the machine wants: opens the call, reads it, feeds back what came.
//!
//! It decides nothing but how long to wait. A list is complete or it failed; a watch ends by itself, by the server, or
//! when its time is up; each is one input for the machine.

use std::collections::VecDeque;
use std::future::Future;
use std::time::Duration;

use futures::stream::{Stream, StreamExt};
use pintle_client::Error as ClientErr;
use pintle_client::api::Api;
use pintle_client::api::packed::{PackedList, PackedWatch};
use pintle_client::client::unrepeated::once;
use pintle_core::params::WatchParams;
use pintle_core::{Resource, Status, WatchEvent};
use pintle_wire::{DecodeError, Packed};
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout, timeout_at};

use super::backoff::Pauses;
use super::health::{Phase, Pulse};
use super::machine::{Fault, Input, Machine, Output, State, Want, is_later};
use super::reports::Reports;
use super::{Config, Error, Event, ListSemantic, Result, malformed, undecodable};

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

/// What a streaming list may take longer for each object it brings: a server that ignores the option brings a few
/// changes now and then, one that knows it thousands a second.
const STREAMING_LIST_GRANT: Duration = Duration::from_millis(10);
/// A server that asks for more patience than this is not obeyed.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(300);

/// How objects are passed on: decoded, or as they came.
pub(super) type Form<K, T> = fn(Packed<K>) -> Result<T, DecodeError>;

/// The endless stream of what the machine tells.
pub(super) fn run<K, T>(
    api: Api<K>,
    config: Config,
    pauses: Pauses,
    pulse: Pulse,
    reports: Reports,
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
        pauses,
        pulse,
        reports,
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
    pulse: Pulse,
    reports: Reports,
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
    /// Whether an event brought the version forward; what only repeats itself would be asked for again at once.
    has_advanced: bool,
    /// How much longer a streaming list may be waited for.
    patience: Duration,
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
            // Whoever asks for more has taken what was told.
            if let Some(version) = self.machine.resource_version() {
                self.pulse.reached(version);
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
        let asked_to_wait = error.as_ref().and_then(retry_after);
        for output in self.machine.on(input).into_iter().flatten() {
            match output {
                Output::Init => self.told.push_back(Ok(Event::Init)),
                Output::InitApply(object) => self.told.push_back(Ok(Event::InitApply(object))),
                Output::InitDone => {
                    self.pauses.succeeded(Instant::now());
                    self.pulse.synced();
                    self.told.push_back(Ok(Event::InitDone));
                }
                Output::Apply(object) => self.told.push_back(Ok(Event::Apply(object))),
                Output::Delete(object) => self.told.push_back(Ok(Event::Delete(object))),
                Output::Report => self.report(error.take()),
                Output::Pause => self.pause(asked_to_wait),
                Output::WentBack => {
                    let kind = std::any::type_name::<K>();
                    tracing::warn!(kind, "the list is older than what was seen before: was the cluster restored?");
                }
            }
        }
        if let Some(error) = error {
            tracing::debug!(kind = std::any::type_name::<K>(), %error, "the watch goes on another way");
        }
        if let Some(error) = self.told.iter().find_map(|told| told.as_ref().err()) {
            let pause = self.pause_until.map(|until| until.saturating_duration_since(Instant::now()));
            self.reports.failed(error, pause, Instant::now());
        }
        let phase = match self.machine.state() {
            State::Empty => {
                self.open = Open::Nothing;
                return;
            }
            State::InitPage { .. } | State::InitialWatch => Phase::Listing,
            // Not open yet, or not any more: as it was until it is.
            State::InitListed { .. } if !matches!(self.open, Open::Watch(_)) => return,
            State::InitListed { .. } | State::Watching { .. } => Phase::Watching,
        };
        if phase == Phase::Watching {
            self.reports.worked(Instant::now());
        }
        self.pulse.stands(phase, Instant::now());
    }

    fn report(&mut self, error: Option<Error>) {
        let Some(error) = error else { return };
        // One event that cannot be read does not make the watch fail.
        if !matches!(error, Error::WatchFailed(_)) {
            self.pulse.failed(&error, Instant::now());
        }
        self.told.push_back(Err(error));
    }

    /// Waits as the backoff says, or longer if the server asked for it.
    fn pause(&mut self, asked: Option<Duration>) {
        let now = Instant::now();
        match self.pauses.failed(now) {
            Some(pause) => self.pause_until = Some(now + pause.max(asked.unwrap_or_default().min(RETRY_AFTER_MAX))),
            None => self.has_given_up = true,
        }
    }

    async fn open(&mut self) -> Seen<T> {
        match self.machine.want() {
            Want::Begin => (Input::Begin, None),
            Want::List { continue_token, semantic } => {
                let params = self.config.list_params(semantic, continue_token);
                match answered(once(self.api.list_packed(&params))).await {
                    Ok(list) => self.read_list(list).await,
                    Err(error) => list_failed(error),
                }
            }
            Want::StreamingList { semantic } => {
                // No version asks for the most recent state, zero for whatever is at hand.
                let version = if *semantic == ListSemantic::Any { "0" } else { "" };
                self.watch(self.config.streaming_params(), version.to_owned()).await
            }
            Want::Watch { resource_version } => {
                let version = resource_version.to_owned();
                self.watch(self.config.watch_params(), version).await
            }
        }
    }

    async fn watch(&mut self, params: WatchParams, resource_version: String) -> Seen<T> {
        match answered(once(self.api.watch_packed(&params, &resource_version))).await {
            Ok(stream) => {
                let opened = Instant::now();
                let dies = opened + lifetime(&params) + WATCH_GRACE;
                self.pauses.succeeded(opened);
                let patience = STREAMING_LIST_SILENCE;
                self.open = Open::Watch(OpenWatch { stream, opened, dies, has_advanced: false, patience });
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
                Err(error) => list_failed(malformed(&error)),
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
        let asked = Instant::now();
        let deadline = if is_initial { watch.dies.min(asked + watch.patience) } else { watch.dies };
        match timeout_at(deadline, watch.stream.next()).await {
            Err(_) if is_initial => (Input::Stalled, None),
            Err(_) => (Input::Ended { was_futile: false }, None),
            Ok(None) if is_initial && watch.opened.elapsed() >= STREAMING_LIST_PATIENCE => (Input::Stalled, None),
            Ok(None) => (Input::Ended { was_futile: self.is_futile(&watch) }, None),
            Ok(Some(event)) => {
                // Only waiting counts: whoever takes the objects may take their time.
                watch.patience = watch.patience.saturating_sub(asked.elapsed());
                if matches!(event, Ok(WatchEvent::Added(_))) {
                    watch.patience += STREAMING_LIST_GRANT;
                }
                let seen = self.seen(event);
                watch.has_advanced |= self.advances(&seen.0);
                if !matches!(seen.0, Input::ErrorEvent(_)) {
                    self.open = Open::Watch(watch);
                }
                seen
            }
        }
    }

    /// Whether the watch ended so soon, having told so little, that asking again at once would go on for ever.
    fn is_futile(&self, watch: &OpenWatch<K>) -> bool {
        let is_futile = !watch.has_advanced && watch.opened.elapsed() < FUTILE_WATCH;
        if is_futile {
            let kind = std::any::type_name::<K>();
            tracing::debug!(kind, "the server ended the watch at once and told nothing; asking again later");
        }
        is_futile
    }

    /// Whether `input` is news. A bookmark is none: it would come again at once.
    fn advances(&self, input: &Input<T>) -> bool {
        match (input, self.machine.resource_version()) {
            (Input::Applied(_, version) | Input::Deleted(_, version) | Input::Unreadable(version), Some(known)) => {
                version.as_ref().is_some_and(|version| is_later(known, version))
            }
            (Input::Applied(..) | Input::Deleted(..), None) => true,
            _ => false,
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
    packed.head().resource_version().map(ToString::to_string)
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

/// How long the server asks to be left alone.
fn retry_after(error: &Error) -> Option<Duration> {
    match error {
        Error::InitialListFailed(ClientErr::Api(status)) | Error::WatchStartFailed(ClientErr::Api(status)) => {
            status.retry_after()
        }
        Error::WatchError(status) => status.retry_after(),
        _ => None,
    }
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
