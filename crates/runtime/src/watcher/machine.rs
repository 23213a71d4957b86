//! The state machine of a watcher: which call comes next, and what each answer means.
//!
//! ```text
//!             ListWatch                    last page
//!   Empty ───────────────► InitPage ─┐ ┌──────────────► InitListed ──opened──► Watching
//!     ▲ │                     ▲ │    │ │                  ▲   ▲                   │
//!     │ │ StreamingList       └─┘ next page               │   └── ended, refused ─┤
//!     │ └────────────────► InitialWatch ── end bookmark ──┘                       │
//!     └─── 410 in any form, two errors from one version, a failed list ───────────┘
//! ```
//!
//! In: an [`Input`], what the driver saw. Out: the next state and at most two [`Output`]s. It performs nothing, reads
//! no clock and holds no object. Its invariant: `Init` opens a round, `InitApply` comes only within one, `InitDone`
//! closes it, `Apply` and `Delete` come only outside. An input that cannot occur in a state changes nothing there.

use pintle_core::paging::PageRequest;
use pintle_core::resource_version::ResourceVersion;

use super::config::{InitialListStrategy, ListSemantic};
use super::event::Event;

/// Where a watcher stands.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum State {
    /// Nothing is known.
    Empty,
    /// A list is being read page by page.
    InitPage {
        /// The page that is being read.
        page: PageRequest,
    },
    /// A list is being read as the beginning of a watch.
    InitialWatch,
    /// Everything up to a version is known; a watch from there is to be opened, or is open since the streaming list.
    InitListed {
        /// The version.
        resource_version: ResourceVersion,
    },
    /// Changes are coming in.
    Watching {
        /// The last version seen.
        resource_version: ResourceVersion,
    },
}

/// The call a state needs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Want<'a> {
    /// None: feed [`Input::Begin`].
    Begin,
    /// A page of the list.
    List {
        /// Which page.
        page: &'a PageRequest,
        /// How fresh the list must be.
        semantic: &'a ListSemantic,
    },
    /// A watch that begins with what exists.
    StreamingList {
        /// How fresh its beginning must be.
        semantic: &'a ListSemantic,
    },
    /// A watch from a version on.
    Watch {
        /// The version.
        resource_version: &'a ResourceVersion,
    },
}

/// What the driver saw.
#[derive(Clone, Debug)]
pub(super) enum Input<T> {
    /// Time to begin a round.
    Begin,
    /// An object of a list.
    Item(T),
    /// The end of a page.
    PageEnd {
        /// The version of the list.
        resource_version: Option<ResourceVersion>,
        /// Set if there are more pages.
        continue_token: Option<String>,
    },
    /// The list failed.
    ListFailed(Fault),
    /// The watch is open.
    Opened,
    /// The watch was not opened.
    Refused(Fault),
    /// An object is there or has changed.
    Applied(T, Option<ResourceVersion>),
    /// An object is gone.
    Deleted(T, Option<ResourceVersion>),
    /// Everything up to a version has been sent.
    Bookmark {
        /// The version.
        resource_version: ResourceVersion,
        /// Whether this ends the initial events.
        ends_initial_events: bool,
    },
    /// The watch sent an error, and ends.
    ErrorEvent(Fault),
    /// An event that could not be read; its version counts if it has one.
    Unreadable(Option<ResourceVersion>),
    /// A delete whose object could not be read.
    UnreadableDelete,
    /// The watch ended.
    Ended {
        /// It ended at once and brought nothing new.
        was_futile: bool,
    },
    /// The streaming list makes no progress.
    Stalled,
}

/// What went wrong, as far as the machine needs to know.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Fault {
    /// The version is no longer known.
    Gone,
    /// The server does not know the version: it is from the future, or from another server.
    Unknown,
    /// Anything else.
    Other,
}

/// What the driver should do.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Output<T> {
    /// Yield this from the stream.
    Emit(Event<T>),
    /// Yield the error that came with the input.
    Report,
    /// Wait as long as the backoff says.
    Pause,
    /// Log that the list is older than what was seen, though asked for twice.
    WentBack,
}

/// At most two outputs, in order.
pub(super) type Outputs<T> = [Option<Output<T>>; 2];

