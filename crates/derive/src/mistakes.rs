//! The mistakes of one macro call, so that all are reported at once, each at its place and each once.
//!
//! One mistake must not be reported twice: a name with a wrong value is not missing as well. So the names that mistakes
//! are about are kept.

use proc_macro2::Span;
use syn::{Error, Result};

/// The mistakes found so far.
#[derive(Default)]
pub(crate) struct Mistakes {
    found: Vec<Error>,
    about: Vec<String>,
}

impl Mistakes {
    pub(crate) fn add(&mut self, mistake: Error) {
        self.found.push(mistake);
    }

    /// A mistake in the value of `name`.
    pub(crate) fn add_about(&mut self, name: &str, mistake: Error) {
        self.about.push(name.to_owned());
        self.add(mistake);
    }

    pub(crate) fn say(&mut self, span: Span, message: impl std::fmt::Display) {
        self.add(Error::new(span, message));
    }

    /// The value, or `None` and one more mistake.
    pub(crate) fn keep<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|mistake| self.add(mistake)).ok()
    }

    /// An unknown name, with the one of `known` that was probably meant.
    pub(crate) fn unknown(&mut self, span: Span, name: &str, known: &[&str], message: &str) {
        let meant = known.iter().find(|known| is_typo_of(name, known));
        let message = match meant {
            Some(meant) => format!("{message}; did you mean `{meant}`?"),
            None => format!("{message}; expected one of {}", known.join(", ")),
        };
        self.add_about(meant.copied().unwrap_or(name), Error::new(span, message));
    }

    /// Adds the mistakes of a part, and returns what they are about there.
    pub(crate) fn take_over(&mut self, part: Self) -> Vec<String> {
        self.found.extend(part.found);
        part.about
    }

    /// Whether a mistake in the value of `name` was already found.
    pub(crate) fn are_about(&self, name: &str) -> bool {
        self.about.iter().any(|about| about == name)
    }

    /// `value`, if there was no mistake.
    pub(crate) fn or<T>(self, value: T) -> Result<T> {
        let all = self.found.into_iter().reduce(|mut all, mistake| {
            all.combine(mistake);
            all
        });
        all.map_or(Ok(value), Err)
    }
}

/// Whether `written` differs from `meant` only by a letter or two, or in how its words are joined.
fn is_typo_of(written: &str, meant: &str) -> bool {
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let (written, meant) = (plain(written), plain(meant));
    written == meant || distance(&written, &meant) <= meant.len().min(6) / 3
}

/// How many letters must be added, removed or changed.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, letter) in from.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for column in 0..to.len() {
            let changed = diagonal + usize::from(letter != to[column]);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::is_typo_of;

    #[test]
    fn typos_are_recognised_and_other_words_are_not() {
        for (written, meant) in [
            ("grup", "group"),
            ("namspaced", "namespaced"),
            ("jsonPath", "json_path"),
            ("type", "type_"),
            ("prinntcolumn", "printcolumn"),
            ("inherits", "inherit"),
        ] {
            assert!(is_typo_of(written, meant), "{written} is {meant}");
        }
        for (written, other) in [("colour", "plural"), ("width", "kind"), ("name", "namespaced"), ("spec", "doc")] {
            assert!(!is_typo_of(written, other), "{written} is not {other}");
        }
    }
}
