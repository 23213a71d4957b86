//! `cargo xtask conformance`: asks a server for the behaviours of `conformance/suite`.
//!
//! The embedded server, unless `--kube` asks for a real one, which is started for it, or `--kubeconfig` names a cluster.

use std::ffi::OsString;
use std::process::Command;

use pintle_real::RealServer;

use crate::kube::Problem;
use crate::programs;

/// Which server, and what is handed on.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Start a real kube-apiserver (see `kube build`) and ask that.
    #[arg(long)]
    kube: bool,
    /// More for the suite: `--kubeconfig FILE`, `--list`, a part of a name; `-- --help` explains.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "MORE")]
    more: Vec<OsString>,
}

impl Options {
    /// All of them, of a real server.
    pub(crate) fn kube() -> Self {
        Self { kube: true, more: Vec::new() }
    }
}

/// Asks for the behaviours by a program that `run` runs, and fails where one does not hold.
pub(crate) fn ask(options: &Options, run: impl Fn(&mut Command) -> Result<u8, Problem>) -> Result<(), Problem> {
    let real = if options.kube { Some(RealServer::start("behaviours", Default::default())?) } else { None };
    let mut more = options.more.clone();
    if let Some(real) = &real {
        more.extend(["--kubeconfig".into(), real.kubeconfig().into()]);
    }
    match run(&mut programs::program("conformance", &[], &more)?)? {
        0 => Ok(()),
        1 => Err("not every behaviour holds; which ones is printed above".to_owned()),
        _ => Err("its own words are above".to_owned()),
    }
}
