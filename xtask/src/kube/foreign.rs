//! Programs of others on the embedded server: a client-go informer, a controller of kube 5 and the same controller on Pintle,
//! and a manager of controller-runtime with webhooks; all built here.

use std::path::PathBuf;

use pintle_real::Version;

use super::{Problem, folder, go, module, workspace};
use crate::programs::{Report, cargo, succeed, tests};

/// Builds them and has the suite watch them live.
pub(super) fn live(report: Report<'_>) -> Result<(), Problem> {
    let informer = folder().join("informer");
    if !go(Version::default(), &module()?, &informer, "./cmd/informer")?.success() {
        return Err("`go build` of the informer failed; its own words are above".to_owned());
    }
    let (webhooks, source) = (folder().join("webhooks"), workspace().join("conformance/controller-runtime"));
    if !go(Version::default(), &source, &webhooks, ".")?.success() {
        return Err("`go build` of the webhooks of controller-runtime failed; its own words are above".to_owned());
    }
    let dropin = workspace().join("conformance/dropin");
    succeed(cargo(&["build", "--quiet"]).current_dir(&dropin), report)?;
    let built = |name: &str| -> PathBuf { dropin.join("target/debug").join(name) };
    let programs = [informer, built("mirror-kube"), built("mirror-pintle")].map(|path| path.display().to_string());
    succeed(
        tests("suite")
            .args(["foreign", "--ignored", "--nocapture"])
            .env("PINTLE_FOREIGN", programs.join(":"))
            .env("PINTLE_WEBHOOKS", webhooks),
        report,
    )
}
