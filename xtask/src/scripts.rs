//! `cargo xtask record` and `cargo xtask diff`: the runner of `conformance/scripts`.
//!
//! It is a program of its own, because it needs the embedded server and the types of every kind, which other chores
//! should not have to wait for. What was typed is handed on as it is.

use std::ffi::OsString;
use std::process::Command;

/// Runs the runner and gives its exit code: 1 where answers differ.
pub(crate) fn run(command: &str, arguments: &[OsString]) -> Result<u8, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--quiet", "--package", "pintle-conformance", "--", command])
        .args(arguments)
        .status()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    let code = status.code().ok_or_else(|| format!("the runner of scripts ended with {status}"))?;
    Ok(u8::try_from(code).unwrap_or(u8::MAX))
}
