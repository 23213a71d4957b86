//! A real kubectl, beside the real server.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

use crate::BoxError;
use crate::side::Running;

/// kubectl with a cache of its own.
pub(crate) struct Kubectl {
    program: PathBuf,
    kubeconfig: PathBuf,
    cache: PathBuf,
}

impl Kubectl {
    /// A kubectl for a server, as `cargo xtask kube build` leaves it.
    pub(crate) fn new(running: &Running) -> Result<Self, BoxError> {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/kube/kubectl");
        if !program.exists() {
            return Err("run `cargo xtask kube build` first".into());
        }
        let kubeconfig = running.kubeconfig.clone();
        let cache = kubeconfig.with_extension("cache");
        Ok(Self { program, kubeconfig, cache })
    }

    /// `kubectl explain` of a field.
    pub(crate) async fn explain(&self, field: &str) -> Result<(), BoxError> {
        let mut command = Command::new(&self.program);
        command.arg("--kubeconfig").arg(&self.kubeconfig).arg("--cache-dir").arg(&self.cache).args(["explain", field]);
        let output = command.stdin(Stdio::null()).output().await?;
        if output.status.success() && output.stdout.windows(6).any(|part| part == b"FIELDS") {
            return Ok(());
        }
        Err(format!("kubectl explain {field}: {}", String::from_utf8_lossy(&output.stderr)).into())
    }

    /// Forgets what the server said.
    pub(crate) fn forget(&self) -> Result<(), BoxError> {
        match std::fs::remove_dir_all(&self.cache) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}

impl Drop for Kubectl {
    fn drop(&mut self) {
        drop(self.forget());
    }
}
