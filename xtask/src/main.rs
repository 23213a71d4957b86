//! Chores of this repository, run as `cargo xtask …`.
//!
//! In: a command line. Out: generated source files, which are deterministic (the same input gives the same bytes), and
//! the real Kubernetes that our claims are checked against.

mod kinds;
mod kube;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Chores of this repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Write the server's table of built-in kinds from Kubernetes' discovery documents.
    ///
    /// FOLDER holds what upstream keeps in its `api` folder: `discovery/api__v1.json` (the core group) and
    /// `discovery/aggregated_v2.json` (every other group). The result is one sorted line per resource.
    Kinds {
        /// The folder that holds `discovery/`.
        folder: PathBuf,
        /// The file to write.
        #[arg(long, value_name = "FILE", default_value = "crates/apiserver/src/kinds/table.rs")]
        output: PathBuf,
        /// The Kubernetes version the documents come from; it is written into the file's header.
        #[arg(long, value_name = "VERSION", default_value = "1.37")]
        kubernetes: String,
    },
    /// Build and run a real kube-apiserver, to check against. Needs Go.
    #[command(subcommand)]
    Kube(Kube),
}

#[derive(Subcommand)]
enum Kube {
    /// Build kube-apiserver with etcd, and kubectl, into `target/kube`.
    Build,
    /// Run it on loopback until its standard input ends; `compact` there forgets history.
    Run(kube::RunOptions),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().chore {
        Chore::Kinds { folder, output, kubernetes } => kinds::write(&folder, &output, &kubernetes)
            .map(|count| report(&format!("{}: {count} resources of Kubernetes {kubernetes}", output.display()))),
        Chore::Kube(Kube::Build) => kube::build(report),
        Chore::Kube(Kube::Run(options)) => kube::run(&options).and_then(|status| {
            if status.success() { Ok(()) } else { Err(format!("kube-apiserver ended with {status}")) }
        }),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            report(&format!("cargo xtask: {problem}"));
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stderr, reason = "the one place where a chore speaks to its user")]
fn report(line: &str) {
    eprintln!("{line}");
}
