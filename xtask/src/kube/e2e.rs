//! Kubernetes' own end-to-end specs that need nothing but an API server, on the embedded one.
//!
//! ```text
//!   k8s.io/kubernetes/test/e2e ──go test -c──► target/kube/e2e.test ──specs.txt──► pintle serve ──► its Specs
//!                                                                                        │ what failed
//!                                                          the real kube-apiserver ◄─────┴ once more: fails there, too?
//! ```
//! What fails on ours alone is listed with its reason in `conformance/e2e/differences.txt`, or is a failure.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pintle_real::{Options, RealServer};

use super::differences::{Differences, Outcomes};
use super::envtest::spec::{self, Spec, State};
use super::kubectl::Embedded;
use super::{Problem, folder, no_go, workspace};
use crate::programs::{Report, built, succeed};

/// Runs them all, and judges.
pub(super) fn run(report: Report<'_>) -> Result<(), Problem> {
    let source = workspace().join("conformance/e2e");
    let program = build(&source, report)?;
    let names = names(&source.join("specs.txt"))?;
    let specs = {
        let arguments = ["--authorization-mode=RBAC"].map(OsStr::new);
        let embedded = Embedded::start(&built("pintle")?, "e2e", &arguments)?;
        test(&program, &source, "embedded", embedded.kubeconfig(), &names, report)?
    };
    let failed: BTreeSet<String> =
        names.iter().filter(|name| state(&specs, name) != Some(State::Passed)).cloned().collect();
    let on_real = if failed.is_empty() { Vec::new() } else { on_real(&program, &source, &failed, report)? };
    let mut outcomes = Outcomes::default();
    let (mut pass, mut differ, mut excused) = (0, 0, 0);
    for name in &names {
        if !failed.contains(name) {
            pass += 1;
        } else if state(&on_real, name) == Some(State::Passed) {
            let why = specs.iter().find(|spec| spec.name() == *name).map(Spec::first_line).unwrap_or_default();
            report(&format!("FAILS {name}: {why}"));
            differ += 1;
        } else {
            report(&format!("fails with kube-apiserver, too: {name}"));
            excused += 1;
            continue;
        }
        outcomes.note(name, !failed.contains(name));
    }
    report(&format!("{} specs: {pass} pass, {differ} differ, {excused} fail with kube-apiserver, too", names.len()));
    Differences::read(&source.join("differences.txt"), "e2e")?.judge(&outcomes, report)
}

fn state(specs: &[Spec], name: &str) -> Option<State> {
    specs.iter().find(|spec| spec.name() == name).map(|spec| spec.state)
}

fn on_real(program: &Path, source: &Path, names: &BTreeSet<String>, report: Report<'_>) -> Result<Vec<Spec>, Problem> {
    let real = RealServer::start("e2e", Options { controllers: false, ..Options::default() })?;
    test(program, source, "real", real.kubeconfig(), names, report)
}

/// The specs as one program.
fn build(source: &Path, report: Report<'_>) -> Result<PathBuf, Problem> {
    let program = folder().join("e2e.test");
    report("building the specs (ten minutes the first time)");
    let status = Command::new("go")
        .current_dir(source)
        .args(["test", "-c", "-o"])
        .arg(&program)
        .arg("k8s.io/kubernetes/test/e2e")
        .stdin(Stdio::null())
        .status()
        .map_err(no_go)?;
    if status.success() { Ok(program) } else { Err(format!("`go test -c` failed ({status}); its own words are above")) }
}

fn names(file: &Path) -> Result<BTreeSet<String>, Problem> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    Ok(text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect())
}

/// Runs these specs on a server, one after the other: some are about all there is in it.
fn test(
    program: &Path,
    source: &Path,
    server: &str,
    kubeconfig: &Path,
    names: &BTreeSet<String>,
    report: Report<'_>,
) -> Result<Vec<Spec>, Problem> {
    add_node(source, kubeconfig, report)?;
    let file = folder().join(format!("e2e-{server}.json"));
    drop(std::fs::remove_file(&file));
    let log_file = folder().join(format!("e2e-{server}.log"));
    let log = std::fs::File::create(&log_file).map_err(|error| format!("{}: {error}", log_file.display()))?;
    let errors = log.try_clone().map_err(|error| format!("{}: {error}", log_file.display()))?;
    let status = Command::new(program)
        .args(["--provider=local", "--allowed-not-ready-nodes=-1", "--minStartupPods=-1"])
        .args(["--e2e-verify-service-account=false", "--dump-logs-on-failure=false", "--ginkgo.timeout=40m"])
        .args(["--ginkgo.no-color", "--ginkgo.flake-attempts=2"])
        .arg(format!("--kubeconfig={}", kubeconfig.display()))
        .arg(format!("--kubectl-path={}", folder().join("kubectl").display()))
        .arg(format!("--ginkgo.json-report={}", file.display()))
        .args(names.iter().map(|name| format!("--ginkgo.focus= {}$", quoted(name))))
        .current_dir(folder())
        .stdin(Stdio::null())
        .stdout(log)
        .stderr(errors)
        .status()
        .map_err(|error| format!("cannot run {}: {error}", program.display()))?;
    let text = std::fs::read_to_string(&file)
        .map_err(|error| format!("it ended with {status} and no report ({error}); see {}", log_file.display()))?;
    let specs = spec::of_ginkgo(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    let count = |state| specs.iter().filter(|spec| spec.state == state).count();
    report(&format!("{server}: {} pass, {} fail", count(State::Passed), count(State::Failed)));
    Ok(specs)
}

/// The suite does not begin without a Node that is ready.
fn add_node(source: &Path, kubeconfig: &Path, report: Report<'_>) -> Result<(), Problem> {
    let kubectl = || {
        let mut command = Command::new(folder().join("kubectl"));
        command.arg("--kubeconfig").arg(kubeconfig);
        command
    };
    succeed(kubectl().args(["create", "-f"]).arg(source.join("node.json")), report)?;
    succeed(kubectl().args(["taint", "node", "node-1", "node.kubernetes.io/not-ready:NoSchedule-"]), report)
}

/// A regular expression of Go's that matches this text alone.
fn quoted(name: &str) -> String {
    let mut quoted = String::new();
    for letter in name.chars() {
        if r".+*?()|[]{}^$\".contains(letter) {
            quoted.push('\\');
        }
        quoted.push(letter);
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_as_different_is_a_spec_that_is_run() {
        let folder = workspace().join("conformance/e2e");
        let names = names(&folder.join("specs.txt")).unwrap();
        let differences = std::fs::read_to_string(folder.join("differences.txt")).unwrap();
        for name in differences.lines().filter_map(|line| line.strip_prefix("    e2e: ")) {
            assert!(names.contains(name), "{name}");
        }
    }

    #[test]
    fn names_are_quoted_for_go() {
        assert_eq!(quoted("[sig-a] b. (c)"), r"\[sig-a\] b\. \(c\)");
    }
}
