//! Some crates as a program sees them: which public path leads to which definition.
//!
//! In: rustdoc's JSON of the crates. Out: every public path, through all re-exports, with what it means. Each crate can be
//! given another name, so that the items of two sets of crates have the same paths.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use serde_json::Value;

use crate::{Result, documentation};

/// Some crates, and what their public paths lead to.
#[derive(Debug, Default)]
pub struct World {
    crates: BTreeMap<String, Crate>,
    /// What each crate is called here, by its own name.
    given_names: BTreeMap<String, String>,
    format_version: u64,
    /// What each public path means, with the namespace of its name: a trait and a macro may share one.
    pub(crate) paths: BTreeMap<(String, Namespace), Meaning>,
    /// Globs over crates that are not ours, which bring all of their names.
    pub(crate) globs: BTreeSet<(String, String)>,
}

#[derive(Debug)]
struct Crate {
    json: Value,
    /// Definitions by where they stand, which is how other crates name them.
    by_place: HashMap<(String, String), String>,
}

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Namespace {
    Type,
    Value,
    Macro,
}

impl Namespace {
    /// How a path says that it is not a type's.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            Self::Type => "",
            Self::Value => " (value)",
            Self::Macro => " (macro)",
        }
    }
}

/// What a path or a reference leads to.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Meaning {
    /// A definition in one of the crates: the crate and rustdoc's number.
    Ours(String, String),
    /// Something of another crate, by its place there and its kind.
    Foreign(String, String),
}

impl World {
    /// These crates, each by its own name and the name it is given here.
    ///
    /// # Errors
    /// If rustdoc cannot read one of them as it was `remembered`.
    pub fn of(crates: &[(&str, &str)], remembered: &Path) -> Result<Self> {
        let mut world = Self::default();
        for (own, given) in crates {
            world.given_names.insert((*own).to_owned(), (*given).to_owned());
        }
        for (own, given) in crates {
            let json = documentation::of(own, remembered)?;
            world.format_version = json["format_version"].as_u64().unwrap_or_default();
            let krate = Crate::new(json, &world.given_names);
            world.crates.insert((*given).to_owned(), krate);
        }
        for (_, name) in crates {
            let root = world.crates[*name].json["root"].to_string();
            world.walk(name, &Meaning::Ours((*name).to_owned(), root), &mut Vec::new());
        }
        Ok(world)
    }

    /// The version of rustdoc's JSON format.
    pub fn format_version(&self) -> u64 {
        self.format_version
    }

    /// The paths that both sides have.
    pub fn paths_also_in(&self, other: &Self) -> BTreeSet<String> {
        let both = self.paths.keys().filter(|path| other.paths.contains_key(*path));
        both.map(|(path, _)| path.clone()).collect()
    }

    /// The names of the crates.
    pub(crate) fn crates(&self) -> impl Iterator<Item = &str> {
        self.crates.keys().map(String::as_str)
    }

    /// The implementations that stand in a crate.
    pub(crate) fn implementations(&self, krate: &str) -> impl Iterator<Item = &Value> {
        let items = self.crates[krate].json["index"].as_object().into_iter().flat_map(|index| index.values());
        items.filter(|item| item["crate_id"] == 0).map(|item| &item["inner"]["impl"]).filter(|it| !it.is_null())
    }

    /// What rustdoc's number means in a crate.
    pub(crate) fn resolve(&self, krate: &str, id: &Value) -> Meaning {
        let (id, known) = (id.to_string(), &self.crates[krate]);
        if known.json["index"][&id]["crate_id"] == 0 {
            return Meaning::Ours(krate.to_owned(), id);
        }
        let place = &known.json["paths"][&id];
        let (path, kind) = (self.place_of(place), place["kind"].as_str().unwrap_or_default().to_owned());
        let home = path.split("::").next().and_then(|name| self.crates.get_key_value(name));
        let number = home.and_then(|(_, home)| home.by_place.get(&(path.clone(), kind.clone())));
        match (home, number) {
            (Some((name, _)), Some(number)) => Meaning::Ours(name.clone(), number.clone()),
            _ => Meaning::Foreign(path, kind),
        }
    }

    /// The definition with this number.
    pub(crate) fn item(&self, krate: &str, id: &str) -> &Value {
        &self.crates[krate].json["index"][id]
    }

