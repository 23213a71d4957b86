//! `cargo xtask facts`: the tables of types, fields, kinds and roles, made of what the real Kubernetes says of itself.
//!
//! In: the document that `kube -facts FILE` writes (see `conformance/kube/facts`), and the roles of a running server. Out: generated source files, the
//! same bytes for the same document. With `--check` nothing is written: a difference is an error that names the file.

mod decoders;
mod document;
mod kinds;
mod roles;
mod types;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::kube::{self, Problem};
use document::Document;

/// Files by their path in the workspace, with their text.
type Files = BTreeMap<PathBuf, String>;

/// The folder of the types' tables.
const TABLES: &str = "crates/wire/src/facts/tables";
/// The folders whose files are all generated.
const GENERATED: [&str; 2] = [TABLES, decoders::TABLES];

/// Makes the tables anew and writes them, or only compares.
pub(crate) fn run(is_check: bool, report: impl Fn(&str)) -> Result<(), Problem> {
    let document = read()?;
    let mut files = types::print(&document);
    files.extend(decoders::print(&document)?);
    files.insert("crates/apiserver/src/catalog/kinds/table.rs".into(), kinds::print(&document));
    files.insert("crates/apiserver/src/authorization/bootstrap/table.rs".into(), roles::print(&document.version)?);
    if is_check {
        check(&files)?;
    } else {
        write(&files)?;
    }
    let fields: usize = document.types.iter().map(|found| found.fields.len()).sum();
    report(&format!(
        "facts of Kubernetes {}: {} types, {fields} fields, {} kinds, {} resources, in {} files{}",
        document.version,
        document.types.len(),
        document.kinds.len(),
        document.resources.len(),
        files.len(),
        if is_check { "; none is stale" } else { "" },
    ));
    Ok(())
}

fn read() -> Result<Document, Problem> {
    let file = kube::folder().join("facts.json");
    kube::write_facts(&file)?;
    let text = fs::read(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    serde_json::from_slice(&text).map_err(|error| format!("{} is of another form: {error}", file.display()))
}

fn write(files: &Files) -> Result<(), Problem> {
    for stale in strangers(files)? {
        fs::remove_file(&stale).map_err(|error| format!("cannot remove {}: {error}", stale.display()))?;
    }
    for (file, text) in files {
        let file = kube::workspace().join(file);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        }
        fs::write(&file, text).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    }
    Ok(())
}

fn check(files: &Files) -> Result<(), Problem> {
    let differs = |file: &PathBuf, text: &String| {
        fs::read_to_string(kube::workspace().join(file)).map_or(true, |present| present != *text)
    };
    let stale: Vec<_> = files.iter().filter(|(file, text)| differs(file, text)).map(|(file, _)| file.clone()).collect();
    let all: Vec<String> = stale.into_iter().chain(strangers(files)?).map(|file| file.display().to_string()).collect();
    if all.is_empty() {
        return Ok(());
    }
    Err(format!("these tables are stale, run `cargo xtask facts`: {}", all.join(", ")))
}

/// Files in the generated folders that are not generated any more.
fn strangers(files: &Files) -> Result<Vec<PathBuf>, Problem> {
    let mut strangers = Vec::new();
    for generated in GENERATED {
        let folder = kube::workspace().join(generated);
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let entry = entry.map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
            if !files.contains_key(&PathBuf::from(generated).join(entry.file_name())) {
                strangers.push(entry.path());
            }
        }
    }
    Ok(strangers)
}
