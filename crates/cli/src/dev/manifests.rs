//! `--manifests`: the definitions and objects of a folder, read into the server before anything connects.
//!
//! Definitions of kinds come first and namespaces second, whatever file they are in; otherwise the order is that of the files
//! by name, and of the documents in each.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use pintle::api::GroupVersionKind;
use pintle_apiserver::{LoadError, Server};
use serde::Deserialize;
use serde_json::Value;

use crate::failure::Failure;

/// One document of a file.
struct Manifest {
    place: Place,
    text: String,
    kinds: Vec<TypeOfObject>,
}

/// Where a document is, in the words of an error.
struct Place {
    file: PathBuf,
    /// From 1; those that are empty do not count.
    document: usize,
}

/// What a document says it is.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct TypeOfObject {
    api_version: String,
    kind: String,
    /// Of a `List`.
    items: Vec<TypeOfObject>,
    /// Of a definition: the kind it defines.
    spec: Option<Value>,
}

/// Reads the folder into the server; returns the kinds of its objects, and those that it defines.
pub(super) fn load(server: &Server, folder: &Path) -> Result<Vec<GroupVersionKind>, Failure> {
    let mut manifests = Vec::new();
    for file in files(folder)? {
        let text = fs::read_to_string(&file).map_err(|error| Failure::new(cannot_read(&file), error))?;
        for (at, text) in documents(&text).into_iter().enumerate() {
            manifests.extend(Manifest::read(Place { file: file.clone(), document: at + 1 }, text)?);
        }
    }
    if manifests.is_empty() {
        let why = "it has no file that ends in .yaml, .yml or .json with an object in it";
        return Err(Failure::new(cannot_read(folder), why));
    }
    // Stable: what is of one rank stays in its order.
    manifests.sort_by_key(Manifest::rank);
    let mut kinds = BTreeSet::new();
    for manifest in &manifests {
        server.load(&manifest.text).map_err(|error| Failure::new(manifest.place.to_string(), in_one(&error)))?;
        kinds.extend(manifest.kinds.iter().filter_map(TypeOfObject::to_watch));
    }
    Ok(kinds.into_iter().map(|(group, version, kind)| GroupVersionKind::gvk(&group, &version, &kind)).collect())
}

impl TypeOfObject {
    /// Group, version and kind of what is to be seen: the object's, or those it defines.
    fn to_watch(&self) -> Option<(String, String, String)> {
        if self.kind != DEFINITION {
            let (group, version) = self.api_version.split_once('/').unwrap_or(("", &self.api_version));
            return Some((group.to_owned(), version.to_owned(), self.kind.clone()));
        }
        let spec = self.spec.as_ref()?;
        let text = |pointer: &str| spec.pointer(pointer)?.as_str().map(str::to_owned);
        let versions = spec.get("versions")?.as_array()?;
        let stored = versions.iter().find(|version| version["storage"] == true)?;
        Some((text("/group")?, stored["name"].as_str()?.to_owned(), text("/names/kind")?))
    }
}

impl Manifest {
    /// `None` if there is nothing but comments.
    fn read(place: Place, text: String) -> Result<Option<Self>, Failure> {
        let read: Option<TypeOfObject> =
            serde_saphyr::from_str(&text).map_err(|error| Failure::new(place.to_string(), error.to_string()))?;
        let Some(object) = read else { return Ok(None) };
        let is_list = object.api_version == "v1" && object.kind == "List";
        let kinds = if is_list { object.items } else { vec![object] };
        if let Some(nameless) = kinds.iter().find(|object| object.api_version.is_empty() || object.kind.is_empty()) {
            let missing = if nameless.kind.is_empty() { "kind" } else { "apiVersion" };
            return Err(Failure::new(
                place.to_string(),
                format!("it has no {missing}, so it is not a Kubernetes object"),
            ));
        }
        Ok(Some(Self { place, text, kinds }))
    }

    fn rank(&self) -> u8 {
        match self.kinds.first().map(|object| object.kind.as_str()) {
            Some(DEFINITION) => 0,
            Some("Namespace") => 1,
            _ => 2,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot load document {} of {}", self.document, self.file.display())
    }
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|error| Failure::new(cannot_read(folder), error))?;
    let is_manifest =
        |path: &PathBuf| path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml" || ending == "json");
    let mut files: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).filter(is_manifest).collect();
    files.sort();
    Ok(files)
}

/// The documents of a file, each as it is written. A line that begins with `---` ends one wherever it is, also within a
/// block of text: so says YAML.
fn documents(text: &str) -> Vec<String> {
    let mut documents = vec![String::new()];
    for line in text.split_inclusive('\n') {
        let rest = line.strip_prefix("---").filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
        match rest {
            Some(rest) => documents.push(rest.trim_start_matches(['\r', '\n']).to_owned()),
            None => documents.last_mut().expect("one is there from the start").push_str(line),
        }
    }
    let says_something = |line: &str| !line.trim().is_empty() && !line.starts_with(['#', '%']);
    documents.retain(|document| document.lines().any(says_something));
    documents
}

/// The error of a manifest that has one document.
fn in_one(error: &LoadError) -> String {
    match error {
        LoadError::Syntax(why) => format!("it is not YAML: {why}"),
        LoadError::UnknownKind { kind, .. } => {
            format!("its kind {kind:?} is not served: add its CustomResourceDefinition to the folder")
        }
        LoadError::Refused { status, .. } => format!("the server refuses it: {}", status.message),
        other => other.to_string(),
    }
}

fn cannot_read(path: &Path) -> String {
    format!("cannot read the manifests of {}", path.display())
}

/// The kind of definitions of kinds.
const DEFINITION: &str = "CustomResourceDefinition";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_split_where_yaml_splits_them() {
        let text = "# a comment\n---\nkind: A\ntext: |\n  --- not here\n  ---x\n--- # here\nkind: B\n---\n\n---\n%YAML 1.2\n---\nkind: C";
        assert_eq!(documents(text), ["kind: A\ntext: |\n  --- not here\n  ---x\n", " # here\nkind: B\n", "kind: C"]);
    }
}