    /// Where a definition stands, whether that can be named or not.
    pub(crate) fn place(&self, krate: &str, id: &str) -> String {
        self.place_of(&self.crates[krate].json["paths"][id])
    }

    fn place_of(&self, place: &Value) -> String {
        place_of(place, &self.given_names)
    }

    fn walk(&mut self, prefix: &str, module: &Meaning, above: &mut Vec<Meaning>) {
        let Meaning::Ours(krate, id) = module else {
            return;
        };
        if above.contains(module) {
            return;
        }
        above.push(module.clone());
        let numbers = self.item(krate, id)["inner"]["module"]["items"].as_array().cloned().unwrap_or_default();
        let items: Vec<Value> = numbers.iter().map(|number| self.item(krate, &number.to_string()).clone()).collect();
        // What is imported by name wins over what a glob brings.
        let (globs, named): (Vec<_>, Vec<_>) =
            items.into_iter().partition(|item| item["inner"]["use"]["is_glob"] == true);
        for item in named {
            let import = &item["inner"]["use"];
            let (name, target) = match import.is_null() {
                true => (&item["name"], Meaning::Ours(krate.clone(), item["id"].to_string())),
                false => (&import["name"], self.resolve(krate, &import["id"])),
            };
            self.add(&format!("{prefix}::{}", name.as_str().unwrap_or_default()), &target, above);
        }
        for glob in globs {
            match self.resolve(krate, &glob["inner"]["use"]["id"]) {
                Meaning::Foreign(path, _) => {
                    self.globs.insert((prefix.to_owned(), path));
                }
                target => self.walk(prefix, &target, above),
            }
        }
        above.pop();
    }

    fn add(&mut self, path: &str, target: &Meaning, above: &mut Vec<Meaning>) {
        let kind = self.kind(target);
        let namespace = match kind.as_str() {
            "function" | "constant" | "static" => Namespace::Value,
            "macro" | "proc_macro" | "proc_derive" | "proc_attribute" => Namespace::Macro,
            _ => Namespace::Type,
        };
        if path.ends_with("::_") && namespace == Namespace::Macro {
            return;
        }
        // Traits that are imported for their methods have no name of their own.
        let path = match path.strip_suffix("::_") {
            Some(module) => format!("{module}::(methods of {})", self.bare_name(target)),
            None => path.to_owned(),
        };
        let key = (path.clone(), namespace);
        self.paths.entry(key).or_insert_with(|| target.clone());
        if kind == "module" {
            self.walk(&path, target, above);
        }
    }

    fn bare_name(&self, target: &Meaning) -> String {
        let path = match target {
            Meaning::Ours(krate, id) => self.place(krate, id),
            Meaning::Foreign(path, _) => path.clone(),
        };
        path.rsplit("::").next().unwrap_or_default().to_owned()
    }

    /// `struct`, `trait` and so on.
    pub(crate) fn kind(&self, target: &Meaning) -> String {
        match target {
            Meaning::Foreign(_, kind) => kind.clone(),
            Meaning::Ours(krate, id) => {
                let inner = self.item(krate, id)["inner"].as_object();
                // A macro has two numbers, and that of its path has no definition.
                let by_place = || self.crates[krate].json["paths"][id]["kind"].as_str().unwrap_or_default().to_owned();
                let kind = inner.and_then(|inner| inner.keys().next()).cloned().unwrap_or_else(by_place);
                if kind == "proc_macro" { "proc_derive".to_owned() } else { kind }
            }
        }
    }
}

impl Crate {
    fn new(json: Value, given_names: &BTreeMap<String, String>) -> Self {
        let places = json["paths"].as_object().into_iter().flatten();
        let own = places.filter(|(_, place)| place["crate_id"] == 0);
        let by_place = own.map(|(id, place)| {
            ((place_of(place, given_names), place["kind"].as_str().unwrap_or_default().to_owned()), id.clone())
        });
        let by_place = by_place.collect();
        Self { json, by_place }
    }
}

/// A path of rustdoc, in which each crate has its given name.
fn place_of(place: &Value, given_names: &BTreeMap<String, String>) -> String {
    let mut segments: Vec<&str> = place["path"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if let Some(first) = segments.first_mut()
        && let Some(given) = given_names.get(*first)
    {
        *first = given;
    }
    segments.join("::")
}
