//! Faults: what can go wrong between a client and a server, on purpose.
//!
//! ```
//! use pintle_apiserver::{Fault, Requests, Server};
//!
//! let server = Server::new();
//! // Which requests, how often, and what happens.
//! let storm = server.fault(Requests::writes().of("configmaps").times(3), Fault::conflict());
//! let cut = server.fault(Requests::watches().of("pods").nth(2), Fault::Cut { after: 5 });
//! assert_eq!((storm.fired(), cut.fired()), (0, 0));
//! ```
//!
//! In: a rule. Out: the fault, each time it took effect counted in [`Rule::fired`] and shown in [`Server::trace`].
//! A request meets the rules in the order they were made; one that answers it or loses it is the last it meets.
//! A fault never changes what is stored: the cluster stays consistent, only its answers suffer.
//!
//! [`Server::trace`]: crate::Server::trace

mod controlled_watch;
mod corrupt;
mod faulty_body;
pub(crate) mod injection;
pub(crate) mod open_watches;
mod requests;
mod rules;
pub(crate) mod trace;

use std::time::Duration;

use pintle_core::call::{Query, Verb};
use pintle_core::response::{Status, StatusDetails};

use crate::request::info::RequestInfo;

pub use requests::Requests;
pub use rules::Rule;

pub(crate) use corrupt::{corrupt_answer, in_protobuf, is_spoilt};
pub(crate) use faulty_body::inject;
pub(crate) use rules::{Armed, Rules};

/// What happens to a request, a response or a watch.
///
/// Watches are counted in events, bookmarks included: `after: 0` means before the first.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// The request is looked at so much later.
    Delay(Duration),
    /// The request is never answered, and nothing comes of it.
    Hang,
    /// The connection breaks before the request takes effect.
    LostRequest,
    /// The request takes effect, and the connection breaks before its answer arrives.
    LostResponse,
    /// This Status is the answer, and the request has no effect; see [`Fault::conflict`] and its siblings.
    Answer(Box<Status>),
    /// A read is answered as of so many revisions ago, or as far back as history reaches: a replica that lags behind. A
    /// watch that begins with what exists begins there, and goes on with what came since.
    Stale {
        /// How many revisions.
        behind: u64,
    },
    /// The answer breaks off at this byte, and the connection with it. A watch may break off in the middle of a frame.
    Truncate {
        /// How many bytes arrive.
        at: usize,
    },
    /// One object of the answer does not decode, be it JSON or protobuf: its metadata is right, everything else has the wrong
    /// type.
    Undecodable {
        /// Which object of a list or event of a watch, from 0.
        nth: usize,
    },
    /// A watch ends, as at its timeout.
    Cut {
        /// After so many events.
        after: usize,
    },
    /// A watch breaks: the connection is reset.
    Break {
        /// After so many events.
        after: usize,
    },
    /// A watch falls silent and stays open.
    Stall {
        /// After so many events.
        after: usize,
    },
    /// A watch ends with an ERROR event of code 410.
    Expire {
        /// After so many events.
        after: usize,
    },
    /// A watch ends with an ERROR event that says this; see [`Fault::in_watch`].
    ErrorEvent {
        /// After so many events.
        after: usize,
        /// What it says.
        status: Box<Status>,
    },
    /// Each event of a watch is held back for so long before it is sent.
    SlowEvents(Duration),
    /// A watch gets no bookmarks, not even the one that ends its initial events.
    NoBookmarks,
    /// A watch never gets the bookmark that ends its initial events, as by a server that does not know streaming lists.
    NoEndBookmark,
    /// A watch that asks for a streaming list is refused, as by a server where that is switched off.
    StreamingListRefused,
    /// A watch that asks for a streaming list is given the changes from now on, as by a server that ignores the option.
    StreamingListIgnored,
    /// Protobuf is neither read nor written.
    JsonOnly,
    /// Discovery is answered document by document only, as before Kubernetes 1.26.
    LegacyDiscovery,
}

impl Fault {
    /// 403: the client may not do this.
    pub fn forbidden() -> Fault {
        Fault::status(403, "Forbidden", "forbidden by a fault", None)
    }

    /// 409: another client wrote in between.
    pub fn conflict() -> Fault {
        let message = "the object has been modified; please apply your changes to the latest version and try again";
        Fault::status(409, "Conflict", message, None)
    }

    /// 410, as the status of the answer: the requested version is too old.
    pub fn gone() -> Fault {
        Fault::status(410, "Expired", "too old resource version", None)
    }

    /// 429: too many requests; with `retry_after` in whole seconds.
    pub fn too_many_requests(retry_after: Option<Duration>) -> Fault {
        let message = "Too many requests, please try again later.";
        Fault::status(429, "TooManyRequests", message, retry_after)
    }

    /// 500.
    pub fn internal_error() -> Fault {
        Fault::status(500, "InternalError", "Internal error occurred: a fault", None)
    }

    /// 503: not now; with `retry_after` in whole seconds.
    pub fn unavailable(retry_after: Option<Duration>) -> Fault {
        let message = "the server is currently unable to handle the request";
        Fault::status(503, "ServiceUnavailable", message, retry_after)
    }

