//! Connections to pods: attach to a process, run one, forward ports.
//!
//! The call is printed by [`Call`] and upgraded by the client; what then flows is
//! [`AttachedProcess`]' and [`Portforwarder`]'s business.

use std::fmt::Debug;

use k8s_openapi::api::core::v1::Pod;
use pintle_core::call::Call;
use pintle_core::subresource::AttachParams;
use serde::de::DeserializeOwned;

use crate::api::verbs::print;
use crate::api::{Api, AttachedProcess, Portforwarder};
use crate::error::Result;

/// A kind one can attach to.
pub trait Attach {}

impl Attach for Pod {}

impl<K> Api<K>
where
    K: Clone + DeserializeOwned + Attach,
{
    /// Attaches to the process that runs in the pod `name`.
    ///
    /// # Errors
    /// When it does not exist or does not run, among others.
    pub async fn attach(&self, name: &str, ap: &AttachParams) -> Result<AttachedProcess> {
        let request = print(Call::attach(self.object(name), ap))?;
        Ok(AttachedProcess::new(self.client.connect(request).await?, ap))
    }
}

/// A kind in which commands can be run.
pub trait Execute {}

impl Execute for Pod {}

impl<K> Api<K>
where
    K: Clone + DeserializeOwned + Execute,
{
    /// Runs `command` in the pod `name`.
    ///
    /// ```no_run
    /// # async fn run(pods: pintle_client::Api<k8s_openapi::api::core::v1::Pod>) -> Result<(), Box<dyn std::error::Error>> {
    /// use pintle_client::api::AttachParams;
    /// use tokio::io::AsyncReadExt;
    ///
    /// let mut process = pods.exec("web-0", ["date"], &AttachParams::default().stderr(false)).await?;
    /// let mut date = String::new();
    /// process.stdout().expect("stdout was asked for").read_to_string(&mut date).await?;
    /// let status = process.take_status().expect("it was not taken yet").await;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When it does not exist or does not run, among others. How the command ended is
    /// [`AttachedProcess::take_status`].
    pub async fn exec<I, T>(&self, name: &str, command: I, ap: &AttachParams) -> Result<AttachedProcess>
    where
        I: IntoIterator<Item = T> + Debug,
        T: Into<String>,
    {
        let command = command.into_iter().map(Into::into).collect();
        let request = print(Call::exec(self.object(name), command, ap))?;
        Ok(AttachedProcess::new(self.client.connect(request).await?, ap))
    }
}

/// A kind whose ports can be forwarded.
pub trait Portforward {}

impl Portforward for Pod {}

impl<K> Api<K>
where
    K: Clone + DeserializeOwned + Portforward,
{
    /// Forwards `ports` of the pod `name`, one connection each.
    ///
    /// # Errors
    /// When it does not exist or does not run, among others. That no process listens on a port is
    /// [`Portforwarder::take_error`].
    pub async fn portforward(&self, name: &str, ports: &[u16]) -> Result<Portforwarder> {
        let request = print(Call::portforward(self.object(name), ports))?;
        Ok(Portforwarder::new(self.client.connect(request).await?, ports))
    }
}
