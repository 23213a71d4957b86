//! A server of webhooks: the socket, the certificate and the webhooks together, and how a manager runs it.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use pintle_runtime::metrics::Sample;

use super::service::Webhooks;
use crate::certificates::{CertificateFiles, ManagedCertificate};
use crate::health::{Check, Probe};
use crate::http_server::{BindError, HttpServer, TlsError};
use crate::manager::Manager;
use crate::runnable::Runnable;
use crate::stop::Stop;

/// Webhooks on a socket, over HTTPS.
///
/// ```no_run
/// # use pintle_manager::certificates::CertificateFiles;
/// # use pintle_manager::webhook::{Server, Webhooks};
/// # use pintle_manager::Manager;
/// # fn example(manager: &Manager, webhooks: Webhooks) -> Result<(), Box<dyn std::error::Error>> {
/// let certificate = CertificateFiles::in_directory("/var/run/serving-certs");
/// manager.add_webhooks(Server::new("0.0.0.0:9443".parse()?, webhooks, certificate));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Server {
    address: SocketAddr,
    webhooks: Webhooks,
    certificate: Certificate,
    bound: Arc<OnceLock<SocketAddr>>,
}

/// Where a server's certificate comes from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Certificate {
    /// Files that somebody else renews.
    Files(CertificateFiles),
    /// A Secret that the replicas of this program keep themselves.
    Managed(Box<ManagedCertificate>),
}

/// Why webhooks cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The address cannot be listened on.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// TLS cannot be set up.
    #[error(transparent)]
    Tls(#[from] TlsError),
}

impl Server {
    /// Serves webhooks on an address; port 0 takes a free one.
    pub fn new(address: SocketAddr, webhooks: Webhooks, certificate: impl Into<Certificate>) -> Self {
        Self { address, webhooks, certificate: certificate.into(), bound: Arc::default() }
    }

    /// Where it listens, once it does.
    pub fn local_addr(&self) -> Option<SocketAddr> {
        self.bound.get().copied()
    }

    /// What is worth a word about the certificate, for a readiness check: that it expires soon.
    ///
    /// # Errors
    /// Until there is a certificate, and when it has expired.
    pub fn check(&self) -> Result<Option<String>, String> {
        match &self.certificate {
            Certificate::Files(files) => files.check(),
            Certificate::Managed(managed) => managed.check(),
        }
    }

    /// Everything that is counted, for an exporter.
    pub fn samples(&self) -> Vec<Sample> {
        let mut samples = self.webhooks.metrics().samples();
        if let Certificate::Files(files) = &self.certificate {
            samples.extend(files.metrics().samples());
        }
        samples
    }

    /// Serves until `stop` completes, and keeps the certificate fresh meanwhile.
    ///
    /// # Errors
    /// When the address cannot be listened on, or TLS cannot be set up.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Result<(), ServerError> {
        let tls = match &self.certificate {
            Certificate::Files(files) => files.tls()?,
            Certificate::Managed(managed) => managed.serving().tls()?,
        };
        let server = HttpServer::bind(self.address).await?.tls(tls);
        let address = *self.bound.get_or_init(|| server.local_addr());
        tracing::info!("webhooks are at https://{address}");
        let fresh = async {
            match &self.certificate {
                Certificate::Files(files) => files.run().await,
                Certificate::Managed(managed) => managed.run().await,
            }
        };
        tokio::select! {
            // Keeping the certificate never ends; whoever is first does not matter.
            biased;
            () = server.serve(self.webhooks.clone(), stop) => {}
            () = fresh => {}
        }
        Ok(())
    }
}

impl Manager {
    /// Serves webhooks on every replica, leading or not, from before the watches start until everything else has stopped.
    /// Their numbers are among the manager's metrics, and the certificate is a readiness check.
    pub fn add_webhooks(&self, server: Server) {
        let (counted, checked) = (server.clone(), server.clone());
        self.metrics().add(move || counted.samples());
        self.health().add(Probe::Ready, move || vec![Check::new("webhook-certificate", checked.check())]);
        let run = |stop: Stop| async move { server.run(stop.requested()).await };
        self.add_runnable(Runnable::server("the server of webhooks", run));
    }
}

impl From<CertificateFiles> for Certificate {
    fn from(files: CertificateFiles) -> Self {
        Self::Files(files)
    }
}

impl From<ManagedCertificate> for Certificate {
    fn from(managed: ManagedCertificate) -> Self {
        Self::Managed(Box::new(managed))
    }
}
