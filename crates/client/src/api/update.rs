//! Read, change, write, and again if another client was faster.
//!
//! ```text
//!   modify:            get ─► change ─► replace ─409─► get ─► change ─► …
//!   create_or_update:  get ─404─► change the fresh one ─► create ─409─► get ─► …
//! ```
//! What is written carries the version it was read at, so no write of others is lost. Nothing is sent where nothing
//! changed. Server-side apply needs none of this: where it does, prefer [`Api::apply`].

use std::fmt::Debug;
use std::future::Future;
use std::time::Duration;

use pintle_core::backoff::Exponential;
use pintle_core::params::PostParams;
use pintle_core::request::Error as RequestError;
use pintle_core::{Resource, Status};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Api;
use super::apply::Change;
use crate::error::{Error, Result};
use crate::random;

/// How often something is tried in all. Each conflict means that another client got through, so several in a row are rare
/// unless many write the same object; then waiting longer is for the caller's own backoff to do.
const TRIES_MAX: u32 = 5;

/// How long to wait before the next try. A conflict is over as soon as the other's write is stored, which takes
/// milliseconds: four waits of 10 to 80 ms on average. They are spread widely, because those who met once must not meet
/// again.
const BACKOFF: Exponential = Exponential::new(Duration::from_millis(5), Duration::from_millis(40)).jitter(2.0);

/// Runs `attempt` until it succeeds or fails for another reason than that another client has written meanwhile; five
/// times at most. It has to read what it changes each time anew.
///
/// A conflict of field managers is not tried again: it stays until a manager gives the field up.
///
/// # Errors
/// The error of the last attempt.
///
/// ```no_run
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// # use pintle_client::api::update::retry_on_conflict;
/// # use pintle_client::api::{Api, PostParams};
/// # async fn count(maps: Api<ConfigMap>) -> pintle_client::Result<()> {
/// retry_on_conflict(|| async {
///     let mut map = maps.get("counter").await?;
///     map.data.get_or_insert_default().insert("seen".into(), "1".into());
///     maps.replace("counter", &PostParams::default(), &map).await
/// })
/// .await?;
/// # Ok(())
/// # }
/// ```
pub async fn retry_on_conflict<T, F>(mut attempt: impl FnMut() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    let mut tries = Tries::default();
    loop {
        let answer = attempt().await;
        let Some(wait) = tries.again(&answer, was_overtaken) else { return answer };
        tokio::time::sleep(wait).await;
    }
}

/// How often something was tried.
#[derive(Default)]
struct Tries(u32);

impl Tries {
    /// How long to wait before the next try, if there should be one.
    fn again<T>(&mut self, answer: &Result<T>, is_overtaken: impl Fn(&Status) -> bool) -> Option<Duration> {
        let is_overtaken = answer.as_ref().err().and_then(Error::status).is_some_and(is_overtaken);
        self.0 += 1;
        (is_overtaken && self.0 < TRIES_MAX).then(|| BACKOFF.delay(self.0 - 1, random::fraction()))
    }
}

/// Whether reading again can help.
fn was_overtaken(status: &Status) -> bool {
    status.is_conflict() && status.field_conflicts().is_empty()
}

