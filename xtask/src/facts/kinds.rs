//! Prints the table of resources: one line each, sorted by group, version and plural, and the groups in the order they
//! are served, because clients take the first group that knows a short name.

use super::document::{Document, Part, Resource, Storage};

/// The text of the table.
pub(super) fn print(document: &Document) -> String {
    let version = &document.version;
    let mut text = format!(
        "//! Every built-in resource of Kubernetes {version}, one per line, sorted by group, version and plural.\n\
         //!\n\
         //! Made by `cargo xtask facts`; do not edit.\n\n\
         use super::rows::*;\n\n\
         /// Groups in the order they are served, each with its versions, the preferred one first.\n\
         #[rustfmt::skip]\n\
         pub(crate) static GROUPS: &[(&str, &[&str])] = &[\n"
    );
    for group in &document.groups {
        text.push_str(&format!("    ({:?}, &{:?}),\n", group.name, group.versions));
    }
    text.push_str("];\n\n/// The resources.\n#[rustfmt::skip]\npub(super) static ROWS: &[Row] = &[\n");
    for resource in &document.resources {
        text.push_str(&row(resource));
    }
    text.push_str("];\n");
    text
}

fn row(resource: &Resource) -> String {
    let parts: Vec<String> = resource.subresources.iter().flatten().map(subresource).collect();
    format!(
        "    row({:?}, {:?}, {:?}, {:?}, {:?}, {}, &{:?}, &{:?}, {}, &[{}]){}{},\n",
        resource.group,
        resource.version,
        resource.plural,
        resource.singular,
        resource.kind,
        resource.namespaced,
        resource.short_names.as_deref().unwrap_or_default(),
        resource.categories.as_deref().unwrap_or_default(),
        verbs(&resource.verbs),
        parts.join(", "),
        resource.storage.as_ref().map(storage).unwrap_or_default(),
        deprecation(&resource.deprecation),
    )
}

fn subresource(part: &Part) -> String {
    format!("subresource({:?}, {:?}, {:?}, {})", part.name, part.group_version, part.kind, verbs(&part.verbs))
}

/// Only what differs from the most usual storage is written.
fn storage(storage: &Storage) -> String {
    let flags = [
        (!storage.unconditional_update, "VERSION_NEEDED"),
        (storage.create_on_update, "CREATE_ON_UPDATE"),
        (storage.returns_deleted, "RETURNS_DELETED"),
        (storage.generation, "GENERATION"),
        (storage.keeps_status, "KEEPS_STATUS"),
    ];
    let set: Vec<&str> = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, name)| *name).collect();
    let mut text = if set.is_empty() { String::new() } else { format!(".kept({})", set.join(" | ")) };
    if !storage.first_phase.is_empty() {
        text.push_str(&format!(".phase({:?})", storage.first_phase));
    }
    if let Some(fields) = storage.selectable_fields.as_deref().filter(|fields| !fields.is_empty()) {
        text.push_str(&format!(".selectable(&{fields:?})"));
    }
    text
}

fn deprecation(warning: &str) -> String {
    if warning.is_empty() { String::new() } else { format!(".deprecated({warning:?})") }
}

/// The two usual sets have a name, which keeps the lines short.
fn verbs(verbs: &[String]) -> String {
    match verbs.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"] => "EVERY".to_owned(),
        ["get", "patch", "update"] => "GET_PATCH_UPDATE".to_owned(),
        other => format!("&{other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_verbs_have_a_name_and_unusual_ones_are_spelled_out() {
        let text = |list: &[&str]| verbs(&list.iter().map(|verb| (*verb).to_owned()).collect::<Vec<_>>());
        assert_eq!(text(&["get", "patch", "update"]), "GET_PATCH_UPDATE");
        assert_eq!(text(&["create"]), "&[\"create\"]");
    }
}
