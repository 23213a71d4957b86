//! `kubectl` of the assets: the one that is installed.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use crate::failure::Failure;

/// Becomes the kubectl on the `PATH`.
pub(super) fn run(args: impl Iterator<Item = OsString>) -> Result<(), Failure> {
    let Some(installed) = installed() else {
        return Err(Failure::new(
            "there is no kubectl on the PATH",
            "the assets of Pintle have none of their own: install one (https://kubernetes.io/docs/tasks/tools) and put it on the PATH",
        ));
    };
    let error = replace_by(Command::new(&installed).args(args));
    Err(Failure::new(format!("cannot run {}", installed.display()), error))
}

/// The first kubectl on the `PATH` that is not this program.
fn installed() -> Option<PathBuf> {
    let this = std::env::current_exe().and_then(std::fs::canonicalize).ok();
    let folders = std::env::var_os("PATH")?;
    let name = super::file_name("kubectl");
    std::env::split_paths(&folders)
        .map(|folder| folder.join(&name))
        .find(|file| file.is_file() && file.canonicalize().ok() != this)
}

#[cfg(unix)]
fn replace_by(command: &mut Command) -> std::io::Error {
    use std::os::unix::process::CommandExt;
    command.exec()
}

#[cfg(not(unix))]
fn replace_by(command: &mut Command) -> std::io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}
