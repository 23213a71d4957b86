//! A cluster for whoever has none: a server in this process, and the program beside it in a process of its own.

use std::path::Path;
use std::process::{Command, ExitStatus};

use anyhow::Context;
use pintle::testing::Server;

/// Whether the programs would find no cluster: no kubeconfig, and no pod around them.
pub(crate) fn is_needed() -> bool {
    let is_set = |name| std::env::var_os(name).is_some();
    let kubeconfig = std::env::home_dir().map(|home| home.join(".kube/config"));
    !is_set("KUBECONFIG") && !is_set("KUBERNETES_SERVICE_HOST") && !kubeconfig.is_some_and(|file| file.exists())
}

/// Runs the program of this name, which finds the server by a kubeconfig as it would find a cluster.
pub(crate) fn run(program: &str) -> anyhow::Result<ExitStatus> {
    eprintln!("No kubeconfig: this runs on a server that ends with it. One that stays: cargo run -- serve");
    let runtime = tokio::runtime::Runtime::new()?;
    let serving = runtime.block_on(Server::new().serve(([127, 0, 0, 1], 0).into()))?;
    let kubeconfig = std::env::temp_dir().join(format!("pintle-course-{}", std::process::id()));
    serving.write_kubeconfig(&kubeconfig)?;
    let ended = run_with(program, &kubeconfig);
    std::fs::remove_file(&kubeconfig).with_context(|| format!("cannot remove {}", kubeconfig.display()))?;
    ended
}

fn run_with(program: &str, kubeconfig: &Path) -> anyhow::Result<ExitStatus> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(program).env("KUBECONFIG", kubeconfig).status().context("cannot run the program")
}
