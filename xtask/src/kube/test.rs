//! `cargo xtask kube test`: everything that is checked against the real Kubernetes, stage by stage.
//!
//! In: the built server, and words that say which stages to run. Out: one line per stage with what it counted, and at the
//! end a failure if any stage failed.
//! A later stage runs although an earlier one failed: they are independent, and one run should tell all.

use std::time::Instant;

use super::{Problem, go_environment};
use crate::programs::{self, cargo, succeed};
use crate::{conformance, facts};

/// One stage: its name, and what it does with a place to report.
type Stage = (&'static str, fn(&dyn Fn(&str)) -> Result<(), Problem>);

/// In the order of what they rest on.
const STAGES: &[Stage] = &[
    ("the tables are not stale", |report| facts::run(true, report)),
    ("golden objects are known by the tables, and become JSON and protobuf as Go writes them", golden),
    ("JSON and protobuf of every kind become one another", compare_formats),
    ("scripts are answered as their transcripts say", check_scripts),
    ("behaviours hold", |_| conformance::run(&conformance::Options::kube())),
    ("stories are true", super::stories::tell),
    ("client-go understands the server of our exec and log tests", streams),
    ("programs of others live on the embedded server", super::foreign::live),
];

/// Builds what is missing and runs every stage whose name holds one of `words`, or all if there are none.
pub(crate) fn test(words: &[String], report: fn(&str)) -> Result<(), Problem> {
    let stages = chosen(words)?;
    super::build(report)?;
    let mut failed = Vec::new();
    for (name, stage) in &stages {
        let begun = Instant::now();
        report(&format!("== {name}"));
        if let Err(problem) = stage(&report) {
            report(&format!("-- failed: {problem}"));
            failed.push(*name);
        }
        report(&format!("-- {} s", begun.elapsed().as_secs()));
    }
    let (ran, bad) = (stages.len(), failed.len());
    report(&format!("{ran} stages ran against the real Kubernetes, {bad} failed"));
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join("; "))) }
}

/// The stages that `words` mean. A word that means none is a mistake, not a way to run nothing.
fn chosen(words: &[String]) -> Result<Vec<&'static Stage>, Problem> {
    if let Some(unknown) = words.iter().find(|word| !STAGES.iter().any(|(name, _)| name.contains(word.as_str()))) {
        let names: Vec<_> = STAGES.iter().map(|(name, _)| *name).collect();
        return Err(format!("no stage's name holds `{unknown}`; they are: {}", names.join("; ")));
    }
    let is_meant = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    Ok(STAGES.iter().filter(|(name, _)| is_meant(name)).collect())
}

/// The objects that Kubernetes' own libraries are tested with, where Go has unpacked them.
fn golden(_: &dyn Fn(&str)) -> Result<(), Problem> {
    let folders = ["k8s.io/api", "k8s.io/apiextensions-apiserver"].map(go_environment);
    let [api, definitions] = folders;
    let folders = format!("{}/testdata/HEAD:{}/pkg/apis/testdata/HEAD", api?, definitions?);
    let test = ["test", "--quiet", "--package", "pintle-wire", "--test", "wire", "golden", "--"];
    succeed(cargo(&test).args(["--ignored", "--nocapture"]).env("PINTLE_GOLDEN", folders))
}

/// Every collection of a server, in both formats.
fn compare_formats(_: &dyn Fn(&str)) -> Result<(), Problem> {
    match programs::run("pintle-conformance", &["formats"], &[])? {
        0 => Ok(()),
        1 => Err("its protobuf is not our protobuf; what differs is above".to_owned()),
        _ => Err("its own words are above".to_owned()),
    }
}

/// The kubelet-like server of the client's tests, asked by client-go.
fn streams(_: &dyn Fn(&str)) -> Result<(), Problem> {
    let test = ["test", "--quiet", "--package", "pintle-client", "--test", "client", "--"];
    let which = ["--ignored", "--nocapture", "satisfies_client_go"];
    succeed(cargo(&test).args(which).env("PINTLE_STREAMS", super::folder().join("streams")))
}

/// Every script of `conformance/scripts`.
fn check_scripts(_: &dyn Fn(&str)) -> Result<(), Problem> {
    match programs::run("pintle-conformance", &["check"], &[])? {
        0 => Ok(()),
        1 => Err("real Kubernetes answered otherwise than committed; the differences are above".to_owned()),
        _ => Err("its own words are above".to_owned()),
    }
}
