//! What kube has and Pintle has not, or has otherwise; and what Pintle has where kube has nothing and it would matter.
//!
//! In: the facts of both sides and the list of known differences. Out: a verdict. A line of the list is a difference as it
//! is printed here, ` # ` and a reason; a `*` at the end of the difference stands for any rest.

use std::collections::BTreeSet;
use std::fmt;

use public_items::{Fact, Facts};

use crate::serves::serves_for;

/// All differences, by how they are listed.
pub(crate) struct Differences(Vec<Difference>);

struct Difference {
    /// `missing …`, `differs …` or `extra …`.
    name: String,
    /// What each side says.
    details: Vec<String>,
}

/// What the list says to the differences.
pub(crate) struct Verdict {
    unknown: Vec<String>,
    stale: Vec<String>,
    pub(crate) unknown_of_kube: usize,
}

impl Differences {
    pub(crate) fn between(kube: &Facts, pintle: &Facts) -> Self {
        let mut all = Vec::new();
        for (key, wanted) in &kube.0 {
            match pintle.0.get(key) {
                Some(found) if wanted.iter().all(|wanted| found.iter().any(|found| serves_for(found, wanted))) => {}
                Some(found) => {
                    let mut details: Vec<_> = wanted.difference(found).map(|fact| format!("kube:   {fact}")).collect();
                    details.extend(found.difference(wanted).map(|fact| format!("pintle: {fact}")));
                    all.push(Difference { name: format!("differs {key}"), details });
                }
                None => {
                    let details = wanted.iter().map(|text| format!("kube:   {text}")).collect();
                    all.push(Difference { name: format!("missing {key}"), details });
                }
            }
        }
        for (key, found) in
            pintle.0.iter().filter(|(key, found)| !kube.0.contains_key(*key) && matters(key, found, kube))
        {
            let details = found.iter().map(|text| format!("pintle: {text}")).collect();
            all.push(Difference { name: format!("extra {key}"), details });
        }
        Self(all)
    }

    /// How many of kube's items are concerned.
    pub(crate) fn of_kube(&self) -> usize {
        self.0.iter().filter(|it| is_of_kube(&it.name)).count()
    }

    pub(crate) fn judge(&self, known: &str) -> Verdict {
        let lines = known.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let listed: Vec<_> =
            lines.map(|line| line.split_once(" # ").map_or(line, |(name, _)| name).trim_end()).collect();
        let mut used: BTreeSet<&str> = BTreeSet::new();
        let mut verdict = Verdict { unknown: Vec::new(), stale: Vec::new(), unknown_of_kube: 0 };
        for difference in &self.0 {
            let lines: Vec<&str> = listed.iter().copied().filter(|line| is_meant(line, &difference.name)).collect();
            if lines.is_empty() {
                verdict.unknown_of_kube += usize::from(is_of_kube(&difference.name));
                verdict.unknown.push(format!("{}\n    {}", difference.name, difference.details.join("\n    ")));
            }
            used.extend(lines);
        }
        verdict.stale = listed.iter().filter(|line| !used.contains(*line)).map(|line| (*line).to_owned()).collect();
        let without_reason =
            known.lines().filter(|line| !line.is_empty() && !line.starts_with('#') && !line.contains(" # "));
        verdict.unknown.extend(without_reason.map(|line| format!("differences.txt gives no reason for: {line}")));
        verdict
    }
}

impl Verdict {
    pub(crate) fn is_good(&self) -> bool {
        self.unknown.is_empty() && self.stale.is_empty()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for difference in &self.unknown {
            writeln!(formatter, "not in differences.txt: {difference}")?;
        }
        for line in &self.stale {
            writeln!(formatter, "no longer a difference: {line}")?;
        }
        Ok(())
    }
}

fn is_of_kube(name: &str) -> bool {
    !name.starts_with("extra ")
}

fn is_meant(line: &str, name: &str) -> bool {
    match line.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => line == name,
    }
}

/// Additions that can break a program: a name that a glob over one of kube's modules brings, a variant or a public field
/// of one of kube's types, a required item of one of kube's traits.
fn matters(key: &str, found: &BTreeSet<Fact>, kube: &Facts) -> bool {
    let Some((what, path)) = key.split_once(' ') else {
        return false;
    };
    let has = |what: &str, path: &str| kube.0.contains_key(&format!("{what} {path}"));
    let is = |text: &str| found.iter().any(|found| found.text.contains(text));
    match what {
        // A module of our own is where additions belong.
        "path" if path.starts_with("kube::") => {
            path.rsplit_once("::").is_some_and(|(module, _)| has_module(kube, module)) && !is("module")
        }
        "variant" => path.rsplit_once("::").is_some_and(|(enumeration, _)| has("enum", enumeration)),
        "field" => path.rsplit_once('.').is_some_and(|(structure, _)| has("struct", structure)),
        "fn" => is(", required") && path.rsplit_once("::").is_some_and(|(one, _)| has("trait", one)),
        _ => false,
    }
}

fn has_module(facts: &Facts, path: &str) -> bool {
    let is_module = |texts: &BTreeSet<Fact>| texts.iter().any(|fact| fact.text == "module");
    !path.contains("::") || facts.0.get(&format!("path {path}")).is_some_and(is_module)
}
