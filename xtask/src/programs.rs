//! `cargo xtask record`, `diff` and `fuzz`: programs of their own in this repository.
//!
//! They need the embedded server and the types of every kind, which other chores should not have to wait for. What was
//! typed is handed on as it is.

use std::ffi::OsString;
use std::process::Command;

/// Runs the program of `package` and gives its exit code: 1 where it found something.
pub(crate) fn run(package: &str, words: &[&str], arguments: &[OsString]) -> Result<u8, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--quiet", "--package", package, "--"])
        .args(words)
        .args(arguments)
        .status()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    let code = status.code().ok_or_else(|| format!("the program of {package} ended with {status}"))?;
    Ok(u8::try_from(code).unwrap_or(u8::MAX))
}
