//! Prints the tables of the decoders: for each type that the decoded kinds consist of, one line per field.
//!
//! In: the numbers and habits of every field, from the document; the names of fields in Rust, from the sources of k8s-openapi, which
//! cargo knows the place of. Out: a file for each group and version. A type whose fields are not the same in every version of
//! Kubernetes that k8s-openapi has is printed once for each span of versions, each behind k8s-openapi's own switch.

mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::Files;
use super::document::{Document, Field, Type};
use super::types::{model_name, module_of};
use crate::kube::Problem;
use sources::{Form, Sources, Struct, StructField};

/// The folder whose files are all generated.
pub(super) const TABLES: &str = "crates/wire/src/decoders/tables";

/// What programs read most, and so what is worth the code of a decoder.
const KINDS: [&str; 19] = [
    "io.k8s.api.apps.v1.DaemonSet",
    "io.k8s.api.apps.v1.Deployment",
    "io.k8s.api.apps.v1.ReplicaSet",
    "io.k8s.api.apps.v1.StatefulSet",
    "io.k8s.api.batch.v1.CronJob",
    "io.k8s.api.batch.v1.Job",
    "io.k8s.api.coordination.v1.Lease",
    "io.k8s.api.core.v1.ConfigMap",
    "io.k8s.api.core.v1.Event",
    "io.k8s.api.core.v1.Namespace",
    "io.k8s.api.core.v1.Node",
    "io.k8s.api.core.v1.PersistentVolume",
    "io.k8s.api.core.v1.PersistentVolumeClaim",
    "io.k8s.api.core.v1.Pod",
    "io.k8s.api.core.v1.Secret",
    "io.k8s.api.core.v1.Service",
    "io.k8s.api.core.v1.ServiceAccount",
    "io.k8s.api.discovery.v1.EndpointSlice",
    "io.k8s.api.events.v1.Event",
];

/// What managed fields are kept in: any JSON, and so common that it has a decoder that is written by hand.
const FIELDS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1";

/// Every file of the decoders' tables.
pub(super) fn print(document: &Document) -> Result<Files, Problem> {
    let sources = Sources::find()?;
    let facts: BTreeMap<String, &Type> = document.types.iter().map(|found| (model_name(found), found)).collect();
    let facts = Facts { facts };
    let mut modules: BTreeMap<String, String> = BTreeMap::new();
    for definition in used(&sources, &facts)? {
        let text = facts.print_type(&sources, &definition);
        modules.entry(module_of(&package_of(&definition))).or_default().push_str(&text);
    }
    let header = format!(
        "Kubernetes {}, k8s-openapi {}. Made by `cargo xtask facts`; do not edit.",
        document.version, sources.version
    );
    let mut files = Files::new();
    for (name, body) in &modules {
        let text = format!("//! The types of `{name}`, {header}\n{body}");
        files.insert(PathBuf::from(TABLES).join(format!("{name}.rs")), text);
    }
    files.insert(PathBuf::from(format!("{TABLES}.rs")), dispatch(&header, modules.keys()));
    Ok(files)
}

/// The file above the others: which there are, and which decoder is for which type.
fn dispatch<'a>(header: &str, modules: impl Iterator<Item = &'a String>) -> String {
    let mut text = format!(
        "//! Which kinds have a decoder, {header}\n\nuse std::any::TypeId;\n\nuse k8s_openapi::api;\n\nuse super::dispatch::fill_if;\nuse crate::body::Body;\nuse crate::json::Declined;\n\n"
    );
    for module in modules {
        text.push_str(&format!("mod {module};\n"));
    }
    text.push_str("\ndecoders! {\n");
    for kind in KINDS {
        let path = rust_path(kind);
        let path = path.strip_prefix("k8s_openapi::").unwrap_or(&path);
        let name = path.strip_prefix("api::").unwrap_or(path).replace("::", "_").to_lowercase();
        text.push_str(&format!("    {name}: {path},\n"));
    }
    text.push_str("}\n");
    text
}

