//! Types, bounds and signatures as text that is the same for the same thing, however it was written.
//!
//! In: rustdoc's JSON of a type in a crate. Out: text in which every definition has its public path, type parameters are
//! called by their position, `Self` is the type it stands for, aliases are expanded, and lifetimes but `'static` are left
//! out: they may be written or elided at will.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use crate::world::{Meaning, World};

/// How the definitions are called.
#[derive(Debug)]
pub struct Names<'a> {
    pub(crate) world: &'a World,
    public: BTreeMap<Meaning, String>,
}

/// What the names of type parameters mean in one place.
#[derive(Clone, Default)]
pub(crate) struct Scope {
    names: HashMap<String, String>,
    count: usize,
}

/// Spells what stands in one crate, in one scope.
pub(crate) struct Speller<'a> {
    names: &'a Names<'a>,
    krate: &'a str,
    pub(crate) scope: Scope,
    /// Whether something was met that no program can name.
    pub(crate) met_private: Cell<bool>,
}

impl<'a> Names<'a> {
    /// Of the public paths that lead to a definition, the one with the least `rank` is its name.
    pub fn by_rank<R: Ord>(world: &'a World, rank: impl Fn(&Meaning, &str) -> R) -> Self {
        let mut public: BTreeMap<Meaning, String> = BTreeMap::new();
        for ((path, _), meaning) in world.paths.iter().filter(|((path, _), _)| !path.contains('(')) {
            let known = public.entry(meaning.clone()).or_insert_with(|| path.clone());
            if rank(meaning, path) < rank(meaning, known) {
                path.clone_into(known);
            }
        }
        Self { world, public }
    }

    pub(crate) fn public(&self, meaning: &Meaning) -> Option<&String> {
        self.public.get(meaning)
    }

    pub(crate) fn speller(&'a self, krate: &'a str, scope: Scope) -> Speller<'a> {
        Speller { names: self, krate, scope, met_private: Cell::new(false) }
    }
}

impl Scope {
    /// With these parameters too, each called by its position.
    pub(crate) fn with(mut self, prefix: &str, parameters: impl IntoIterator<Item = String>) -> Self {
        for parameter in parameters {
            self.count += 1;
            let name = format!("{prefix}{}", self.count);
            self.names.insert(parameter, name);
        }
        self
    }

    pub(crate) fn with_self(mut self, text: String) -> Self {
        self.names.insert("Self".to_owned(), text);
        self
    }

    fn means(mut self, parameter: &str, text: String) -> Self {
        self.names.insert(parameter.to_owned(), text);
        self
    }
}

