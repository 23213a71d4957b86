//! `cargo xtask conformance`: asks a server for the behaviours of `conformance/suite`.
//!
//! The embedded server, unless `--kube` asks for a real one, which is started for it, or `--kubeconfig` names a cluster.

use std::ffi::OsString;
use std::process::Command;

use crate::kube::{Problem, Process, workspace};

/// Which server, and what is handed on.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Start a real kube-apiserver (see `kube build`) and ask that.
    #[arg(long)]
    kube: bool,
    /// More for the suite: `--kubeconfig FILE`, `--list`, a part of a name; `-- --help` tells.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "MORE")]
    more: Vec<OsString>,
}

impl Options {
    /// All of them, of a real server.
    pub(crate) fn kube() -> Self {
        Self { kube: true, more: Vec::new() }
    }
}

/// Asks for the behaviours, and fails where one does not hold.
pub(crate) fn run(options: &Options) -> Result<(), Problem> {
    let real = if options.kube { Some(Process::start(true)?) } else { None };
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace()).args(["run", "--quiet", "--package", "pintle-suite", "--"]).args(&options.more);
    if let Some(real) = &real {
        command.arg("--kubeconfig").arg(real.kubeconfig());
    }
    let status = command.status().map_err(|error| format!("cannot run cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err("not every behaviour holds; which ones is told above".to_owned()) }
}
