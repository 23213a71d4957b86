//! The page: the kinds with rules of their own and which fields those are about, then the kinds without.

use std::collections::{BTreeMap, BTreeSet};

use super::{Found, ask};
use crate::catalog::kinds::{self, Kind};

/// The whole page.
pub(super) fn print() -> String {
    let (mut ruled, mut plain) = (Vec::new(), Vec::new());
    for (kind, versions) in stored() {
        let found = ask(kind);
        let name = format!("{} ({})", kind.kind, versions.join(", "));
        if found.refused.is_empty() && found.fixed.is_empty() {
            plain.push(format!("- {name}"));
        } else {
            ruled.push(section(kind, &name, &found));
        }
    }
    format!("{HEAD}\n{}\n{MIDDLE}\n{}\n", ruled.join("\n"), plain.join("\n"))
}

/// Each stored kind once, at the version that is served first, with all its versions.
fn stored() -> Vec<(&'static Kind, Vec<String>)> {
    let mut all: BTreeMap<(&str, &str), (&Kind, Vec<String>)> = BTreeMap::new();
    for kind in kinds::built_in_all().filter(|kind| kind.is_stored()) {
        let entry = all.entry((&kind.group, &kind.kind)).or_insert_with(|| (kind, Vec::new()));
        // Of `v1` and `v1beta1` the shorter is the one that stays.
        if kind.version.len() < entry.0.version.len() {
            entry.0 = kind;
        }
        entry.1.push(kind.api_version());
    }
    all.into_values().collect()
}

fn section(kind: &Kind, name: &str, found: &Found) -> String {
    let mut lines = vec![format!("### {name}"), String::new()];
    lines.extend(paragraph("Refused by value", &found.refused));
    lines.extend(paragraph("Refused by what it was before", &found.fixed));
    if has_pods(kind) {
        lines.push("Its pods: as a Pod's `spec`.\n".to_owned());
    }
    lines.join("\n")
}

fn paragraph(title: &str, paths: &BTreeSet<String>) -> Option<String> {
    let quoted: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
    (!quoted.is_empty()).then(|| format!("{title}: {}.\n", quoted.join(", ")))
}

/// Whether it describes pods without being one.
fn has_pods(kind: &Kind) -> bool {
    let has = |path: &[&str]| {
        let root = pintle_wire::facts::kind_of(&kind.api_version(), &kind.kind);
        path.iter().try_fold(root?, |of, step| of.field(step).map(pintle_wire::facts::Field::kind))
    };
    let templates: [&[&str]; 3] =
        [&["template", "spec"], &["spec", "template", "spec"], &["spec", "jobTemplate", "spec", "template", "spec"]];
    templates.iter().filter_map(|path| has(path)).any(|of| of.name().ends_with(".PodSpec"))
}

const HEAD: &str = "# What is checked

This page is made from the code of the embedded server: a test gives each field of each kind it serves values that its type
allows, and notes which are refused.
Shown by `the_page_about_checks_is_what_the_code_checks`.

Of every object, whatever its kind, the types of its fields are checked as Go reads them, unknown and duplicate fields as
`fieldValidation` says, its name, labels, annotations, owners and finalizers, and what admission plugins, policies and webhooks
say. Custom resources are checked against the schema of their definition and its rules in CEL. Enumerations and limits that only
Kubernetes' OpenAPI documents have are for clients; the server has rules, which are these.

## Kinds with rules of their own

Which fields are refused for their value, and which for what they were before. A rule about two fields together may be listed at
one of them. Of Pods changes are not asked about: hardly anything of their `spec` can be changed.
";

const MIDDLE: &str = "## Kinds that are checked by their types alone

No rule beyond what is true of every object. kube-apiserver has rules for some of them.
";
