//! kubectl with simulated pods and certificates, on `pintle serve --controllers`: what `conformance/simulated/run` claims.

use std::process::Command;

use super::{Problem, folder, workspace};
use crate::programs::{Report, built, succeed};

/// Has kubectl do what its users do.
pub(super) fn run(report: Report<'_>) -> Result<(), Problem> {
    let mut session = Command::new(workspace().join("conformance/simulated/run"));
    succeed(session.env("KUBECTL", folder().join("kubectl")).env("PINTLE", built("pintle")?), report)
}
