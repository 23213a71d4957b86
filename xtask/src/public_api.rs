//! `cargo xtask public-api`: everything public of each crate, written to `docs/public-api`, so that a change of it is
//! seen in review. `--check` compares instead.
//!
//! ```text
//!   cargo doc, with `remember` as rustdoc ─► its arguments ─► public-items ─► docs/public-api/CRATE.txt
//! ```
//! `cargo doc` with the flags of `.ci/run` compiles nothing that the stages before it have not. rustdoc's JSON is
//! unstable: where the installed rustdoc writes another version of it than the one the files were made with, nothing can
//! be compared, and that is reported instead of a verdict.

use std::path::{Path, PathBuf};
use std::process::Command;

use public_items::World;

use crate::kube::Problem;

/// The libraries, as rustdoc calls them.
const CRATES: [&str; 10] = [
    "pintle",
    "pintle_apiserver",
    "pintle_cel",
    "pintle_client",
    "pintle_core",
    "pintle_derive",
    "pintle_manager",
    "pintle_runtime",
    "pintle_types",
    "pintle_wire",
];

/// How many lines of a difference are shown; the rest is counted.
const SHOWN_MAX: usize = 40;

/// Writes the listings, or with `check` fails where one is not as it was written.
pub(crate) fn run(check: bool, report: impl Fn(&str)) -> Result<(), Problem> {
    let root = root();
    let target = target_folder(&root)?;
    let remembered = target.join("public-api");
    document(&root, &target, &remembered)?;
    let world = match World::of(&CRATES.map(|name| (name, name)), &remembered) {
        Ok(world) => world,
        Err(problem) if check => {
            report(&format!("!! SKIPPED: the public items were not compared: rustdoc wrote no JSON ({problem})"));
            return Ok(());
        }
        Err(problem) => return Err(format!("rustdoc wrote no JSON: {problem}")),
    };
    let header = format!(
        "# Every public item, from rustdoc's JSON {}. Made by `cargo xtask public-api`.\n",
        world.format_version()
    );
    let folder = root.join("docs/public-api");
    let mut stale = 0;
    for name in CRATES {
        let listing = format!("{header}{}", public_items::listing(&world, name));
        let file = folder.join(format!("{}.txt", name.replace('_', "-")));
        if !check {
            std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, &listing)).map_err(at(&file))?;
            continue;
        }
        let known = std::fs::read_to_string(&file).map_err(at(&file))?;
        if known.lines().next() != Some(header.trim_end()) {
            report(&format!(
                "!! SKIPPED: the public items were not compared: {} was made by another rustdoc",
                file.display()
            ));
            return Ok(());
        }
        stale += compare(name, &known, &listing, &report);
    }
    match (check, stale) {
        (false, _) => report(&format!("{} listings are in {}", CRATES.len(), folder.display())),
        (true, 0) => report("every public item is listed in docs/public-api"),
        (true, _) => {
            return Err("the public items changed: if that is intended, run `cargo xtask public-api`".to_owned());
        }
    }
    Ok(())
}

/// Reports the lines that came and went, and returns how many there are.
fn compare(name: &str, known: &str, listing: &str, report: impl Fn(&str)) -> usize {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
    let (known, now) = (lines(known), lines(listing));
    let gone = known.difference(&now).map(|line| format!("{name}: - {line}"));
    let new = now.difference(&known).map(|line| format!("{name}: + {line}"));
    let all: Vec<String> = gone.chain(new).collect();
    all.iter().take(SHOWN_MAX).for_each(|line| report(line));
    if all.len() > SHOWN_MAX {
        report(&format!("{name}: and {} more", all.len() - SHOWN_MAX));
    }
    all.len()
}

/// Has cargo call rustdoc for each library whose arguments are not known yet, and update what they depend on.
fn document(root: &Path, target: &Path, remembered: &Path) -> Result<(), Problem> {
    for name in CRATES {
        let page = target.join("doc").join(name);
        if !remembered.join(format!("{name}.arguments")).exists() && page.exists() {
            // Cargo calls rustdoc again only where its pages are missing.
            std::fs::remove_dir_all(&page).map_err(at(&page))?;
        }
    }
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root).args(["doc", "--quiet", "--workspace", "--no-deps", "--all-features"]);
    // What cargo says of xtask to xtask would have build scripts that look at it run again.
    let of_xtask = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(of_xtask)) {
        cargo.env_remove(name);
    }
    cargo.env("RUSTDOC", root.join("conformance/public-items/remember"));
    cargo.env("REMEMBERED", remembered).env("RUSTDOCFLAGS", "-D warnings");
    match cargo.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("cargo doc ended with {status}")),
        Err(problem) => Err(format!("cargo doc: {problem}")),
    }
}

fn root() -> PathBuf {
    let mut root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.pop();
    root
}

fn target_folder(root: &Path) -> Result<PathBuf, Problem> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let output = cargo.current_dir(root).args(["metadata", "--format-version", "1", "--no-deps"]).output();
    let output = output.map_err(|problem| format!("cargo metadata: {problem}"))?;
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|problem| format!("cargo metadata: {problem}"))?;
    let folder = metadata["target_directory"].as_str().ok_or("cargo metadata names no target folder")?;
    Ok(PathBuf::from(folder))
}

fn at(file: &Path) -> impl Fn(std::io::Error) -> Problem + '_ {
    move |problem| format!("{}: {problem}", file.display())
}
