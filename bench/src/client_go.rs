//! The same roads in Go, where Go is installed.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::BoxError;
use crate::arguments::Way;
use crate::run::{LIST_ONLY, Run};
use crate::source::History;

/// The program in the folder `client-go`, built.
pub(crate) struct ClientGo(PathBuf);

impl ClientGo {
    /// Builds it if it is to take part; without Go it says what is missing, and the others are compared.
    pub(crate) fn build_if_asked(ways: &[Way]) -> Result<Option<Self>, BoxError> {
        if ways.iter().all(|way| *way == Way::Process) {
            return Ok(None);
        }
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let program = folder.join("target/client-go");
        let built = Command::new("go")
            .current_dir(folder.join("client-go"))
            .args(["build", "-o"])
            .arg(&program)
            .arg(".")
            .status();
        match built {
            Ok(status) if status.success() => Ok(Some(Self(program))),
            Ok(status) => Err(format!("go build of bench/client-go ended with {status}").into()),
            Err(error) => {
                println!("!! SKIPPED: nothing was measured of client-go, because Go cannot be started: {error}");
                Ok(None)
            }
        }
    }

    /// Where it is.
    pub(crate) fn program(&self) -> &Path {
        &self.0
    }

    /// Takes one measurement.
    pub(crate) fn run(&self, run: &Run) -> Result<Output, BoxError> {
        let address = run.address.as_ref().ok_or("client-go reads from a socket")?;
        let mut command = Command::new(&self.0);
        command.args([run.road.name(), run.encoding.name(), &run.count.to_string(), &address.word()]);
        command.args((run.history == History::FirstList).then_some(LIST_ONLY));
        let (name, value) = LISTS;
        Ok(command.env(name, value).output()?)
    }
}

/// The variable by which it lists and then watches, as all sides do.
pub(crate) const LISTS: (&str, &str) = ("KUBE_FEATURE_WatchListClient", "false");
