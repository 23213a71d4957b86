//! A watch that does not end: it lists, follows, resumes where it was cut, and lists again when it must.
//!
//! ```text
//!   Machine ──want──► driver ──call──► Api::{list_of, watch_of}
//!      ▲                │ ◄──────────── K or Packed<K>, ends, errors
//!      └────input───────┘ ──► Watcher: Event<K>, decoded;  PackedWatcher: Event<Packed<K>>
//! ```
//!
//! [`watcher`] gives the stream of the documents: decoded objects, errors as items, never an end. Backoff is inside it:
//! an error is yielded, then waited after. [`Watcher::packed`] is the same without decoding; the controller lives on it.

mod arrival;
pub mod backoff;
mod config;
mod driver;
mod event;
pub(crate) mod handover;
mod health;
mod machine;
mod object;
pub(crate) mod own_backoff;
mod patience;
mod raw;
mod reports;

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::stream::{BoxStream, Stream, StreamExt};
use pintle_client::{Api, Error as ClientErr};
use pintle_core::{PartialObjectMeta, Resource, Status};
use pintle_wire::{DecodeError, Packed};
use serde::de::{DeserializeOwned, Error as _};

use crate::utils::StreamBackoff;
pub use backoff::{DefaultBackoff, ExponentialBackoff};
pub use config::{Config, InitialListStrategy, ListSemantic};
pub use event::Event;
pub use health::{Health, Phase, Report};
pub use object::watch_object;
pub use raw::{EventType, StreamWatcher};

use backoff::{Backoff, Pauses};
use health::{Pulse, Scope};
use reports::{Audience, Reports};

