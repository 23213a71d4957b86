//! What programs can rely on, one line each.
//!
//! In: the crates and how their definitions are called. Out: facts, each with a key that says what it is about (`fn kube::api::Api::get`) and a text that
//! says what is true of it (its signature and conditions).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use crate::spelling::{Names, Scope, Speller, list, mentioned, parameters};
use crate::world::Meaning;

/// Facts by what they are about.
#[derive(Debug, Default)]
pub struct Facts(pub BTreeMap<String, BTreeSet<Fact>>);

/// What is true of a thing.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Fact {
    /// What it is.
    pub text: String,
    /// What must hold for it. A program notices only if more is asked.
    pub conditions: BTreeSet<String>,
}

impl Facts {
    /// All public paths, definitions and implementations of the crates.
    pub fn of(names: &Names<'_>) -> Self {
        let mut facts = Self::default();
        facts.add_paths(names);
        for krate in names.world.crates() {
            facts.add_crate(names, krate);
        }
        facts
    }

    /// The definitions and implementations in one crate.
    pub fn of_crate(names: &Names<'_>, krate: &str) -> Self {
        let mut facts = Self::default();
        facts.add_crate(names, krate);
        facts
    }

    fn add_crate(&mut self, names: &Names<'_>, krate: &str) {
        for (meaning, path) in names.definitions() {
            if matches!(meaning, Meaning::Ours(home, _) if home == krate) {
                self.add_definition(names, meaning, path);
            }
        }
        for implementation in names.world.implementations(krate) {
            self.add_implementation(names, krate, implementation);
        }
    }

    /// How many things there are facts about.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a fact about `key`.
    pub fn add(&mut self, key: String, fact: impl Into<Fact>) {
        self.0.entry(key).or_default().insert(fact.into());
    }

    /// Each path exists and leads to a thing of this kind.
    fn add_paths(&mut self, names: &Names<'_>) {
        for ((path, namespace), meaning) in &names.world.paths {
            let kind = names.world.kind(meaning);
            let text = match meaning {
                Meaning::Foreign(place, _) => format!("{kind} {place}"),
                Meaning::Ours(krate, id) if kind == "type_alias" => {
                    self.add(format!("type {path}"), alias(names, krate, id));
                    "type".to_owned()
                }
                Meaning::Ours(..) => kind,
            };
            self.add(format!("path {path}{}", namespace.mark()), text);
        }
        for (module, krate) in &names.world.globs {
            self.add(format!("path {module}::*"), format!("all of {krate}"));
        }
    }

    fn add_definition(&mut self, names: &Names<'_>, meaning: &Meaning, path: &str) {
        let Meaning::Ours(krate, id) = meaning else {
            return;
        };
        let item = names.world.item(krate, id);
        let Some((kind, inner)) = item["inner"].as_object().and_then(|inner| inner.iter().next()) else {
            return;
        };
        let own = parameters(&inner["generics"]);
        let speller = names.speller(krate, Scope::default().with("T", own.clone()));
        let head = |rest: &str| head_of(&speller, inner, &own).and(exhaustive(item)).and(rest);
        match kind.as_str() {
            "struct" => {
                self.add(format!("struct {path}"), head(private_fields(inner)));
                self.add_fields(&speller, krate, &inner["kind"], path);
            }
            "enum" => {
                self.add(format!("enum {path}"), head(""));
                for number in list(&inner["variants"]) {
                    self.add_variant(&speller, krate, &number.to_string(), path);
                }
            }
            "trait" => self.add_trait(names, krate, inner, path),
            "type_alias" => self.add(format!("type {path}"), alias(names, krate, id)),
            "function" => self.add(format!("fn {path}"), function(&speller, item)),
            "constant" => self.add(format!("const {path}"), constant(&speller, inner)),
            "proc_macro" => {
                let helpers: Vec<_> = list(&inner["helpers"]).filter_map(Value::as_str).collect();
                self.add(format!("derive {path}"), helpers.join(", "));
            }
            _ => {}
        }
    }

    fn add_fields(&mut self, speller: &Speller<'_>, krate: &str, kind: &Value, path: &str) {
        let numbers = list(&kind["plain"]["fields"]).chain(list(&kind["tuple"]));
        for number in numbers.filter(|number| !number.is_null()) {
            let field = speller.world().item(krate, &number.to_string());
            let name = field["name"].as_str().unwrap_or_default();
            self.add(format!("field {path}.{name}"), speller.type_(&field["inner"]["struct_field"]));
        }
    }

