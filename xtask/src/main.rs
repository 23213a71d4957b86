//! Chores of this repository, run as `cargo xtask …`.
//!
//! In: a command line. Out: generated source files, which are deterministic (the same input gives the same bytes), and
//! the real Kubernetes that our claims are checked against.

mod facts;
mod kube;

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
    /// Write the tables of types, fields and kinds from what the real Kubernetes says of itself. Needs `kube build`.
    Facts {
        /// Write nothing; fail if a table is stale.
        #[arg(long)]
        check: bool,
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
    /// Check everything we claim about Kubernetes against it.
    Test,
}

fn main() -> ExitCode {
    let done = match Arguments::parse().chore {
        Chore::Facts { check } => facts::run(check, report),
        Chore::Kube(Kube::Build) => kube::build(report),
        Chore::Kube(Kube::Test) => kube::test(report),
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
