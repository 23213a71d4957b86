//! Everything public of one crate as text: one line per item, sorted, so that a change of it is seen in review.
//!
//! A definition stands under its shortest path in the crate that defines it. Its other paths are `use` lines; what is
//! inside a module that another crate defines is listed there.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::Facts;
use crate::spelling::Names;
use crate::world::{Meaning, World};

/// The listing of one of the world's crates.
pub fn listing(world: &World, krate: &str) -> String {
    let names = Names::by_rank(world, |meaning, path| {
        let is_at_home = matches!(meaning, Meaning::Ours(home, _) if path.starts_with(&format!("{home}::")));
        (!is_at_home, path.matches("::").count(), path.len(), path.to_owned())
    });
    let mut lines = uses(&names, krate);
    lines.extend(definitions(&names, krate));
    let mut text = String::new();
    for line in lines {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The crate's modules, and the paths that lead to something which has another name.
fn uses(names: &Names<'_>, krate: &str) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    let mut elsewhere: Vec<String> = Vec::new();
    let prefix = format!("{krate}::");
    for ((path, namespace), meaning) in names.world.paths.iter().filter(|((path, _), _)| path.starts_with(&prefix)) {
        if elsewhere.iter().any(|module| path.starts_with(module)) {
            continue;
        }
        let kind = names.world.kind(meaning);
        let target = target(names, meaning);
        match (target == *path, kind.as_str()) {
            (true, "module") => drop(lines.insert(format!("mod {path}"))),
            (true, "macro") => drop(lines.insert(format!("macro {path}"))),
            (true, _) => {}
            (false, _) => {
                lines.insert(format!("use {path}{} = {kind} {target}", namespace.mark()));
            }
        }
        if target != *path && kind == "module" {
            elsewhere.push(format!("{path}::"));
        }
    }
    let globs = names.world.globs.iter().filter(|(module, _)| module == krate || module.starts_with(&prefix));
    lines.extend(globs.map(|(module, other)| format!("use {module}::* = {other}::*")));
    lines
}

fn target(names: &Names<'_>, meaning: &Meaning) -> String {
    match meaning {
        Meaning::Foreign(place, _) => place.clone(),
        Meaning::Ours(krate, id) => {
            let place = || names.world.place(krate, id);
            names.public(meaning).cloned().unwrap_or_else(place)
        }
    }
}

/// What is defined in the crate. Implementations without conditions or associated types share one line per type.
fn definitions(names: &Names<'_>, krate: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut plain: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (key, facts) in Facts::of_crate(names, krate).0 {
        let implementation = key.strip_prefix("impl ").and_then(|it| it.split_once(" for "));
        for fact in facts {
            match implementation {
                Some((name, subject)) if fact.text.is_empty() && fact.conditions.is_empty() => {
                    plain.entry(subject.to_owned()).or_default().insert(name.to_owned());
                }
                _ => lines.push(brief(&key, &fact.to_string())),
            }
        }
    }
    lines.extend(
        plain.into_iter().map(|(subject, traits)| {
            format!("impl for {subject}: {}", traits.into_iter().collect::<Vec<_>>().join(", "))
        }),
    );
    lines.sort();
    lines
}

/// A line as people read it: `Self` for the type a method is of, no path before what the standard library has, and
/// nothing where there are no parameters and no result.
fn brief(key: &str, fact: &str) -> String {
    let owner = key.strip_prefix("fn ").and_then(|path| path.rsplit_once("::")).map_or("", |(owner, _)| owner);
    let fact = format!(" {fact}").replacen(" <0>", "", 1).replace(" -> ()", "");
    // With its parameters the owner is found as text; without them it could be the beginning of a longer path.
    let fact = if owner.ends_with('>') { fact.replace(owner, "Self") } else { fact };
    let is_of_path = |it: char| it.is_alphanumeric() || it == '_' || it == ':';
    let mut line = key.to_owned();
    for token in fact.split_inclusive(|it: char| !is_of_path(it)) {
        let path = token.trim_end_matches(|it: char| !is_of_path(it));
        let is_standard = ["core::", "alloc::", "std::"].iter().any(|name| path.starts_with(name));
        let last = path.rsplit("::").next().filter(|_| is_standard);
        line.push_str(if path == owner && !path.is_empty() { "Self" } else { last.unwrap_or(path) });
        line.push_str(&token[path.len()..]);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_as_short_as_one_would_say_it() {
        let key = "fn a::Set::add";
        assert_eq!(brief(key, "<0>(&mut a::Set, a::SetOf<a::Set>) -> ()"), "fn a::Set::add(&mut Self, a::SetOf<Self>)");
        assert_eq!(brief("type a::List", "<0> = alloc::vec::Vec<a::Item>"), "type a::List = Vec<a::Item>");
        let key = "fn a::Api<T1>::get";
        assert_eq!(
            brief(key, "async <1>(&a::Api<T1>) -> core::option::Option<T1>"),
            format!("{key} async <1>(&Self) -> Option<T1>")
        );
    }
}
