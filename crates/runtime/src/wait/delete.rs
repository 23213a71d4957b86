//! Deleting an object and waiting until it is gone.

use std::fmt;

use pintle_client::Api;
use pintle_client::api::DeleteParams;
use pintle_core::Resource;
use serde::de::DeserializeOwned;

use super::await_condition;
use super::conditions::is_deleted;

/// Why an object is not known to be gone.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server's answer to the delete had no uid, so there is nothing to wait for.
    #[error("deleted object has no UID to wait for")]
    NoUid,
    /// It was not deleted.
    #[error("failed to delete object: {0}")]
    Delete(#[source] pintle_client::Error),
    /// It was deleted, and waiting until it is gone failed.
    #[error("failed to wait for object to be deleted: {0}")]
    Await(#[source] super::Error),
}

/// Deletes the object `name` and waits until it is gone, which is when all its finalizers are.
///
/// # Errors
/// If it cannot be deleted, or the wait is given up.
pub async fn delete_and_finalize<K>(api: Api<K>, name: &str, delete_params: &DeleteParams) -> Result<(), Error>
where
    K: Resource + Clone + fmt::Debug + Send + DeserializeOwned + 'static,
{
    // A status instead of the object means that it is gone already.
    let Some(object) = api.delete(name, delete_params).await.map_err(Error::Delete)?.left() else {
        return Ok(());
    };
    let uid = object.meta().uid.clone().ok_or(Error::NoUid)?;
    await_condition(api, name, is_deleted(&uid)).await.map_err(Error::Await)?;
    Ok(())
}
