//! First numbers: how much CPU a controller's first sync takes, and how much memory it holds afterwards.
//!
//! ```text
//!   bench ─┬─► bench kube    ─┐   five times each, in turns; every measurement is a process of its own
//!          └─► bench pintle  ─┴─► one line: CPU, memory ─► medians ─► ratios (kube's figure over Pintle's)
//! ```
//!
//! `bench pack` measures the road before that alone: from the bytes of a list to packed objects (`pack`).
//!
//! Both sides run the same source (`controller`) on the same bytes (`pods`) from the same service (`cluster`).

mod allocations;
mod cluster;
mod controller;
mod measure;
mod pack;
mod pods;

use std::error::Error;
use std::process::Command;

use crate::measure::Figures;
use crate::pods::Pods;

type BoxError = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), BoxError> {
    match std::env::args().nth(1).as_deref() {
        None => {
            pack::compare()?;
            compare()
        }
        Some(PACK) => pack::compare(),
        Some(KUBE) => report(&controller::with_kube::run(Pods::generate())?),
        Some(PINTLE) => report(&controller::with_pintle::run(Pods::generate())?),
        Some(other) => Err(format!("`{other}` is not a side; run `bench` without arguments").into()),
    }
}

fn report(figures: &Figures) -> Result<(), BoxError> {
    println!("{figures}");
    Ok(())
}

fn compare() -> Result<(), BoxError> {
    let pods = Pods::generate();
    println!(
        "{} pods of {} bytes on average, from {} templates",
        pods.len(),
        pods.average_bytes(),
        pods::TEMPLATES
    );
    drop(pods);
    let (mut kube, mut pintle) = (Vec::new(), Vec::new());
    // In turns, so that whatever else the machine does falls on both.
    for _ in 0..RUNS {
        kube.push(measure_side(KUBE)?);
        pintle.push(measure_side(PINTLE)?);
    }
    let (kube, pintle) = (Figures::median(&kube), Figures::median(&pintle));
    for (side, figures) in [(KUBE, &kube), (PINTLE, &pintle)] {
        let milliseconds = figures.cpu_until_ready.as_secs_f64() * 1e3;
        let mebibytes = figures.memory_growth as f64 / f64::from(1 << 20);
        println!(
            "{side:>6}: {milliseconds:7.1} ms of CPU until the store is ready, {mebibytes:6.1} MiB held afterwards"
        );
    }
    println!(
        "ratio sync-json-40 {:.2}",
        kube.cpu_until_ready.as_secs_f64() / pintle.cpu_until_ready.as_secs_f64()
    );
    println!(
        "ratio memory-steady {:.2}",
        kube.memory_growth as f64 / pintle.memory_growth as f64
    );
    Ok(())
}

fn measure_side(side: &str) -> Result<Figures, BoxError> {
    let output = Command::new(std::env::current_exe()?).arg(side).output()?;
    if !output.status.success() {
        return Err(format!("{side} failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    String::from_utf8(output.stdout)?.trim().parse()
}

const KUBE: &str = "kube";

const PACK: &str = "pack";

const PINTLE: &str = "pintle";

/// Odd, so that the median is a measurement; five of each side take ten seconds.
const RUNS: usize = 5;
