//! What the roads from a watch to a program cost with kube 5 and with Pintle, on the same bytes.
//!
//! ```text
//!   bench ─┬─► bench run kube   ROAD ─┐   in turns; every measurement is a process of its own
//!          └─► bench run pintle ROAD ─┴─► figures ─► medians ─► table, ratios (kube's figure over Pintle's)
//! ```
//!
//! `bench pack` measures the way before that alone: from the bytes of a list to packed objects (`pack`). `bench minimal`
//! compares whole programs: their size, their start and how long they take to build.
//!
//! Both sides run the same source (`roads`, through `with_kube` and `with_pintle`) on the same bytes (`objects`) from the same
//! service (`cluster`), or from a real server (`server`).

mod allocations;
mod answer;
mod arguments;
mod client_go;
mod cluster;
mod collection;
mod compare;
mod history;
mod measure;
mod minimal;
mod objects;
mod own_ways;
mod pack;
mod plot;
mod report;
mod road;
mod run;
mod server;
mod socket;
mod source;
mod weigh;
mod with_kube;
mod with_pintle;

use std::error::Error;
use std::process::ExitCode;

use crate::arguments::{Arguments, USAGE};
use crate::cluster::Cluster;
use crate::run::{Address, Run, Side};
use crate::source::{Place, Source};

type BoxError = Box<dyn Error + Send + Sync>;

fn main() -> ExitCode {
    match Arguments::parse(std::env::args().skip(1)).and_then(perform) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("bench: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn perform(arguments: Arguments) -> Result<(), BoxError> {
    match arguments {
        Arguments::Help => println!("{USAGE}"),
        Arguments::Pack => pack::compare()?,
        Arguments::Weigh => weigh::weigh()?,
        Arguments::Minimal(build) => minimal::compare(build)?,
        Arguments::Run(run) => measure(&run)?,
        Arguments::Compare(options) => compare::compare(&options)?,
    }
    Ok(())
}

/// One measurement, in this process.
fn measure(run: &Run) -> Result<(), BoxError> {
    let Run { side, road, encoding, kind, count, history, address } = run;
    let place = match address {
        Some(Address::Socket(address)) => Place::BehindSocket(*address),
        Some(Address::Kubeconfig(file)) => Place::Server(file.clone()),
        None => Place::Here(Cluster::new(*road, *kind, if road.has_objects() { *count } else { 1 }, *encoding)?),
    };
    let source = Source { kind: *kind, count: *count, place, history: *history };
    let figures = match side {
        Side::Kube => with_kube::run(*road, &source),
        Side::Pintle => with_pintle::run(*road, &source),
        Side::ClientGo => return Err("client-go is measured by the program in bench/client-go".into()),
    }?;
    print!("{figures}");
    Ok(())
}