/// A watcher without its calls.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Machine {
    state: State,
    strategy: InitialListStrategy,
    semantic: ListSemantic,
    round: Round,
    /// The last version seen before everything was forgotten.
    seen: Option<u64>,
    /// The version from which a watch has sent an error, once.
    failed_from: Option<ResourceVersion>,
    order: Order,
}

/// Whether versions only grow. In Kubernetes they do: one that goes back means that the cluster was restored from a
/// backup, and a watch from before would stay silent for hours.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Order {
    Trusted,
    /// One went back; the list that is under way decides why.
    Questioned,
    /// They go back though the state does not: this server's versions are not ordered.
    None,
}

/// What this round does otherwise than configured.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
struct Round {
    /// Listed by pages because the streaming list failed.
    by_pages: bool,
    /// Listed most recent because a version at hand was refused, or was old.
    most_recent: bool,
    /// Listed again because the list was older than what had been seen.
    is_repeated: bool,
    /// Listed whole because the version of the pages expired before the last of them was read.
    is_whole: bool,
}

impl Machine {
    /// A machine that knows nothing yet.
    pub(super) fn new(strategy: InitialListStrategy, semantic: ListSemantic) -> Self {
        let (state, round, order) = (State::Empty, Round::default(), Order::Trusted);
        Self { state, strategy, semantic, round, seen: None, failed_from: None, order }
    }

    /// Where it stands.
    pub(super) fn state(&self) -> &State {
        &self.state
    }

    /// The version up to which everything is known.
    pub(super) fn resource_version(&self) -> Option<&ResourceVersion> {
        match &self.state {
            State::InitListed { resource_version } | State::Watching { resource_version } => Some(resource_version),
            State::Empty | State::InitPage { .. } | State::InitialWatch => None,
        }
    }

