//! The manifests of folders.
//!
//! In: folders and files. Out: every object in them once, in the order in which a cluster needs them. Files that are not
//! manifests (templates of charts, values, settings of other tools) are passed over: a folder of a project is full of them.

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// One object, and where it stands.
pub(super) struct Manifest {
    pub(super) place: Place,
    pub(super) object: Value,
}

/// A document of a file.
pub(super) struct Place {
    file: PathBuf,
    /// From 1.
    document: usize,
}

/// What must be there before what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Definition,
    Namespace,
    Object,
    /// What changes how others are answered, some moments after it is there: it comes when no others follow.
    Policy,
}

/// Every object of the folders.
pub(super) fn read(folders: &[PathBuf]) -> Result<Vec<Manifest>, String> {
    let (mut manifests, mut seen) = (Vec::new(), HashSet::new());
    for folder in folders {
        let mut files = Vec::new();
        find(folder, &mut files)?;
        files.sort();
        for file in files {
            let objects = documents(&file)?.into_iter().enumerate();
            let placed = objects.map(|(at, object)| (Place { file: file.clone(), document: at + 1 }, object));
            let objects = placed.flat_map(|(place, object)| {
                let Place { file, document } = place;
                let place = move || Place { file: file.clone(), document };
                items(object).into_iter().map(move |object| Manifest { place: place(), object })
            });
            // The same object stands in a bundle and in a file of its own.
            manifests.extend(
                objects.filter(|manifest| is_object(&manifest.object) && seen.insert(manifest.object.to_string())),
            );
        }
    }
    if manifests.is_empty() {
        return Err(
            "there is no manifest in these folders: no file that ends in .yaml, .yml or .json with an object in it"
                .to_owned(),
        );
    }
    sort(&mut manifests);
    Ok(manifests)
}

/// Stable: what is of one rank stays in its order.
pub(super) fn sort(manifests: &mut [Manifest]) {
    manifests.sort_by_key(Manifest::rank);
}

impl Manifest {
    pub(super) fn rank(&self) -> Rank {
        match (self.group_version().0, self.kind()) {
            ("apiextensions.k8s.io", "CustomResourceDefinition") => Rank::Definition,
            ("", "Namespace") => Rank::Namespace,
            ("", "LimitRange" | "ResourceQuota") | ("admissionregistration.k8s.io" | "apiregistration.k8s.io", _) => {
                Rank::Policy
            }
            _ => Rank::Object,
        }
    }

    pub(super) fn kind(&self) -> &str {
        self.text("/kind")
    }

    pub(super) fn group_version(&self) -> (&str, &str) {
        let api_version = self.text("/apiVersion");
        api_version.split_once('/').unwrap_or(("", api_version))
    }

    pub(super) fn text(&self, pointer: &str) -> &str {
        self.object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} #{}", self.file.display(), self.document)
    }
}

fn find(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let unreadable = |error| format!("cannot read the folder {}: {error}", path.display());
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let is_manifest =
            || path.extension().is_some_and(|ending| ["yaml", "yml", "json"].iter().any(|known| ending == *known));
        if path.is_dir() || is_manifest() {
            find(&path, files)?;
        }
    }
    Ok(())
}

/// The documents of a file that can be read.
fn documents(file: &Path) -> Result<Vec<Value>, String> {
    let bytes = std::fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    if let Ok(value) = serde_json::from_slice(&bytes) {
        return Ok(vec![value]);
    }
    let text = String::from_utf8_lossy(&bytes);
    let mut texts = vec![String::new()];
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("---").filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace)) {
            Some(_) => texts.push(String::new()),
            None => texts.last_mut().expect("one is there from the start").push_str(line),
        }
    }
    // One by one: a document that is a template must not hide those beside it.
    Ok(texts.iter().filter_map(|text| serde_saphyr::from_str(text).ok()).collect())
}

/// The objects of a document: itself, or the items of a list.
fn items(document: Value) -> Vec<Value> {
    let is_list = document["apiVersion"] == "v1" && document["kind"] == "List";
    match document.get("items").and_then(Value::as_array) {
        Some(items) if is_list => items.clone(),
        _ => vec![document],
    }
}

fn is_object(document: &Value) -> bool {
    let has =
        |key: &str| document[key].as_str().is_some_and(|text| !text.is_empty() && !text.contains(char::is_whitespace));
    has("apiVersion") && has("kind") && document.get("metadata").is_some()
}
