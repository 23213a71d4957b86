//! Where a value stands, as errors name it: `spec.containers[0].name`.
//!
//! In: steps, as checks go down an object. Out: the text, printed when an error needs it, which it hardly ever does: nearly
//! every object is valid, and printing the path of each of its fields would cost more than checking them.

use std::cell::OnceCell;
use std::fmt::Write;
use std::ops::Deref;

/// A path; as `&str` it is printed, once.
#[derive(Clone)]
pub(crate) struct Path<'a> {
    /// What stands before the steps.
    start: String,
    steps: [Step<'a>; DEPTH],
    depth: usize,
    text: OnceCell<String>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Field(&'a str),
    Item(usize),
}

impl<'a> Path<'a> {
    /// The path of a top-level field.
    pub(super) fn of(field: &'a str) -> Path<'a> {
        Path::from(String::new()).then(Step::Field(field))
    }

    /// The path of a field of the struct that stands here.
    pub(super) fn field(&self, name: &'a str) -> Path<'a> {
        self.then(Step::Field(name))
    }

    /// The path of an item of the list that stands here.
    pub(super) fn item(&self, index: usize) -> Path<'a> {
        self.then(Step::Item(index))
    }

    fn then(&self, step: Step<'a>) -> Path<'a> {
        if self.depth == DEPTH {
            return Path::from(self.print()).then(step);
        }
        let mut steps = self.steps;
        steps[self.depth] = step;
        Path { start: self.start.clone(), steps, depth: self.depth + 1, text: OnceCell::new() }
    }

    fn print(&self) -> String {
        let mut text = self.start.clone();
        for step in &self.steps[..self.depth] {
            match step {
                Step::Field(name) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text.push_str(name);
                }
                Step::Item(index) => write!(text, "[{index}]").expect("a String takes everything"),
            }
        }
        text
    }
}

impl From<String> for Path<'_> {
    fn from(start: String) -> Self {
        Path { start, steps: [Step::Item(0); DEPTH], depth: 0, text: OnceCell::new() }
    }
}

impl Deref for Path<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.text.get_or_init(|| self.print())
    }
}

impl std::fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self)
    }
}

/// How many steps are kept before they are printed: enough for nearly every field of a pod in a CronJob.
const DEPTH: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_printed_as_kubernetes_prints_it_however_deep_it_is() {
        let container = Path::of("spec").field("containers").item(3);
        assert_eq!(&*container.field("name"), "spec.containers[3].name");
        let deep = (0..2 * DEPTH).fold(Path::of("a"), |path, index| path.field("b").item(index));
        let expected = (0..2 * DEPTH).fold("a".to_owned(), |path, index| format!("{path}.b[{index}]"));
        assert_eq!(&*deep, expected);
        assert_eq!(&*Path::from("metadata.taints[0]".to_owned()).field("key"), "metadata.taints[0].key");
    }
}
