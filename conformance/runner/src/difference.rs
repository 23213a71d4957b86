//! How two transcripts differ.
//!
//! In: two texts and whose they are. Out: a diff to read.

use std::io::IsTerminal;

use similar::TextDiff;

/// Whose text it is, and the text.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a> {
    pub(crate) whose: &'a str,
    pub(crate) text: &'a str,
}

/// The differences with a few lines around them; in colour where the output is a terminal.
pub(crate) fn print(left: Side<'_>, right: Side<'_>) -> String {
    let diff = TextDiff::from_lines(left.text, right.text);
    let plain = diff.unified_diff().context_radius(CONTEXT).header(left.whose, right.whose).to_string();
    if std::io::stdout().is_terminal() { plain.lines().map(colour).collect() } else { plain }
}

fn colour(line: &str) -> String {
    let code = match line.as_bytes().first() {
        Some(b'-') => "31",
        Some(b'+') => "32",
        Some(b'@') => "36",
        _ => return format!("{line}\n"),
    };
    format!("\x1b[{code}m{line}\x1b[0m\n")
}

/// Enough to see which step it is.
const CONTEXT: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_only_one_side_has_are_shown() {
        let left = Side { whose: "kube", text: "a\nb\nc\n" };
        let right = Side { whose: "embedded", text: "a\nx\nc\n" };
        assert_eq!(print(left, right), "--- kube\n+++ embedded\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n");
    }
}
