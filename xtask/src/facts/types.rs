//! Prints the types: a file for each group and version, one line per field, and the lists that lead to them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::document::{Document, Field, Type};
use super::{Files, TABLES};

/// Every file of the types' tables.
pub(super) fn print(document: &Document) -> Files {
    let mut modules: BTreeMap<String, Vec<&Type>> = BTreeMap::new();
    for found in &document.types {
        modules.entry(module_of(&found.package)).or_default().push(found);
    }
    let mut files = Files::new();
    for (name, types) in &modules {
        files.insert(PathBuf::from(TABLES).join(format!("{name}.rs")), module(name, types, &document.version));
    }
    files.insert(PathBuf::from(format!("{TABLES}.rs")), lists(document, modules.keys()));
    files
}

/// `k8s.io/api/core/v1` is `core_v1`; everything that all groups share is `apimachinery`.
pub(super) fn module_of(package: &str) -> String {
    if package.starts_with("k8s.io/apimachinery/") {
        return "apimachinery".to_owned();
    }
    let mut parts = package.rsplit('/');
    let (version, group) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    format!("{group}_{version}")
}

/// As OpenAPI names it: `k8s.io/api/core/v1` and `Pod` are `io.k8s.api.core.v1.Pod`.
pub(super) fn model_name(found: &Type) -> String {
    let package = found.package.strip_prefix("k8s.io").unwrap_or(&found.package);
    format!("io.k8s{}.{}", package.replace('/', "."), found.name)
}

fn module(name: &str, types: &[&Type], version: &str) -> String {
    let mut body = String::new();
    for found in types {
        body.push_str(&print_type(name, found));
    }
    let others: BTreeSet<String> = types
        .iter()
        .flat_map(|found| &found.fields)
        .filter_map(|field| field.r#type.rsplit_once('.'))
        .map(|(package, _)| module_of(package))
        .filter(|other| other != name)
        .collect();
    let others = others.into_iter().collect::<Vec<_>>();
    let imports = match others.as_slice() {
        [] => String::new(),
        [one] => format!("use super::{one};\n"),
        many => format!("use super::{{{}}};\n", many.join(", ")),
    };
    format!(
        "{}#![expect(non_upper_case_globals, reason = \"each table has the name of its type\")]\n\n{imports}use crate::facts::Type;\nuse crate::facts::rows::*;\n{body}",
        header(name, version)
    )
}

fn header(what: &str, version: &str) -> String {
    format!("//! The types of `{what}`, Kubernetes {version}. Made by `cargo xtask facts`; do not edit.\n\n")
}

fn print_type(module: &str, found: &Type) -> String {
    let name = model_name(found);
    let opening = match found.shape.as_str() {
        "Struct" if found.atomic => format!("atomic(\"{name}\", &["),
        "Struct" => format!("fields(\"{name}\", &["),
        shape => format!("shaped(\"{name}\", Shape::{shape}, &["),
    };
    let mut text = format!("\n#[rustfmt::skip]\npub(super) static {}: Type = {opening}", found.name);
    let mut fields: Vec<&Field> = found.fields.iter().collect();
    fields.sort_by(|a, b| a.name.cmp(&b.name));
    for field in &fields {
        text.push_str("\n    ");
        text.push_str(&print_field(module, field));
        text.push(',');
    }
    text.push_str(if fields.is_empty() { "]);\n" } else { "\n]);\n" });
    text
}

fn print_field(module: &str, field: &Field) -> String {
    let holds = field.holds.to_lowercase();
    let kind = reference(module, &field.r#type);
    let rules = rules(field);
    let rules = if rules.is_empty() { String::new() } else { format!(".with(&[{}])", rules.join(", ")) };
    format!("{holds}({}, {:?}, &{kind}, {}){rules}", field.number, field.name, flags(field))
}

fn reference(module: &str, kind: &str) -> String {
    match kind.rsplit_once('.') {
        None => kind.to_uppercase(),
        Some((package, name)) if module_of(package) == module => name.to_owned(),
        Some((package, name)) => format!("{}::{name}", module_of(package)),
    }
}

fn flags(field: &Field) -> String {
    let flags = [
        (field.pointer, "POINTER"),
        (field.omitempty, "OMITEMPTY"),
        (field.omitzero, "OMITZERO"),
        (field.inline, "INLINE"),
        (field.required, "REQUIRED"),
    ];
    let set: Vec<&str> = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, name)| *name).collect();
    if set.is_empty() { "0".to_owned() } else { set.join(" | ") }
}

fn rules(field: &Field) -> Vec<String> {
    let mut rules = Vec::new();
    match field.list_type.as_str() {
        "atomic" => rules.push("ListAtomic".to_owned()),
        "set" => rules.push("ListSet".to_owned()),
        "map" => rules.push(format!("ListMap(&{:?})", field.list_map_keys)),
        _ => {}
    }
    match field.map_type.as_str() {
        "atomic" => rules.push("MapAtomic".to_owned()),
        "granular" => rules.push("MapGranular".to_owned()),
        _ => {}
    }
    if !field.patch_strategy.is_empty() || !field.patch_merge_key.is_empty() {
        rules.push(format!("Patch({:?}, {:?})", field.patch_strategy, field.patch_merge_key));
    }
    if let Some(default) = &field.default {
        rules.push(format!("Default({:?})", default.to_string()));
    }
    rules
}

/// The file above the others: which there are, every type by name, every kind.
fn lists<'a>(document: &Document, modules: impl Iterator<Item = &'a String>) -> String {
    let version = &document.version;
    let mut text = format!(
        "//! Every type and kind of Kubernetes {version}. Made by `cargo xtask facts`; do not edit.\n\nuse super::Type;\n\n"
    );
    for module in modules {
        text.push_str(&format!("mod {module};\n"));
    }
    text.push_str(&format!(
        "\n/// The version of Kubernetes that the tables are of.\npub const VERSION: &str = \"{version}\";\n"
    ));
    let mut types: Vec<(String, String)> = document
        .types
        .iter()
        .map(|found| (model_name(found), format!("&{}::{}", module_of(&found.package), found.name)))
        .collect();
    types.sort();
    text.push_str("\n/// Sorted by name.\n#[rustfmt::skip]\npub(super) static TYPES: &[&Type] = &[\n");
    for (_, path) in types {
        text.push_str(&format!("    {path},\n"));
    }
    text.push_str("];\n\n/// Sorted by group, version and kind.\n#[rustfmt::skip]\npub(super) static KINDS: &[(&str, &str, &str, &Type)] = &[\n");
    for kind in document
        .kinds
        .iter()
        .filter(|kind| !is_shared(&kind.r#type) || kind.group.is_empty() || kind.group == "meta.k8s.io")
    {
        let path = reference("", &kind.r#type);
        text.push_str(&format!("    ({:?}, {:?}, {:?}, &{path}),\n", kind.group, kind.version, kind.kind));
    }
    text.push_str("];\n");
    text
}

/// Options and watch events are registered with every group; once is enough.
fn is_shared(kind: &str) -> bool {
    kind.starts_with("k8s.io/apimachinery/")
}
