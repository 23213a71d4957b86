//! Every public item of kube 5's crates, compared with Pintle's.
//!
//! ```text
//!   rustc's arguments, remembered ─► rustdoc (JSON) ─► World: names and definitions ─► Facts ─► differences
//!   one set per crate                of five crates     as seen through `kube::…`       a line each   known or not
//! ```
//!
//! A fact is one thing a program can rely on: a path, a signature with its bounds, a public field, a variant with its
//! payload, an implementation of a trait, `non_exhaustive`, a feature. Both sides are spelled alike: paths as `kube::…`,
//! type parameters by position, aliases expanded, lifetimes left out. What differs must stand with its reason in
//! `differences.txt`; a difference that does not, and a line there that no longer holds, fail the run.
//!
//! Reading order: `documentation` (rustdoc), `world` (who is called what), `spelling` (types as text), `facts`,
//! `features`, `differences`, `imports`.

mod differences;
mod documentation;
mod facts;
mod features;
mod imports;
mod spelling;
mod world;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::differences::Differences;
use crate::facts::Facts;
use crate::world::World;

/// What can go wrong here ends the run; nobody handles it.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<ExitCode> {
    let remembered = PathBuf::from(std::env::args().nth(1).ok_or("one argument is needed: what rustc was told")?);
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (kube, pintle) = (World::of("kube", &remembered)?, World::of("pintle", &remembered)?);
    let common = kube.paths_also_in(&pintle);
    let (mut wanted, mut found) = (Facts::of(&kube, &common), Facts::of(&pintle, &common));
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
