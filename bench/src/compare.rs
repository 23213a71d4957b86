//! Measures both sides in turns and compares their medians.

use std::process::Command;

use serde_json::{Value, json};

use crate::BoxError;
use crate::answer::Encoding;
use crate::arguments::{Options, Run, Side};
use crate::measure::Figures;
use crate::pack;
use crate::report::{print_ratios, print_table};
use crate::road::Road;

/// What one road cost, for so many pods.
pub(crate) struct Comparison {
    pub(crate) road: Road,
    pub(crate) kube: Figures,
    pub(crate) pintle: Figures,
    /// The same bytes as protobuf, which kube does not read.
    pub(crate) pintle_protobuf: Figures,
}

pub(crate) fn compare(options: &Options) -> Result<(), BoxError> {
    pack::compare()?;
    let mut sizes = Vec::new();
    for &pods in &options.sizes {
        let compared: Vec<_> =
            options.roads.iter().map(|&road| compare_road(road, pods, options.runs)).collect::<Result<_, _>>()?;
        println!("\n{pods} pods, median of {} runs; CPU time and bytes per pod or event", options.runs);
        print_table(&compared);
        // The names are those of the usual size, whatever the size is.
        print_ratios(&compared);
        sizes.push(json!({ "pods": pods, "roads": compared.iter().map(json_of).collect::<Vec<_>>() }));
    }
    if let Some(path) = &options.json {
        std::fs::write(path, serde_json::to_vec_pretty(&json!({ "runs": options.runs, "sizes": sizes }))?)?;
    }
    Ok(())
}

fn compare_road(road: Road, pods: usize, runs: usize) -> Result<Comparison, BoxError> {
    let sides = [(Side::Kube, Encoding::Json), (Side::Pintle, Encoding::Json), (Side::Pintle, Encoding::Protobuf)];
    let mut measured = [const { Vec::new() }; 3];
    // In turns, so that whatever else the machine does falls on all.
    for _ in 0..runs {
        for (figures, (side, encoding)) in measured.iter_mut().zip(sides) {
            figures.push(measure_side(&Run { side, road, encoding, pods })?);
        }
    }
    let [kube, pintle, pintle_protobuf] = measured.map(|figures| Figures::median(&figures));
    Ok(Comparison { road, kube, pintle, pintle_protobuf })
}

fn measure_side(run: &Run) -> Result<Figures, BoxError> {
    let output = Command::new(std::env::current_exe()?).args(run.words()).output()?;
    if !output.status.success() {
        let words = run.words().join(" ");
        return Err(format!("{words} failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    String::from_utf8(output.stdout)?.parse()
}

fn json_of(compared: &Comparison) -> Value {
    let Comparison { road, kube, pintle, pintle_protobuf } = compared;
    json!({
        "road": road.name(),
        "kube": kube.0,
        "pintle": pintle.0,
        "pintle-protobuf": pintle_protobuf.0,
    })
}
