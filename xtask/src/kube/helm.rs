//! Helm, built from its module, on `pintle serve --controllers`: what `conformance/helm/run` claims.

use std::path::PathBuf;
use std::process::Command;

use pintle_real::Version;

use super::{Problem, folder, go, module, no_go, workspace};
use crate::programs::{Report, built, succeed};

/// Builds Helm and has it do what its users do. Where it cannot be built, that is said and nothing fails.
pub(super) fn run(report: Report<'_>) -> Result<(), Problem> {
    let Some(helm) = helm(report)? else { return Ok(()) };
    let kubectl = folder().join("kubectl");
    if !go(Version::default(), &module()?, &kubectl, "./cmd/kubectl")?.success() {
        return Err("`go build` of kubectl failed; its own words are above".to_owned());
    }
    let mut session = Command::new(workspace().join("conformance/helm/run"));
    succeed(session.env("HELM", helm).env("KUBECTL", kubectl).env("PINTLE", built("pintle")?), report)
}

/// Helm's program; `None` where its module is not to be had.
fn helm(report: Report<'_>) -> Result<Option<PathBuf>, Problem> {
    let program = folder().join("helm");
    if program.exists() {
        return Ok(Some(program));
    }
    let mut install = Command::new("go");
    let output = install.args(["install", MODULE]).env("GOBIN", folder()).output().map_err(no_go)?;
    if output.status.success() {
        return Ok(Some(program));
    }
    let said = String::from_utf8_lossy(&output.stderr);
    report(&format!("SKIPPED: Helm cannot be built here: {}", said.lines().last().unwrap_or_default()));
    Ok(None)
}

/// The Helm that was current when this was written; another one may say other things.
const MODULE: &str = "helm.sh/helm/v3/cmd/helm@v3.22.0";
