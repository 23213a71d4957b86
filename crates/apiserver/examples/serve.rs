//! The API server alone, on a free port of loopback, until Ctrl-C.
//!
//! `cargo run -p pintle-apiserver --features serve --example serve -- kubeconfig.yaml`, then in another terminal
//! `kubectl --kubeconfig kubeconfig.yaml get namespaces`.

use std::error::Error;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};

use pintle_apiserver::Server;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "kubeconfig.yaml".to_owned());
    let serving = Server::new().serve(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
    serving.write_kubeconfig(&file)?;
    writeln!(std::io::stdout(), "ready on {}: kubectl --kubeconfig {file} get namespaces", serving.local_addr())?;
    tokio::signal::ctrl_c().await?;
    serving.shutdown().await;
    Ok(())
}
