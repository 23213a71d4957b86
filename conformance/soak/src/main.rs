//! The soak: one manager, millions of events, a thousand relists, and what is left of them in the end.
//!
//! ```text
//!   seed ─► traffic ─► embedded server ═watches═► manager: keeper, auditor, inspector ─► ledgers
//!             └─► faults: cut, broken, silent watches, expired history, 429, 500, conflicts, lost responses
//!   afterwards: every object was reconciled at its last version ─► everything is deleted ─► no table has an entry
//!   all along: resident memory, which must not grow with the events
//! ```
//! Everything runs on one thread with paused time, so timers, backoffs and timeouts of days pass, and a seed gives the same
//! traffic each time. `cargo xtask soak` builds it with optimisation and runs it; the exit code is 1 if something was lost or
//! is not flat.
//!
//! Reading order: [`arguments`], [`operator`] (what is soaked), [`traffic`] (with what), [`memory`] and [`checks`] (what must
//! hold).

mod arguments;
mod checks;
mod memory;
mod operator;
mod progress;
mod traffic;

use std::process::ExitCode;

use clap::Parser;
use pintle::testing::Server;

use arguments::Arguments;
use memory::Memory;
use operator::Operator;
use progress::Progress;
use traffic::Traffic;

/// What is wrong.
type Problem = String;

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> ExitCode {
    match soak(&Arguments::parse()).await {
        Ok(summary) => {
            say(&format!("soak: {summary}"));
            ExitCode::SUCCESS
        }
        Err(problem) => {
            say(&format!("soak: FAILED: {problem}"));
            ExitCode::FAILURE
        }
    }
}

/// Runs all of it; returns the summary, or the first thing that is wrong.
async fn soak(arguments: &Arguments) -> Result<String, Problem> {
    // The jitter of backoffs comes from this thread's random numbers.
    fastrand::seed(arguments.seed);
    let server = Server::builder().seed(arguments.seed).namespace_defaults(false).history(HISTORY).build();
    let operator = Operator::start(&server);
    let mut traffic = Traffic::new(&server, arguments);
    let (mut memory, mut progress) = (Memory::default(), Progress::new(arguments));
    traffic.add_faults();
    while progress.goes_on(&traffic, &operator) {
        traffic.step().await?;
        if let Some(line) = progress.line(&traffic, &operator, &mut memory) {
            say(&line);
        }
    }
    traffic.lift_faults();
    checks::everything_is_reconciled(&server, &operator).await?;
    checks::relists(&operator, traffic.rounds())?;
    traffic.delete_everything().await?;
    checks::nothing_is_left(&server, &operator).await?;
    memory.is_flat()?;
    let summary = progress.summary(&traffic, &operator, &memory);
    operator.stop().await?;
    Ok(summary)
}

/// How many changes the server remembers: more than a watch misses while it is opened again, few enough to be flat early.
const HISTORY: usize = 5_000;

#[expect(clippy::print_stdout, reason = "what a soak says is what it is run for")]
fn say(line: &str) {
    println!("{line}");
}
