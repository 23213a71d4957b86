//! `cargo xtask instructions`: what the roads of `bench` cost in instructions, counted by valgrind.
//!
//! ```text
//!   bench run kube|pintle ROAD ENCODING PODS   under callgrind ─► instructions per pod ─► table, and a limit for Pintle's
//! ```
//! Instructions are the same on a busy machine and on an idle one, so a change that costs shows here although no clock shows it.
//! Only the thread that reads the stream is counted, not what is compressed beside it. It needs valgrind, and the build that
//! `cargo xtask bench` has.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::kube::workspace;
use crate::programs::{Report, cargo, run};

/// One program of `bench`.
struct Road {
    name: &'static str,
    encoding: &'static str,
    /// What was counted per pod when it was last looked at, in thousands: the first list, a change and a relist together.
    thousands: u64,
}

const ROADS: [Road; 8] = [
    Road { name: "controller", encoding: "json", thousands: 879 },
    Road { name: "watcher", encoding: "json", thousands: 1774 },
    Road { name: "reflector", encoding: "json", thousands: 1746 },
    Road { name: "reflect", encoding: "json", thousands: 1749 },
    Road { name: "controller", encoding: "protobuf", thousands: 533 },
    Road { name: "watcher", encoding: "protobuf", thousands: 1425 },
    Road { name: "reflector", encoding: "protobuf", thousands: 1402 },
    Road { name: "reflect", encoding: "protobuf", thousands: 1405 },
];

/// Another compiler or another version of a dependency moves a count by a few percent.
const MARGIN_PERCENT: u64 = 10;
/// Enough that what happens once does not count, and a few minutes in all.
const PODS: u64 = 200;

/// Counts, and fails where a road costs more than it did.
pub(crate) fn count(report: Report<'_>) -> Result<(), String> {
    let bench = built()?;
    report("| road | kube | pintle | ratio |\n|---|---:|---:|---:|");
    let mut worse = Vec::new();
    for Road { name, encoding, thousands } in ROADS {
        let kube = per_pod(&bench, "kube", name, "json")?;
        let pintle = per_pod(&bench, "pintle", name, encoding)?;
        let hundredths = kube * 100 / pintle.max(1);
        report(&format!("| {name}, {encoding} | {kube} | {pintle} | {}.{:02} |", hundredths / 100, hundredths % 100));
        if pintle * 100 > thousands * 1000 * (100 + MARGIN_PERCENT) {
            worse.push(format!("{name} with {encoding} takes {pintle} instructions per pod; it took {thousands},000"));
        }
    }
    if worse.is_empty() { Ok(()) } else { Err(worse.join("\n")) }
}

/// Builds `bench`; returns where it is.
fn built() -> Result<PathBuf, String> {
    match run(&mut cargo(&["build", "--release", "--manifest-path", "bench/Cargo.toml"]))? {
        0 => Ok(workspace().join("bench/target/release/bench")),
        _ => Err("`bench` could not be built; cargo's own words are above".to_owned()),
    }
}

fn per_pod(bench: &Path, side: &str, road: &str, encoding: &str) -> Result<u64, String> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    // What is read of a store afterwards is not part of the road.
    for function in ["run::run", "run::reads::read_store*"] {
        valgrind.arg(format!("--toggle-collect=bench::with_{side}::{function}"));
    }
    valgrind.arg(bench);
    valgrind.args(["run", side, road, encoding, &PODS.to_string()]);
    let output = valgrind.output().map_err(|error| format!("cannot run valgrind, which counts: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let collected = said.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse::<u64>().ok());
    match collected {
        Some(instructions) if output.status.success() => Ok(instructions / PODS),
        _ => Err(format!("valgrind did not count {side} {road} {encoding}:\n{said}")),
    }
}