impl Speller<'_> {
    pub(crate) fn world(&self) -> &World {
        self.names.world
    }

    pub(crate) fn type_(&self, it: &Value) -> String {
        let Some((kind, inner)) = it.as_object().and_then(|it| it.iter().next()) else {
            return it.as_str().unwrap_or("()").to_owned();
        };
        match kind.as_str() {
            "resolved_path" => self.path(inner),
            "generic" => self.parameter(inner.as_str().unwrap_or_default()),
            "primitive" => inner.as_str().unwrap_or_default().to_owned(),
            "tuple" => format!("({})", self.types(inner).join(", ")),
            "slice" => format!("[{}]", self.type_(inner)),
            "array" => format!("[{}; {}]", self.type_(&inner["type"]), inner["len"].as_str().unwrap_or_default()),
            "borrowed_ref" => {
                let lifetime = if inner["lifetime"] == "'static" { "'static " } else { "" };
                format!("&{lifetime}{}{}", mutable(inner), self.type_(&inner["type"]))
            }
            "raw_pointer" => format!("*{}{}", mutable(inner), self.type_(&inner["type"])),
            "impl_trait" => format!("impl {}", self.bounds(inner).join(" + ")),
            "dyn_trait" => {
                let mut traits: Vec<_> = list(&inner["traits"]).map(|one| self.path(&one["trait"])).collect();
                traits.sort();
                traits.extend((inner["lifetime"] == "'static").then(|| "'static".to_owned()));
                format!("dyn {}", traits.join(" + "))
            }
            "qualified_path" => {
                format!("{}::{}", self.type_(&inner["self_type"]), inner["name"].as_str().unwrap_or_default())
            }
            "function_pointer" => format!("fn{}", self.signature(&inner["sig"])),
            other => format!("?{other}"),
        }
    }

    fn types(&self, all: &Value) -> Vec<String> {
        list(all).map(|one| self.type_(one)).collect()
    }

    fn parameter(&self, name: &str) -> String {
        self.scope.names.get(name).cloned().unwrap_or_else(|| name.to_owned())
    }

    /// The path of a type or a trait, with its arguments.
    pub(crate) fn path(&self, it: &Value) -> String {
        let meaning = self.names.world.resolve(self.krate, &it["id"]);
        if let Some(expanded) = self.expand(&meaning, &it["args"]) {
            return expanded;
        }
        let name = match (self.names.public(&meaning), &meaning) {
            // What both sides take from elsewhere is called as it is there.
            (_, Meaning::Foreign(path, _)) => path.clone(),
            (Some(path), _) => path.clone(),
            (None, Meaning::Ours(krate, id)) => {
                self.met_private.set(true);
                let place = self.names.world.place(krate, id);
                format!("private {}", place.rsplit("::").next().unwrap_or_default())
            }
        };
        format!("{name}{}", self.arguments(&it["args"]))
    }

    fn arguments(&self, it: &Value) -> String {
        if let Some(inside) = it.get("parenthesized") {
            let output = match &inside["output"] {
                Value::Null => String::new(),
                output => format!(" -> {}", self.type_(output)),
            };
            return format!("({}){output}", self.types(&inside["inputs"]).join(", "));
        }
        let inside = &it["angle_bracketed"];
        let types = list(&inside["args"]).filter_map(|one| one.get("type")).map(|one| self.type_(one));
        let constraints = list(&inside["constraints"]).map(|one| {
            let name = one["name"].as_str().unwrap_or_default();
            match &one["binding"]["equality"]["type"] {
                Value::Null => format!("{name}: {}", self.bounds(&one["binding"]["constraint"]).join(" + ")),
                equal => format!("{name} = {}", self.type_(equal)),
            }
        });
        let all: Vec<_> = types.chain(constraints).collect();
        if all.is_empty() { String::new() } else { format!("<{}>", all.join(", ")) }
    }

    /// An alias as what it stands for.
    fn expand(&self, meaning: &Meaning, arguments: &Value) -> Option<String> {
        let given: Vec<_> = list(&arguments["angle_bracketed"]["args"])
            .filter_map(|one| one.get("type"))
            .map(|one| self.type_(one))
            .collect();
        let (krate, id) = match meaning {
            Meaning::Ours(krate, id) => (krate, id),
            Meaning::Foreign(path, _) => return foreign_alias(path, &given),
        };
        let alias = self.names.world.item(krate, id)["inner"].get("type_alias")?;
        let inside = self.names.speller(krate, Scope::default());
        let mut scope = Scope::default();
        for (index, parameter) in list(&alias["generics"]["params"]).filter(|it| is_type(it)).enumerate() {
            let default = || inside.type_(&parameter["kind"]["type"]["default"]);
            let text = given.get(index).cloned().unwrap_or_else(default);
            scope = scope.means(parameter["name"].as_str().unwrap_or_default(), text);
        }
        Some(self.names.speller(krate, scope).type_(&alias["type"]))
    }

    /// Bounds in alphabetical order, since their order means nothing.
    pub(crate) fn bounds(&self, all: &Value) -> Vec<String> {
        let mut bounds: Vec<_> = list(all).filter_map(|bound| self.bound(bound)).collect();
        bounds.sort();
        bounds.dedup();
        bounds
    }

    fn bound(&self, it: &Value) -> Option<String> {
        if it["outlives"] == "'static" {
            return Some("'static".to_owned());
        }
        let bound = it.get("trait_bound")?;
        let question = if bound["modifier"] == "maybe" { "?" } else { "" };
        let path = self.path(&bound["trait"]);
        // For every lifetime is what the other trait is an abbreviation of.
        let is_for_all = path == "serde_core::de::Deserialize" && list(&bound["generic_params"]).next().is_some();
        Some(if is_for_all { "serde_core::de::DeserializeOwned".to_owned() } else { format!("{question}{path}") })
    }

    /// `(inputs) -> output`
    pub(crate) fn signature(&self, it: &Value) -> String {
        let inputs: Vec<_> = list(&it["inputs"]).map(|input| self.type_(&input[1])).collect();
        let output = match &it["output"] {
            Value::Null => "()".to_owned(),
            output => self.type_(output),
        };
        format!("({}) -> {output}", inputs.join(", "))
    }

    /// What is asked of type parameters, one condition for each bound.
    pub(crate) fn conditions(&self, generics: &Value) -> BTreeSet<String> {
        let mut conditions = BTreeSet::new();
        let mut add = |subject: &str, bounds: &Value| {
            // What is said of types without parameters holds, or the crate would not compile; and how a macro of
            // pin-project proves `Unpin` is its own affair.
            let mut parameters = self.scope.names.iter().filter(|(name, _)| *name != "Self").map(|(_, name)| name);
            let is_open = subject.contains("Self") || parameters.any(|name| subject.contains(name.as_str()));
            if is_open && !subject.contains("PinnedFieldsOf") {
                conditions.extend(self.bounds(bounds).into_iter().map(|bound| format!("{subject}: {bound}")));
            }
        };
        for parameter in list(&generics["params"]).filter(|it| is_type(it) && !is_synthetic(it)) {
            add(&self.parameter(parameter["name"].as_str().unwrap_or_default()), &parameter["kind"]["type"]["bounds"]);
        }
        for predicate in list(&generics["where_predicates"]).filter_map(|it| it.get("bound_predicate")) {
            add(&self.type_(&predicate["type"]), &predicate["bounds"]);
        }
        conditions
    }
}

