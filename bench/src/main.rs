//! What the roads from a watch to a program cost with kube 5 and with Pintle, on the same bytes.
//!
//! ```text
//!   bench ─┬─► bench run kube   ROAD ─┐   in turns; every measurement is a process of its own
//!          └─► bench run pintle ROAD ─┴─► figures ─► medians ─► table, ratios (kube's figure over Pintle's)
//! ```
//!
//! `bench pack` measures the way before that alone: from the bytes of a list to packed objects (`pack`).
//!
//! Both sides run the same source (`roads`) on the same bytes (`objects`) from the same service (`cluster`).

mod allocations;
mod answer;
mod arguments;
mod client_go;
mod cluster;
mod compare;
mod lookup;
mod measure;
mod objects;
mod pack;
mod plot;
mod report;
mod road;
mod roads;
mod socket;
mod source;
mod weigh;

use std::error::Error;
use std::process::ExitCode;

use crate::arguments::{Arguments, Run, Side, USAGE};
use crate::cluster::Cluster;
use crate::objects::{Objects, TEMPLATES};
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
        Arguments::Run(run) => measure(&run)?,
        Arguments::Compare(options) => compare::compare(&options)?,
    }
    Ok(())
}

/// One measurement, in this process.
fn measure(run: &Run) -> Result<(), BoxError> {
    let place = match run.address {
        Some(address) => Place::BehindSocket(address),
        None => {
            let count = if run.road.has_objects() { run.count } else { 1 };
            Place::Here(Cluster::new(Objects::generate(run.kind, count, TEMPLATES, run.encoding)?))
        }
    };
    let source = Source { kind: run.kind, count: run.count, place };
    let figures = match run.side {
        Side::Kube => roads::with_kube::run(run.road, source),
        Side::Pintle => roads::with_pintle::run(run.road, source),
        Side::ClientGo => return Err("client-go is measured by the program in bench/client-go".into()),
    }?;
    print!("{figures}");
    Ok(())
}