    fn add_variant(&mut self, speller: &Speller<'_>, krate: &str, number: &str, path: &str) {
        let variant = speller.world().item(krate, number);
        let (name, kind) = (variant["name"].as_str().unwrap_or_default(), &variant["inner"]["variant"]["kind"]);
        let field = |number: &Value| speller.world().item(krate, &number.to_string());
        let type_of = |number: &Value| speller.type_(&field(number)["inner"]["struct_field"]);
        let payload = match (kind.get("tuple"), kind.get("struct")) {
            (Some(tuple), _) => format!("({})", list(tuple).map(type_of).collect::<Vec<_>>().join(", ")),
            (_, Some(plain)) => {
                let named = list(&plain["fields"]).map(|number| {
                    format!("{}: {}", field(number)["name"].as_str().unwrap_or_default(), type_of(number))
                });
                format!("{{ {} }}", named.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", "))
            }
            _ => String::new(),
        };
        self.add(format!("variant {path}::{name}"), format!("{payload}{}", exhaustive(variant)));
    }

    fn add_trait(&mut self, names: &Names<'_>, krate: &str, inner: &Value, path: &str) {
        let own = parameters(&inner["generics"]);
        let speller = names.speller(krate, Scope::default().with("T", own.clone()));
        let above = speller.bounds(&inner["bounds"]).join(" + ");
        let dynamic = if inner["is_dyn_compatible"] == true { ", can be dyn" } else { "" };
        self.add(format!("trait {path}"), head_of(&speller, inner, &own).and(&format!(": {above}{dynamic}")));
        for number in list(&inner["items"]) {
            let item = names.world.item(krate, &number.to_string());
            let name = item["name"].as_str().unwrap_or_default();
            let (key, fact) = match (item["inner"].get("function"), item["inner"].get("assoc_type")) {
                (Some(function_), _) => {
                    let speller =
                        names.speller(krate, speller.scope.clone().with("F", parameters(&function_["generics"])));
                    let given = if function_["has_body"] == true { ", provided" } else { ", required" };
                    (format!("fn {path}::{name}"), function(&speller, item).and(given))
                }
                (_, Some(associated)) => {
                    let default = if associated["type"].is_null() { "" } else { " with a default" };
                    let bounds = speller.bounds(&associated["bounds"]).join(" + ");
                    (format!("type {path}::{name}"), format!("{bounds}{default}").into())
                }
                _ => (format!("const {path}::{name}"), String::new().into()),
            };
            self.add(key, fact);
        }
    }

    fn add_implementation(&mut self, names: &Names<'_>, krate: &str, it: &Value) {
        if !it["blanket_impl"].is_null() {
            return;
        }
        let mut own = Vec::new();
        mentioned(&it["for"], &mut own);
        mentioned(&it["trait"], &mut own);
        own.extend(parameters(&it["generics"]).into_iter().filter(|name| !own.contains(name)).collect::<Vec<_>>());
        own.retain(|name| name != "Self");
        let speller = names.speller(krate, Scope::default().with("T", own));
        let subject = speller.type_(&it["for"]);
        let speller = names.speller(krate, speller.scope.clone().with_self(subject.clone()));
        if it["trait"].is_null() {
            return self.add_methods(names, krate, it, &speller, &subject);
        }
        let name = speller.path(&it["trait"]);
        speller.type_(&it["for"]);
        if speller.met_private.get() || is_of_no_interest(&name, it["is_synthetic"] == true) {
            return;
        }
        let conditions = speller.conditions(&it["generics"]);
        let negative = if it["is_negative"] == true { "!" } else { "" };
        let mut associated = BTreeMap::new();
        for number in list(&it["items"]) {
            let item = names.world.item(krate, &number.to_string());
            if let Some(inner) = item["inner"].get("assoc_type") {
                associated.insert(item["name"].as_str().unwrap_or_default().to_owned(), speller.type_(&inner["type"]));
            }
        }
        let text = associated.iter().map(|(name, type_)| {
            let plain = associated
                .iter()
                .fold(type_.clone(), |type_, (other, meaning)| type_.replace(&format!("{subject}::{other}"), meaning));
            format!("{name} = {plain}")
        });
        let text = text.collect::<Vec<_>>().join("; ");
        self.add(format!("impl {negative}{name} for {subject}"), Fact { text, conditions });
    }

    fn add_methods(&mut self, names: &Names<'_>, krate: &str, it: &Value, speller: &Speller<'_>, subject: &str) {
        if subject.starts_with("private ") {
            return;
        }
        let outer = speller.conditions(&it["generics"]);
        for number in list(&it["items"]) {
            let item = names.world.item(krate, &number.to_string());
            let name = item["name"].as_str().unwrap_or_default();
            if let Some(function_) = item["inner"].get("function") {
                let inside = names.speller(krate, speller.scope.clone().with("F", parameters(&function_["generics"])));
                self.add(format!("fn {subject}::{name}"), function_with(&inside, item, &outer));
            } else if let Some(constant_) = item["inner"].get("assoc_const") {
                self.add(format!("const {subject}::{name}"), speller.type_(&constant_["type"]));
            }
        }
    }
}

