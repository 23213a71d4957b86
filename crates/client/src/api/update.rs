//! Read, change, write, and again if somebody else was faster.
//!
//! ```text
//!   modify:            get ─► change ─► replace ─409─► get ─► change ─► …
//!   create_or_update:  get ─404─► change the fresh one ─► create ─409─► get ─► …
//! ```
//! What is written carries the version it was read at, so no write of others is lost. Nothing is sent where nothing
//! changed. Server-side apply needs none of this: where it does, prefer [`Api::apply`].

use std::fmt::Debug;
use std::time::Duration;

use pintle_core::params::PostParams;
use pintle_core::request::Error as RequestError;
use pintle_core::{Resource, Status};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Api, Change};
use crate::error::{Error, Result};

/// How often something is tried in all. Each conflict means that somebody else got through, so several in a row are rare
/// unless many write the same object; then waiting longer is for the caller's own backoff to do.
const TRIES_MAX: u32 = 5;

/// The first wait; it doubles. A conflict is over as soon as the other's write is stored, which takes milliseconds.
const WAIT_FIRST: Duration = Duration::from_millis(10);

/// Runs `attempt` until it succeeds or fails for another reason than that somebody else has written meanwhile; five
/// times at most. It has to read what it changes each time anew.
///
/// A conflict of field managers is not tried again: it stays until somebody gives the field up.
///
/// # Errors
/// The error of the last attempt.
///
/// ```no_run
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// # use pintle_client::api::{Api, PostParams, retry_on_conflict};
/// # async fn count(maps: Api<ConfigMap>) -> pintle_client::Result<()> {
/// retry_on_conflict(async || {
///     let mut map = maps.get("counter").await?;
///     map.data.get_or_insert_default().insert("seen".into(), "1".into());
///     maps.replace("counter", &PostParams::default(), &map).await
/// })
/// .await?;
/// # Ok(())
/// # }
/// ```
pub async fn retry_on_conflict<T>(attempt: impl AsyncFnMut() -> Result<T>) -> Result<T> {
    retry(attempt, was_overtaken).await
}

async fn retry<T>(mut attempt: impl AsyncFnMut() -> Result<T>, is_overtaken: fn(&Status) -> bool) -> Result<T> {
    let mut wait = WAIT_FIRST;
    for _ in 1..TRIES_MAX {
        match attempt().await {
            Err(error) if error.status().is_some_and(is_overtaken) => {}
            answer => return answer,
        }
        // Those who met once must not meet again.
        tokio::time::sleep(wait.mul_f64(0.5 + fastrand::f64())).await;
        wait *= 2;
    }
    attempt().await
}

/// Whether reading again can help.
fn was_overtaken(status: &Status) -> bool {
    status.is_conflict() && status.field_conflicts().is_empty()
}

impl<K> Api<K>
where
    K: Resource + Clone + DeserializeOwned + Serialize + Debug,
{
    /// Changes the object `name` as it is now and writes it back, again from the start if somebody else was faster.
    /// Nothing is sent where `change` changes nothing.
    ///
    /// # Errors
    /// When it does not exist, is refused, or others were faster five times.
    pub async fn modify(&self, name: &str, pp: &PostParams, mut change: impl FnMut(&mut K)) -> Result<Written<K>> {
        retry_on_conflict(async || self.write_changed(self.get(name).await?, pp, &mut change).await).await
    }

    /// Changes the object that has the name of `fresh`, or creates `fresh`, changed in the same way, where it does not
    /// exist; again from the start if somebody else was faster. Nothing is sent where `change` changes nothing.
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
        let attempt = async || match self.get_opt(name).await? {
            Some(found) => self.write_changed(found, pp, &mut change).await,
            None => {
                let mut object = fresh.clone();
                change(&mut object);
                let object = self.create(pp, &object).await?;
                Ok(Written { object, change: Change::Created })
            }
        };
        // Somebody else may also create it first, or delete it before it is replaced.
        retry(attempt, |status| was_overtaken(status) || status.is_already_exists() || status.is_not_found()).await
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
