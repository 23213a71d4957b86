//! Waiting until an object is as it should be.
//!
//! ```no_run
//! # use k8s_openapi::api::core::v1::Pod;
//! # use pintle_client::Api;
//! # use pintle_runtime::wait::{await_condition, conditions};
//! # async fn example(pods: Api<Pod>) -> Result<(), Box<dyn std::error::Error>> {
//! let running = await_condition(pods, "web", conditions::is_pod_running());
//! let pod = tokio::time::timeout(std::time::Duration::from_secs(60), running).await??;
//! # Ok(())
//! # }
//! ```
//!
//! There is no time limit inside. What may pass (a server that is down, a watch that breaks) is logged at `warn`, once a
//! minute, and waited for; what will not (the kind does not exist, the caller may not read it) ends the wait with an error.

pub mod conditions;
pub mod delete;

use std::fmt;

use futures::StreamExt;
use pintle_client::Api;
use pintle_core::Resource;
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use crate::failure_log::FailureLog;
use crate::remedy::Calls;
use crate::watcher::{self, watch_object};
pub use conditions::Condition;

/// Why a wait was given up.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The object cannot be watched.
    #[error("failed to probe for whether the condition is fulfilled yet: {0}")]
    ProbeFailed(#[source] watcher::Error),
}

/// Waits until `cond` holds for the object `name`, and returns the object, or `None` if it holds without one.
///
/// # Errors
/// If the object cannot be watched and trying again will not help: the kind is unknown, or the caller may not read it.
pub async fn await_condition<K>(api: Api<K>, name: &str, cond: impl Condition<K>) -> Result<Option<K>, Error>
where
    K: Resource + Clone + fmt::Debug + Send + DeserializeOwned + 'static,
{
    let (calls, mut log) = (Calls::new(&api, "list and watch"), FailureLog::default());
    let mut states = Box::pin(watch_object(api, name));
    while let Some(state) = states.next().await {
        match state {
            Ok(object) if cond.matches_object(object.as_ref()) => return Ok(object),
            Ok(_) => {}
            Err(error) if error.is_refused() => return Err(Error::ProbeFailed(error)),
            Err(error) if log.failed(&error.to_string(), Instant::now()) => {
                tracing::warn!("waiting for {name} of {calls} goes on after a failure: {error}");
            }
            Err(_) => {}
        }
    }
    // A watcher never ends; should that change, the wait is over without an answer.
    Ok(None)
}