    /// 504: the server gave up.
    pub fn timeout() -> Fault {
        Fault::status(504, "Timeout", "Timeout: request did not complete within the allotted timeout", None)
    }

    /// The same refusal as an ERROR event, with which a watch ends after so many events; what is not an answer stays what it is.
    ///
    /// ```
    /// # use pintle_apiserver::{Fault, Requests, Server};
    /// # let server = Server::new();
    /// server.fault(Requests::watches().of("pods").times(1), Fault::internal_error().in_watch(3));
    /// ```
    #[must_use]
    pub fn in_watch(self, after: usize) -> Fault {
        match self {
            Fault::Answer(status) => Fault::ErrorEvent { after, status },
            other => other,
        }
    }

    fn status(code: u16, reason: &str, message: &str, retry_after: Option<Duration>) -> Fault {
        let status = Status::failure(message, reason).with_code(code);
        let seconds = retry_after.map(|wait| u32::try_from(wait.as_secs()).unwrap_or(u32::MAX));
        Fault::Answer(Box::new(match seconds {
            Some(retry_after_seconds) => {
                status.with_details(StatusDetails { retry_after_seconds, ..StatusDetails::default() })
            }
            None => status,
        }))
    }

    /// What the trace and the counts call it.
    pub fn name(&self) -> &'static str {
        match self {
            Fault::Delay(_) => "delay",
            Fault::Hang => "hang",
            Fault::LostRequest => "lost request",
            Fault::LostResponse => "lost response",
            Fault::Answer(status) => match status.code {
                403 => "answer 403",
                409 => "answer 409",
                410 => "answer 410",
                429 => "answer 429",
                500 => "answer 500",
                503 => "answer 503",
                504 => "answer 504",
                _ => "answer",
            },
            Fault::Stale { .. } => "stale",
            Fault::Truncate { .. } => "truncate",
            Fault::Undecodable { .. } => "undecodable",
            Fault::Cut { .. } => "cut",
            Fault::Break { .. } => "break",
            Fault::Stall { .. } => "stall",
            Fault::Expire { .. } => "expire",
            Fault::ErrorEvent { .. } => "error event",
            Fault::SlowEvents(_) => "slow events",
            Fault::NoBookmarks => "no bookmarks",
            Fault::NoEndBookmark => "no end bookmark",
            Fault::StreamingListRefused => "streaming list refused",
            Fault::StreamingListIgnored => "streaming list ignored",
            Fault::JsonOnly => "JSON only",
            Fault::LegacyDiscovery => "legacy discovery",
        }
    }

    /// Whether the request is one that this fault can happen to.
    fn concerns(&self, info: &RequestInfo) -> bool {
        let query = info.query.as_ref();
        let is_watch = info.verb == Some(Verb::Watch);
        let is_streaming_list = is_watch && query.is_some_and(|query| query.send_initial_events == Some(true));
        match self {
            Fault::Stale { .. } => match info.verb {
                Some(Verb::Get | Verb::List) => true,
                Some(Verb::Watch) => query.is_some_and(begins_with_state),
                _ => false,
            },
            Fault::Undecodable { .. } => matches!(info.verb, Some(Verb::Get | Verb::List | Verb::Watch)),
            Fault::Cut { .. } | Fault::Break { .. } | Fault::Stall { .. } => is_watch,
            Fault::Expire { .. } | Fault::ErrorEvent { .. } | Fault::SlowEvents(_) => is_watch,
            Fault::NoBookmarks => is_watch && query.is_some_and(|query| query.allow_watch_bookmarks),
            Fault::NoEndBookmark | Fault::StreamingListRefused | Fault::StreamingListIgnored => is_streaming_list,
            Fault::JsonOnly => info.speaks_protobuf,
            Fault::LegacyDiscovery => info.asks_aggregated_discovery,
            Fault::Delay(_)
            | Fault::Hang
            | Fault::LostRequest
            | Fault::LostResponse
            | Fault::Answer(_)
            | Fault::Truncate { .. } => true,
        }
    }

    /// Whether nothing that comes after it can happen to the request any more.
    fn is_last(&self) -> bool {
        matches!(self, Fault::Hang | Fault::LostRequest | Fault::Answer(_) | Fault::StreamingListRefused)
    }

    /// Whether it takes effect while a body is sent, so that it counts there and not before.
    fn is_of_body(&self) -> bool {
        matches!(
            self,
            Fault::Truncate { .. }
                | Fault::Undecodable { .. }
                | Fault::Cut { .. }
                | Fault::Break { .. }
                | Fault::Stall { .. }
                | Fault::Expire { .. }
                | Fault::ErrorEvent { .. }
                | Fault::SlowEvents(_)
        )
    }
}

/// Whether a watch with this query begins with what exists.
fn begins_with_state(query: &Query) -> bool {
    let unversioned = matches!(query.resource_version.as_deref(), None | Some("" | "0"));
    query.send_initial_events.unwrap_or(unversioned)
}
