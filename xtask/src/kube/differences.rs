//! What does not hold on one version of Kubernetes, each with its reason: `conformance/kube/differences-1.34.txt`.
//!
//! From the margin the reason, below it `stage: name`. The list is exact: what fails and is not listed is a failure, and so is
//! what is listed and holds, or is listed and was not run. A version without such a file has no differences.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pintle_real::Version;

use super::{Problem, workspace};
use crate::programs::Report;

/// What was asked of a server, by name, and whether it held.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    held: BTreeSet<String>,
    failed: BTreeSet<String>,
}

impl Outcomes {
    /// Something held, or did not. What was asked several times held if it did each time.
    pub(crate) fn note(&mut self, name: &str, has_held: bool) {
        let outcomes = if has_held { &mut self.held } else { &mut self.failed };
        outcomes.insert(name.to_owned());
    }

    /// Whether anything did not hold.
    pub(crate) fn has_failed(&self) -> bool {
        !self.failed.is_empty()
    }

    /// These, and others.
    pub(crate) fn and(mut self, others: Self) -> Self {
        self.held.extend(others.held);
        self.failed.extend(others.failed);
        self
    }
}

/// The list of a version, for one stage: names and reasons.
#[derive(Debug)]
pub(crate) struct Differences(BTreeMap<String, String>);

impl Differences {
    /// What is listed for `stage` of `version`.
    pub(crate) fn of(version: Version, stage: &str) -> Result<Self, Problem> {
        Self::read(&workspace().join(format!("conformance/kube/differences-{version}.txt")), stage)
    }

    /// What a file lists for `stage`.
    pub(crate) fn read(file: &Path, stage: &str) -> Result<Self, Problem> {
        match std::fs::read_to_string(file) {
            Ok(text) => Self::parse(&text, stage).map_err(|problem| format!("{}: {problem}", file.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self(BTreeMap::new())),
            Err(error) => Err(format!("cannot read {}: {error}", file.display())),
        }
    }

    fn parse(text: &str, stage: &str) -> Result<Self, Problem> {
        let (mut listed, mut reason) = (BTreeMap::new(), None);
        for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            let Some(entry) = line.strip_prefix("    ") else {
                reason = Some(line);
                continue;
            };
            let (of, name) = entry.split_once(": ").ok_or_else(|| format!("`{entry}` is not `stage: name`"))?;
            let reason = reason.ok_or_else(|| format!("`{entry}` has no reason above it"))?;
            if of == stage {
                listed.insert(name.to_owned(), reason.to_owned());
            }
        }
        Ok(Self(listed))
    }

    /// Whether exactly what is listed did not hold; reports what differs, and why.
    pub(crate) fn judge(&self, outcomes: &Outcomes, report: Report<'_>) -> Result<(), Problem> {
        for (name, reason) in &self.0 {
            if outcomes.failed.contains(name) {
                report(&format!("differs, as listed: {name}: {reason}"));
            }
        }
        let wrong = self.wrong(outcomes);
        let (held, failed) = (outcomes.held.difference(&outcomes.failed).count(), outcomes.failed.len());
        report(&format!("{held} hold, {failed} do not, {} are listed as different", self.0.len()));
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
    }

    fn wrong(&self, outcomes: &Outcomes) -> Vec<String> {
        let is_listed = |name: &&String| self.0.contains_key(*name);
        let failed = outcomes.failed.iter().filter(|name| !is_listed(name)).map(|name| format!("{name} does not hold"));
        let stale = self.0.keys().filter(|name| !outcomes.failed.contains(*name)).map(|name| {
            let why = if outcomes.held.contains(name) { "holds" } else { "was not run" };
            format!("{name} is listed as different and {why}")
        });
        failed.chain(stale).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str =
        "# A comment.\n\nit has no such field\n    stories: a::b\n    behaviours: c\n\nolder words\n    stories: d\n";

    #[test]
    fn exactly_what_is_listed_may_fail() {
        let differences = Differences::parse(LIST, "stories").unwrap();
        let wrong = |failed: &[&str], held: &[&str]| {
            let mut outcomes = Outcomes::default();
            held.iter().for_each(|name| outcomes.note(name, true));
            failed.iter().for_each(|name| outcomes.note(name, false));
            differences.wrong(&outcomes).join("; ")
        };
        assert_eq!(wrong(&["a::b", "d"], &["e"]), "");
        assert_eq!(wrong(&["a::b", "d", "e"], &[]), "e does not hold");
        assert_eq!(wrong(&["d"], &["a::b"]), "a::b is listed as different and holds");
        assert_eq!(wrong(&["d"], &[]), "a::b is listed as different and was not run");
        // It holds on one server and not on the other: that is the difference.
        assert_eq!(wrong(&["a::b", "d"], &["a::b"]), "");
    }

    #[test]
    fn a_list_says_what_is_wrong_with_it() {
        let problem = |text| Differences::parse(text, "stories").unwrap_err();
        assert_eq!(problem("    stories: a\n"), "`stories: a` has no reason above it");
        assert_eq!(problem("why\n    a::b\n"), "`a::b` is not `stage: name`");
    }
}