impl<K> Api<K>
where
    K: Resource + Clone + DeserializeOwned + Serialize + Debug,
{
    /// Changes the object `name` as it is now and writes it back, again from the start if another client was faster.
    /// Nothing is sent where `change` changes nothing.
    ///
    /// # Errors
    /// When it does not exist, is refused, or others were faster five times.
    pub async fn modify(&self, name: &str, pp: &PostParams, mut change: impl FnMut(&mut K)) -> Result<Written<K>> {
        let mut tries = Tries::default();
        loop {
            let written = match self.get(name).await {
                Ok(found) => self.write_changed(found, pp, &mut change).await,
                Err(error) => Err(error),
            };
            let Some(wait) = tries.again(&written, was_overtaken) else { return written };
            tokio::time::sleep(wait).await;
        }
    }

    /// Changes the object that has the name of `fresh`, or creates `fresh`, changed in the same way, where it does not
    /// exist; again from the start if another client was faster. Nothing is sent where `change` changes nothing.
    ///
    /// # Errors
    /// When `fresh` has no name, the object is refused, or others were faster five times.
    pub async fn create_or_update(
        &self,
        pp: &PostParams,
        fresh: &K,
        mut change: impl FnMut(&mut K),
    ) -> Result<Written<K>> {
        let no_name = || Error::BuildRequest(RequestError::Validation("the object needs metadata.name".to_owned()));
        let name = fresh.meta().name.as_deref().filter(|name| !name.is_empty()).ok_or_else(no_name)?;
        // Another client may also create it first, or delete it before it is replaced.
        let is_overtaken =
            |status: &Status| was_overtaken(status) || status.is_already_exists() || status.is_not_found();
        let mut tries = Tries::default();
        loop {
            let written = match self.get_opt(name).await {
                Ok(Some(found)) => self.write_changed(found, pp, &mut change).await,
                Ok(None) => self.create_changed(fresh.clone(), pp, &mut change).await,
                Err(error) => Err(error),
            };
            let Some(wait) = tries.again(&written, is_overtaken) else { return written };
            tokio::time::sleep(wait).await;
        }
    }

    async fn create_changed(
        &self,
        mut fresh: K,
        pp: &PostParams,
        change: &mut impl FnMut(&mut K),
    ) -> Result<Written<K>> {
        change(&mut fresh);
        let object = self.create(pp, &fresh).await?;
        Ok(Written { object, change: Change::Created })
    }

    async fn write_changed(&self, found: K, pp: &PostParams, change: &mut impl FnMut(&mut K)) -> Result<Written<K>> {
        let mut object = found.clone();
        change(&mut object);
        if json(&object)? == json(&found)? {
            return Ok(Written { object: found, change: Change::Unchanged });
        }
        // Whatever was done to the object, it was read at this version.
        object.meta_mut().resource_version.clone_from(&found.meta().resource_version);
        let name = found.meta().name.clone().unwrap_or_default();
        let object = self.replace(&name, pp, &object).await?;
        let is_same = !pp.dry_run && object.meta().resource_version == found.meta().resource_version;
        Ok(Written { object, change: if is_same { Change::Unchanged } else { Change::Changed } })
    }
}

/// What became of a write.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Written<K> {
    /// The object as the server has it now.
    pub object: K,
    /// Whether it was created, changed, or was so already.
    pub change: Change,
}

fn json(object: &impl Serialize) -> Result<Value> {
    serde_json::to_value(object).map_err(|error| Error::BuildRequest(RequestError::SerializeBody(error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_core::response::StatusCause;
    use pintle_core::response::StatusDetails;

    fn conflict(causes: Vec<StatusCause>) -> Error {
        let details = StatusDetails { causes, ..StatusDetails::default() };
        Error::Api(Status::failure("changed", "Conflict").with_code(409).with_details(details).boxed())
    }

    async fn tries_until(good: u32, error: impl Fn() -> Error) -> (u32, bool) {
        let mut tries = 0;
        let answer = retry_on_conflict(|| {
            tries += 1;
            std::future::ready(if tries == good { Ok(()) } else { Err(error()) })
        })
        .await;
        (tries, answer.is_ok())
    }

    #[tokio::test(start_paused = true)]
    async fn only_what_reading_again_can_heal_is_tried_again_and_not_for_ever() {
        assert_eq!(tries_until(3, || conflict(vec![])).await, (3, true));
        assert_eq!(tries_until(6, || conflict(vec![])).await, (5, false));
        let managers = || StatusCause { reason: "FieldManagerConflict".into(), ..StatusCause::default() };
        assert_eq!(tries_until(3, || conflict(vec![managers()])).await, (1, false));
        assert_eq!(tries_until(3, || Error::TlsRequired).await, (1, false));
    }
}