/// The names of the type parameters that are written out.
pub(crate) fn parameters(generics: &Value) -> Vec<String> {
    let written = list(&generics["params"]).filter(|it| is_type(it) && !is_synthetic(it));
    written.filter_map(|it| it["name"].as_str()).map(str::to_owned).collect()
}

/// The type parameters that a type mentions, in the order it does.
pub(crate) fn mentioned(it: &Value, into: &mut Vec<String>) {
    match it {
        Value::Object(object) => {
            if let Some(name) = object.get("generic").and_then(Value::as_str)
                && !into.iter().any(|known| known == name)
            {
                into.push(name.to_owned());
            }
            object.values().for_each(|value| mentioned(value, into));
        }
        Value::Array(array) => array.iter().for_each(|value| mentioned(value, into)),
        _ => {}
    }
}

pub(crate) fn list(it: &Value) -> impl Iterator<Item = &Value> {
    it.as_array().into_iter().flatten()
}

fn is_type(parameter: &Value) -> bool {
    parameter["kind"].get("type").is_some()
}

fn is_synthetic(parameter: &Value) -> bool {
    parameter["kind"]["type"]["is_synthetic"] == true
}

fn mutable(it: &Value) -> &'static str {
    if it["is_mutable"] == true { "mut " } else { "" }
}

/// The aliases of other crates that signatures mention.
fn foreign_alias(path: &str, given: &[String]) -> Option<String> {
    if path == "tower::BoxError" {
        return Some("alloc::boxed::Box<dyn core::error::Error + core::marker::Send + core::marker::Sync>".to_owned());
    }
    let error = match path {
        "core::fmt::Result" => "core::fmt::Error",
        "std::io::error::Result" => "std::io::error::Error",
        "serde_json::error::Result" => "serde_json::error::Error",
        _ => return None,
    };
    let value = given.first().map_or("()", String::as_str);
    Some(format!("core::result::Result<{value}, {error}>"))
}
