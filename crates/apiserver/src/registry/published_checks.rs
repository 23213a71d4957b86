//! `docs/checks.md`: what the server checks of each kind it serves, made from the code by asking the code.
//!
//! ```text
//!   kinds::table ─► each kind ─► probes of its fields ─► strategy.validate, validate_update ─► paths of the errors ─► a page
//! ```
//! In: the kinds and the types of their fields. Out: the page, compared with the committed one. A field counts as checked if
//! some value that its type allows is refused, alone, in an object that has every field, or beside another choice.
//! Nobody keeps a list, so none goes stale. Not here: what every kind has in common, which the page says in words.

mod page;
mod probes;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::response::status::FieldError;
use probes::Probes;

/// What was found out about one kind.
struct Found {
    /// The paths of fields with values that are refused.
    refused: BTreeSet<String>,
    /// The paths of fields that cannot be changed, whatever the value.
    fixed: BTreeSet<String>,
}

/// Asks the strategy of a kind about every field.
fn ask(kind: &Kind) -> Found {
    let mut found = Found { refused: BTreeSet::new(), fixed: BTreeSet::new() };
    let Some(object_type) = pintle_wire::facts::kind_of(&kind.api_version(), &kind.kind) else { return found };
    let mut probes = Probes::of(object_type);
    while let Some(probe) = probes.next() {
        let errors = kind.strategy.validate(kind, &object(&probe));
        probes.learn(errors.iter().map(FieldError::text));
        found.refused.extend(errors.iter().map(|error| general(error.field())));
    }
    let before = object(probes.full());
    let known: BTreeSet<String> = texts(kind.strategy.validate_update(kind, &before, &before)).collect();
    for probe in probes.changes() {
        let after = object(&probe);
        let alone: BTreeSet<String> = texts(kind.strategy.validate(kind, &after)).collect();
        let errors = kind.strategy.validate_update(kind, &before, &after);
        let of_the_step =
            errors.iter().filter(|error| !known.contains(&error.text()) && !alone.contains(&error.text()));
        found.fixed.extend(of_the_step.map(|error| general(error.field())));
    }
    found
}

fn texts(errors: Vec<FieldError>) -> impl Iterator<Item = String> {
    errors.into_iter().map(|error| error.text())
}

fn object(value: &Value) -> Object {
    let mut object = Object::from_value(value.clone()).expect("a probe is an object");
    object.set_meta("name", "probe");
    object
}

/// A path without places in lists and keys of maps.
fn general(path: &str) -> String {
    let mut out = String::new();
    let mut depth = 0;
    for character in path.chars() {
        match character {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ if depth == 0 => out.push(character),
            _ => {}
        }
    }
    out
}

/// The same page that is committed, or `PINTLE_BLESS=1` writes it.
#[test]
fn the_page_about_checks_is_what_the_code_checks() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/checks.md");
    let page = page::print();
    if std::env::var_os("PINTLE_BLESS").is_some() {
        std::fs::write(&file, &page).expect("the page can be written");
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(committed == page, "docs/checks.md is stale: PINTLE_BLESS=1 writes it anew; read the difference");
}

#[test]
fn a_check_that_hangs_on_another_field_is_found() {
    let kind = crate::catalog::kinds::built_in("apps", "v1", "deployments").expect("it is served");
    let found = ask(&kind);
    for path in ["spec.replicas", "spec.strategy.rollingUpdate.maxUnavailable", "spec.strategy.rollingUpdate"] {
        assert!(found.refused.contains(path), "{path} is not among {:?}", found.refused);
    }
    assert!(found.fixed.contains("spec.selector"), "{:?}", found.fixed);
}
