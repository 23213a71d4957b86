//! Every public item of kube 5's crates, compared with Pintle's.
//!
//! ```text
//!   rustc's arguments, remembered ─► public-items: Facts of kube, Facts of Pintle ─► differences
//!   one set per crate                all seen through `kube::…`                       known or not
//! ```
//!
//! A fact is one thing a program can rely on (`conformance/public-items`), or a feature. Both sides are spelled alike, with
//! paths as `kube::…`. What differs must stand with its reason in `differences.txt`; a difference that does not, and a
//! line there that no longer holds, fail the run.
//!
//! Reading order: `features`, `serves`, `differences`, `imports`.

mod differences;
mod features;
mod imports;
mod serves;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use public_items::{Facts, Names, Result, World};

use crate::differences::Differences;

/// What follows the name of each side.
const CRATES: [&str; 5] = ["", "_core", "_client", "_runtime", "_derive"];

fn main() -> Result<ExitCode> {
    let remembered = PathBuf::from(std::env::args().nth(1).ok_or("one argument is needed: the folder with rustc's arguments")?);
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (kube, pintle) = (side("kube", &remembered)?, side("pintle", &remembered)?);
    let common = kube.paths_also_in(&pintle);
    let (mut wanted, mut found) = (facts(&kube, &common), facts(&pintle, &common));
    features::add(&remembered, &mut wanted, &mut found)?;
    let imports = imports::compile(&kube, &pintle, &remembered)?;
    let differences = Differences::between(&wanted, &found);
    let known = std::fs::read_to_string(workspace.join("differences.txt"))?;
    let verdict = differences.judge(&known);
    println!(
        "{} items of kube 5: {} the same in Pintle, {} different with a reason, {} different without; {} paths imported from both",
        wanted.len(),
        wanted.len() - differences.of_kube(),
        differences.of_kube() - verdict.unknown_of_kube,
        verdict.unknown_of_kube,
        imports
    );
    print!("{verdict}");
    Ok(if verdict.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The crates of one side, by kube's names.
fn side(side: &str, remembered: &Path) -> Result<World> {
    let names = CRATES.map(|suffix| (format!("{side}{suffix}"), format!("kube{suffix}")));
    let names: Vec<(&str, &str)> = names.iter().map(|(own, given)| (own.as_str(), given.as_str())).collect();
    World::of(&names, remembered)
}

/// The facts of one side. The shortest path that both sides have is a name; failing that, the shortest of this side.
fn facts(world: &World, common: &BTreeSet<String>) -> Facts {
    Facts::of(&Names::by_rank(world, |_, path| {
        (!common.contains(path), !path.starts_with("kube::"), path.len(), path.to_owned())
    }))
}
