//! Two transcripts of one script, compared answer by answer.
//!
//! In: two transcripts. Out: for each answer its title and whether both sides give the same one. What a transcript has
//! numbered (`rv3`, `uid1`, …) may have other numbers on the other side, as long as each stands for one and the same:
//! a server that makes one object more must not differ in everything that follows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

/// One answer, as two servers gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Compared {
    /// The step's title; a second one of the same title has ` (2)` after it.
    pub(crate) title: String,
    pub(crate) is_same: bool,
}

/// Compares every answer of two transcripts of the same script.
pub(crate) fn compare(left: &str, right: &str) -> Vec<Compared> {
    let (lefts, rights) = (answers(left), answers(right));
    let mut numbers = Numbers::default();
    let titles = titles(if lefts.len() >= rights.len() { &lefts } else { &rights });
    let pairs = (0..titles.len()).map(|index| (lefts.get(index), rights.get(index)));
    let is_same = pairs.map(|pair| match pair {
        (Some((VERSIONS, left)), Some((VERSIONS, right))) => numbers.are_in_one_order(left, right),
        (Some((_, left)), Some((_, right))) => numbers.agree(left, right),
        _ => false,
    });
    titles.into_iter().zip(is_same).map(|(title, is_same)| Compared { title, is_same }).collect()
}

/// The title and the text of each answer.
fn answers(transcript: &str) -> Vec<(&str, &str)> {
    // A step without a title is called by what it asks, which is on the next line.
    let sections = transcript.split("\n###").skip(1).map(|text| text.trim_start_matches([' ', '\n']));
    sections.map(|section| section.split_once('\n').unwrap_or((section, ""))).collect()
}

fn titles(answers: &[(&str, &str)]) -> Vec<String> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut titles = Vec::new();
    for (title, _) in answers {
        let count = seen.entry(title).or_default();
        *count += 1;
        titles.push(if *count == 1 { (*title).to_owned() } else { format!("{title} ({count})") });
    }
    titles
}

/// Which number of one side is which of the other.
#[derive(Default)]
struct Numbers {
    to_right: BTreeMap<String, String>,
    to_left: BTreeMap<String, String>,
}

impl Numbers {
    /// Whether two texts are the same but for numbers that stand for the same. What is learnt is kept only if they are.
    fn agree(&mut self, left: &str, right: &str) -> bool {
        if NUMBERED.replace_all(left, "$kind") != NUMBERED.replace_all(right, "$kind") {
            return false;
        }
        let mut learnt = Vec::new();
        for (left, right) in NUMBERED.find_iter(left).zip(NUMBERED.find_iter(right)) {
            match (left.as_str(), right.as_str()) {
                (left, right) if left.ends_with('+') => {
                    if !self.may_be_there(left, right) {
                        return false;
                    }
                }
                (left, right) if self.may_be(left, right) => learnt.push((left.to_owned(), right.to_owned())),
                _ => return false,
            }
        }
        for (left, right) in learnt {
            self.to_left.insert(right.clone(), left.clone());
            self.to_right.insert(left, right);
        }
        true
    }

    fn may_be(&self, left: &str, right: &str) -> bool {
        let known = (self.to_right.get(left), self.to_left.get(right));
        match known {
            (None, None) => true,
            (to_right, to_left) => {
                to_right.is_some_and(|known| known == right) && to_left.is_some_and(|known| known == left)
            }
        }
    }

    /// Whether a list can stand at these places: after one that only one side has, it can.
    fn may_be_there(&self, left: &str, right: &str) -> bool {
        let (left, right) = (left.trim_end_matches('+'), right.trim_end_matches('+'));
        match (self.to_right.get(left), self.to_left.get(right)) {
            (Some(known), Some(_)) => known == right,
            _ => true,
        }
    }

    /// Whether the versions that both have are in the same order.
    fn are_in_one_order(&self, left: &str, right: &str) -> bool {
        let of =
            |text: &str| -> Vec<String> { NUMBERED.find_iter(text).map(|found| found.as_str().to_owned()).collect() };
        let (lefts, rights) = (of(left), of(right));
        let theirs: BTreeSet<&String> = rights.iter().collect();
        let both: Vec<&String> = lefts
            .iter()
            .filter_map(|version| self.to_right.get(version))
            .filter(|version| theirs.contains(version))
            .collect();
        let known: BTreeSet<&String> = both.iter().copied().collect();
        rights.iter().filter(|version| known.contains(version)).eq(both)
    }
}

/// The title of what stands at the end of a transcript.
const VERSIONS: &str = "versions";

/// What [`crate::mask`] has numbered.
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u:\b)(?<kind>rv|uid|hash|ip|continue|name)[0-9]+(?-u:\b)\+?").expect("the pattern is written here")
});

#[cfg(test)]
mod tests {
    use super::*;

    fn transcript(answers: &[&str]) -> String {
        let answer = |(index, answer): (usize, &&str)| format!("\n### step {index}\n{answer}\n");
        format!("# a/b\n{}", answers.iter().enumerate().map(answer).collect::<String>())
    }

    fn same(left: &[&str], right: &[&str]) -> Vec<bool> {
        compare(&transcript(left), &transcript(right)).iter().map(|answer| answer.is_same).collect()
    }

    #[test]
    fn one_object_more_does_not_make_everything_after_it_differ() {
        let left = ["201 rv1 uid1", "201 rv2 uid2", "201 rv3 uid3", "200 rv3", "list rv3+"];
        let right = ["201 rv1 uid1", "422", "201 rv2 uid2", "200 rv2", "list rv2+"];
        assert_eq!(same(&left, &right), [true, false, true, true, true]);
    }

    #[test]
    fn one_number_stands_for_one_thing() {
        assert_eq!(same(&["rv1", "rv1"], &["rv1", "rv2"]), [true, false]);
        assert_eq!(same(&["rv1", "rv2"], &["rv1", "rv1"]), [true, false]);
        assert_eq!(same(&["rv1", "rv2", "rv1+"], &["rv1", "rv2", "rv2+"]), [true, true, false]);
    }

    #[test]
    fn the_order_of_versions_is_that_of_those_which_both_have() {
        let with = |answers: &[&str], order: &str| format!("{}\n### versions\n{order}\n", transcript(answers));
        let left = with(&["rv1", "rv2", "rv3"], "rv1 < rv2 < rv3");
        let right = with(&["rv1", "no", "rv2"], "rv1 < rv2");
        let wrong = with(&["rv1", "no", "rv2"], "rv2 < rv1");
        assert!(compare(&left, &right).last().unwrap().is_same);
        assert!(!compare(&left, &wrong).last().unwrap().is_same);
    }

    #[test]
    fn a_title_that_comes_again_is_counted() {
        let text = "# a/b\n\n### x\nGET\n\n###\nCOMPACT\n\n### x\nGET\n";
        let titles: Vec<String> = compare(text, text).into_iter().map(|answer| answer.title).collect();
        assert_eq!(titles, ["x", "COMPACT", "x (2)"]);
    }

    #[test]
    fn a_transcript_that_is_not_there_differs_in_every_answer() {
        assert_eq!(same(&["a", "b"], &[]), [false, false]);
    }
}
