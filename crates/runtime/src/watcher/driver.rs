//! Performs what the machine wants: opens the call, reads it, feeds back what came.
//!
//! It decides nothing; the clock is read and random numbers are drawn here. A list is complete or it failed; a watch ends by itself, by the server, or when the
//! [patience](super::patience) with it is over; each is one input for the machine.

use std::collections::VecDeque;
use std::future::Future;
use std::time::Duration;

use futures::stream::{Stream, StreamExt};
use pintle_client::Error as ClientErr;
use pintle_client::api::Api;
use pintle_client::api::packed::{ListOf, ReadObject, WatchOf};
use pintle_client::client::unrepeated::once;
use pintle_core::params::WatchParams;
use pintle_core::resource_version::ResourceVersion;
use pintle_core::{Resource, Status, WatchEvent};
use tokio::time::{Instant, timeout, timeout_at};

use super::arrival::Arrival;
use super::backoff::Pauses;
use super::health::{Phase, Pulse};
use super::machine::{Fault, Input, Machine, Output, State, Want};
use super::own_backoff;
use super::patience::{Awaited, Patience};
use super::reports::Reports;
use super::{Config, Error, Event, ListSemantic, Result, undecodable};
use crate::random;

/// Servers give up on a call after 60 s.
const ANSWER_PATIENCE: Duration = Duration::from_secs(70);
/// A server that asks for more patience than this is not obeyed.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(300);

/// How objects are passed on: decoded, or as they came.
pub(super) type Form<T> = ReadObject<Arrival<T>>;

/// The endless stream of what the machine emits.
pub(super) fn run<K, T>(
    api: Api<K>,
    config: Config,
    pauses: Pauses,
    pulse: Pulse,
    reports: Reports,
    form: Form<T>,
) -> impl Stream<Item = Result<Event<T>>> + Send
where
    K: Resource + Send + 'static,
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
        ready: VecDeque::new(),
        has_given_up: false,
    };
    futures::stream::unfold(driver, |mut driver| async move { Some((driver.next().await?, driver)) })
}

struct Driver<K, T> {
    api: Api<K>,
    config: Config,
    form: Form<T>,
    machine: Machine,
    pauses: Pauses,
    pulse: Pulse,
    reports: Reports,
    pause_until: Option<Instant>,
    open: Open<T>,
    /// What the stream yields next.
    ready: VecDeque<Result<Event<T>>>,
    has_given_up: bool,
}

/// The call that is open.
enum Open<T> {
    Nothing,
    List(ListOf<Arrival<T>>),
    Watch(OpenWatch<T>),
}

struct OpenWatch<T> {
    stream: WatchOf<Arrival<T>>,
    patience: Patience,
}

/// What was seen, and the error to yield if the machine wants it reported.
type Seen<T> = (Input<T>, Option<Error>);

