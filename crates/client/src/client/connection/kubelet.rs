//! Connections to a kubelet itself, for pods that the API server cannot lead to.
//!
//! The client has to be one of the kubelet's own address, or of the API server's proxy to a node. Paths and words are
//! printed by [`Request`](pintle_core::Request).

use std::fmt::Debug;

use futures::AsyncBufRead;
use pintle_core::Request;
use pintle_core::kubelet_debug::KubeletDebugParams;
use pintle_core::subresource::{AttachParams, LogParams};

use crate::api::{AttachedProcess, Portforwarder};
use crate::client::Client;
use crate::error::{Error, Result};

/// Past the API server.
impl Client {
    /// Attaches to the process of a container.
    ///
    /// # Errors
    /// When there is no such pod or container, among others.
    pub async fn kubelet_node_attach(
        &self,
        kubelet_params: &KubeletDebugParams<'_>,
        container: &str,
        ap: &AttachParams,
    ) -> Result<AttachedProcess> {
        let request = Request::kubelet_node_attach(kubelet_params, container, ap).map_err(Error::BuildRequest)?;
        Ok(AttachedProcess::new(self.connect(request).await?, ap))
    }

    /// Runs `command` in a container.
    ///
    /// # Errors
    /// When there is no such pod or container, among others.
    pub async fn kubelet_node_exec<I, T>(
        &self,
        kubelet_params: &KubeletDebugParams<'_>,
        container: &str,
        command: I,
        ap: &AttachParams,
    ) -> Result<AttachedProcess>
    where
        I: IntoIterator<Item = T> + Debug,
        T: Into<String>,
    {
        let request = Request::kubelet_node_exec(kubelet_params, container, command, ap);
        Ok(AttachedProcess::new(self.connect(request.map_err(Error::BuildRequest)?).await?, ap))
    }

    /// Forwards `ports` of a pod.
    ///
    /// # Errors
    /// When there is no such pod, among others.
    pub async fn kubelet_node_portforward(
        &self,
        kubelet_params: &KubeletDebugParams<'_>,
        ports: &[u16],
    ) -> Result<Portforwarder> {
        let request = Request::kubelet_node_portforward(kubelet_params, ports).map_err(Error::BuildRequest)?;
        Ok(Portforwarder::new(self.connect(request).await?, ports))
    }

    /// The log of a container, as it comes.
    ///
    /// # Errors
    /// When there is no such pod or container, among others.
    pub async fn kubelet_node_logs(
        &self,
        kubelet_params: &KubeletDebugParams<'_>,
        container: &str,
        lp: &LogParams,
    ) -> Result<impl AsyncBufRead + use<>> {
        let request = Request::kubelet_node_logs(kubelet_params, container, lp).map_err(Error::BuildRequest)?;
        self.request_stream(request).await
    }
}
