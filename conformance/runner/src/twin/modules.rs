//! The Go modules of projects whose manifests are tried where no folder is named, from Go's module cache.
//!
//! In: names and versions. Out: folders. Go downloads what its cache lacks; nothing of theirs is kept here.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// Where the modules are, downloaded if need be.
pub(super) fn folders() -> Result<Vec<PathBuf>, String> {
    MODULES.iter().map(|module| folder(module)).collect()
}

fn folder(module: &str) -> Result<PathBuf, String> {
    let output =
        Command::new("go").args(["mod", "download", "-json", module]).current_dir(std::env::temp_dir()).output();
    let output =
        output.map_err(|error| format!("cannot run go ({error}): install Go, or name folders of manifests"))?;
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    match (answer["Dir"].as_str(), answer["Error"].as_str()) {
        (Some(folder), None) => Ok(folder.into()),
        (_, Some(error)) => Err(format!("{module} cannot be downloaded: {error}")),
        _ => Err(format!("{module} cannot be downloaded: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// Pinned, because another version has other manifests, and a count means nothing without knowing of what.
const MODULES: [&str; 5] = [
    "github.com/cert-manager/cert-manager@v1.21.2",
    "sigs.k8s.io/gateway-api@v1.6.1",
    "github.com/prometheus-operator/prometheus-operator@v0.85.0",
    "github.com/kedacore/keda/v2@v2.21.0",
    "github.com/argoproj/argo-cd/v3@v3.5.6",
];