impl<K, T> Driver<K, T>
where
    K: Resource + Send + 'static,
{
    async fn next(&mut self) -> Option<Result<Event<T>>> {
        loop {
            if let Some(next) = self.ready.pop_front() {
                return Some(next);
            }
            // The reader asks for more, so it has taken what was emitted.
            if let Some(version) = self.machine.resource_version() {
                self.pulse.reached(version);
            }
            if self.has_given_up {
                return None;
            }
            if let Some(until) = self.pause_until.take() {
                tokio::time::sleep_until(until).await;
                self.pulse.tries_again(None);
            }
            let (input, error) = match std::mem::replace(&mut self.open, Open::Nothing) {
                Open::Nothing => self.open().await,
                Open::List(list) => self.read_list(list).await,
                Open::Watch(watch) => self.read_watch(watch).await,
            };
            self.perform(input, error);
        }
    }

    /// Files what the machine emits, and the pause it wants after that.
    fn perform(&mut self, input: Input<T>, mut error: Option<Error>) {
        let asked_to_wait = error.as_ref().and_then(retry_after);
        for output in self.machine.on(input).into_iter().flatten() {
            match output {
                Output::Emit(event) => self.emit(event),
                Output::Report => self.report(error.take()),
                Output::Pause if self.is_waited_for() => self.pause_as_asked(asked_to_wait),
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
        if let Some(error) = self.ready.iter().find_map(|next| next.as_ref().err()) {
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

    fn emit(&mut self, event: Event<T>) {
        if matches!(event, Event::Init) {
            self.pulse.lists();
        }
        if matches!(event, Event::InitDone) {
            self.pauses.succeeded(Instant::now());
            self.pulse.synced();
        }
        self.ready.push_back(Ok(event));
    }

    fn report(&mut self, error: Option<Error>) {
        let Some(error) = error else { return };
        // One event that cannot be read does not make the watch fail.
        if !matches!(error, Error::WatchFailed(_)) {
            self.pulse.failed(&error, Instant::now());
        }
        self.ready.push_back(Err(error));
    }

    /// Whether an error comes next, and what is around the watch waits after it.
    fn is_waited_for(&self) -> bool {
        own_backoff::is_replaced() && self.ready.back().is_some_and(Result::is_err)
    }

    /// Waits as long as the server asked for, and not at all if it did not.
    fn pause_as_asked(&mut self, asked: Option<Duration>) {
        self.pause_until = asked.map(|asked| Instant::now() + spread(asked));
        self.pulse.tries_again(self.pause_until);
    }

    /// Waits as the backoff says, or longer if the server asked for it.
    fn pause(&mut self, asked: Option<Duration>) {
        let now = Instant::now();
        match self.pauses.failed(now) {
            Some(pause) => {
                self.pause_until = Some(now + pause.max(spread(asked.unwrap_or_default())));
                self.pulse.tries_again(self.pause_until);
            }
            None => self.has_given_up = true,
        }
    }

    async fn open(&mut self) -> Seen<T> {
        match self.machine.want() {
            Want::Begin => (Input::Begin, None),
            Want::List { page, semantic } => {
                let params = self.config.list_params(semantic, page);
                match answered(once(self.api.list_of(&params, self.form))).await {
                    Ok(list) => self.read_list(list).await,
                    Err(error) => list_failed(error),
                }
            }
            Want::StreamingList { semantic } => {
                // No version asks for the most recent state, zero for whatever is at hand.
                let version = if *semantic == ListSemantic::Any { "0" } else { "" };
                self.watch(self.config.streaming_params(random::fraction()), version.to_owned()).await
            }
            Want::Watch { resource_version } => {
                let version = resource_version.to_string();
                self.watch(self.config.watch_params(random::fraction()), version).await
            }
        }
    }

    async fn watch(&mut self, params: WatchParams, resource_version: String) -> Seen<T> {
        match answered(once(self.api.watch_of(&params, &resource_version, self.form))).await {
            Ok(stream) => {
                let opened = Instant::now();
                self.pauses.succeeded(opened);
                self.pulse.opened();
                let patience = Patience::new(opened, lifetime(&params));
                self.open = Open::Watch(OpenWatch { stream, patience });
                (Input::Opened, None)
            }
            Err(error) => (Input::Refused(fault(&error)), Some(Error::WatchStartFailed(error))),
        }
    }

    async fn read_list(&mut self, mut list: ListOf<Arrival<T>>) -> Seen<T> {
        let next = async { list.next().await.transpose() };
        let next = answered(next).await.transpose();
        self.pulse.heard(Instant::now());
        match next {
            Some(Ok(arrival)) => match arrival.into_object() {
                Ok(object) => {
                    self.open = Open::List(list);
                    (Input::Item(object), None)
                }
                Err(error) => list_failed(error),
            },
            Some(Err(error)) => list_failed(error),
            None => {
                let metadata = list.metadata().cloned().unwrap_or_default();
                let resource_version = metadata.resource_version.as_deref().and_then(ResourceVersion::parse);
                let error = resource_version.is_none().then_some(Error::NoResourceVersion);
                (Input::PageEnd { resource_version, continue_token: metadata.continue_ }, error)
            }
        }
    }

    async fn read_watch(&mut self, mut watch: OpenWatch<T>) -> Seen<T> {
        let is_initial = self.machine.state() == &State::InitialWatch;
        let awaited = if is_initial { Awaited::InitialEvents } else { Awaited::Changes };
        let asked = Instant::now();
        let next = timeout_at(watch.patience.deadline(awaited, asked), watch.stream.next()).await;
        let now = Instant::now();
        watch.patience.waited(now - asked);
        let event = match next {
            Err(_) => return (watch.patience.silent(awaited), None),
            Ok(None) => return self.ended(watch.patience.ended(awaited, now)),
            Ok(Some(event)) => event,
        };
        self.pulse.heard(now);
        if matches!(event, Ok(WatchEvent::Added(_))) {
            watch.patience.granted();
        }
        let seen = seen(event);
        if self.machine.is_news(&seen.0) {
            watch.patience.saw_news();
        }
        if !matches!(seen.0, Input::ErrorEvent(_)) {
            self.open = Open::Watch(watch);
        }
        seen
    }

    fn ended(&self, input: Input<T>) -> Seen<T> {
        if matches!(input, Input::Ended { was_futile: true }) {
            let kind = std::any::type_name::<K>();
            tracing::debug!(kind, "the server ended the watch at once and sent nothing new; asking again later");
        }
        (input, None)
    }
}

fn seen<T>(event: Result<WatchEvent<Arrival<T>>, ClientErr>) -> Seen<T> {
    match event {
        Ok(WatchEvent::Added(arrival) | WatchEvent::Modified(arrival)) => match arrival.object {
            Ok(object) => (Input::Applied(object, arrival.version), None),
            Err(error) => (Input::Unreadable(arrival.version), Some(undecodable(&error))),
        },
        Ok(WatchEvent::Deleted(arrival)) => match arrival.object {
            Ok(object) => (Input::Deleted(object, arrival.version), None),
            Err(error) => (Input::UnreadableDelete, Some(undecodable(&error))),
        },
        Ok(WatchEvent::Bookmark(bookmark)) => {
            let ends_initial_events = bookmark.ends_initial_events();
            match ResourceVersion::parse(&bookmark.metadata.resource_version) {
                Some(resource_version) => (Input::Bookmark { resource_version, ends_initial_events }, None),
                None => (Input::Unreadable(None), None),
            }
        }
        Ok(WatchEvent::Error(status)) => (Input::ErrorEvent(fault_of(&status)), Some(Error::WatchError(status))),
        Err(error) => (Input::Unreadable(None), Some(Error::WatchFailed(error))),
    }
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

/// What the server asked for and up to half of that again, so that those it sent away together do not come back together.
fn spread(asked: Duration) -> Duration {
    let asked = asked.min(RETRY_AFTER_MAX);
    asked + asked.mul_f64(random::fraction() / 2.0)
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
