//! Tests of other languages on `pintle serve --workspaces`: those of `conformance/workspaces` in Go and in Python.
//!
//! Both are asked of one server, one after the other. Where a language is not at hand its tests are skipped, which the stage
//! says aloud.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::kubectl::Embedded;
use super::{Problem, folder, workspace};
use crate::programs::{Report, built, succeed};

/// Runs them.
pub(super) fn run(report: Report<'_>) -> Result<(), Problem> {
    let admin = folder().join(format!("kubeconfig-{}-workspaces-admin", std::process::id()));
    let options: [&OsStr; 3] = ["--workspaces".as_ref(), "--admin-kubeconfig".as_ref(), admin.as_os_str()];
    let server = Embedded::start(&built("pintle")?, "workspaces", &options)?;
    let done = [run_go(&server, report), run_python(&server, report)];
    std::fs::remove_file(&admin).unwrap_or_default();
    done.into_iter().collect()
}

fn run_go(server: &Embedded, report: Report<'_>) -> Result<(), Problem> {
    if !is_there("go", "version") {
        report("SKIPPED: Go is not installed, so nothing was tried with client-go");
        return Ok(());
    }
    let mut tests = Command::new("go");
    tests.current_dir(source()).args(["test", "-count=1", "-v", "./..."]).env("KUBECONFIG", server.kubeconfig());
    succeed(&mut tests, report).map_err(|problem| format!("the tests with client-go: {problem}"))
}

fn run_python(server: &Embedded, report: Report<'_>) -> Result<(), Problem> {
    let Some(python) = environment(report) else { return Ok(()) };
    let mut tests = Command::new(python);
    tests.current_dir(source()).args(["-B", "-m", "unittest", "-v", "test_workspaces"]);
    succeed(tests.env("KUBECONFIG", server.kubeconfig()), report)
        .map_err(|problem| format!("the tests with the Python client: {problem}"))
}

/// A Python that has the client: in a folder of its own, made at the first run.
pub(super) fn environment(report: Report<'_>) -> Option<PathBuf> {
    if !is_there("python3", "--version") {
        report("SKIPPED: python3 is not installed, so nothing was tried with the Python client");
        return None;
    }
    let folder = workspace().join("target/python");
    let python = folder.join("bin/python");
    let has_client = |python: &Path| succeeds(Command::new(python).args(["-c", "import kubernetes, yaml"]));
    if !has_client(&python) {
        let made = succeed(Command::new("python3").args(["-m", "venv"]).arg(&folder), report);
        let wanted = source().join("requirements.txt");
        let done = made.and_then(|()| {
            succeed(Command::new(&python).args(["-m", "pip", "install", "-q", "-r"]).arg(&wanted), report)
        });
        if done.is_err() || !has_client(&python) {
            report("SKIPPED: pip could not install the Python client, so nothing was tried with it");
            return None;
        }
    }
    Some(python)
}

fn source() -> PathBuf {
    workspace().join("conformance/workspaces")
}

fn is_there(program: &str, asked: &str) -> bool {
    succeeds(Command::new(program).arg(asked))
}

fn succeeds(command: &mut Command) -> bool {
    let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    silent.status().is_ok_and(|status| status.success())
}
