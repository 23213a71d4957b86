//! The five crates of one side as a program sees them: which public path leads to which definition.
//!
//! In: rustdoc's JSON of the crates. Out: every public path, through all re-exports, with what it means. Pintle's crates
//! are called by kube's names from here on.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use serde_json::Value;

use crate::{Result, documentation};

/// All crates of one side.
pub(crate) struct World {
    crates: BTreeMap<String, Crate>,
    /// What each public path means, with the namespace of its name: a trait and a macro may share one.
    pub(crate) paths: BTreeMap<(String, Namespace), Meaning>,
    /// Globs over crates that are not ours, which bring all of their names.
    pub(crate) globs: BTreeSet<(String, String)>,
}

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
pub(crate) enum Meaning {
    /// A definition in one of the crates: the crate and rustdoc's number.
    Ours(String, String),
    /// Something of another crate, by its place there and its kind.
    Foreign(String, String),
}

/// What follows the name of each side.
pub(crate) const CRATES: [&str; 5] = ["", "_core", "_client", "_runtime", "_derive"];

impl World {
    /// The crates whose names begin with `side`.
    pub(crate) fn of(side: &str, remembered: &Path) -> Result<Self> {
        let mut world = Self { crates: BTreeMap::new(), paths: BTreeMap::new(), globs: BTreeSet::new() };
        for suffix in CRATES {
            let json = documentation::of(&format!("{side}{suffix}"), remembered)?;
            world.crates.insert(format!("kube{suffix}"), Crate::new(json));
        }
        for suffix in CRATES {
            let name = format!("kube{suffix}");
            let root = world.crates[&name].json["root"].to_string();
            world.walk(&name, &Meaning::Ours(name.clone(), root), &mut Vec::new());
        }
        Ok(world)
    }

    /// The paths that both sides have.
    pub(crate) fn paths_also_in(&self, other: &Self) -> BTreeSet<String> {
        let both = self.paths.keys().filter(|path| other.paths.contains_key(*path));
        both.map(|(path, _)| path.clone()).collect()
    }

    /// The crates' own definitions of traits' implementations.
    pub(crate) fn implementations(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.crates.iter().flat_map(|(name, krate)| {
            let items = krate.json["index"].as_object().into_iter().flat_map(|index| index.values());
            items
                .filter(|item| item["crate_id"] == 0)
                .map(|item| &item["inner"]["impl"])
                .filter_map(move |it| if it.is_null() { None } else { Some((name.as_str(), it)) })
        })
    }

    /// What rustdoc's number means in a crate.
    pub(crate) fn resolve(&self, krate: &str, id: &Value) -> Meaning {
        let (id, known) = (id.to_string(), &self.crates[krate]);
        if known.json["index"][&id]["crate_id"] == 0 {
            return Meaning::Ours(krate.to_owned(), id);
        }
        let place = &known.json["paths"][&id];
        let (path, kind) = (place_of(place), place["kind"].as_str().unwrap_or_default().to_owned());
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
        place_of(&self.crates[krate].json["paths"][id])
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
            self.add(&format!("{prefix}::{}", name.as_str().unwrap_or_default()), target, above);
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

    fn add(&mut self, path: &str, target: Meaning, above: &mut Vec<Meaning>) {
        let kind = self.kind(&target);
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
            Some(module) => format!("{module}::(methods of {})", self.bare_name(&target)),
            None => path.to_owned(),
        };
        let key = (path.clone(), namespace);
        if !self.paths.contains_key(&key) {
            self.paths.insert(key, target.clone());
        }
        if kind == "module" {
            self.walk(&path, &target, above);
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
    fn new(json: Value) -> Self {
        let places = json["paths"].as_object().into_iter().flatten();
        let own = places.filter(|(_, place)| place["crate_id"] == 0);
        let by_place = own
            .map(|(id, place)| ((place_of(place), place["kind"].as_str().unwrap_or_default().to_owned()), id.clone()));
        let by_place = by_place.collect();
        Self { json, by_place }
    }
}

/// A path of rustdoc, with Pintle's crates under kube's names.
fn place_of(place: &Value) -> String {
    let segments = place["path"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let path = segments.collect::<Vec<_>>().join("::");
    match path.strip_prefix("pintle") {
        Some(rest) if CRATES.contains(&rest.split("::").next().unwrap_or_default()) => format!("kube{rest}"),
        _ => path,
    }
}
