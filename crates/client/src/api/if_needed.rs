//! Writes that are content with what is there already: create unless it exists, delete unless it is gone.

use std::fmt::Debug;

use either::Either;
use pintle_core::params::{DeleteParams, PostParams};
use pintle_core::{Resource, Status};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Api;
use super::apply::Change;
use super::update::Written;
use crate::error::{Error, Result};

/// How often something is created in all: each time another client has to create it first, and delete it again.
const TRIES_MAX: u32 = 5;

/// Not in kube.
impl<K> Api<K>
where
    K: Clone + DeserializeOwned + Debug,
{
    /// Deletes the object `name` if it exists: `None` where it does not, or where the server does not even have its kind;
    /// otherwise as [`Api::delete`].
    ///
    /// # Errors
    /// When the server refuses for another reason, or cannot be reached.
    pub async fn delete_if_exists(&self, name: &str, dp: &DeleteParams) -> Result<Option<Either<K, Status>>> {
        match self.delete(name, dp).await {
            Err(Error::Api(status)) if status.is_not_found() => Ok(None),
            answer => answer.map(Some),
        }
    }

    /// Creates an object unless one of its name exists, which is then left as it is and returned:
    /// [`Written::change`] is [`Change::Created`] or [`Change::Unchanged`].
    ///
    /// # Errors
    /// When the server refuses for another reason, or cannot be reached.
    pub async fn create_if_absent(&self, pp: &PostParams, data: &K) -> Result<Written<K>>
    where
        K: Resource + Serialize,
    {
        let mut tries = 0;
        loop {
            tries += 1;
            let refusal = match self.create(pp, data).await {
                Ok(object) => return Ok(Written { object, change: Change::Created }),
                Err(error) if error.status().is_some_and(Status::is_already_exists) => error,
                Err(error) => return Err(error),
            };
            // A generated name that is taken says nothing about an object that the caller means.
            let Some(name) = data.meta().name.as_deref() else { return Err(refusal) };
            match self.get_opt(name).await? {
                Some(object) => return Ok(Written { object, change: Change::Unchanged }),
                None if tries < TRIES_MAX => {}
                None => return Err(refusal),
            }
        }
    }
}
