//! Feeds parsers and printers with unlikely inputs, for as long as one likes.
//!
//! ```text
//!   seeds ─► corpus ─► mutate.rs ─► input ─► target ─► print ── new? ──► corpus
//!                                              └─► panic ─► shrunk, saved, printed
//! ```
//! Runs on stable Rust, without instrumentation: a target says in one number what a run looked like (its *print*), and
//! inputs with a new print are mutated further. Everything follows from the seed, so a run can be repeated. Add a
//! target in `targets.rs`; `cargo test` runs each for a moment, so that none goes stale.
//!
//! Reading order: `target.rs`, `targets.rs`, `hunt.rs`, `mutate.rs`.

mod hunt;
mod mutate;
mod target;
mod targets;
mod watchdog;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use hunt::{Finding, Hunt};
use target::Target;

/// Feed a parser or printer with mutated inputs.
#[derive(Parser)]
#[command(name = "cargo xtask fuzz", bin_name = "cargo xtask fuzz")]
struct Arguments {
    /// Which one; without it, all are listed.
    target: Option<String>,
    /// For how long.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Where the walk begins; the same seed gives the same inputs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only run the input that this file holds, as a finding left it.
    #[arg(long)]
    replay: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let Some(name) = &arguments.target else {
        for target in targets::all() {
            say(&format!("{:<16} {}", target.name, target.claim));
        }
        return ExitCode::SUCCESS;
    };
    let Some(target) = targets::all().into_iter().find(|target| target.name == name) else {
        say(&format!("there is no target {name}; without a target, all are listed"));
        return ExitCode::FAILURE;
    };
    match &arguments.replay {
        Some(path) => replay(&target, path),
        None => fuzz(target, &arguments),
    }
}

fn fuzz(target: Target, arguments: &Arguments) -> ExitCode {
    // A finding panics again for every byte that is tried without; its text is kept and printed once.
    std::panic::set_hook(Box::new(|_| {}));
    let (name, seed) = (target.name, arguments.seed);
    let mut hunt = Hunt::new(target, seed);
    let found = hunt.run_for(Duration::from_secs(arguments.seconds));
    let (executions, corpus) = (hunt.executions(), hunt.corpus_len());
    say(&format!("{name}: {executions} executions, {corpus} kinds of outcome, seed {seed}"));
    let Err(finding) = found else {
        return ExitCode::SUCCESS;
    };
    report(name, &finding);
    ExitCode::FAILURE
}

fn report(name: &str, finding: &Finding) {
    let Finding { input, why } = finding;
    say(&format!("{name}: FOUND {why}"));
    say(&format!("{} bytes: {:?}", input.len(), String::from_utf8_lossy(input)));
    match watchdog::save(name, input) {
        Ok(path) => say(&format!("again: cargo xtask fuzz {name} --replay {}", path.display())),
        Err(error) => say(&format!("it could not be saved: {error}")),
    }
}

fn replay(target: &Target, path: &Path) -> ExitCode {
    let input = match std::fs::read(path) {
        Ok(input) => input,
        Err(error) => {
            say(&format!("cannot read {}: {error}", path.display()));
            return ExitCode::FAILURE;
        }
    };
    // Not caught: the panic shows where, with a backtrace where one is asked for.
    (target.run)(&input);
    say(&format!("{}: the claim holds for {}", target.name, path.display()));
    ExitCode::SUCCESS
}

#[expect(clippy::print_stdout, reason = "the one place that prints")]
fn say(line: &str) {
    println!("{line}");
}
