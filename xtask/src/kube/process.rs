//! A real kube-apiserver that runs as long as it is needed.
//!
//! In: whether its controllers run, and whether it has a watch cache. Out: a kubeconfig, and an address where it can be
//! told to forget its history: whoever runs as another process cannot reach its standard input.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Problem, built, folder, log};

/// A running server; it ends when this is dropped.
pub(crate) struct Process {
    child: Child,
    kubeconfig: PathBuf,
    control: SocketAddr,
    voice: SharedVoice,
}

/// Taken away at the end, because the end of its input ends the server.
type SharedVoice = Arc<Mutex<Option<Voice>>>;

/// The pipes to it.
struct Voice {
    commands: ChildStdin,
    words: BufReader<ChildStdout>,
}

impl Process {
    /// Starts it with its controllers, with or without a watch cache, and waits until it is ready.
    pub(crate) fn start(watch_cache: bool) -> Result<Self, Problem> {
        let program = built()?;
        let name = name();
        let kubeconfig = folder().join(format!("kubeconfig-{name}"));
        let mut child = Command::new(&program)
            .arg("-kubeconfig")
            .arg(&kubeconfig)
            .arg("-controllers=true")
            .arg(format!("-watch-cache={watch_cache}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log(&name)?)
            .spawn()
            .map_err(|error| format!("cannot run {}: {error}", program.display()))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (commands, words) = pipes.ok_or("its pipes are missing")?;
        let mut voice = Voice { commands, words: BufReader::new(words) };
        let ready = voice.hear();
        let voice = SharedVoice::new(Mutex::new(Some(voice)));
        let control = listen(voice.clone())?;
        let process = Self { child, kubeconfig, control, voice };
        if ready.starts_with("ready") {
            return Ok(process);
        }
        Err(format!("kube-apiserver did not become ready; its log is in {}", folder().display()))
    }

    pub(crate) fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Where `compact` can be said.
    pub(crate) fn control(&self) -> SocketAddr {
        self.control
    }
}

/// Tells apart the servers that run at the same time, of this program and of another.
fn name() -> String {
    static STARTED: AtomicUsize = AtomicUsize::new(0);
    format!("{}-{}", std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed))
}

impl Drop for Process {
    fn drop(&mut self) {
        // It then removes what it has written; killed, it would leave a database behind.
        drop(self.voice.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.child.wait().map(drop).unwrap_or_default();
        std::fs::remove_file(&self.kubeconfig).unwrap_or_default();
    }
}

impl Voice {
    /// One line; empty when it has ended.
    fn hear(&mut self) -> String {
        let mut line = String::new();
        self.words.read_line(&mut line).map(|_| line).unwrap_or_default()
    }

    fn say(&mut self, line: &str) -> std::io::Result<String> {
        self.commands.write_all(line.as_bytes())?;
        Ok(self.hear())
    }
}

/// Hands lines that come by a loopback port on to the server, one caller after the other, and its answers back.
fn listen(voice: SharedVoice) -> Result<SocketAddr, Problem> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|error| format!("no port is free: {error}"))?;
    let address = listener.local_addr().map_err(|error| format!("the port has no address: {error}"))?;
    std::thread::spawn(move || {
        for caller in listener.incoming().flatten() {
            let mut voice = voice.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(voice) = voice.as_mut() else { return };
            // A caller that hangs up in the middle wants nothing any more.
            serve(caller, voice).unwrap_or_default();
        }
    });
    Ok(address)
}

fn serve(mut caller: TcpStream, voice: &mut Voice) -> std::io::Result<()> {
    let mut line = String::new();
    BufReader::new(caller.try_clone()?).read_line(&mut line)?;
    let answer = voice.say(&line)?;
    caller.write_all(answer.as_bytes())
}
