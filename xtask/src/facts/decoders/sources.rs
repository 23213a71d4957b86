//! What k8s-openapi's sources say of each type: which fields it has in which version of Kubernetes, and what they are called.
//!
//! They are generated, so that a line has always the same form; what has another form is an error.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::kube::Problem;
use crate::programs::cargo;

/// The sources of one release.
pub(super) struct Sources {
    /// Of k8s-openapi.
    pub(super) version: String,
    /// By minor version of Kubernetes, types by their names in OpenAPI.
    structs: BTreeMap<u32, BTreeMap<String, Struct>>,
}

/// A type.
pub(super) struct Struct {
    pub(super) fields: Vec<StructField>,
    pub(super) form: Form,
}

/// What kind of type it is.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Form {
    /// It has fields.
    Message,
    /// It has fields, and says its kind.
    Object,
    /// It may hold any JSON.
    Any,
}

/// One field of it.
pub(super) struct StructField {
    /// In Rust.
    pub(super) ident: String,
    /// In JSON.
    pub(super) name: String,
    /// Whether there is no value to take its place.
    pub(super) is_required: bool,
    /// The types of k8s-openapi that it consists of, by their names in OpenAPI.
    pub(super) uses: Vec<String>,
}

impl Sources {
    /// Those that this workspace is built with.
    pub(super) fn find() -> Result<Self, Problem> {
        let output = cargo(&["metadata", "--format-version", "1", "--locked"])
            .output()
            .map_err(|error| format!("cannot ask cargo where k8s-openapi is: {error}"))?;
        let metadata: Value = serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("cargo does not say where k8s-openapi is: {error}"))?;
        let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let package = packages.iter().find(|package| package["name"] == "k8s-openapi");
        let manifest =
            package.and_then(|package| package["manifest_path"].as_str()).ok_or("cargo knows no k8s-openapi")?;
        let folder = Path::new(manifest).with_file_name("src");
        let version = package.and_then(|package| package["version"].as_str()).unwrap_or_default().to_owned();
        let mut structs = BTreeMap::new();
        for entry in list(&folder)? {
            let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if let Some(minor) = name.strip_prefix("v1_").and_then(|minor| minor.parse().ok()) {
                structs.insert(minor, structs_in(&entry)?);
            }
        }
        if structs.is_empty() {
            Err(format!("{} has no versions", folder.display()))
        } else {
            Ok(Self { version, structs })
        }
    }

    /// The minor versions of Kubernetes, in order.
    pub(super) fn versions(&self) -> impl Iterator<Item = u32> {
        self.structs.keys().copied()
    }

    /// The first and the last of them.
    pub(super) fn range(&self) -> (u32, u32) {
        let mut versions = self.versions();
        let first = versions.next().unwrap_or_default();
        (first, versions.last().unwrap_or(first))
    }

    /// A type of fields, by its name in OpenAPI.
    pub(super) fn find_struct(&self, version: u32, definition: &str) -> Option<&Struct> {
        self.structs.get(&version)?.get(definition)
    }
}

/// Every type of fields in the files of a folder.
fn structs_in(folder: &Path) -> Result<BTreeMap<String, Struct>, Problem> {
    let mut structs = BTreeMap::new();
    for entry in list(folder)? {
        if entry.is_dir() {
            structs.extend(structs_in(&entry)?);
            continue;
        }
        let text = fs::read_to_string(&entry).map_err(|error| format!("cannot read {}: {error}", entry.display()))?;
        if let Some(definition) =
            text.lines().next().and_then(|line| line.strip_prefix("// Generated from definition "))
            && let Some(found) = struct_in(&text)
        {
            structs.insert(definition.trim().to_owned(), found);
        }
    }
    Ok(structs)
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let cannot = |error: std::io::Error| format!("cannot list {}: {error}", folder.display());
    fs::read_dir(folder).map_err(cannot)?.map(|entry| entry.map(|entry| entry.path()).map_err(cannot)).collect()
}

/// The struct in a file; `None` if it holds something else.
fn struct_in(text: &str) -> Option<Struct> {
    let (_, from_struct) = text.split_once("\npub struct ")?;
    let (head, body) = from_struct.split_once('\n')?;
    if head.ends_with("(pub crate::serde_json::Value);") {
        return Some(Struct { fields: Vec::new(), form: Form::Any });
    }
    let name = head.strip_suffix(" {")?;
    let (body, _) = body.split_once("\n}")?;
    let fields = body.lines().filter_map(|line| line.strip_prefix("    pub ")?.strip_suffix(',')?.split_once(": "));
    let fields = fields.map(|(ident, kind)| field(text, ident, kind)).collect::<Option<Vec<_>>>()?;
    let is_object = text.contains(&format!("impl crate::Resource for {name} {{"));
    Some(Struct { fields, form: if is_object { Form::Object } else { Form::Message } })
}

fn field(text: &str, ident: &str, kind: &str) -> Option<StructField> {
    let key = format!(" => Field::Key_{ident},");
    let name = text.lines().find_map(|line| line.trim().strip_suffix(&key)?.strip_prefix('"')?.strip_suffix('"'))?;
    let is_required = text.contains(&format!("value_{ident}.ok_or_else("));
    Some(StructField { ident: ident.to_owned(), name: name.to_owned(), is_required, uses: uses(kind) })
}

/// `Vec<crate::api::core::v1::Volume>` uses `io.k8s.api.core.v1.Volume`.
fn uses(kind: &str) -> Vec<String> {
    let paths = kind.split(['<', '>', ',', ' ']).filter_map(|part| part.strip_prefix("crate::"));
    paths.filter(|path| path.contains("::")).map(|path| format!("io.k8s.{}", path.replace("::", "."))).collect()
}
