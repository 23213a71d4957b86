//! Chores of this repository, run as `cargo xtask …`.
//!
//! In: a command line. Out: generated source files, which are deterministic (the same input gives the same bytes), and
//! the real Kubernetes that our claims are checked against.

mod book;
mod conformance;
mod facts;
mod instructions;
mod kube;
mod pictures;
mod programs;
mod public_api;
mod soak;
mod start_order;

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use clap::{Parser, Subcommand};
use pintle_real::Version;

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
    /// Ask a server for the behaviours of Kubernetes: the embedded one, a real one, or any cluster.
    Conformance(conformance::Options),
    /// Build and run a real kube-apiserver, to check against. Needs Go.
    #[command(subcommand)]
    Kube(Kube),
    /// Send scripts of requests to a server and print what it answers; `--help` says how.
    #[command(disable_help_flag = true)]
    Record(HandedOn),
    /// Compare what two servers answer to scripts of requests; `--help` says how.
    #[command(disable_help_flag = true)]
    Diff(HandedOn),
    /// Send odd requests to real Kubernetes and to the embedded server, and compare their answers; `--help` says how.
    #[command(disable_help_flag = true)]
    Odd(HandedOn),
    /// Install random rules in CEL on real Kubernetes and on the embedded server, and compare what they say; `--help` says how.
    #[command(disable_help_flag = true)]
    Cel(HandedOn),
    /// Give patterns to Go's regular expressions and to the engine that stands for them here, and compare; `--help` says how.
    #[command(disable_help_flag = true)]
    Regexp(HandedOn),
    /// Send manifests to real Kubernetes and to the embedded server, and compare all they answer; `--help` says how.
    #[command(disable_help_flag = true)]
    Twin(HandedOn),
    /// Add to the book what its pages link to; mdBook runs this, by book.toml.
    BookSources {
        /// What mdBook asks: `supports` and a renderer, or nothing.
        question: Vec<String>,
    },
    /// Draw the pictures of `pintle dev` in `docs/pictures`, from a run of it.
    Pictures,
    /// Write every public item of the crates to `docs/public-api`.
    PublicApi {
        /// Write nothing; fail if a listing is stale.
        #[arg(long)]
        check: bool,
    },
    /// Measure what kube and Pintle need for the same work on the same bytes; `--help` says more.
    #[command(disable_help_flag = true)]
    Bench(HandedOn),
    /// Count the instructions that the roads of `bench` take, and fail if one takes more than it did. Needs valgrind.
    Instructions,
    /// Write the order of functions in `pintle` that makes a started server small. Needs valgrind, binutils and curl.
    StartOrder,
    /// Send millions of events through one manager, and see whether anything is lost or left behind; `--help` says more.
    #[command(disable_help_flag = true)]
    Soak(soak::Options),
    /// Feed a parser or printer with mutated inputs and print how many there were; without a target, list them.
    #[command(disable_help_flag = true)]
    Fuzz(HandedOn),
}

/// Arguments for another program.
#[derive(clap::Args)]
struct HandedOn {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

#[derive(Subcommand)]
enum Kube {
    /// Build kube-apiserver with etcd, and kubectl, into `target/kube`.
    Build {
        /// Which Kubernetes; of an older one only kube-apiserver with etcd is built.
        #[arg(long, default_value_t)]
        version: Version,
    },
    /// Run it on loopback until its standard input ends; `compact` there forgets history.
    Run(kube::RunOptions),
    /// Check everything we claim about Kubernetes against it; of an older one, what our client relies on.
    Test {
        /// Which Kubernetes.
        #[arg(long, default_value_t)]
        version: Version,
        /// Only the stages whose name holds one of these texts.
        stages: Vec<String>,
    },
}

fn main() -> ExitCode {
    let done = match Arguments::parse().chore {
        Chore::Record(handed_on) => return hand_on("pintle-conformance", &["record"], &handed_on),
        Chore::Diff(handed_on) => return hand_on("pintle-conformance", &["diff"], &handed_on),
        Chore::Odd(handed_on) => return hand_on("pintle-conformance", &["odd"], &handed_on),
        Chore::Cel(handed_on) => return hand_on("pintle-conformance", &["cel"], &handed_on),
        Chore::Regexp(handed_on) => return hand_on("pintle-conformance", &["regexp"], &handed_on),
        Chore::Twin(handed_on) => return hand_on("pintle-conformance", &["twin"], &handed_on),
        Chore::Bench(handed_on) => return ended(programs::run(bench().args(&handed_on.arguments))),
        Chore::Soak(options) => return ended(soak::run(&options)),
        Chore::Fuzz(handed_on) => return hand_on("pintle-fuzz", &[], &handed_on),
        Chore::Conformance(options) => conformance::ask(&options, programs::run),
        Chore::Instructions => instructions::count(&report),
        Chore::StartOrder => start_order::write(&report),
        Chore::BookSources { question } => book::answer(&question),
        Chore::Pictures => pictures::write(),
        Chore::Facts { check } => facts::run(check, report),
        Chore::PublicApi { check } => public_api::run(check, report),
        Chore::Kube(Kube::Build { version }) => kube::build(version, report),
        Chore::Kube(Kube::Test { version, stages }) => kube::test(version, &stages, report),
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

fn hand_on(binary: &str, words: &[&str], handed_on: &HandedOn) -> ExitCode {
    ended(programs::program(binary, words, &handed_on.arguments).and_then(|mut program| programs::run(&mut program)))
}

/// A workspace of its own, so that nothing else builds kube.
fn bench() -> Command {
    programs::cargo(&["run", "--release", "--manifest-path", "bench/Cargo.toml", "--"])
}

/// The exit code of a program that spoke for itself.
fn ended(done: Result<u8, String>) -> ExitCode {
    done.map_or_else(
        |problem| {
            report(&format!("cargo xtask: {problem}"));
            ExitCode::FAILURE
        },
        ExitCode::from,
    )
}

#[expect(clippy::print_stderr, reason = "the one place where a chore speaks to its user")]
fn report(line: &str) {
    eprintln!("{line}");
}
