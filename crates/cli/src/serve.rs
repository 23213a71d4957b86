//! `pintle serve`: the API server alone.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Instant;

use pintle_apiserver::{Server, Serving};

use crate::args::ServeArgs;
use crate::failure::Failure;
use crate::narrator::Narrator;
use crate::stop::Stop;

pub(crate) async fn run(args: ServeArgs, narrator: &Narrator) -> Result<(), Failure> {
    let stop = Stop::listen(args.duration);
    let (serving, milliseconds) = start(SocketAddr::new(args.address, args.port), &args.kubeconfig).await?;
    let port = serving.local_addr().port();
    narrator
        .announce(format_args!("ready port={port} time={milliseconds:.1}ms kubeconfig={}", args.kubeconfig.display()));
    stop.wait().await;
    serving.shutdown().await;
    Ok(())
}

/// Starts a server, writes its kubeconfig, and says how many milliseconds that took.
pub(crate) async fn start(address: SocketAddr, kubeconfig: &Path) -> Result<(Serving, f64), Failure> {
    let begun = Instant::now();
    let serving =
        Server::new().serve(address).await.map_err(|error| Failure::new("cannot start the API server", error))?;
    let what = || format!("cannot write the kubeconfig {}", kubeconfig.display());
    serving.write_kubeconfig(kubeconfig).map_err(|error| Failure::new(what(), error))?;
    Ok((serving, begun.elapsed().as_secs_f64() * 1000.0))
}
