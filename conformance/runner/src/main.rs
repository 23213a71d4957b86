//! Scripts of requests, sent to real Kubernetes and to the embedded server, and what both answer.
//!
//! ```text
//!   conformance/scripts/*/*.http ─► script ─► run ──► server (kube | embedded | a kubeconfig)
//!                                              │ Exchange
//!                                              ▼
//!                                   mask ─► transcript ─► difference ◄── *.transcript, recorded from real Kubernetes
//!                                                         answers ─► tally ◄── differences.txt (`deferred`)
//! ```
//! Reading order: `script`, `run`, `mask`, `transcript`, `answers`, `tally`, `command`. It is called as `cargo xtask record`, `diff`, `odd`,
//! `regexp`, `twin` and, within `cargo xtask kube test`, `check` and `formats`.

mod answers;
mod cel;
mod command;
mod deferred;
mod difference;
mod endpoint;
mod exchange;
mod formats;
mod mask;
mod odd;
mod record;
mod regexp;
mod run;
mod script;
mod server;
mod tally;
mod transcript;
mod twin;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

use command::{Command, Outcome};

/// Find out what Kubernetes really does, and whether the embedded server does the same.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[tokio::main]
async fn main() -> ExitCode {
    match Arguments::parse().command.perform().await {
        Ok(Outcome::Same) => ExitCode::SUCCESS,
        Ok(Outcome::Different) => ExitCode::FAILURE,
        Err(problem) => {
            complain(&problem);
            ExitCode::from(2)
        }
    }
}

/// This crate is built where its workspace is.
fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

#[expect(clippy::print_stdout, reason = "the one place where results are printed")]
fn say(text: &str) {
    println!("{text}");
}

#[expect(clippy::print_stderr, reason = "the one place where problems are printed")]
fn complain(text: &str) {
    eprintln!("{text}");
}
