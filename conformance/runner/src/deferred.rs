//! The differences that are known, and what defers each.
//!
//! In: `conformance/scripts/differences.txt`. Out: for each answer that differs, the sentence that defers it. A
//! difference that is not listed there is a mistake of the embedded server.
//!
//! ```text
//!   "CEL rules … are accepted with a `Warning` naming what is not enforced yet" (issue 8)
//!       crd/rules: one does not
//!       admission/policies: *
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The list, by script and title.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Deferred {
    /// Script and title, and the sentence.
    sentences: BTreeMap<(String, String), String>,
}

impl Deferred {
    /// Reads the list of a folder; nothing is deferred where there is none.
    pub(crate) fn read(folder: &Path) -> Result<Deferred, String> {
        let path = folder.join(FILE);
        match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Deferred::default()),
            Err(error) => Err(format!("cannot read {}: {error}", path.display())),
            Ok(text) => Deferred::parse(&text).map_err(|mistake| format!("{}:{mistake}", path.display())),
        }
    }

    pub(crate) fn parse(text: &str) -> Result<Deferred, String> {
        let mut deferred = Deferred::default();
        let mut sentence = None;
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let mistake = |what: &str| format!("{}: {what}", index + 1);
            match (line.starts_with(' '), line.trim()) {
                (_, comment) if comment.starts_with('#') => {}
                (false, line) => sentence = Some(line.to_owned()),
                (true, line) => {
                    let sentence =
                        sentence.clone().ok_or_else(|| mistake("say first what defers it, from the margin"))?;
                    let entry = line.split_once(": ").ok_or_else(|| mistake("write `script: title of the step`"))?;
                    let key = (entry.0.to_owned(), entry.1.to_owned());
                    if deferred.sentences.insert(key, sentence).is_some() {
                        return Err(mistake("it is listed twice"));
                    }
                }
            }
        }
        Ok(deferred)
    }

    /// Whether a difference is listed.
    pub(crate) fn has(&self, script: &str, title: &str) -> bool {
        self.sentences.contains_key(&(script.to_owned(), title.to_owned()))
    }

    /// What is listed and does not differ, as it stands in the list.
    pub(crate) fn gone(&self, differing: &BTreeSet<(&str, &str)>) -> Vec<String> {
        let is_gone = |(script, title): &&(String, String)| !differing.contains(&(script.as_str(), title.as_str()));
        self.sentences.keys().filter(is_gone).map(|(script, title)| format!("{script}: {title}")).collect()
    }

    /// How many of the answers that differ each sentence defers, the most first.
    pub(crate) fn counts(&self, differing: &BTreeSet<(&str, &str)>) -> Vec<(usize, &str)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for ((script, title), sentence) in &self.sentences {
            if differing.contains(&(script.as_str(), title.as_str())) {
                *counts.entry(sentence).or_default() += 1;
            }
        }
        let mut counts: Vec<(usize, &str)> = counts.into_iter().map(|(sentence, count)| (count, sentence)).collect();
        counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        counts
    }
}

/// Where it is, beside the scripts.
pub(crate) const FILE: &str = "differences.txt";

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str =
        "# a comment\n\"not yet\" (issue 8)\n    crd/rules: one: two\n    crd/rules: other\n\nlater\n    a/b: c\n";

    #[test]
    fn a_list_says_what_defers_which_answer() {
        let deferred = Deferred::parse(LIST).unwrap();
        assert!(deferred.has("crd/rules", "one: two") && deferred.has("a/b", "c") && !deferred.has("a/b", "d"));
        let differing = BTreeSet::from([("crd/rules", "one: two"), ("a/b", "c"), ("x/y", "z")]);
        assert_eq!(deferred.gone(&differing), ["crd/rules: other"]);
        assert_eq!(deferred.counts(&differing), [(1, "\"not yet\" (issue 8)"), (1, "later")]);
    }

    #[test]
    fn a_list_that_cannot_be_read_says_where() {
        assert_eq!(Deferred::parse("  a/b: c\n").unwrap_err(), "1: say first what defers it, from the margin");
        assert_eq!(Deferred::parse("x\n  a/b c\n").unwrap_err(), "2: write `script: title of the step`");
        assert_eq!(Deferred::parse("x\n  a/b: c\ny\n  a/b: c\n").unwrap_err(), "4: it is listed twice");
    }
}
