//! A server to send scripts to: real Kubernetes, the embedded one, or whatever a kubeconfig names.
//!
//! In: which, and what a script needs of it. Out: a [`Door`], and a way to make it forget its history. A server that
//! was started here ends with its `Running`.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use pintle_apiserver::{Server, Serving};
use pintle_client::config::{Config, Kubeconfig};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::door::Door;
use crate::script::Needs;

/// Which server is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    Kube,
    Embedded,
    Kubeconfig(PathBuf),
}

/// A server that answers.
pub(crate) struct Running {
    pub(crate) door: Door,
    kind: Kind,
}

enum Kind {
    Kube(Box<Mutex<Process>>),
    Embedded(Box<(Server, Serving)>),
    /// Somebody else's.
    Given,
}

/// kube-apiserver and etcd, in a process of their own.
struct Process {
    child: Child,
    commands: ChildStdin,
    words: Lines<BufReader<ChildStdout>>,
    _kubeconfig: KubeconfigFile,
}

/// A kubeconfig that is removed with its server: it holds a token, and its controllers read it once they start.
struct KubeconfigFile(PathBuf);

impl Drop for KubeconfigFile {
    fn drop(&mut self) {
        // One that never was is as good as removed.
        std::fs::remove_file(&self.0).unwrap_or_default();
    }
}

impl Running {
    pub(crate) async fn start(which: &Which, needs: Needs) -> Result<Running, String> {
        match which {
            Which::Kube => start_kube(needs).await,
            Which::Embedded => start_embedded(needs).await,
            Which::Kubeconfig(path) => {
                let door = door_of(Kubeconfig::read_from(path)).map_err(|error| named(path, &error))?;
                Ok(Running { door, kind: Kind::Given })
            }
        }
    }

    /// Makes the server forget all history.
    pub(crate) async fn compact(&self) -> Result<(), String> {
        match &self.kind {
            Kind::Embedded(embedded) => {
                embedded.0.expire_history();
                Ok(())
            }
            Kind::Kube(process) => process.lock().await.compact().await,
            Kind::Given => Err("a server that a kubeconfig names cannot be told to forget its history; \
                                send this script to `--kube` or `--embedded`"
                .to_owned()),
        }
    }

    /// Ends a server that was started here.
    pub(crate) async fn stop(self) {
        match self.kind {
            Kind::Given => {}
            Kind::Embedded(embedded) => embedded.1.shutdown().await,
            Kind::Kube(process) => process.into_inner().stop().await,
        }
    }
}

async fn start_embedded(needs: Needs) -> Result<Running, String> {
    let server = Server::builder().garbage_collection(needs.controllers).namespace_defaults(needs.controllers).build();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let serving = server.serve(address).await.map_err(|error| format!("the embedded server: {error}"))?;
    let door = door_of(Kubeconfig::from_yaml(&serving.kubeconfig()))?;
    Ok(Running { door, kind: Kind::Embedded(Box::new((server, serving))) })
}

async fn start_kube(needs: Needs) -> Result<Running, String> {
    let folder = crate::workspace().join("target/kube");
    let program = folder.join("kube");
    if !program.exists() {
        return Err("real Kubernetes is not built yet: run `cargo xtask kube build` first".to_owned());
    }
    let kubeconfig = folder.join(format!("kubeconfig-{}-{}", std::process::id(), name_of(needs)));
    let mut process = Process::spawn(&program, kubeconfig.clone(), needs)?;
    let ready = timeout(READY_MAX, process.words.next_line()).await;
    let is_ready = matches!(&ready, Ok(Ok(Some(line))) if line.starts_with("ready"));
    let config = Kubeconfig::read_from(&kubeconfig);
    if !is_ready {
        process.stop().await;
        return Err(format!("kube-apiserver did not become ready; its log is {}", log_of(&program, needs).display()));
    }
    Ok(Running { door: door_of(config)?, kind: Kind::Kube(Box::new(Mutex::new(process))) })
}

impl Process {
    fn spawn(program: &Path, kubeconfig: PathBuf, needs: Needs) -> Result<Process, String> {
        let log = log_of(program, needs);
        let log = std::fs::File::create(&log).map_err(|error| format!("cannot write {}: {error}", log.display()))?;
        let mut child = Command::new(program)
            .arg("-kubeconfig")
            .arg(&kubeconfig)
            .arg(format!("-controllers={}", needs.controllers))
            .arg(format!("-watch-cache={}", !needs.no_watch_cache))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("cannot run {}: {error}", program.display()))?;
        let commands = child.stdin.take().expect("its input is a pipe");
        let words = BufReader::new(child.stdout.take().expect("its output is a pipe")).lines();
        Ok(Process { child, commands, words, _kubeconfig: KubeconfigFile(kubeconfig) })
    }

    async fn compact(&mut self) -> Result<(), String> {
        let gone = |what: &dyn std::fmt::Display| format!("kube-apiserver did not compact: {what}");
        self.commands.write_all(b"compact\n").await.map_err(|error| gone(&error))?;
        match timeout(READY_MAX, self.words.next_line()).await {
            Ok(Ok(Some(line))) if line.starts_with("compacted") => Ok(()),
            Ok(Ok(Some(line))) => Err(gone(&line)),
            _ => Err(gone(&"it does not answer")),
        }
    }

    /// The end of its input ends it; then it removes what it has written.
    async fn stop(mut self) {
        drop(self.commands);
        if timeout(STOP_MAX, self.child.wait()).await.is_err() {
            // It may have ended just now, which is all that is wanted.
            self.child.kill().await.unwrap_or_default();
        }
    }
}

fn log_of(program: &Path, needs: Needs) -> PathBuf {
    program.with_file_name(format!("scripts-{}.log", name_of(needs)))
}

/// Tells the servers of one run apart by what they were started with.
fn name_of(needs: Needs) -> String {
    let controllers = if needs.controllers { "controllers" } else { "alone" };
    let cache = if needs.no_watch_cache { "uncached" } else { "cached" };
    format!("{controllers}-{cache}")
}

fn door_of<E: std::error::Error>(kubeconfig: Result<Kubeconfig, E>) -> Result<Door, String> {
    let config = Config::try_from(kubeconfig.map_err(|error| error.to_string())?).map_err(|error| error.to_string())?;
    Door::new(&config)
}

fn named(path: &Path, error: &str) -> String {
    format!("{}: {error}", path.display())
}

/// It is ready after 2–4 s on a quiet machine; a busy one may need ten times that.
const READY_MAX: Duration = Duration::from_secs(60);

/// Removing the folder of etcd takes milliseconds.
const STOP_MAX: Duration = Duration::from_secs(5);
