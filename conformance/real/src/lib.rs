//! A real kube-apiserver with its etcd, as a process that lives as long as it is needed.
//!
//! ```text
//!   target/kube/kube ──► RealServer ──► kubeconfig (a file of its own, removed at the end)
//!                          │    ▲
//!                 "compact"▼    │"ready", "compacted …"
//!                     its standard input and output
//! ```
//! The end of its input ends it, and it then removes its database. `cargo xtask kube build` builds it.

mod version;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

pub use version::Version;

/// How it is started.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Which Kubernetes.
    pub version: Version,
    /// The garbage collector, and the namespace, service-account, root-CA, role-aggregation, volume-protection,
    /// quota and policy-status controllers.
    pub controllers: bool,
    /// Beside them those of workloads, endpoints, volumes, token secrets and certificates.
    pub workloads: bool,
    /// What it has read from etcd, kept to answer lists and watches.
    pub watch_cache: bool,
    /// The versions too that a default server leaves off.
    pub every_version: bool,
}

impl Default for Options {
    /// As a cluster is.
    fn default() -> Self {
        Self {
            version: Version::default(),
            controllers: true,
            workloads: false,
            watch_cache: true,
            every_version: false,
        }
    }
}

/// A running server; it ends when this is dropped.
#[derive(Debug)]
pub struct RealServer {
    child: Child,
    kubeconfig: PathBuf,
    /// Taken away at the end.
    voice: Mutex<Option<Voice>>,
}

/// The pipes to it.
#[derive(Debug)]
struct Voice {
    commands: ChildStdin,
    words: Receiver<String>,
}

impl RealServer {
    /// Starts it and waits until it is ready. `name` distinguishes it from others of this process that run at the same time;
    /// its log, long and seldom read, is found under that name beside the program.
    pub fn start(name: &str, options: Options) -> Result<Self, String> {
        let (program, folder) = (options.version.program()?, options.version.folder());
        let kubeconfig = folder.join(format!("kubeconfig-{}-{name}", std::process::id()));
        let log = folder.join(format!("kube-{name}.log"));
        let mut child = command(&program, &kubeconfig, options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(&log).map_err(|error| format!("cannot write {}: {error}", log.display()))?)
            .spawn()
            .map_err(|error| format!("cannot run {}: {error}", program.display()))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (commands, words) = pipes.ok_or("its pipes are missing")?;
        let voice = Voice { commands, words: lines(words) };
        let ready = voice.hear();
        // From here on it is ended and cleaned up after, whatever it has said.
        let server = Self { child, kubeconfig, voice: Mutex::new(Some(voice)) };
        if ready.starts_with("ready") {
            return Ok(server);
        }
        Err(format!("kube-apiserver did not become ready; its log is {}", log.display()))
    }

    /// Its bearer is the administrator.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Makes it forget all history; returns what it printed.
    pub fn compact(&self) -> Result<String, String> {
        let mut voice = self.voice.lock().unwrap_or_else(PoisonError::into_inner);
        let voice = voice.as_mut().ok_or("kube-apiserver has ended")?;
        let said = voice.commands.write_all(b"compact\n").map(|()| voice.hear());
        match said {
            Ok(answer) if answer.starts_with("compacted") => Ok(answer),
            Ok(answer) => Err(format!("kube-apiserver did not compact: it said {answer:?}")),
            Err(error) => Err(format!("kube-apiserver did not compact: {error}")),
        }
    }
}

impl Drop for RealServer {
    fn drop(&mut self) {
        drop(self.voice.lock().unwrap_or_else(PoisonError::into_inner).take());
        let asked = Instant::now();
        // Killed, it would leave a database behind; so only if it does not listen.
        while matches!(self.child.try_wait(), Ok(None)) {
            if asked.elapsed() > STOP_MAX {
                self.child.kill().unwrap_or_default();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        // It holds a token.
        std::fs::remove_file(&self.kubeconfig).unwrap_or_default();
    }
}

impl Voice {
    /// One line; empty when it has ended or does not answer.
    fn hear(&self) -> String {
        self.words.recv_timeout(ANSWER_MAX).unwrap_or_default()
    }
}

/// What it says, by a thread, because one cannot wait for a pipe for only so long.
fn lines(words: ChildStdout) -> Receiver<String> {
    let (said, heard) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(words).lines().map_while(Result::ok) {
            if said.send(line).is_err() {
                return;
            }
        }
    });
    heard
}

/// The command line that starts it.
pub fn command(program: &Path, kubeconfig: &Path, options: Options) -> Command {
    let mut command = Command::new(program);
    command
        .arg("-kubeconfig")
        .arg(kubeconfig)
        .arg(format!("-controllers={}", options.controllers))
        .arg(format!("-watch-cache={}", options.watch_cache))
        .args(options.workloads.then_some("-workloads"))
        .args(options.every_version.then_some("-every-version"))
        // It lives for minutes: memory that is not collected is cheaper than the processor time to collect it.
        .env("GOGC", "400");
    command
}

/// It is ready after 2–4 s on a quiet machine; one that builds other things meanwhile has needed more than a minute.
const ANSWER_MAX: Duration = Duration::from_secs(180);

/// Removing the folder of etcd takes milliseconds, closing the open watches before it up to seconds.
const STOP_MAX: Duration = Duration::from_secs(20);
