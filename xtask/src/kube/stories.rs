//! The stories of `crates/pintle/tests/stories`, told to real Kubernetes.
//!
//! In: the built server. Out: what the tests say. The server runs with its controllers for as long as the stories do;
//! a story that expires history asks through a port of ours, because the server takes that command on its input alone.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;

use super::{Problem, built, folder, log, workspace};

/// The modules whose stories are told. A story of what only an embedded server lets one do begins with
/// `World::embedded`, and is then told to that one here too.
const MODULES: &[&str] = &["custom_resource", "snippets"];

/// Starts the server, tells the stories, ends the server.
pub(super) fn tell(_: &dyn Fn(&str)) -> Result<(), Problem> {
    let server = RealServer::start()?;
    let status = Command::new("cargo")
        .current_dir(workspace())
        .args(["test", "--quiet", "--package", "pintle", "--test", "stories", "--"])
        // One server answers them all; a dozen stories at once would only wait for each other.
        .args(["--test-threads", "4"])
        .args(MODULES)
        .env("PINTLE_STORIES_KUBECONFIG", &server.kubeconfig)
        .env("PINTLE_STORIES_CONTROL", server.control.to_string())
        .status()
        .map_err(|error| format!("cannot run cargo: {error}"));
    server.stop();
    if status?.success() { Ok(()) } else { Err("its own words are above".to_owned()) }
}

/// The server, its kubeconfig, and the port that takes commands for it.
pub(super) struct RealServer {
    child: Child,
    pub(super) kubeconfig: PathBuf,
    control: SocketAddr,
    obeying: JoinHandle<()>,
}

/// What ends the port: no command of the server.
const END: &str = "end";

impl RealServer {
    pub(super) fn start() -> Result<Self, Problem> {
        let program = built()?;
        let kubeconfig = folder().join(format!("kubeconfig-{}", std::process::id()));
        let mut child = Command::new(&program)
            .arg("-kubeconfig")
            .arg(&kubeconfig)
            .arg("-controllers=true")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log()?)
            .spawn()
            .map_err(|error| format!("cannot run {}: {error}", program.display()))?;
        let commands = child.stdin.take().ok_or("its input is no pipe")?;
        let mut words = BufReader::new(child.stdout.take().ok_or("its output is no pipe")?);
        let mut line = String::new();
        let read = words.read_line(&mut line);
        if read.is_err() || !line.starts_with("ready") {
            return Err(format!("kube-apiserver did not become ready; its log is {}", super::log_file().display()));
        }
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|error| format!("no port: {error}"))?;
        let control = port.local_addr().map_err(|error| format!("no port: {error}"))?;
        let obeying = std::thread::spawn(move || obey(&port, commands, words));
        Ok(Self { child, kubeconfig, control, obeying })
    }

    /// The end of its input ends it; then it removes what it has written.
    pub(super) fn stop(mut self) {
        if ask(self.control, END).is_ok() {
            // A panic of that thread would have dropped the input too.
            drop(self.obeying.join());
        }
        if self.child.wait().is_err() {
            drop(self.child.kill());
        }
        // It holds a token of a server that is gone.
        std::fs::remove_file(&self.kubeconfig).unwrap_or_default();
    }
}

/// Hands each line that comes in to the server, and its answer back, until somebody says [`END`].
fn obey(port: &TcpListener, mut commands: ChildStdin, mut words: BufReader<ChildStdout>) {
    for stream in port.incoming().map_while(Result::ok) {
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        if stream.read_line(&mut line).is_err() {
            continue;
        }
        if line.trim() == END {
            return;
        }
        let mut answer = String::new();
        let done = commands.write_all(line.as_bytes()).and_then(|()| words.read_line(&mut answer));
        // Whoever asked and went away needs no answer.
        drop(done.and_then(|_| stream.get_mut().write_all(answer.as_bytes())));
    }
}

fn ask(control: SocketAddr, line: &str) -> std::io::Result<()> {
    TcpStream::connect(control)?.write_all(format!("{line}\n").as_bytes())
}
