//! The same roads in Go, where Go is installed.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::BoxError;
use crate::arguments::{Run, Way};

/// The program in the folder `client-go`, built.
pub(crate) struct ClientGo(PathBuf);

impl ClientGo {
    /// Builds it if it is to take part; without Go it says what is missing, and the others are compared.
    pub(crate) fn build_if_asked(ways: &[Way]) -> Result<Option<Self>, BoxError> {
        if !ways.contains(&Way::Socket) {
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

    /// Takes one measurement.
    pub(crate) fn run(&self, run: &Run) -> Result<Output, BoxError> {
        let address = run.address.ok_or("client-go reads from a socket")?;
        let mut command = Command::new(&self.0);
        command.args([run.road.name(), run.encoding.name(), &run.count.to_string(), &address.to_string()]);
        // All sides list and then watch.
        Ok(command.env("KUBE_FEATURE_WatchListClient", "false").output()?)
    }
}
