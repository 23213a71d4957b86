//! What was compared, counted, and what differs, by kind and rule.

use std::collections::BTreeMap;

use super::manifests::Manifest;
use super::rules::Step;
use crate::deferred::Deferred;

/// The steps of all objects.
#[derive(Default)]
pub(super) struct Groups {
    objects: usize,
    compared: usize,
    differing: BTreeMap<Rule, Vec<Example>>,
}

/// A kind, and how its answers differ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rule {
    kind: String,
    what: String,
}

/// Where it was seen.
struct Example {
    place: String,
    step: String,
    text: String,
}

impl Groups {
    /// Takes note of the steps of one object.
    pub(super) fn add(&mut self, manifest: &Manifest, steps: Vec<Step>) {
        self.objects += 1;
        self.compared += steps.len();
        for step in steps {
            let Some(difference) = step.difference else { continue };
            let rule = Rule { kind: manifest.kind().to_owned(), what: difference.rule };
            let example = Example { place: manifest.place.to_string(), step: step.title, text: difference.example };
            self.differing.entry(rule).or_default().push(example);
        }
    }

    /// Whether a rule differs that is not listed.
    pub(super) fn has_unlisted(&self, listed: &Deferred) -> bool {
        self.differing.keys().any(|rule| !rule.is_listed(listed))
    }

    /// The groups, the largest first, and the count.
    pub(super) fn print(&self, listed: &Deferred, examples: usize) -> String {
        let mut groups: Vec<_> = self.differing.iter().collect();
        groups.sort_by_key(|(_, examples)| std::cmp::Reverse(examples.len()));
        let mut lines = Vec::new();
        for (rule, found) in &groups {
            let mark = if rule.is_listed(listed) { " (listed)" } else { "" };
            lines.push(format!("{:5}  {}: {}{mark}", found.len(), rule.kind, rule.what));
            for example in found.iter().take(if mark.is_empty() { examples } else { 0 }) {
                lines.push(format!("       {}: {}", example.place, example.step));
                lines.extend(example.text.lines().map(|line| format!("         {line}")));
            }
        }
        let differing: usize = groups.iter().map(|(_, found)| found.len()).sum();
        let known: usize = groups.iter().filter(|(rule, _)| rule.is_listed(listed)).map(|(_, found)| found.len()).sum();
        let same = self.compared - differing;
        #[expect(clippy::cast_precision_loss, reason = "a share of some ten thousand is exact enough")]
        let share = 100.0 * same as f64 / self.compared.max(1) as f64;
        lines.push(format!(
            "{} objects; {differing} of {} answers differ ({share:.2} % are the same), by {} rules; {known} of them are listed",
            self.objects, self.compared, groups.len()
        ));
        lines.push(format!("twin: {same} of {}", self.compared));
        lines.join("\n")
    }
}

impl Rule {
    /// By its kind, or for every kind.
    fn is_listed(&self, listed: &Deferred) -> bool {
        [self.kind.as_str(), "*"].iter().any(|kind| listed.has(kind, &self.what))
    }
}
