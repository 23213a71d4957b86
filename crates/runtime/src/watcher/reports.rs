//! What a watch logs about itself.
//!
//! A program that reads the stream gets every failure as an item, so the log has them at `debug`, and at `warn` only that
//! the server refuses the watch, once. Where they are not passed on (a controller, an informer, a wait) they are logged at
//! `warn` as [`FailureLog`] says, and at `info` that the watch works again. A server that is not there, or does not accept the
//! credentials, is the client's to log, once for all of its calls.

use std::time::Duration;

use pintle_client::error_chain::error_chain;
use pintle_client::{Api, Error as ClientErr};
use pintle_core::Resource;
use tokio::time::Instant;

use super::Error;
use crate::failure_log::FailureLog;
use crate::remedy::Calls;

/// Who else gets a failure.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Audience {
    /// The program, by the items of the stream.
    Program,
    /// Errors are not passed on, as far as is known.
    Unknown,
}

pub(super) struct Reports {
    calls: Calls,
    audience: Audience,
    log: FailureLog,
    is_refused: bool,
}

impl Reports {
    pub(super) fn new<K: Resource>(api: &Api<K>, audience: Audience) -> Self {
        let calls = Calls::new(api, "list and watch");
        Self { calls, audience, log: FailureLog::default(), is_refused: false }
    }

    /// The watch failed, and asks again after `pause`; one without a pause goes on by itself.
    pub(super) fn failed(&mut self, error: &Error, pause: Option<Duration>, now: Instant) {
        let was_refused = std::mem::replace(&mut self.is_refused, error.is_refused());
        let (calls, text) = (&self.calls, error_chain(error));
        if is_expired(error) && self.audience == Audience::Unknown {
            if self.log.is_news(&text, now) {
                tracing::info!("the watch of {calls} is behind what the server remembers, and lists again: {text}");
            }
            return;
        }
        // What the client logs for all its calls is not logged again for each watch.
        if is_logged_by_client(error) {
            tracing::debug!("the watch of {calls} failed: {text}{}", next_try(pause));
            return;
        }
        let is_news = match (self.audience, error) {
            (Audience::Program, _) => !was_refused && self.is_refused,
            // One event that cannot be read does not make the watch fail.
            (Audience::Unknown, Error::WatchFailed(_)) => self.log.is_news(&text, now),
            (Audience::Unknown, _) => self.log.failed(&text, now),
        };
        let (remedy, next) = (self.remedy(error), next_try(pause));
        match (is_news, self.audience) {
            (true, Audience::Program) => tracing::warn!(
                "the server refuses this watch of {calls}: {text}{remedy}; other watches go on, and this one will once it \
                 is allowed"
            ),
            (true, Audience::Unknown) => tracing::warn!("the watch of {calls} failed: {text}{remedy}{next}"),
            (false, _) => tracing::debug!("the watch of {calls} failed: {text}{next}"),
        }
    }

    /// The watch works.
    pub(super) fn worked(&mut self, now: Instant) {
        self.is_refused = false;
        if let Some(lasted) = self.log.worked(now) {
            tracing::info!("the watch of {} works again after {:.1} s", self.calls, lasted.as_secs_f64());
        }
    }

    fn remedy(&self, error: &Error) -> String {
        match error {
            Error::InitialListFailed(error) | Error::WatchStartFailed(error) | Error::WatchFailed(error) => {
                self.calls.remedy(error)
            }
            Error::WatchError(status) => self.calls.remedy(&ClientErr::Api(status.clone())),
            Error::NoResourceVersion => String::new(),
        }
    }
}

fn is_logged_by_client(error: &Error) -> bool {
    match error {
        Error::InitialListFailed(error) | Error::WatchStartFailed(error) | Error::WatchFailed(error) => {
            error.is_logged_by_client()
        }
        Error::WatchError(_) | Error::NoResourceVersion => false,
    }
}

/// Whether the server has forgotten the version: a new list follows, and it is not a failure.
fn is_expired(error: &Error) -> bool {
    match error {
        Error::WatchStartFailed(ClientErr::Api(status)) | Error::WatchError(status) => status.is_gone_or_expired(),
        _ => false,
    }
}

fn next_try(pause: Option<Duration>) -> String {
    pause.map(|pause| format!("; next try in {:.1} s", pause.as_secs_f64())).unwrap_or_default()
}
