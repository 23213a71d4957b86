//! Measures the sides in turns and compares their medians.

use std::process::{Command, Output};

use serde_json::{Map, Value, json};

use crate::BoxError;
use crate::answer::Encoding;
use crate::arguments::{Build, Options, Way};
use crate::client_go::ClientGo;
use crate::cluster::Cluster;
use crate::measure::Figures;
use crate::minimal;
use crate::objects::Kind;
use crate::pack;
use crate::plot;
use crate::report::{print_ratios, print_table};
use crate::road::Road;
use crate::run::{Address, Run, Side};
use crate::server::FilledServer;
use crate::socket::Served;
use crate::source::History;

/// The program that runs, also where building the smallest programs has put another one in its place since.
const OWN_PROGRAM: &str = "/proc/self/exe";

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
    if options.is_of_everything() {
        pack::compare()?;
        minimal::compare(Build::Kept)?;
    }
    let takes_part = options.kind == Kind::Pods && options.sides.contains(&Side::ClientGo);
    let client_go = if takes_part { ClientGo::build_if_asked(&options.ways)? } else { None };
    let mut bench = Bench { options, client_go, all: Vec::new() };
    for &count in &options.sizes {
        for &way in &options.ways {
            let roads = options.roads.iter().copied().filter(|road| road.has_objects() && way.has(*road));
            bench.compare(&roads.collect::<Vec<_>>(), way, count)?;
        }
    }
    let queues: Vec<Road> = options.roads.iter().copied().filter(|road| !road.has_objects()).collect();
    if options.ways.contains(&Way::Process) {
        bench.compare(&queues, Way::Process, options.keys)?;
    }
    let all = bench.all;
    if let Some(path) = &options.json {
        let comparisons: Vec<Value> = all.iter().map(json_of).collect();
        std::fs::write(path, serde_json::to_vec_pretty(&json!({ "runs": options.runs, "comparisons": comparisons }))?)?;
    }
    if let Some(path) = &options.svg {
        plot::write(path, &all)?;
    }
    Ok(())
}

impl Options {
    /// Whether no part of it was asked for by name.
    fn is_of_everything(&self) -> bool {
        self.kind == Kind::Pods && self.roads.len() == Road::ALL.len() && self.sides.len() == Side::ALL.len()
    }
}

/// What is measured, and what has been.
struct Bench<'a> {
    options: &'a Options,
    client_go: Option<ClientGo>,
    all: Vec<Comparison>,
}

impl Bench<'_> {
    /// Compares the sides on these roads, and prints it.
    fn compare(&mut self, roads: &[Road], way: Way, count: usize) -> Result<(), BoxError> {
        let Some(first) = roads.first() else { return Ok(()) };
        let kind = self.options.kind;
        let server = match way {
            Way::Server => Some(FilledServer::new(self.options.kubeconfig.as_deref(), kind, count)?),
            Way::Process | Way::Socket => None,
        };
        let count = server.as_ref().map_or(count, |server| server.count);
        let compared: Vec<Comparison> =
            roads.iter().map(|&road| self.compare_road(road, way, count, server.as_ref())).collect::<Result<_, _>>()?;
        let what = if first.has_objects() { kind.name() } else { "keys" };
        let (way, runs) = (way.name(), self.runs(*first));
        println!("\n{count} {what} from a {way}, median of {runs} runs; CPU time and bytes per object or event");
        print_table(&compared);
        // The names are those of the usual size, whatever the size is.
        print_ratios(&compared);
        self.all.extend(compared);
        Ok(())
    }

    fn compare_road(
        &self,
        road: Road,
        way: Way,
        count: usize,
        server: Option<&FilledServer>,
    ) -> Result<Comparison, BoxError> {
        let kind = self.options.kind;
        let history = if way == Way::Server { History::FirstList } else { self.options.history };
        let columns = self.columns(road, way);
        let mut measured: Vec<(Column, Vec<Figures>)> = columns.map(|column| (column, Vec::new())).collect();
        // In turns, so that whatever else the machine does falls on all.
        for _ in 0..self.runs(road) {
            for ((side, encoding), figures) in &mut measured {
                let address = server.map(|server| Address::Kubeconfig(server.kubeconfig().to_owned()));
                let run = Run { side: *side, road, encoding: *encoding, kind, count, history, address };
                figures.push(match way {
                    Way::Process | Way::Server => self.measure(&run)?,
                    Way::Socket => self.measure_behind_socket(run)?,
                });
            }
        }
        let measured = measured.into_iter().map(|(column, figures)| (column, Figures::median(&figures))).collect();
        Ok(Comparison { road, way, kind, count, measured })
    }

    /// How many measurements a median is taken of. So many keys take seconds, and differ little from run to run.
    fn runs(&self, road: Road) -> usize {
        if road.has_objects() { self.options.runs } else { 1 }
    }

    /// Who takes part.
    fn columns(&self, road: Road, way: Way) -> impl Iterator<Item = Column> {
        let has_protobuf = self.options.kind.has_protobuf() && road.has_objects();
        let has_client_go = way != Way::Process && self.client_go.is_some();
        let columns = [KUBE, PINTLE_JSON, PINTLE, CLIENT_GO_JSON, CLIENT_GO];
        columns.into_iter().filter(move |column| {
            let is_there = match *column {
                // Of a real server each side asks for what it asks for by default.
                PINTLE_JSON => way != Way::Server || !has_protobuf,
                PINTLE => has_protobuf,
                CLIENT_GO | CLIENT_GO_JSON => has_client_go,
                _ => true,
            };
            is_there && self.options.sides.contains(&column.0)
        })
    }

    fn measure_behind_socket(&self, run: Run) -> Result<Figures, BoxError> {
        let served = Served::new(Cluster::new(run.road, run.kind, run.count, run.encoding)?)?;
        self.measure(&Run { address: Some(Address::Socket(served.address)), ..run })
    }

    fn measure(&self, run: &Run) -> Result<Figures, BoxError> {
        let output = match (run.side, &self.client_go) {
            (Side::ClientGo, Some(client_go)) => client_go.run(run)?,
            (Side::ClientGo, None) => return Err("client-go needs Go".into()),
            (Side::Kube | Side::Pintle, _) => Command::new(OWN_PROGRAM).args(run.words()).output()?,
        };
        figures(run, &output)
    }
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
