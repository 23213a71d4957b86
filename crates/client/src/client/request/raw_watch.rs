//! How a watch is opened that is not repaired: as client-go's `Watch` does it.
//!
//! Answers that ask for another try get it, and connections that break are made anew, within the limits of
//! [`retry`](crate::client::layers::retry). One that still breaks in the end is a watch without events: its reader opens the next one
//! from the same version either way. A watch that a watcher repairs is opened once, because it waits by itself.

use std::error::Error as StdError;
use std::io::ErrorKind;

use http::Request;
use pintle_wire::MediaType;

use crate::client::body::Body;
use crate::client::reporter::stalled::Stalled;
use crate::error::{Error, Result};

/// On a request: it opens a watch that is not repaired.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawWatch;

impl RawWatch {
    /// Whether a request opens one.
    pub(in crate::client) fn is<B>(request: &Request<B>) -> bool {
        request.extensions().get::<Self>().is_some()
    }

    /// Opens a watch by `ask`.
    pub(crate) async fn open<F>(
        mut request: Request<Vec<u8>>,
        ask: impl FnOnce(Request<Vec<u8>>) -> F,
    ) -> Result<(MediaType, Body)>
    where
        F: Future<Output = Result<(MediaType, Body)>>,
    {
        request.extensions_mut().insert(Self);
        match ask(request).await {
            Err(Error::Service(error)) if is_probable_end(error.as_ref()) => Ok((MediaType::Json, Body::empty())),
            Err(Error::HyperError(error)) if is_probable_end(&error) => Ok((MediaType::Json, Body::empty())),
            answer => answer,
        }
    }
}

/// Whether a body ended before it was complete or fell silent, or its connection broke: so watches end on real networks. What else
/// a layer in between has to say did not come from there.
pub(in crate::client) fn is_early_end(error: &(dyn StdError + 'static)) -> bool {
    let kinds = [ErrorKind::UnexpectedEof, ErrorKind::TimedOut];
    std::iter::successors(Some(error), |cause| (*cause).source()).any(|cause| {
        let is_of_connection = cause.is::<hyper::Error>() || cause.is::<Stalled>();
        // The source of such an error is that of what it wraps, and not what it wraps.
        let is_early = cause.downcast_ref::<std::io::Error>().is_some_and(|error| {
            kinds.contains(&error.kind()) || error.get_ref().is_some_and(|wrapped| is_early_end(wrapped))
        });
        // What readers of chunks say that have no kind for it, as kube knows them.
        is_of_connection || is_early || cause.to_string().contains("unexpected EOF during chunk")
    })
}

/// Whether a connection was there and ended, or fell silent: a server that restarts, a proxy that gave up waiting.
pub(in crate::client) fn is_probable_end(error: &(dyn StdError + 'static)) -> bool {
    std::iter::successors(Some(error), |cause| (*cause).source()).any(|cause| {
        if let Some(stalled) = cause.downcast_ref::<Stalled>() {
            return !stalled.is_connect();
        }
        if let Some(error) = cause.downcast_ref::<hyper::Error>() {
            return error.is_incomplete_message() || error.is_closed() || error.is_canceled();
        }
        cause.downcast_ref::<std::io::Error>().is_some_and(|error| {
            let kinds = [ErrorKind::ConnectionReset, ErrorKind::ConnectionAborted, ErrorKind::BrokenPipe];
            kinds.contains(&error.kind()) || error.kind() == ErrorKind::UnexpectedEof
        })
    })
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn a_body_that_ended_early_or_fell_silent_is_told_from_one_that_failed() {
        let wrapped = |error: io::Error| Error::Service(Box::new(io::Error::other(error)));
        for kind in [ErrorKind::UnexpectedEof, ErrorKind::TimedOut] {
            assert!(is_early_end(&wrapped(kind.into())), "{kind}");
        }
        assert!(is_early_end(&wrapped(io::Error::other("unexpected EOF during chunk size line"))));
        assert!(is_early_end(&io::Error::other("in a layer: unexpected EOF during chunk size line")));
        for kind in [ErrorKind::ConnectionReset, ErrorKind::InvalidData, ErrorKind::Other] {
            assert!(!is_early_end(&wrapped(kind.into())), "{kind}");
        }
    }
}
