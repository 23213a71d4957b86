//! The log of a pod's containers.

use futures::AsyncBufRead;
use k8s_openapi::api::core::v1::Pod;
use pintle_core::call::Call;
use pintle_core::subresource::LogParams;
use serde::de::DeserializeOwned;

use crate::api::Api;
use crate::api::verbs::{named, print};
use crate::error::Result;

/// A kind that logs.
pub trait Log {}

impl Log for Pod {}

impl<K> Api<K>
where
    K: DeserializeOwned + Log,
{
    /// The log of the pod `name`, as far as `lp` asks for it. With [`LogParams::follow`] this waits for its end.
    ///
    /// # Errors
    /// When the pod or its container does not exist, has not started yet, or logged what is not text.
    pub async fn logs(&self, name: &str, lp: &LogParams) -> Result<String> {
        self.client.request_text(print(Call::logs(self.object(name), lp))?).await
    }

    /// The log of the pod `name`, line by line as it is read. With [`LogParams::follow`] it goes on until the
    /// container ends; dropping the reader ends it before.
    ///
    /// ```no_run
    /// # async fn follow(pods: pintle_client::Api<k8s_openapi::api::core::v1::Pod>) -> Result<(), Box<dyn std::error::Error>> {
    /// use futures::{AsyncBufReadExt, TryStreamExt};
    /// use pintle_client::api::LogParams;
    /// let params = LogParams { follow: true, ..LogParams::default() };
    /// let mut lines = pods.log_stream("web-0", &params).await?.lines();
    /// while let Some(line) = lines.try_next().await? {
    ///     println!("{line}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the pod or its container does not exist or has not started yet.
    pub async fn log_stream(&self, name: &str, lp: &LogParams) -> Result<impl AsyncBufRead + use<K>> {
        self.client.request_stream(named("log_stream", print(Call::logs(self.object(name), lp))?)).await
    }
}
