//! An error and its causes in one line, each text once.
//!
//! Every error of this crate prints with it, so `{error}` says it all. Some errors print their cause themselves and some
//! leave that to `source()`: a cause whose text is there already is left out.

use std::error::Error;

/// `error` and its causes, from the outside in, separated by colons.
///
/// ```
/// # use pintle_client::error_chain::error_chain;
/// let error = std::io::Error::other("the disk is full");
/// assert_eq!(error_chain(&error), "the disk is full");
/// ```
pub fn error_chain(error: &(dyn Error + 'static)) -> String {
    let mut text = in_one_line(error.to_string());
    for cause in std::iter::successors(error.source(), |cause| (*cause).source()) {
        let said = in_one_line(cause.to_string());
        // A status without a reason prints a colon and nothing behind it.
        let said = said.trim_end_matches([':', ' ']);
        if !text.contains(said) {
            text.push_str(": ");
            text.push_str(said);
        }
    }
    text
}

/// Parsers print excerpts over several lines, and a log has one line per event.
fn in_one_line(text: String) -> String {
    if !text.contains(char::is_control) {
        return text;
    }
    text.split(|letter: char| letter.is_control())
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Level {
        text: &'static str,
        source: Option<Box<Level>>,
    }

    fn levels(texts: &[&'static str]) -> Level {
        let [text, rest @ ..] = texts else { panic!("an error has a text") };
        Level { text, source: (!rest.is_empty()).then(|| Box::new(levels(rest))) }
    }

    #[test]
    fn each_cause_is_printed_once_and_in_one_line() {
        let cases: [(&[&str], &str); 4] = [
            (&["a failed"], "a failed"),
            (&["a failed", "b broke", "c"], "a failed: b broke: c"),
            (&["a failed: b broke", "b broke", "why"], "a failed: b broke: why"),
            (&["line 1\n  | x\n", "\u{1b}[31mred"], "line 1 | x: [31mred"),
        ];
        for (texts, expected) in cases {
            assert_eq!(error_chain(&levels(texts)), expected);
        }
    }
}
