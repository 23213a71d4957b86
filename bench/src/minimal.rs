//! The smallest controllers, as programs: `minimal/main.rs`, built with kube and with Pintle, and the one in Go.
//!
//! ```text
//!   cargo build --release ──► size, and from nothing the time of it
//!   the program ──KUBECONFIG──► ten pods behind a socket ──► "reconciled": time by the clock, CPU time, memory
//! ```

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::BoxError;
use crate::answer::Encoding;
use crate::arguments::{Build, Way};
use crate::client_go::{ClientGo, LISTS};
use crate::cluster::Cluster;
use crate::measure::{children_cpu_time, median, process_cpu_time, process_memory};
use crate::objects::Kind;
use crate::road::Road;
use crate::run::Side;
use crate::socket::Served;

/// What is known of one program.
struct Program {
    side: Side,
    /// Name of the figure, what it came to.
    figures: Vec<(&'static str, f64)>,
}

/// Prints a table, and kube's figures over Pintle's.
pub(crate) fn compare(build: Build) -> Result<(), BoxError> {
    let client_go = ClientGo::build_if_asked(&[Way::Socket])?;
    let mut programs = Vec::new();
    for side in [Side::Kube, Side::ClientGo, Side::Pintle] {
        let mut figures = Vec::new();
        let path = match (side, &client_go) {
            (Side::ClientGo, None) => continue,
            (Side::ClientGo, Some(client_go)) => client_go.program().to_owned(),
            (Side::Kube | Side::Pintle, _) => built(side, build, &mut figures)?,
        };
        figures.push(("binary-size", std::fs::metadata(&path)?.len() as f64 / 1e6));
        figures.extend(first_reconcile(side, &path)?);
        programs.push(Program { side, figures });
    }
    print(&programs);
    Ok(())
}

fn print(programs: &[Program]) {
    let names: Vec<&str> = programs.iter().map(|program| program.side.name()).collect();
    println!("\nthe smallest controller, median of {STARTS} starts with {PODS} pods from a socket");
    println!("| figure | {} | ratio |\n|---|{}---:|", names.join(" | "), "---:|".repeat(programs.len()));
    let get = |side: Side, name: &str| {
        let program = programs.iter().find(|program| program.side == side)?;
        program.figures.iter().find(|(figure, _)| *figure == name).map(|(_, value)| *value)
    };
    let mut ratios = Vec::new();
    for (name, unit) in ROWS {
        let Some((kube, pintle)) = get(Side::Kube, name).zip(get(Side::Pintle, name)) else { continue };
        let show = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1} {unit}"));
        let cells: Vec<String> = programs.iter().map(|program| show(get(program.side, name))).collect();
        println!("| {name} | {} | {:.2} |", cells.join(" | "), kube / pintle);
        ratios.push((name, kube / pintle));
    }
    for (name, ratio) in ratios {
        println!("ratio {name} {ratio:.2}");
    }
}

/// Builds the program of a side; returns where it is.
fn built(side: Side, build: Build, figures: &mut Vec<(&'static str, f64)>) -> Result<PathBuf, BoxError> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = format!("minimal-{}", side.name());
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(folder).args(["build", "--quiet", "--release", "--package", &program]);
    let target = match build {
        // With this program, whose dependencies are theirs: with other features all would be compiled once more.
        Build::Kept => {
            cargo.args(["--package", "bench", "--package", "minimal-kube", "--package", "minimal-pintle"]);
            folder.join("target")
        }
        Build::FromNothing => {
            let target = folder.join("target/from-nothing");
            if target.exists() {
                std::fs::remove_dir_all(&target)?;
            }
            target
        }
    };
    let (clock, cpu) = (Instant::now(), children_cpu_time()?);
    let status = cargo.arg("--target-dir").arg(&target).status()?;
    if !status.success() {
        return Err(format!("cargo build of bench/minimal ended with {status}").into());
    }
    if build == Build::FromNothing {
        figures.push(("build-time", clock.elapsed().as_secs_f64()));
        figures.push(("build-cpu", (children_cpu_time()? - cpu).as_secs_f64()));
    }
    Ok(target.join("release").join(program))
}

/// What it takes until the first pod is reconciled.
fn first_reconcile(side: Side, program: &Path) -> Result<[(&'static str, f64); 3], BoxError> {
    // Each side reads what it reads by default.
    let encoding = if side == Side::Kube { Encoding::Json } else { Encoding::Protobuf };
    let served = Served::new(Cluster::new(Road::Controller, Kind::Pods, PODS, encoding)?)?;
    let kubeconfig = Kubeconfig::write(&format!("http://{}", served.address))?;
    let starts = (0..STARTS).map(|_| start(program, &kubeconfig.0)).collect::<Result<Vec<_>, _>>()?;
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    Ok([
        ("cold-start", median(starts.iter().map(|start| milliseconds(start.clock)))),
        ("cold-start-cpu", median(starts.iter().map(|start| milliseconds(start.cpu)))),
        ("cold-start-memory", median(starts.iter().map(|start| start.memory as f64 / 1e6))),
    ])
}

/// A program up to its first reconcile.
struct Start {
    clock: Duration,
    cpu: Duration,
    memory: u64,
}

fn start(program: &Path, kubeconfig: &Path) -> Result<Start, BoxError> {
    let mut command = Command::new(program);
    command.arg("minimal").env("KUBECONFIG", kubeconfig).env(LISTS.0, LISTS.1).stdout(Stdio::piped());
    let begun = Instant::now();
    let mut child = command.spawn()?;
    let measured = until_reconciled(&mut child, begun);
    child.kill()?;
    child.wait()?;
    measured
}

fn until_reconciled(child: &mut Child, begun: Instant) -> Result<Start, BoxError> {
    let mut line = String::new();
    BufReader::new(child.stdout.take().ok_or("it has no output")?).read_line(&mut line)?;
    let clock = begun.elapsed();
    if line.trim_end() != "reconciled" {
        return Err(format!("a minimal program printed {line:?}").into());
    }
    Ok(Start { clock, cpu: process_cpu_time(child.id())?, memory: process_memory(child.id())? })
}

/// A file with a kubeconfig, removed at the end.
struct Kubeconfig(PathBuf);

impl Kubeconfig {
    fn write(server: &str) -> Result<Self, BoxError> {
        let file = std::env::temp_dir().join(format!("bench-minimal-{}", std::process::id()));
        let text = format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: bench\n\
             clusters: [{{name: bench, cluster: {{server: \"{server}\"}}}}]\n\
             contexts: [{{name: bench, context: {{cluster: bench, user: bench}}}}]\n\
             users: [{{name: bench, user: {{}}}}]\n"
        );
        std::fs::write(&file, text)?;
        Ok(Self(file))
    }
}

impl Drop for Kubeconfig {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).unwrap_or_default();
    }
}

const ROWS: [(&str, &str); 6] = [
    ("binary-size", "MB"),
    ("cold-start", "ms"),
    ("cold-start-cpu", "ms"),
    ("cold-start-memory", "MB"),
    ("build-time", "s"),
    ("build-cpu", "s"),
];
/// Few: what is measured is the program.
const PODS: usize = 10;
/// Odd, so that a median is a measurement.
const STARTS: usize = 11;
