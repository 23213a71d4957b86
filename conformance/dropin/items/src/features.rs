//! The features of each crate, as facts.

use std::path::Path;

use public_items::{Facts, Result};

use crate::CRATES;

/// Adds the features of kube's crates to `kube` and those of Pintle's, under the same names, to `pintle`.
pub(crate) fn add(remembered: &Path, kube: &mut Facts, pintle: &mut Facts) -> Result<()> {
    for suffix in CRATES {
        for (side, facts) in [("kube", &mut *kube), ("pintle", &mut *pintle)] {
            for feature in features_of(&format!("{side}{suffix}"), remembered)? {
                facts.add(format!("feature {feature} of kube{suffix}"), String::new());
            }
        }
    }
    Ok(())
}

/// The keys of `[features]` in the manifest of the crate that was compiled.
fn features_of(krate: &str, remembered: &Path) -> Result<Vec<String>> {
    let environment = std::fs::read_to_string(remembered.join(format!("{krate}.env")))?;
    let folder = environment.split('\0').find_map(|line| line.strip_prefix("CARGO_MANIFEST_DIR="));
    let manifest = std::fs::read_to_string(Path::new(folder.ok_or("cargo names the manifest")?).join("Cargo.toml"))?;
    let mut features = Vec::new();
    let mut is_inside = false;
    for line in manifest.lines() {
        match line.split_once(" = [") {
            _ if line.starts_with('[') => is_inside = line == "[features]",
            Some((name, _)) if is_inside => features.push(name.to_owned()),
            _ => {}
        }
    }
    Ok(features)
}
