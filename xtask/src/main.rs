//! Chores of this repository, run as `cargo xtask …`.
//!
//! In: a command line. Out: generated source files. A chore is deterministic: the same input gives the same bytes.
//! It never downloads anything; the folders it reads are arguments.

mod kinds;

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
}

fn main() -> ExitCode {
    let Chore::Kinds { folder, output, kubernetes } = Arguments::parse().chore;
    match kinds::write(&folder, &output, &kubernetes) {
        Ok(count) => {
            report(&format!("{}: {count} resources of Kubernetes {kubernetes}", output.display()));
            ExitCode::SUCCESS
        }
        Err(problem) => {
            report(&format!("cargo xtask kinds: {problem}"));
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stderr, reason = "the one place where a chore speaks to its user")]
fn report(line: &str) {
    eprintln!("{line}");
}
