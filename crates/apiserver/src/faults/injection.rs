//! The faults of one request: before it is handled, while it is answered, and on the response.
//!
//! In: the faults that a request meets. Out: an early end, or [`ActiveFaults`], which the verbs respect, and a response changed
//! by the rest of the faults.

use std::sync::Arc;

use http::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use http::request::Parts;
use http::{HeaderMap, Response};
use http_body_util::BodyExt;
use pintle_core::call::Query;
use tokio::time::sleep;

use crate::faults::open_watches::OpenWatch;
use crate::faults::trace::TraceLog;
use crate::faults::{Armed, Fault, corrupt_answer, inject};
use crate::request::info::RequestInfo;
use crate::response;
use crate::response::body::{Body, Interrupted};
use crate::response::status::{FieldError, invalid_options, unsupported_media_type};
use crate::server::{Exposure, State};

/// One request and the faults that happen to it.
pub(crate) struct Injection {
    pub(crate) number: u64,
    pub(crate) info: RequestInfo,
    pub(crate) exposure: Exposure,
    armed: Vec<Armed>,
    log: Arc<TraceLog>,
}

/// The faults that the verbs themselves carry out.
#[derive(Default)]
pub(crate) struct ActiveFaults {
    /// How many revisions ago a read is answered from.
    pub(crate) stale: Option<u64>,
    /// This watch, for the commands given to it.
    pub(crate) open: Option<Arc<OpenWatch>>,
    pub(crate) without_bookmarks: bool,
    pub(crate) without_end_bookmark: bool,
    pub(crate) ignores_streaming_list: bool,
}

/// Whether a request is handled at all.
pub(crate) enum Start {
    Proceed(ActiveFaults),
    /// It was answered before it was looked at.
    Answered(Response<Body>),
}

impl Injection {
    pub(crate) fn new(state: &State, parts: &Parts, exposure: Exposure) -> Injection {
        let info = RequestInfo::of(parts);
        // One that is exempt is not counted either, so that the others are numbered as if it were not there.
        let (number, armed) = match exposure {
            Exposure::Exposed => (state.log.number(), state.rules.judge(&info)),
            Exposure::Exempt => (0, Vec::new()),
        };
        Injection { number, info, exposure, armed, log: Arc::clone(&state.log) }
    }

    /// What happens before the request is looked at.
    pub(crate) async fn enter(&self, parts: &mut Parts) -> Result<Start, Interrupted> {
        let mut faults = ActiveFaults::default();
        for armed in &self.armed {
            let fault = armed.fault();
            if armed.is_of_body() || matches!(fault, Fault::LostResponse) {
                continue;
            }
            self.fire(armed);
            match fault {
                Fault::Delay(time) => sleep(*time).await,
                Fault::Hang => std::future::pending().await,
                Fault::LostRequest => return Err(Interrupted),
                Fault::Answer(status) => return Ok(Start::Answered(response::refusal(status))),
                Fault::StreamingListRefused => return Ok(Start::Answered(streaming_list_refused())),
                Fault::StreamingListIgnored => faults.ignores_streaming_list = true,
                Fault::Stale { behind } => faults.stale = Some(*behind),
                Fault::NoBookmarks => faults.without_bookmarks = true,
                Fault::NoEndBookmark => faults.without_end_bookmark = true,
                Fault::JsonOnly if says_protobuf(&parts.headers) => {
                    let refusal = unsupported_media_type(&["application/json", "application/yaml"]);
                    return Ok(Start::Answered(response::refusal(&refusal)));
                }
                Fault::JsonOnly => forget_media_types(&mut parts.headers, "protobuf"),
                Fault::LegacyDiscovery => forget_media_types(&mut parts.headers, "as=APIGroupDiscoveryList"),
                _ => {}
            }
        }
        Ok(Start::Proceed(faults))
    }

    /// What happens to the response on its way.
    pub(crate) async fn leave(
        self,
        response: Response<Body>,
        open: Option<Arc<OpenWatch>>,
    ) -> Result<Response<Body>, Interrupted> {
        if let Some(lost) = self.armed.iter().find(|armed| matches!(armed.fault(), Fault::LostResponse)) {
            self.fire(lost);
            return Err(Interrupted);
        }
        let open = open.filter(|_| response.status().is_success());
        let mut armed: Vec<Armed> = self.armed.iter().filter(|armed| armed.is_of_body()).cloned().collect();
        if armed.is_empty() && open.is_none() {
            return Ok(response);
        }
        let (parts, mut body) = response.into_parts();
        if open.is_none() {
            body = self.spoil(&mut armed, body).await?;
        }
        let Injection { number, info, log, .. } = self;
        Ok(Response::from_parts(parts, inject(body, armed, open, log, number, info)))
    }

    /// Spoils an object of an answer that is not a watch.
    async fn spoil(&self, armed: &mut Vec<Armed>, body: Body) -> Result<Body, Interrupted> {
        let nth = |armed: &Armed| match armed.fault() {
            Fault::Undecodable { nth } => Some(*nth),
            _ => None,
        };
        let Some(at) = armed.iter().position(|armed| nth(armed).is_some()) else {
            return Ok(body);
        };
        let spoiler = armed.remove(at);
        let bytes = body.collect().await?.to_bytes();
        Ok(Body::full(match corrupt_answer(&bytes, nth(&spoiler).unwrap_or_default()) {
            Some(spoilt) => {
                self.fire(&spoiler);
                spoilt
            }
            None => bytes,
        }))
    }

    fn fire(&self, armed: &Armed) {
        armed.fire(&self.log, self.number, &self.info);
    }
}

impl ActiveFaults {
    /// Changes what a watch asks, as a server would that does not know some of it.
    pub(crate) fn rewrite(&self, query: &mut Query) {
        if self.without_bookmarks {
            query.allow_watch_bookmarks = false;
        }
        if self.ignores_streaming_list {
            query.send_initial_events = Some(false);
            query.resource_version_match = Some("NotOlderThan".to_owned());
        }
    }
}

/// What a server says whose streaming lists are switched off.
fn streaming_list_refused() -> Response<Body> {
    let why = "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
    response::refusal(&invalid_options("ListOptions", &[FieldError::forbidden("sendInitialEvents", why)]))
}

fn says_protobuf(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(|value| value.contains("protobuf"))
}

/// Takes the media types out of `Accept` that an older server would pass over.
fn forget_media_types(headers: &mut HeaderMap, unknown: &str) {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let known: Vec<&str> = accept.split(',').filter(|media_type| !media_type.contains(unknown)).collect();
    let known = if known.is_empty() { "application/json".to_owned() } else { known.join(",") };
    headers.insert(ACCEPT, HeaderValue::from_str(&known).expect("parts of a header value are a header value"));
}
