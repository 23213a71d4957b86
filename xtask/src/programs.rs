//! Other programs of this repository, run by cargo: those behind `cargo xtask record`, `diff`, `fuzz` and `conformance`, and
//! tests that need what only a chore has.
//!
//! The programs need the embedded server and the types of every kind, which other chores should not have to wait for. What was
//! typed is handed on as it is.

use std::ffi::OsString;
use std::process::Command;

use crate::kube::workspace;

/// Runs the program of `package` and gives its exit code: 1 where it found something.
pub(crate) fn run(package: &str, words: &[&str], arguments: &[OsString]) -> Result<u8, String> {
    let status = cargo(&["run", "--quiet", "--package", package, "--"])
        .args(words)
        .args(arguments)
        .status()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    let code = status.code().ok_or_else(|| format!("the program of {package} ended with {status}"))?;
    Ok(u8::try_from(code).unwrap_or(u8::MAX))
}

/// A cargo command about this workspace.
pub(crate) fn cargo(words: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace()).args(words);
    command
}

/// Runs a command that says itself what is wrong.
pub(crate) fn succeed(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("cannot run cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err("its own words are above".to_owned()) }
}
