//! The table of built-in kinds: read from discovery documents, printed as Rust.
//!
//! In: `discovery/api__v1.json` (legacy form) and `discovery/aggregated_v2.json` (aggregated form).
//! Out: one `row(…)` per resource, sorted by group, version and plural, and the groups in the order they are served,
//! because clients take the first group that knows a short name.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Reads the documents below `folder`, writes the table to `output`, and returns the number of resources.
pub(crate) fn write(folder: &Path, output: &Path, kubernetes: &str) -> Result<usize, String> {
    let core: LegacyList = read(&folder.join("discovery").join("api__v1.json"))?;
    let aggregated: Aggregated = read(&folder.join("discovery").join("aggregated_v2.json"))?;
    let groups = served_order(&aggregated);
    let mut rows = core_rows(core);
    rows.extend(aggregated_rows(aggregated));
    rows.sort_by(|a, b| (&a.group, &a.version, &a.plural).cmp(&(&b.group, &b.version, &b.plural)));
    let text = print(&rows, &groups, kubernetes);
    fs::write(output, text).map_err(|error| format!("cannot write {}: {error}", output.display()))?;
    Ok(rows.len())
}

fn read<T: DeserializeOwned>(file: &PathBuf) -> Result<T, String> {
    let text = fs::read(file).map_err(|error| {
        format!(
            "cannot read {}: {error}. The folder must be upstream's `api` folder, with `discovery/` inside",
            file.display()
        )
    })?;
    serde_json::from_slice(&text).map_err(|error| format!("{} is no discovery document: {error}", file.display()))
}

fn served_order(aggregated: &Aggregated) -> Vec<(String, Vec<String>)> {
    let core = (String::new(), vec!["v1".to_owned()]);
    let others = aggregated.items.iter().map(|group| {
        (group.metadata.name.clone(), group.versions.iter().map(|version| version.version.clone()).collect())
    });
    std::iter::once(core).chain(others).collect()
}

/// In the legacy form a subresource is a resource called `pods/status`.
fn core_rows(list: LegacyList) -> Vec<Row> {
    let (subresources, resources): (Vec<_>, Vec<_>) = list.resources.into_iter().partition(|r| r.name.contains('/'));
    let mut rows: Vec<Row> = resources.into_iter().map(core_row).collect();
    for subresource in subresources {
        let (plural, name) = subresource.name.split_once('/').expect("the partition keeps only names with a slash");
        let row = rows.iter_mut().find(|row| row.plural == plural).expect("upstream lists no orphan subresource");
        row.subresources.push(Part {
            name: name.to_owned(),
            group_version: group_version(&subresource.group, &subresource.version),
            kind: subresource.kind,
            verbs: subresource.verbs,
        });
    }
    rows
}

fn core_row(resource: Legacy) -> Row {
    Row {
        group: String::new(),
        version: "v1".to_owned(),
        plural: resource.name,
        singular: resource.singular_name,
        kind: resource.kind,
        namespaced: resource.namespaced,
        short_names: resource.short_names,
        categories: resource.categories,
        verbs: resource.verbs,
        subresources: Vec::new(),
    }
}

fn aggregated_rows(aggregated: Aggregated) -> Vec<Row> {
    let mut rows = Vec::new();
    for group in aggregated.items {
        for version in group.versions {
            for resource in version.resources {
                rows.push(aggregated_row(group.metadata.name.clone(), version.version.clone(), resource));
            }
        }
    }
    rows
}

fn aggregated_row(group: String, version: String, resource: Resource) -> Row {
    let parts = resource.subresources.into_iter().map(|part| Part {
        name: part.subresource,
        group_version: group_version(&part.response_kind.group, &part.response_kind.version),
        kind: part.response_kind.kind,
        verbs: part.verbs,
    });
    Row {
        group,
        version,
        plural: resource.resource,
        singular: resource.singular_resource,
        kind: resource.response_kind.kind,
        namespaced: resource.scope == "Namespaced",
        short_names: resource.short_names,
        categories: resource.categories,
        verbs: resource.verbs,
        subresources: parts.collect(),
    }
}

fn group_version(group: &str, version: &str) -> String {
    if group.is_empty() { String::new() } else { format!("{group}/{version}") }
}