impl Names<'_> {
    fn definitions(&self) -> Vec<(&Meaning, &str)> {
        let all = self.world.paths.values().filter_map(|meaning| Some((meaning, self.public(meaning)?.as_str())));
        all.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

impl Fact {
    fn and(mut self, text: &str) -> Self {
        self.text.push_str(text);
        self
    }
}

impl From<String> for Fact {
    fn from(text: String) -> Self {
        Self { text, conditions: BTreeSet::new() }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)?;
        if self.conditions.is_empty() {
            return Ok(());
        }
        write!(formatter, " where {}", self.conditions.iter().cloned().collect::<Vec<_>>().join(", "))
    }
}

/// Parameters with their defaults, and what is asked of them.
fn head_of(speller: &Speller<'_>, inner: &Value, own: &[String]) -> Fact {
    let defaults = list(&inner["generics"]["params"]).filter_map(|it| it["kind"]["type"].get("default"));
    let defaults: Vec<_> = defaults.filter(|it| !it.is_null()).map(|it| speller.type_(it)).collect();
    let count = format!("<{}>", own.len());
    let defaults = if defaults.is_empty() { String::new() } else { format!(" defaults {}", defaults.join(", ")) };
    Fact { text: format!("{count}{defaults}"), conditions: speller.conditions(&inner["generics"]) }
}

fn alias(names: &Names<'_>, krate: &str, id: &str) -> Fact {
    let inner = &names.world.item(krate, id)["inner"]["type_alias"];
    let own = parameters(&inner["generics"]);
    let speller = names.speller(krate, Scope::default().with("T", own.clone()));
    head_of(&speller, inner, &own).and(&format!(" = {}", speller.type_(&inner["type"])))
}

fn function(speller: &Speller<'_>, item: &Value) -> Fact {
    function_with(speller, item, &BTreeSet::new())
}

fn function_with(speller: &Speller<'_>, item: &Value, outer: &BTreeSet<String>) -> Fact {
    let function = &item["inner"]["function"];
    let header = &function["header"];
    let mut words = String::new();
    for (flag, word) in [("is_const", "const "), ("is_unsafe", "unsafe "), ("is_async", "async ")] {
        if header[flag] == true {
            words.push_str(word);
        }
    }
    let count = parameters(&function["generics"]).len();
    let mut conditions = speller.conditions(&function["generics"]);
    conditions.extend(outer.iter().cloned());
    Fact { text: format!("{words}<{count}>{}", speller.signature(&function["sig"])), conditions }
}

fn constant(speller: &Speller<'_>, inner: &Value) -> String {
    let value = inner["const"]["value"].as_str().or(inner["const"]["expr"].as_str()).unwrap_or_default();
    format!("{} = {value}", speller.type_(&inner["type"]))
}

fn exhaustive(item: &Value) -> &'static str {
    let is_open = list(&item["attrs"]).any(|attribute| attribute == "non_exhaustive");
    if is_open { " non_exhaustive" } else { "" }
}

/// Whether a program can build it and take it apart.
fn private_fields(inner: &Value) -> &'static str {
    let kind = &inner["kind"];
    let is_private = kind["plain"]["has_stripped_fields"] == true || list(&kind["tuple"]).any(Value::is_null);
    if is_private { " with private fields" } else { "" }
}

/// What programs do not ask for: marks of the compiler, and of the automatic traits all but three.
fn is_of_no_interest(name: &str, is_automatic: bool) -> bool {
    let is_mark = ["StructuralPartialEq", "TrivialClone", "Freeze"].iter().any(|mark| name.ends_with(mark));
    let is_wanted = ["Send", "Sync", "Unpin"].iter().any(|wanted| name.ends_with(&format!("::{wanted}")));
    is_mark || (is_automatic && !is_wanted)
}
