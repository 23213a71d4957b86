//! Measures the sides in turns and compares their medians.

use std::process::{Command, Output};

use serde_json::{Map, Value, json};

use crate::BoxError;
use crate::answer::Encoding;
use crate::arguments::{Options, Run, Side, Way};
use crate::client_go::ClientGo;
use crate::cluster::Cluster;
use crate::measure::Figures;
use crate::objects::{Kind, Objects, TEMPLATES};
use crate::pack;
use crate::plot;
use crate::report::{print_ratios, print_table};
use crate::road::Road;
use crate::socket::Served;

/// A side, reading one encoding.
pub(crate) type Column = (Side, Encoding);

/// What kube reads.
pub(crate) const KUBE: Column = (Side::Kube, Encoding::Json);
/// client-go as controller-runtime sets it up for Kubernetes' own kinds.
pub(crate) const CLIENT_GO: Column = (Side::ClientGo, Encoding::Protobuf);
pub(crate) const CLIENT_GO_JSON: Column = (Side::ClientGo, Encoding::Json);
pub(crate) const PINTLE: Column = (Side::Pintle, Encoding::Protobuf);
pub(crate) const PINTLE_JSON: Column = (Side::Pintle, Encoding::Json);

/// What one road cost, for so many objects.
pub(crate) struct Comparison {
    pub(crate) road: Road,
    pub(crate) way: Way,
    pub(crate) kind: Kind,
    pub(crate) count: usize,
    measured: Vec<(Column, Figures)>,
}

impl Comparison {
    /// What a figure came to on one side, if it was measured there.
    pub(crate) fn get(&self, column: Column, figure: &str) -> Option<f64> {
        self.measured.iter().find(|(measured, _)| *measured == column)?.1.get(figure)
    }
}

pub(crate) fn compare(options: &Options) -> Result<(), BoxError> {
    let kind = options.kind;
    if kind == Kind::Pods {
        pack::compare()?;
    }
    let client_go = if kind == Kind::Pods { ClientGo::build_if_asked(&options.ways)? } else { None };
    let mut all = Vec::new();
    for &count in &options.sizes {
        for &way in &options.ways {
            let roads = options.roads.iter().filter(|road| way == Way::Process || road.is_walked_by_client_go());
            let compared: Vec<Comparison> = roads
                .map(|&road| compare_road(road, way, (kind, count), options.runs, client_go.as_ref()))
                .collect::<Result<_, _>>()?;
            if compared.is_empty() {
                continue;
            }
            println!(
                "\n{count} {} from a {}, median of {} runs; CPU time and bytes per object or event",
                kind.name(),
                way.name(),
                options.runs
            );
            print_table(&compared);
            // The names are those of the usual size, whatever the size is.
            print_ratios(&compared);
            all.extend(compared);
        }
    }
    if let Some(path) = &options.json {
        let comparisons: Vec<Value> = all.iter().map(json_of).collect();
        std::fs::write(path, serde_json::to_vec_pretty(&json!({ "runs": options.runs, "comparisons": comparisons }))?)?;
    }
    if let Some(path) = &options.svg {
        plot::write(path, &all)?;
    }
    Ok(())
}

fn compare_road(
    road: Road,
    way: Way,
    (kind, count): (Kind, usize),
    runs: usize,
    client_go: Option<&ClientGo>,
) -> Result<Comparison, BoxError> {
    let mut columns = vec![KUBE, PINTLE_JSON];
    if kind.has_protobuf() && road.has_objects() {
        columns.push(PINTLE);
    }
    if way == Way::Socket && client_go.is_some() {
        columns.extend([CLIENT_GO_JSON, CLIENT_GO]);
    }
    let mut measured: Vec<(Column, Vec<Figures>)> = columns.into_iter().map(|column| (column, Vec::new())).collect();
    // In turns, so that whatever else the machine does falls on all.
    for _ in 0..runs {
        for ((side, encoding), figures) in &mut measured {
            let run = Run { side: *side, road, encoding: *encoding, kind, count, address: None };
            figures.push(match way {
                Way::Process => measure_side(&run, client_go)?,
                Way::Socket => measure_behind_socket(run, client_go)?,
            });
        }
    }
    let measured = measured.into_iter().map(|(column, figures)| (column, Figures::median(&figures))).collect();
    Ok(Comparison { road, way, kind, count, measured })
}

fn measure_behind_socket(run: Run, client_go: Option<&ClientGo>) -> Result<Figures, BoxError> {
    let served = Served::new(Cluster::new(Objects::generate(run.kind, run.count, TEMPLATES, run.encoding)?))?;
    measure_side(&Run { address: Some(served.address), ..run }, client_go)
}

fn measure_side(run: &Run, client_go: Option<&ClientGo>) -> Result<Figures, BoxError> {
    let output = match (run.side, client_go) {
        (Side::ClientGo, Some(client_go)) => client_go.run(run)?,
        (Side::ClientGo, None) => return Err("client-go needs Go".into()),
        (Side::Kube | Side::Pintle, _) => Command::new(std::env::current_exe()?).args(run.words()).output()?,
    };
    figures(run, &output)
}

fn figures(run: &Run, output: &Output) -> Result<Figures, BoxError> {
    if !output.status.success() {
        let words = run.words().join(" ");
        return Err(format!("{words} failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    std::str::from_utf8(&output.stdout)?.parse()
}

fn json_of(compared: &Comparison) -> Value {
    let sides: Map<String, Value> = compared
        .measured
        .iter()
        .map(|((side, encoding), figures)| (format!("{} {}", side.name(), encoding.name()), json!(figures.0)))
        .collect();
    let Comparison { road, way, kind, count, .. } = compared;
    json!({ "kind": kind.name(), "road": road.name(), "from": way.name(), "objects": count, "sides": sides })
}
