//! The text of an expression, and what is wrong with it, shown as cel-go shows it.
//!
//! ```text
//! ERROR: <input>:1:6: undeclared reference to 'foo' (in container '')
//!  | 1 + foo
//!  | ....^
//! ```
//! Places are counted in characters from the beginning of the text.

use std::fmt;

/// A place in an expression: how many characters come before it.
pub(crate) type Offset = u32;

/// One thing that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Issue {
    pub(crate) offset: Offset,
    pub(crate) message: String,
}

impl Issue {
    pub(crate) fn new(offset: Offset, message: impl Into<String>) -> Issue {
        Issue { offset, message: message.into() }
    }
}

/// Everything that is wrong with an expression, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issues {
    text: String,
}

/// As many issues as are shown; the rest is counted.
const SHOWN_MAX: usize = 100;

/// A line longer than this is not repeated under its issue.
const SNIPPET_MAX: usize = 16_384;

impl Issues {
    pub(crate) fn new(source: &str, mut issues: Vec<Issue>) -> Issues {
        issues.sort_by_key(|issue| issue.offset);
        let lines: Vec<&str> = source.split('\n').collect();
        let hidden = issues.len().saturating_sub(SHOWN_MAX);
        let mut shown: Vec<String> = issues.iter().take(SHOWN_MAX).map(|issue| show(&lines, issue)).collect();
        if hidden > 0 {
            shown.push(format!("{hidden} more errors were truncated"));
        }
        Issues { text: shown.join("\n") }
    }

    /// An issue with the whole text, which has no place in it.
    pub(crate) fn whole(message: &str) -> Issues {
        Issues { text: format!("ERROR: <input>:-1:0: {message}") }
    }
}

impl fmt::Display for Issues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Issues {}

fn show(lines: &[&str], issue: &Issue) -> String {
    let (line, column) = place(lines, issue.offset);
    let mut text = format!("ERROR: <input>:{}:{}: {}", line + 1, column + 1, issue.message);
    let Some(snippet) = lines.get(line).filter(|snippet| snippet.len() <= SNIPPET_MAX) else { return text };
    text.push_str("\n | ");
    text.push_str(&snippet.replace('\t', " "));
    text.push_str("\n | ");
    let mut characters = snippet.chars();
    for character in characters.by_ref().take(column) {
        text.push(if character.is_ascii() { '.' } else { '\u{ff0e}' });
    }
    text.push(if characters.next().is_none_or(|character| character.is_ascii()) { '^' } else { '\u{ff3e}' });
    text
}

/// The line and the column of a place, both from zero.
fn place(lines: &[&str], offset: Offset) -> (usize, usize) {
    let mut rest = offset as usize;
    for (number, line) in lines.iter().enumerate() {
        let length = line.chars().count();
        if rest <= length || number + 1 == lines.len() {
            return (number, rest);
        }
        rest -= length + 1;
    }
    (0, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_points_at_its_character() {
        let issues = Issues::new("a +\n  é + b", vec![Issue::new(10, "no"), Issue::new(0, "yes")]);
        let expected = "ERROR: <input>:1:1: yes\n | a +\n | ^\nERROR: <input>:2:7: no\n |   é + b\n | ..\u{ff0e}...^";
        assert_eq!(issues.to_string(), expected);
    }
}