fn print(rows: &[Row], groups: &[(String, Vec<String>)], kubernetes: &str) -> String {
    let mut text = format!(
        "//! Every built-in resource of Kubernetes {kubernetes}, one per line, sorted by group, version and plural.\n\
         //!\n\
         //! Made by `cargo xtask kinds FOLDER` from upstream's discovery documents; do not edit.\n\n\
         use super::{{EVERY, GET_PATCH_UPDATE, Row, part, row}};\n\n\
         /// Groups in the order they are served, each with its versions, the preferred one first.\n\
         #[rustfmt::skip]\n\
         pub(crate) static GROUPS: &[(&str, &[&str])] = &[\n"
    );
    for (group, versions) in groups {
        text.push_str(&format!("    ({group:?}, {}),\n", strings(versions)));
    }
    text.push_str("];\n\n/// The resources.\n#[rustfmt::skip]\npub(crate) static ROWS: &[Row] = &[\n");
    for row in rows {
        text.push_str(&print_row(row));
    }
    text.push_str("];\n");
    text
}

fn print_row(row: &Row) -> String {
    let mut parts: Vec<&Part> = row.subresources.iter().collect();
    parts.sort_by(|a, b| a.name.cmp(&b.name));
    let parts: Vec<String> = parts
        .into_iter()
        .map(|part| format!("part({:?}, {:?}, {:?}, {})", part.name, part.group_version, part.kind, verbs(&part.verbs)))
        .collect();
    format!(
        "    row({:?}, {:?}, {:?}, {:?}, {:?}, {}, {}, {}, {}, &[{}]),\n",
        row.group,
        row.version,
        row.plural,
        row.singular,
        row.kind,
        row.namespaced,
        strings(&row.short_names),
        strings(&row.categories),
        verbs(&row.verbs),
        parts.join(", "),
    )
}

/// The two usual sets have a name, which keeps the lines short.
fn verbs(verbs: &[String]) -> String {
    let mut sorted = verbs.to_vec();
    sorted.sort();
    match sorted.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"] => "EVERY".to_owned(),
        ["get", "patch", "update"] => "GET_PATCH_UPDATE".to_owned(),
        _ => strings(&sorted),
    }
}

fn strings(values: &[String]) -> String {
    let quoted: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
    format!("&[{}]", quoted.join(", "))
}

struct Row {
    group: String,
    version: String,
    plural: String,
    singular: String,
    kind: String,
    namespaced: bool,
    short_names: Vec<String>,
    categories: Vec<String>,
    verbs: Vec<String>,
    subresources: Vec<Part>,
}

struct Part {
    name: String,
    /// Empty where it is the resource's own group and version.
    group_version: String,
    kind: String,
    verbs: Vec<String>,
}

#[derive(Deserialize)]
struct LegacyList {
    resources: Vec<Legacy>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Legacy {
    name: String,
    singular_name: String,
    namespaced: bool,
    kind: String,
    #[serde(default)]
    group: String,
    #[serde(default)]
    version: String,
    #[serde(default)]
    short_names: Vec<String>,
    #[serde(default)]
    categories: Vec<String>,
    verbs: Vec<String>,
}

#[derive(Deserialize)]
struct Aggregated {
    items: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    metadata: Named,
    versions: Vec<Version>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
struct Version {
    version: String,
    resources: Vec<Resource>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resource {
    resource: String,
    response_kind: ResponseKind,
    scope: String,
    singular_resource: String,
    #[serde(default)]
    short_names: Vec<String>,
    #[serde(default)]
    categories: Vec<String>,
    verbs: Vec<String>,
    #[serde(default)]
    subresources: Vec<Subresource>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Subresource {
    subresource: String,
    response_kind: ResponseKind,
    verbs: Vec<String>,
}

#[derive(Deserialize)]
struct ResponseKind {
    group: String,
    version: String,
    kind: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_document_is_named_with_what_to_do() {
        let problem = write(Path::new("no-such-folder"), Path::new("unused"), "1.37").unwrap_err();
        assert!(problem.contains("no-such-folder/discovery/api__v1.json"), "{problem}");
        assert!(problem.contains("`api` folder"), "{problem}");
    }

    #[test]
    fn usual_verbs_have_a_name_and_unusual_ones_are_spelled_out() {
        let text = |list: &[&str]| verbs(&list.iter().map(|verb| (*verb).to_owned()).collect::<Vec<_>>());
        assert_eq!(text(&["update", "get", "patch"]), "GET_PATCH_UPDATE");
        assert_eq!(text(&["create"]), "&[\"create\"]");
    }
}
