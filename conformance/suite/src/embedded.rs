//! The embedded server as it is asked for behaviours.

use std::net::{Ipv4Addr, SocketAddr};

use pintle::testing::{AdmissionPlugin, Controllers, Server};

/// A server that is served too, so that it has a certificate authority for the namespaces' `kube-root-ca.crt`.
///
/// # Errors
/// When no port is free on loopback.
pub async fn embedded() -> Result<Server, String> {
    // As where there are controllers: accounts are made for namespaces, so pods can have them.
    served(Server::builder().rbac().enable_admission_plugins([AdmissionPlugin::ServiceAccount]).build()).await
}

/// The same with the small controllers, but without kubelets and scheduler: behaviours say themselves what becomes of pods.
///
/// # Errors
/// When no port is free on loopback.
pub async fn embedded_with_controllers() -> Result<Server, String> {
    let controllers: Controllers = "all,-pods".parse().map_err(|error| format!("the controllers: {error}"))?;
    let builder = Server::builder().rbac().enable_admission_plugins([AdmissionPlugin::ServiceAccount]);
    served(builder.controllers(controllers).build()).await
}

async fn served(server: Server) -> Result<Server, String> {
    let serving = server.serve(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await;
    // It serves until the process ends; what is asked goes past the port.
    drop(tokio::spawn(keep(serving.map_err(|error| format!("the embedded server: {error}"))?)));
    Ok(server)
}

async fn keep(serving: pintle_apiserver::Serving) {
    std::future::pending::<()>().await;
    drop(serving);
}
