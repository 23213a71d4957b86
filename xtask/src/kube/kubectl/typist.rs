//! Types a session to one server.
//!
//! In: a step. Out: what kubectl said to it, masked; nothing for a step that says nothing. A command that is left running
//! is ended by a later step, or with its typist.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use super::mask::mask;
use super::session::{self, Step};
use crate::kube::{Problem, folder};

/// What kubectl said.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Said {
    /// None for what was ended.
    pub(super) code: Option<i32>,
    pub(super) lines: Vec<String>,
}

/// A user of one server.
pub(super) struct Typist {
    folder: PathBuf,
    kubeconfig: PathBuf,
    namespace: Option<String>,
    left: Option<Left>,
}

/// A command that is left running.
struct Left {
    child: Child,
    lines: Receiver<String>,
    heard: Vec<String>,
}

/// Nothing that is asked of an idle server takes longer.
const PATIENCE: Duration = Duration::from_secs(30);

impl Typist {
    pub(super) fn new(folder: &Path, kubeconfig: &Path) -> Self {
        Self { folder: folder.to_owned(), kubeconfig: kubeconfig.to_owned(), namespace: None, left: None }
    }

    pub(super) fn type_in(&mut self, step: &Step) -> Result<Option<Said>, Problem> {
        match step {
            Step::Remark(_) => Ok(None),
            Step::Namespace(name) => {
                self.namespace = Some(name.clone());
                Ok(None)
            }
            Step::Command(command) if command.is_left => {
                self.left = Some(Left::start(self.kubectl(command))?);
                Ok(None)
            }
            Step::Command(command) => self.run(command).map(Some),
            Step::Until(text) => {
                let left = self.left.take().ok_or_else(|| format!("`{step}`: nothing is left running"))?;
                left.until(text).map(Some)
            }
        }
    }

    fn run(&self, command: &session::Command) -> Result<Said, Problem> {
        let output = self.kubectl(command).output().map_err(no_kubectl)?;
        let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        let counts = |line: &&str| !command.is_about_fields || line.contains("\t<");
        Ok(Said { code: output.status.code(), lines: text.lines().filter(counts).map(mask).collect() })
    }

    fn kubectl(&self, command: &session::Command) -> Command {
        let mut kubectl = Command::new(folder().join("kubectl"));
        kubectl.current_dir(&self.folder).stdin(Stdio::null()).arg("--kubeconfig").arg(&self.kubeconfig);
        // What one server's documents say must not be remembered for the other.
        kubectl.arg("--cache-dir").arg(self.kubeconfig.with_extension("cache"));
        if let Some(namespace) = &self.namespace {
            kubectl.arg("--namespace").arg(namespace);
        }
        kubectl.args(&command.words);
        kubectl
    }
}

impl Drop for Typist {
    fn drop(&mut self) {
        // It may never have been there.
        std::fs::remove_dir_all(self.kubeconfig.with_extension("cache")).unwrap_or_default();
    }
}

impl Left {
    /// Waits for its first line, by which it has begun to watch.
    fn start(mut command: Command) -> Result<Self, Problem> {
        let mut child = command.stdout(Stdio::piped()).spawn().map_err(no_kubectl)?;
        let output = child.stdout.take().ok_or("its pipe is missing")?;
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut left = Self { child, lines, heard: Vec::new() };
        left.hear()?;
        Ok(left)
    }

    fn hear(&mut self) -> Result<(), Problem> {
        let line = self.lines.recv_timeout(PATIENCE).map_err(|_| {
            format!("what was left running said no more than {:?} within {} s", self.heard, PATIENCE.as_secs())
        })?;
        self.heard.push(line);
        Ok(())
    }

    fn until(mut self, text: &str) -> Result<Said, Problem> {
        while !self.heard.iter().any(|line| line.contains(text)) {
            self.hear()?;
        }
        let lines = self.heard.iter().map(|line| mask(line)).collect();
        Ok(Said { code: None, lines })
    }
}

impl Drop for Left {
    fn drop(&mut self) {
        // One that has ended by itself needs no end.
        self.child.kill().unwrap_or_default();
        self.child.wait().map(drop).unwrap_or_default();
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` hands on")]
fn no_kubectl(error: std::io::Error) -> Problem {
    format!("cannot run kubectl: {error}; `cargo xtask kube build` builds it")
}

/// `pintle serve`, as long as it is needed.
pub(in super::super) struct Embedded {
    child: Child,
    kubeconfig: PathBuf,
}

impl Embedded {
    /// Starts it for a stage, with what else it is to be told.
    pub(in super::super) fn start(program: &Path, stage: &str, arguments: &[&OsStr]) -> Result<Self, Problem> {
        let kubeconfig = folder().join(format!("kubeconfig-{}-{stage}-embedded", std::process::id()));
        let mut child = Command::new(program)
            .args(["serve", "--kubeconfig"])
            .arg(&kubeconfig)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot run {}: {error}", program.display()))?;
        let output = child.stdout.take().ok_or("its pipe is missing")?;
        let embedded = Self { child, kubeconfig };
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).map_err(|error| format!("pintle serve: {error}"))?;
        if line.starts_with("ready") { Ok(embedded) } else { Err("pintle serve did not become ready".to_owned()) }
    }

    pub(in super::super) fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        self.child.kill().unwrap_or_default();
        self.child.wait().map(drop).unwrap_or_default();
        std::fs::remove_file(&self.kubeconfig).unwrap_or_default();
    }
}