/// Why a watcher could not go on for a moment. It goes on by itself after every one of them.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The first list failed, or a later one.
    #[error("failed to perform initial object list: {0}")]
    InitialListFailed(#[source] ClientErr),
    /// The watch could not be opened.
    #[error("failed to start watching object: {0}")]
    WatchStartFailed(#[source] ClientErr),
    /// The server sent an error in the watch.
    #[error("error returned by apiserver during watch: {0}")]
    WatchError(#[source] Box<Status>),
    /// The watch brought something that could not be read.
    #[error("watch stream failed: {0}")]
    WatchFailed(#[source] ClientErr),
    /// The list had no version to watch from.
    #[error("no metadata.resourceVersion in watch result (does resource support watch?)")]
    NoResourceVersion,
}

impl Error {
    /// Whether the server refuses this watch until the cluster is changed: the kind is not there, or the caller
    /// may not read it.
    pub fn is_refused(&self) -> bool {
        match self {
            Self::InitialListFailed(error) | Self::WatchStartFailed(error) => refusal(error).is_some(),
            Self::WatchError(_) | Self::WatchFailed(_) | Self::NoResourceVersion => false,
        }
    }
}

/// The answer of a server that will not change by asking again.
fn refusal(error: &ClientErr) -> Option<&Status> {
    match error {
        ClientErr::Api(status) => Some(status.as_ref()).filter(|status| {
            status.is_forbidden()
                || status.is_not_found()
                || status.is_unauthorized()
                || status.is_method_not_supported()
        }),
        _ => None,
    }
}

/// The result of a step of a watcher.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Follows the objects of `api` that `config` selects.
///
/// The stream never ends and backs off by itself after an error.
pub fn watcher<K>(api: Api<K>, config: Config) -> Watcher<K>
where
    K: Resource + Clone + DeserializeOwned + fmt::Debug + Send + 'static,
{
    Watcher { plan: Plan::new(api, config), running: Running::NotYet }
}

/// Follows the metadata of the objects of `api` that `config` selects: the rest is neither sent nor stored. The same as
/// [`watcher`] of an `Api<PartialObjectMeta<K>>`.
#[deprecated = "use `watcher` with an `Api<PartialObjectMeta<K>>`, which asks for metadata alone"]
pub fn metadata_watcher<K>(api: Api<K>, config: Config) -> Watcher<PartialObjectMeta<K>>
where
    K: Resource + Clone + DeserializeOwned + fmt::Debug + Send + 'static,
{
    watcher(api.into_metadata(), config)
}

/// The stream of [`watcher`]. It waits after errors by itself; a [`backoff`](crate::WatchStreamExt::backoff) around it, or
/// further out, waits instead. [`default_backoff`](crate::WatchStreamExt::default_backoff) is what it does anyway, and
/// changes nothing.
///
/// A store right behind it, by [`reflect`](crate::WatchStreamExt::reflect) or [`reflector`](crate::reflector()), gets what came
/// packed, at no extra cost. One behind anything that may change objects on their way gets a copy of each decoded object,
/// about ten times as large.
///
/// An object that does not decode is an error that names it. In a watch that is all, and the next event follows; a list
/// with such an object is not complete, so it fails and is tried again, and its reader keeps what it had.
pub struct Watcher<K> {
    plan: Plan<K>,
    running: Running<K>,
}

/// What a [`Watcher`] does with its objects, decided when it is polled for the first time.
enum Running<K> {
    NotYet,
    /// Decodes them: one that does not decode fails its list.
    Decoding(BoxStream<'static, Result<Event<K>>>),
    /// Hands them to a store, which has room for one that does not decode, and decodes them beside that.
    HandingOver(BoxStream<'static, Result<Event<Packed<K>>>>),
}

impl<K> Watcher<K>
where
    K: Resource + Clone + DeserializeOwned + fmt::Debug + Send + 'static,
{
    /// Reads how the watch is doing, now and while it runs.
    pub fn health(&self) -> Health {
        self.plan.health.clone()
    }

    /// The same without decoding.
    pub fn packed(self) -> PackedWatcher<K> {
        PackedWatcher { plan: self.plan, running: None }
    }
}

impl<K> Stream for Watcher<K>
where
    K: Resource + DeserializeOwned + Send + 'static,
{
    type Item = Result<Event<K>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Self { plan, running } = self.get_mut();
        let is_asked = handover::is_asked::<Self>();
        own_backoff::mark(loop {
            match running {
                Running::NotYet if is_asked => *running = Running::HandingOver(plan.start(arrival::packed)),
                Running::NotYet => *running = Running::Decoding(plan.start(arrival::decoded)),
                Running::Decoding(events) => break events.poll_next_unpin(cx),
                Running::HandingOver(events) => {
                    let next = std::task::ready!(events.poll_next_unpin(cx));
                    break Poll::Ready(next.map(|event| handover::hand_over(event?, &plan.health)));
                }
            }
        })
    }
}

/// What a [`Watcher`] has besides being a stream is not lost by saying what it does anyway.
impl<K> StreamBackoff<Watcher<K>, DefaultBackoff>
where
    K: Resource + Clone + DeserializeOwned + fmt::Debug + Send + 'static,
{
    /// As [`Watcher::health`].
    pub fn health(&self) -> Health {
        self.inner().health()
    }

    /// As [`Watcher::packed`].
    pub fn packed(self) -> PackedWatcher<K> {
        self.into_inner().packed()
    }
}

impl<K> Unpin for Watcher<K> {}

impl<K> fmt::Debug for Watcher<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_running = !matches!(self.running, Running::NotYet);
        f.debug_struct("Watcher").field("is_running", &is_running).finish_non_exhaustive()
    }
}

/// An object that does not decode, as a watcher reports it.
pub(crate) fn undecodable(error: &DecodeError) -> Error {
    Error::WatchFailed(malformed(error))
}

/// An object that does not decode, as a client reports it.
fn malformed(error: &DecodeError) -> ClientErr {
    ClientErr::SerdeError(serde_json::Error::custom(error))
}

/// A watch that has not begun: nothing is asked for before the first poll.
struct Plan<K> {
    api: Api<K>,
    config: Config,
    backoff: Box<dyn Backoff>,
    audience: Audience,
    health: Health,
    // Gone once the driver has it.
    pulse: Option<Pulse>,
}

impl<K> Plan<K>
where
    K: Resource + DeserializeOwned + Send + 'static,
{
    fn new(api: Api<K>, config: Config) -> Self {
        let scope = Scope { namespace: api.namespace().map(str::to_owned), config: config.clone() };
        let pulse = Pulse::new(scope);
        Self {
            api,
            config,
            backoff: Box::<DefaultBackoff>::default(),
            audience: Audience::Program,
            health: pulse.health(),
            pulse: Some(pulse),
        }
    }

    /// Begins, bringing each object into its `form`.
    fn start<T: Send + 'static>(&mut self, form: driver::Form<T>) -> BoxStream<'static, Result<Event<T>>> {
        let unused: Box<dyn Backoff> = Box::new(DefaultBackoff::default());
        let backoff = std::mem::replace(&mut self.backoff, unused);
        let pulse = self.pulse.take().expect("a watch begins once");
        let reports = Reports::new(&self.api, self.audience);
        driver::run(self.api.clone(), self.config.clone(), Pauses::new(backoff), pulse, reports, form).boxed()
    }
}

/// A watcher that leaves its objects packed.
pub struct PackedWatcher<K> {
    plan: Plan<K>,
    running: Option<BoxStream<'static, Result<Event<Packed<K>>>>>,
}

impl<K> PackedWatcher<K>
where
    K: Resource + DeserializeOwned + Send + 'static,
{
    /// Follows the objects of `api` that `config` selects.
    pub fn new(api: Api<K>, config: Config) -> Self {
        Self { plan: Plan::new(api, config), running: None }
    }

    /// Waits after errors as `backoff` says, and ends if that ends.
    #[must_use]
    pub fn backoff<B: Backoff + 'static>(mut self, backoff: B) -> Self {
        self.plan.backoff = Box::new(backoff);
        self
    }

    /// Reads how the watch is doing, now and while it runs.
    pub fn health(&self) -> Health {
        self.plan.health.clone()
    }

    /// Logs its failures at `warn`: for code that does not pass them on to the program.
    pub(crate) fn logged(mut self) -> Self {
        self.plan.audience = Audience::Unknown;
        self
    }
}

impl<K> Stream for PackedWatcher<K>
where
    K: Resource + DeserializeOwned + Send + 'static,
{
    type Item = Result<Event<Packed<K>>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Self { plan, running } = self.get_mut();
        own_backoff::mark(running.get_or_insert_with(|| plan.start(arrival::packed)).poll_next_unpin(cx))
    }
}

impl<K> Unpin for PackedWatcher<K> {}

impl<K> fmt::Debug for PackedWatcher<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PackedWatcher").field("is_running", &self.running.is_some()).finish_non_exhaustive()
    }
}
