//! `cargo xtask soak`: builds `conformance/soak` and runs it.
//!
//! Optimised, because ten million events are much; or, as `--sample`, far fewer in the build that tests have, which nothing
//! else has to be compiled for.

use std::ffi::OsString;
use std::process::Command;

use crate::programs::{self, cargo};

/// Which run, and what is handed on.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// 20,000 events and 30 relists, not optimised: a minute.
    #[arg(long)]
    sample: bool,
    /// More for the soak: `--events N`, `--relists N`, `--seed S`, `--for DURATION`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "MORE")]
    more: Vec<OsString>,
}

/// What a sample is.
const SAMPLE: [&str; 4] = ["--events", "20000", "--relists", "30"];

/// Builds and runs it; returns its exit code.
pub(crate) fn run(options: &Options) -> Result<u8, String> {
    let mut command = if options.sample { sample()? } else { optimised() };
    programs::run(command.args(&options.more))
}

fn sample() -> Result<Command, String> {
    programs::program("soak", &SAMPLE, &[])
}

fn optimised() -> Command {
    cargo(&["run", "--profile", "soak", "--package", "pintle-soak", "--"])
}
