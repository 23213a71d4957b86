//! Runs the operator on the cluster of the kubeconfig or, in a pod, on the pod's cluster.
//!
//! `RUST_LOG` sets the log filter, `PROBES_ADDRESS` and `METRICS_ADDRESS` the addresses of the two
//! servers, and `POD_NAMESPACE` the namespace of the lease.

use std::env;
use std::io::{self, IsTerminal};
use std::net::{AddrParseError, SocketAddr};

use pintle::Client;
use pintle::manager::Manager;
use tracing_subscriber::EnvFilter;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .init();

    let client = Client::try_default().await?;
    let namespace =
        env::var("POD_NAMESPACE").unwrap_or_else(|_| client.default_namespace().to_owned());
    let manager = Manager::builder(client)
        // One replica reconciles; the others keep their caches warm and take over when it stops.
        .lease(&namespace, "database-operator")
        .health(address("PROBES_ADDRESS", "0.0.0.0:8081")?)
        .metrics(address("METRICS_ADDRESS", "0.0.0.0:8080")?)
        .build();
    database_operator::add_to(&manager);
    // Runs until SIGTERM: then reconciles finish, the lease is released, and this returns.
    Ok(manager.run().await?)
}

fn address(variable: &str, default: &str) -> Result<SocketAddr, AddrParseError> {
    env::var(variable).as_deref().unwrap_or(default).parse()
}
