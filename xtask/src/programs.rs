//! Other programs of this repository, built by cargo: those behind `cargo xtask record`, `diff`, `fuzz` and `conformance`, and
//! tests that need what only a chore has.
//!
//! The programs need the embedded server and the types of every kind, which other chores should not have to wait for. What was
//! typed is handed on as it is.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};

use crate::kube::workspace;

/// What a command does with a line that it has to say.
pub(crate) type Report<'a> = &'a (dyn Fn(&str) + Sync);

/// The program called `binary`, with what was typed for it.
pub(crate) fn program(binary: &str, words: &[&str], arguments: &[OsString]) -> Result<Command, String> {
    let mut command = Command::new(built(binary)?);
    command.current_dir(workspace()).args(words).args(arguments);
    Ok(command)
}

/// Builds the program called `binary` and returns where it is: beside this one.
///
/// A test is named along with it, because only then does cargo resolve the features that `cargo test --workspace` has;
/// with others it would compile everything once more.
pub(crate) fn built(binary: &str) -> Result<PathBuf, String> {
    let build = cargo(&["build", "--quiet", "--workspace", "--test", "cli", "--bin", binary]).status();
    let me = std::env::current_exe().map_err(|error| format!("cannot find out where programs are built: {error}"))?;
    match code(build)? {
        0 => Ok(me.with_file_name(format!("{binary}{}", std::env::consts::EXE_SUFFIX))),
        _ => Err(format!("`{binary}` could not be built; cargo's own words are above")),
    }
}

/// A cargo command about this workspace.
pub(crate) fn cargo(words: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace()).args(words);
    command
}

/// Tests of the binary called `binary`; what is added chooses among them. All packages are meant, because cargo would
/// resolve other features for one of them, and compile every kind once more.
pub(crate) fn tests(binary: &str) -> Command {
    cargo(&["test", "--quiet", "--workspace", "--test", binary, "--"])
}

/// As [`tests`], which report each test by its name.
pub(crate) fn tests_by_name(binary: &str) -> Command {
    cargo(&["test", "--workspace", "--test", binary, "--"])
}

/// Runs a command that speaks for itself, and gives its exit code: 1 where it found something.
pub(crate) fn run(command: &mut Command) -> Result<u8, String> {
    code(command.status())
}

/// Runs a command, reports what it says line by line, and gives its exit code.
pub(crate) fn hear(command: &mut Command, report: Report<'_>) -> Result<u8, String> {
    code(listen(command, report))
}

/// Runs a command that must find nothing, and reports what it says.
pub(crate) fn succeed(command: &mut Command, report: Report<'_>) -> Result<(), String> {
    match hear(command, report)? {
        0 => Ok(()),
        _ => Err("its own words are above".to_owned()),
    }
}

fn code(status: io::Result<ExitStatus>) -> Result<u8, String> {
    let status = status.map_err(|error| format!("cannot run cargo: {error}"))?;
    let code = status.code().ok_or_else(|| format!("the program ended with {status}"))?;
    Ok(u8::try_from(code).unwrap_or(u8::MAX))
}

fn listen(command: &mut Command, report: Report<'_>) -> io::Result<ExitStatus> {
    let (ear, mouth) = io::pipe()?;
    let mut child = command.stdin(Stdio::null()).stdout(mouth.try_clone()?).stderr(mouth).spawn()?;
    // The command holds the pipe open as long as it could be run once more.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    for line in BufReader::new(ear).split(b'\n') {
        report(&String::from_utf8_lossy(&line?));
    }
    child.wait()
}
