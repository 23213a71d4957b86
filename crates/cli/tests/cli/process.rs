//! A `pintle` child process, its lines, and a folder for its kubeconfig.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use pintle::Client;
use pintle::config::{Config, KubeConfigOptions, Kubeconfig};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// A hang is a failure; nothing here takes a tenth of this.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Process {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    /// Read meanwhile: unread output fills the pipe, and then stops the process.
    errors: JoinHandle<String>,
}

/// How a process ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) errors: String,
}

impl Process {
    pub(crate) fn start<'a>(args: impl IntoIterator<Item = &'a str>) -> Self {
        Self::start_with(args, &[])
    }

    /// With these variables in its environment, and none of the test's own that decide what is logged.
    pub(crate) fn start_with<'a>(args: impl IntoIterator<Item = &'a str>, variables: &[(&str, &str)]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pintle"))
            .args(args)
            .env_remove("RUST_LOG")
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the binary was built with this test");
        let lines = BufReader::new(child.stdout.take().expect("its output is piped")).lines();
        let mut stderr = child.stderr.take().expect("its errors are piped");
        let errors = tokio::spawn(async move {
            let mut errors = String::new();
            stderr.read_to_string(&mut errors).await.expect("its errors can be read");
            errors
        });
        Self { child, lines, errors }
    }

    /// Reads up to the first line that contains `part`.
    pub(crate) async fn line_with(&mut self, part: &str) -> String {
        let reading = async {
            while let Some(line) = self.lines.next_line().await.expect("its output can be read") {
                if line.contains(part) {
                    return line;
                }
            }
            panic!("it ended without saying {part:?}: {:?}", self.end().await);
        };
        timeout(PATIENCE, reading).await.unwrap_or_else(|_| panic!("it never said {part:?}"))
    }

    /// Ends it at once, whatever it is doing.
    pub(crate) async fn kill(&mut self) {
        self.child.kill().await.expect("it is running");
    }

    /// Asks it to end, as Ctrl-C would.
    pub(crate) async fn interrupt(&mut self) {
        let id = self.child.id().expect("it is running").to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status().await.expect("kill is there");
        assert!(sent.success());
    }

    pub(crate) async fn end(&mut self) -> Ended {
        let ending = async {
            while let Ok(Some(_)) = self.lines.next_line().await {}
            let errors = (&mut self.errors).await.expect("reading does not panic");
            Ended { code: self.child.wait().await.expect("it ends").code(), errors }
        };
        timeout(PATIENCE, ending).await.expect("it never ended")
    }
}

/// A folder of its own, gone at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("pintle-test-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder can be written");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.0.join("kubeconfig")
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("the folder can be written");
    }

    /// Its path as a word of a command.
    pub(crate) fn word(&self) -> &str {
        self.0.to_str().expect("a plain path")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

pub(crate) async fn client(kubeconfig: &Path) -> Client {
    Client::try_from(config(kubeconfig).await).expect("a client can be made of it")
}

/// The same, acting as another user.
pub(crate) async fn client_acting_as(kubeconfig: &Path, user: &str) -> Client {
    let mut config = config(kubeconfig).await;
    config.auth_info.impersonate = Some(user.to_owned());
    Client::try_from(config).expect("a client can be made of it")
}

async fn config(kubeconfig: &Path) -> Config {
    let kubeconfig = Kubeconfig::read_from(kubeconfig).expect("the kubeconfig can be read");
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
    config.expect("the kubeconfig is complete")
}