/// The types that the kinds consist of, in any version.
fn used(sources: &Sources, facts: &Facts<'_>) -> Result<BTreeSet<String>, Problem> {
    let mut used = BTreeSet::new();
    let mut open: Vec<String> = KINDS.iter().map(|kind| (*kind).to_owned()).collect();
    while let Some(definition) = open.pop() {
        let structs: Vec<&Struct> =
            sources.versions().filter_map(|version| sources.find_struct(version, &definition)).collect();
        if structs.is_empty() || definition == FIELDS {
            if KINDS.contains(&definition.as_str()) {
                return Err(format!("k8s-openapi has no {definition}"));
            }
            // Times, quantities and the like: their decoders are written by hand.
            continue;
        }
        if structs.iter().any(|found| found.form == Form::Any) && !facts.is_empty_struct(&definition) {
            return Err(format!("{definition} may hold any JSON: its decoder has to be written by hand"));
        }
        if used.insert(definition) {
            open.extend(structs.iter().flat_map(|found| &found.fields).flat_map(|field| field.uses.iter().cloned()));
        }
    }
    Ok(used)
}

struct Facts<'a> {
    facts: BTreeMap<String, &'a Type>,
}

impl Facts<'_> {
    /// Whether it is a struct without fields, which k8s-openapi takes for any JSON.
    fn is_empty_struct(&self, definition: &str) -> bool {
        self.facts.get(definition).is_none_or(|found| found.shape == "Struct" && found.fields.is_empty())
    }

    /// The decoder of a type, for each span of versions that have the same fields.
    fn print_type(&self, sources: &Sources, definition: &str) -> String {
        let mut spans: Vec<(u32, u32, String)> = Vec::new();
        for version in sources.versions() {
            let Some(found) = sources.find_struct(version, definition) else { continue };
            let table = self.print_table(definition, found);
            match spans.last_mut() {
                Some((_, last, same)) if *same == table && *last + 1 == version => *last = version,
                _ => spans.push((version, version, table)),
            }
        }
        let (earliest, latest) = sources.range();
        spans.into_iter().map(|(first, last, table)| gated(&table, first, last, earliest, latest)).collect()
    }

    fn print_table(&self, definition: &str, found: &Struct) -> String {
        let path = rust_path(definition);
        let mut text = match found.form {
            Form::Object => format!("object!({path} as {definition:?} {{\n"),
            Form::Message => format!("message!({path} {{\n"),
            Form::Any => return format!("message!({path});\n"),
        };
        let mut rows: Vec<Row> = found.fields.iter().map(|field| self.row(definition, field)).collect();
        rows.sort_by_key(|row| (row.inline, row.number));
        let (numbered, unnumbered): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.number.is_some());
        let (inner, own): (Vec<_>, Vec<_>) = numbered.into_iter().partition(|row| row.inline.is_some());
        own.iter().for_each(|row| text.push_str(&format!("    {row}\n")));
        if let Some(inline) = inner.first().and_then(|row| row.inline) {
            text.push_str(&format!("    inline {inline} {{\n"));
            inner.iter().for_each(|row| text.push_str(&format!("        {row}\n")));
            text.push_str("    }\n");
        }
        if !unnumbered.is_empty() {
            text.push_str("    json {\n");
            unnumbered.iter().for_each(|row| text.push_str(&format!("        {row}\n")));
            text.push_str("    }\n");
        }
        text.push_str("});\n");
        text
    }

    fn row(&self, definition: &str, field: &StructField) -> Row {
        let (inline, known) = match self.find(definition, &field.name) {
            Some((inline, known)) => (inline, Some(known)),
            None => (None, None),
        };
        let number = known.map(|known| known.number).filter(|number| *number != 0);
        let word = match known {
            Some(known) => self.word(definition, field, known),
            None => field.is_required.then_some("required"),
        };
        Row { inline, number, field: field.ident.clone(), name: field.name.clone(), word }
    }

    /// What is known of the field that JSON calls `name`, and the number of the message it is in if JSON writes that inline. Of a
    /// field that only an older Kubernetes has nothing is known, and nothing of it is sent as protobuf.
    fn find(&self, definition: &str, name: &str) -> Option<(Option<u8>, &Field)> {
        let found = self.facts.get(definition)?;
        if let Some(own) = found.fields.iter().find(|field| field.name == name && !field.inline) {
            return Some((None, own));
        }
        found.fields.iter().filter(|field| field.inline && field.number != 0).find_map(|outer| {
            let inner = self.facts.get(&definition_of(&outer.r#type))?;
            Some((Some(outer.number), inner.fields.iter().find(|field| field.name == name)?))
        })
    }

    /// What the decoder must know beyond name and number.
    fn word(&self, definition: &str, field: &StructField, known: &Field) -> Option<&'static str> {
        if field.is_required {
            return Some("required");
        }
        if definition == "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" && field.name == "managedFields" {
            return Some("managed");
        }
        if known.pointer || known.holds != "One" {
            return None;
        }
        let shape =
            self.facts.get(&definition_of(&known.r#type)).map_or(known.r#type.as_str(), |found| found.shape.as_str());
        // Scalars have no upper case; of those, and of lists in a message of their own, JSON leaves an empty one out.
        let can_be_empty = !shape.starts_with(char::is_uppercase) || shape == "Items";
        if known.omitempty && can_be_empty {
            return Some("omitempty");
        }
        let is_null = ["bytes", "Items", "Any", "any"].contains(&shape);
        (!known.omitempty && !known.omitzero && !is_null).then_some("always")
    }
}

struct Row {
    /// The number of the message that it stands in, if JSON writes its fields inline.
    inline: Option<u8>,
    /// `None` if protobuf does not have it.
    number: Option<u8>,
    field: String,
    name: String,
    word: Option<&'static str>,
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(number) = self.number {
            write!(f, "{number} ")?;
        }
        write!(f, "{} {:?}", self.field, self.name)?;
        if let Some(word) = self.word {
            write!(f, " {word}")?;
        }
        f.write_str(";")
    }
}

/// `table`, if need be behind the switch for these versions.
fn gated(table: &str, first: u32, last: u32, earliest: u32, latest: u32) -> String {
    let switches: Vec<String> = [
        (first != earliest).then(|| format!("k8s_openapi::k8s_if_ge_1_{first}!")),
        (last != latest).then(|| format!("k8s_openapi::k8s_if_le_1_{last}!")),
    ]
    .into_iter()
    .flatten()
    .collect();
    if switches.is_empty() {
        return format!("\n{table}");
    }
    let (opening, closing) = (switches.join(" { "), "}".repeat(switches.len()));
    format!("\n{opening} {{\n{table}{closing}\n")
}

/// `io.k8s.api.core.v1.Pod` is of `k8s.io/api/core/v1`.
fn package_of(definition: &str) -> String {
    let package =
        definition.strip_prefix("io.k8s.").and_then(|rest| rest.rsplit_once('.')).map_or("", |(package, _)| package);
    format!("k8s.io/{}", package.replace('.', "/"))
}

/// Package and name as OpenAPI spells them; scalars stay as they are.
fn definition_of(kind: &str) -> String {
    match kind.rsplit_once('.') {
        Some((package, name)) => {
            let package = package.strip_prefix("k8s.io").unwrap_or(package);
            format!("io.k8s{}.{name}", package.replace('/', "."))
        }
        None => kind.to_owned(),
    }
}

fn rust_path(definition: &str) -> String {
    format!("k8s_openapi::{}", definition.strip_prefix("io.k8s.").unwrap_or(definition).replace('.', "::"))
}
