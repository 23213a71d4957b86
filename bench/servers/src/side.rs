//! A side that runs: a process, and how to reach it.
//!
//! Both are processes that write a kubeconfig, say `ready` and end with their standard input.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::BoxError;
use crate::connection::{Address, Connection};
use crate::measure;

/// Which server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Kube,
    Pintle,
}

impl Side {
    /// The side of a name on the command line.
    pub(crate) fn named(name: &str) -> Result<Self, BoxError> {
        match name {
            "kube" => Ok(Self::Kube),
            "pintle" => Ok(Self::Pintle),
            other => Err(format!("a side is `pintle` or `kube`, not `{other}`").into()),
        }
    }
}

/// A server that has answered.
pub(crate) struct Running {
    child: Child,
    pub(crate) kubeconfig: PathBuf,
    pub(crate) address: Address,
    pub(crate) start: Duration,
}

impl Running {
    /// Starts a side and waits for its first answer.
    pub(crate) async fn start(side: Side) -> Result<Self, BoxError> {
        Self::start_on(side, None).await
    }

    /// The same where every write is synced to the disk: Pintle's to this directory, etcd's to one of its own.
    pub(crate) async fn start_on(side: Side, data: Option<&Path>) -> Result<Self, BoxError> {
        let kubeconfig = std::env::temp_dir().join(format!("pintle-bench-{}-{side:?}", std::process::id()));
        let mut command = match side {
            Side::Pintle => {
                let mut command = Command::new(std::env::current_exe()?);
                command.arg("serve").arg(&kubeconfig).args(data);
                command
            }
            Side::Kube => {
                let mut command = Command::new(kube()?);
                command.arg("-kubeconfig").arg(&kubeconfig).args(data.map(|_| "-fsync"));
                command
            }
        };
        let begun = Instant::now();
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true).spawn()?;
        let mut words = String::new();
        BufReader::new(child.stdout.take().ok_or("it has no output")?).read_line(&mut words).await?;
        if !words.starts_with("ready") {
            return Err(format!("{side:?} did not become ready: {words}").into());
        }
        let address = read_kubeconfig(&kubeconfig)?;
        Connection::open(&address).await?.send("GET", "/api/v1/namespaces", "", Default::default()).await?;
        Ok(Self { child, kubeconfig, address, start: begun.elapsed() })
    }

    pub(crate) fn resident_memory(&self) -> Result<u64, BoxError> {
        measure::resident_memory(self.process()?)
    }

    /// Ends it in the middle of whatever it does.
    pub(crate) async fn kill(mut self) -> Result<(), BoxError> {
        self.child.kill().await?;
        std::fs::remove_file(&self.kubeconfig)?;
        Ok(())
    }

    pub(crate) fn process(&self) -> Result<u32, BoxError> {
        self.child.id().ok_or_else(|| "it has ended".into())
    }

    /// Ends it, so that it removes what it has written.
    pub(crate) async fn stop(mut self) -> Result<(), BoxError> {
        drop(self.child.stdin.take());
        self.child.wait().await?;
        std::fs::remove_file(&self.kubeconfig)?;
        Ok(())
    }
}

/// Serves Pintle's server, from a directory if one is given, until the standard input ends.
pub(crate) async fn serve(kubeconfig: PathBuf, data: Option<&Path>) -> Result<(), BoxError> {
    // As `pintle serve` has one. Without any, `tracing` makes spans for the crate `log` of each frame of HTTP/2.
    tracing::subscriber::set_global_default(tracing::subscriber::NoSubscriber::new())?;
    let server = match data {
        Some(directory) => pintle_apiserver::Server::open(directory)?,
        None => pintle_apiserver::Server::new(),
    };
    let serving = server.serve("127.0.0.1:0".parse()?).await?;
    serving.write_kubeconfig(&kubeconfig)?;
    println!("ready {}", serving.local_addr());
    tokio::task::spawn_blocking(|| std::io::read_to_string(std::io::stdin())).await??;
    serving.shutdown().await;
    Ok(())
}

/// The real server, as `cargo xtask kube build` leaves it.
fn kube() -> Result<PathBuf, BoxError> {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/kube/kube");
    if program.exists() { Ok(program) } else { Err("run `cargo xtask kube build` first".into()) }
}

fn read_kubeconfig(file: &Path) -> Result<Address, BoxError> {
    let config: Kubeconfig = serde_saphyr::from_str(&std::fs::read_to_string(file)?)?;
    let cluster = &config.clusters.first().ok_or("the kubeconfig has no cluster")?.cluster;
    let user = &config.users.first().ok_or("the kubeconfig has no user")?.user;
    let authority = STANDARD.decode(&cluster.certificate_authority_data)?;
    Address::new(cluster.server.trim_start_matches("https://"), &authority, &user.token)
}

#[derive(Deserialize)]
struct Kubeconfig {
    clusters: Vec<NamedCluster>,
    users: Vec<NamedUser>,
}

#[derive(Deserialize)]
struct NamedCluster {
    cluster: Cluster,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Cluster {
    server: String,
    certificate_authority_data: String,
}

#[derive(Deserialize)]
struct NamedUser {
    user: User,
}

#[derive(Deserialize)]
struct User {
    token: String,
}
