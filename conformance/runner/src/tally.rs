//! How many answers differ, script by script, and whether each difference is known.
//!
//! In: transcripts of two servers, and the list of what is deferred. Out: text to print. A difference that is not
//! listed is a failure; one that is listed and gone is reported, so that its line is removed.

use std::collections::BTreeSet;

use crate::answers::{self, Compared};
use crate::command::Outcome;
use crate::deferred::{self, Deferred};

/// The answers of many scripts, compared.
#[derive(Default)]
pub(crate) struct Tally {
    scripts: Vec<(String, Vec<Compared>)>,
}

impl Tally {
    /// Compares the transcripts of one more script.
    pub(crate) fn add(&mut self, script: &str, left: &str, right: &str) {
        self.scripts.push((script.to_owned(), answers::compare(left, right)));
    }

    /// Script and title of each answer that differs.
    pub(crate) fn differing(&self) -> BTreeSet<(&str, &str)> {
        self.scripts
            .iter()
            .flat_map(|(script, answers)| differing_of(answers).map(|answer| (script.as_str(), answer.title.as_str())))
            .collect()
    }

    /// One line a script, and the sum.
    pub(crate) fn print(&self, left: &str, right: &str) -> String {
        let verdict = |answers: &[Compared]| match differing_of(answers).count() {
            0 => "same".to_owned(),
            differing => format!("{differing} of {} answers differ", answers.len()),
        };
        let lines = self.scripts.iter().filter(|_| self.scripts.len() > 1);
        let mut lines: Vec<String> =
            lines.map(|(script, answers)| format!("{script:32} {}", verdict(answers))).collect();
        let all: usize = self.scripts.iter().map(|(_, answers)| answers.len()).sum();
        let scripts = self.scripts.iter().filter(|(_, answers)| differing_of(answers).next().is_some()).count();
        let differing = self.differing().len();
        let sum = format!("{differing} of {all} answers differ, in {scripts} of {} scripts", self.scripts.len());
        lines.push(format!("{left} and {right}: {sum}"));
        lines.join("\n")
    }

    /// What is to be said about the differences, and whether all of them are listed.
    pub(crate) fn settle(&self, deferred: &Deferred) -> (String, Outcome) {
        let differing = self.differing();
        let unlisted: Vec<String> = differing
            .iter()
            .filter(|(script, title)| !deferred.has(script, title))
            .map(|(script, title)| format!("not listed in {}: {script}: {title}", deferred::FILE))
            .collect();
        let gone = deferred.gone(&differing);
        let gone = gone.iter().map(|entry| format!("no longer differs, take it out of {}: {entry}", deferred::FILE));
        let counts = deferred.counts(&differing).into_iter().map(|(count, sentence)| format!("{count:5}  {sentence}"));
        let outcome = if unlisted.is_empty() { Outcome::Same } else { Outcome::Different };
        let (all, bad) = (differing.len(), unlisted.len());
        let sum =
            format!("{all} differences: {} are listed in {} and deferred, {bad} are not", all - bad, deferred::FILE);
        (gone.chain(unlisted).chain(counts).chain([sum]).collect::<Vec<_>>().join("\n"), outcome)
    }
}

fn differing_of(answers: &[Compared]) -> impl Iterator<Item = &Compared> {
    answers.iter().filter(|answer| !answer.is_same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_counted_and_must_be_listed() {
        let mut tally = Tally::default();
        tally.add("a/same", "# a\n\n### x\n200\n", "# a\n\n### x\n200\n");
        tally.add("a/other", "# a\n\n### x\n200\n\n### y\n200\n", "# a\n\n### x\n201\n\n### y\n200\n");
        let text = tally.print("golden", "embedded");
        assert!(text.contains("a/other                          1 of 2 answers differ"), "{text}");
        assert!(text.ends_with("golden and embedded: 1 of 3 answers differ, in 1 of 2 scripts"), "{text}");
        let (text, outcome) = tally.settle(&Deferred::default());
        assert_eq!(outcome, Outcome::Different);
        assert!(text.contains("not listed in differences.txt: a/other: x"), "{text}");
        let listed = Deferred::parse("later\n    a/other: x\n    a/same: x\n").unwrap();
        let (text, outcome) = tally.settle(&listed);
        assert_eq!(outcome, Outcome::Same);
        assert!(text.contains("no longer differs, take it out of differences.txt: a/same: x"), "{text}");
        assert!(text.ends_with("1 differences: 1 are listed in differences.txt and deferred, 0 are not"), "{text}");
    }
}