    /// The call its state needs, if none is open.
    pub(super) fn want(&self) -> Want<'_> {
        match &self.state {
            State::Empty => Want::Begin,
            State::InitPage { page } => Want::List { page, semantic: self.semantic() },
            State::InitialWatch => Want::StreamingList { semantic: self.semantic() },
            State::InitListed { resource_version } | State::Watching { resource_version } => {
                Want::Watch { resource_version }
            }
        }
    }

    /// Takes one input.
    pub(super) fn on<T>(&mut self, input: Input<T>) -> Outputs<T> {
        let known = self.resource_version().and_then(ResourceVersion::number);
        let (state, outputs) = match std::mem::replace(&mut self.state, State::Empty) {
            State::Empty => self.on_empty(&input),
            State::InitPage { page } => self.on_page(page, input),
            State::InitialWatch => self.on_initial_watch(input),
            State::InitListed { resource_version } => self.on_listed(resource_version, input),
            State::Watching { resource_version } => self.on_watching(resource_version, input),
        };
        self.state = state;
        if self.state == State::Empty {
            self.seen = known.or(self.seen);
        }
        outputs
    }

    /// Whether `input` brings something that asking again from the same version would not bring again. A bookmark does
    /// not.
    pub(super) fn is_news<T>(&self, input: &Input<T>) -> bool {
        match (input, self.resource_version()) {
            (Input::Applied(_, next) | Input::Deleted(_, next) | Input::Unreadable(next), Some(known)) => {
                next.as_ref().is_some_and(|next| is_later(known, next))
            }
            (Input::Applied(..) | Input::Deleted(..), None) => true,
            _ => false,
        }
    }

    fn on_empty<T>(&self, input: &Input<T>) -> (State, Outputs<T>) {
        match input {
            Input::Begin => {
                let streaming = self.strategy == InitialListStrategy::StreamingList && !self.round.by_pages;
                let page = if self.round.is_whole { PageRequest::Whole } else { PageRequest::First };
                (if streaming { State::InitialWatch } else { State::InitPage { page } }, emit(Event::Init))
            }
            Input::Item(_)
            | Input::PageEnd { .. }
            | Input::ListFailed(_)
            | Input::Opened
            | Input::Refused(_)
            | Input::Applied(..)
            | Input::Deleted(..)
            | Input::Bookmark { .. }
            | Input::ErrorEvent(_)
            | Input::Unreadable(_)
            | Input::UnreadableDelete
            | Input::Ended { .. }
            | Input::Stalled => (State::Empty, none()),
        }
    }

    fn on_page<T>(&mut self, page: PageRequest, input: Input<T>) -> (State, Outputs<T>) {
        match input {
            Input::Item(object) => (State::InitPage { page }, emit(Event::InitApply(object))),
            Input::PageEnd { resource_version, continue_token } => {
                match (page.after_answer(continue_token.as_deref()), resource_version) {
                    (Some(page), _) => (State::InitPage { page }, none()),
                    (None, Some(version)) => self.listed(version),
                    // A list without a version cannot be followed.
                    (None, None) => (State::Empty, failure()),
                }
            }
            Input::ListFailed(Fault::Gone | Fault::Unknown) if self.lists_any() => {
                self.round.most_recent = true;
                (State::Empty, none())
            }
            // Those who have some of its pages begin again with the whole list; it is not asked for twice without a pause.
            Input::ListFailed(Fault::Gone) if page.after_expiry().is_some() && !self.round.is_whole => {
                self.round.is_whole = true;
                (State::Empty, none())
            }
            Input::ListFailed(Fault::Gone | Fault::Unknown | Fault::Other) => (State::Empty, failure()),
            Input::Begin
            | Input::Opened
            | Input::Refused(_)
            | Input::Applied(..)
            | Input::Deleted(..)
            | Input::Bookmark { .. }
            | Input::ErrorEvent(_)
            | Input::Unreadable(_)
            | Input::UnreadableDelete
            | Input::Ended { .. }
            | Input::Stalled => (State::InitPage { page }, none()),
        }
    }

    fn on_initial_watch<T>(&mut self, input: Input<T>) -> (State, Outputs<T>) {
        match input {
            Input::Applied(object, _) => (State::InitialWatch, emit(Event::InitApply(object))),
            Input::Bookmark { resource_version, ends_initial_events: true } => self.listed(resource_version),
            // Whatever kept the streaming list from its end, a list by pages may still work.
            Input::Refused(Fault::Gone | Fault::Unknown | Fault::Other)
            | Input::ErrorEvent(Fault::Gone | Fault::Unknown | Fault::Other)
            | Input::Unreadable(_)
            | Input::UnreadableDelete
            | Input::Ended { .. } => self.list_by_pages(),
            // A server that does not know streaming lists will not learn it: remembered. One that knows them sends no
            // other bookmark before the one that ends the list.
            Input::Stalled | Input::Bookmark { ends_initial_events: false, .. } => {
                self.strategy = InitialListStrategy::ListWatch;
                self.list_by_pages()
            }
            // What was emitted as existing is gone again before the list was complete.
            Input::Deleted(..) => self.list_by_pages(),
            Input::Begin | Input::Opened | Input::Item(_) | Input::PageEnd { .. } | Input::ListFailed(_) => {
                (State::InitialWatch, none())
            }
        }
    }

    fn on_listed<T>(&mut self, version: ResourceVersion, input: Input<T>) -> (State, Outputs<T>) {
        match input {
            Input::Opened => (State::Watching { resource_version: version }, none()),
            Input::Refused(Fault::Gone | Fault::Unknown) => (State::Empty, failure()),
            Input::Refused(Fault::Other) => (State::InitListed { resource_version: version }, failure()),
            Input::Begin | Input::Item(_) | Input::PageEnd { .. } | Input::ListFailed(_) | Input::Stalled => {
                (State::InitListed { resource_version: version }, none())
            }
            // The stream of a streaming list is open already.
            Input::Applied(..)
            | Input::Deleted(..)
            | Input::Bookmark { .. }
            | Input::ErrorEvent(_)
            | Input::Unreadable(_)
            | Input::UnreadableDelete
            | Input::Ended { .. } => self.on_watching(version, input),
        }
    }

    fn on_watching<T>(&mut self, version: ResourceVersion, input: Input<T>) -> (State, Outputs<T>) {
        let watching = |resource_version| State::Watching { resource_version };
        let again = |resource_version| State::InitListed { resource_version };
        match input {
            Input::Applied(_, Some(next)) | Input::Bookmark { resource_version: next, .. }
                if self.order == Order::Trusted && is_earlier(&version, &next) =>
            {
                self.order = Order::Questioned;
                (State::Empty, one(Output::Pause))
            }
            Input::Applied(object, next) => (watching(later(version, next)), emit(Event::Apply(object))),
            // Some servers send a deleted object at the version of its last change.
            Input::Deleted(object, next) => (watching(later(version, next)), emit(Event::Delete(object))),
            Input::Bookmark { resource_version, .. } => (watching(later(version, Some(resource_version))), none()),
            Input::Unreadable(next) => (watching(later(version, next)), one(Output::Report)),
            // After a delete that cannot be read only a list shows which object is gone.
            Input::ErrorEvent(Fault::Gone | Fault::Unknown) | Input::UnreadableDelete => (State::Empty, failure()),
            // Twice from one version: it may be the next event itself that the server cannot send, and never will. One
            // without a watch cache fails so over a delete whose object etcd has just compacted.
            Input::ErrorEvent(Fault::Other) if self.failed_from.take_if(|known| *known == version).is_some() => {
                (State::Empty, failure())
            }
            Input::ErrorEvent(Fault::Other) => {
                self.failed_from = Some(version.clone());
                (again(version), failure())
            }
            Input::Ended { was_futile: false } => (again(version), none()),
            Input::Ended { was_futile: true } => (again(version), one(Output::Pause)),
            Input::Begin
            | Input::Opened
            | Input::Refused(_)
            | Input::Item(_)
            | Input::PageEnd { .. }
            | Input::ListFailed(_)
            | Input::Stalled => (watching(version), none()),
        }
    }

    /// A list is complete. One that is older than what was seen is asked for once more, as fresh as can be; a cluster
    /// that was restored from a backup is then believed.
    fn listed<T>(&mut self, resource_version: ResourceVersion) -> (State, Outputs<T>) {
        let went_back = matches!((self.seen, resource_version.number()), (Some(seen), Some(now)) if now < seen);
        if went_back && !self.round.is_repeated {
            self.round = Round { by_pages: true, most_recent: true, is_repeated: true, ..self.round };
            return (State::Empty, none());
        }
        if self.order == Order::Questioned {
            self.order = if went_back { Order::Trusted } else { Order::None };
        }
        self.round = Round::default();
        self.seen = None;
        (
            State::InitListed { resource_version },
            [Some(Output::Emit(Event::InitDone)), went_back.then_some(Output::WentBack)],
        )
    }

    fn list_by_pages<T>(&mut self) -> (State, Outputs<T>) {
        self.round.by_pages = true;
        (State::Empty, none())
    }

    /// How fresh the list of this round must be.
    fn semantic(&self) -> &ListSemantic {
        if self.round.most_recent { &ListSemantic::MostRecent } else { &self.semantic }
    }

    fn lists_any(&self) -> bool {
        self.semantic() == &ListSemantic::Any
    }
}

/// The later of two versions.
fn later(seen: ResourceVersion, next: Option<ResourceVersion>) -> ResourceVersion {
    match next {
        Some(next) if is_later(&seen, &next) => next,
        _ => seen,
    }
}

/// Whether `next` leads on from `seen`; one that cannot be compared is believed.
pub(super) fn is_later(seen: &ResourceVersion, next: &ResourceVersion) -> bool {
    match (seen.number(), next.number()) {
        (Some(seen), Some(next)) => next > seen,
        _ => next.compare(seen).map_or(next != seen, std::cmp::Ordering::is_gt),
    }
}

/// Whether `next` leads back behind `seen`, both being numbers.
fn is_earlier(seen: &ResourceVersion, next: &ResourceVersion) -> bool {
    matches!((seen.number(), next.number()), (Some(seen), Some(next)) if next < seen)
}

fn none<T>() -> Outputs<T> {
    [None, None]
}

fn emit<T>(event: Event<T>) -> Outputs<T> {
    one(Output::Emit(event))
}

fn one<T>(output: Output<T>) -> Outputs<T> {
    [Some(output), None]
}

fn failure<T>() -> Outputs<T> {
    [Some(Output::Report), Some(Output::Pause)]
}

#[cfg(test)]
mod tests;
