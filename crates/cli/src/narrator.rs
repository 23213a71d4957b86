//! Plain lines of what happens: a word for who speaks, then what they say.

use std::fmt;
use std::io::{self, Write};

/// Speaks on standard output; remarks and failures go to standard error.
#[derive(Clone, Debug, Default)]
pub(crate) struct Narrator;

impl Narrator {
    pub(crate) fn new() -> Self {
        Self
    }

    /// One line. A reader that stopped listening (a closed pipe) is not an error of ours.
    pub(crate) fn say(&self, who: &str, what: impl fmt::Display) {
        let mut out = io::stdout().lock();
        drop(writeln!(out, "{who:<10} {what}").and_then(|()| out.flush()));
    }

    /// One line that other programs wait for, as it is.
    pub(crate) fn announce(&self, what: impl fmt::Display) {
        let mut out = io::stdout().lock();
        drop(writeln!(out, "{what}").and_then(|()| out.flush()));
    }

    /// Text as it is; an error says that nobody reads it any more.
    pub(crate) fn write(&self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    /// A line for a person that no program waits for: on standard error, apart from the output that programs read.
    pub(crate) fn remark(&self, what: impl fmt::Display) {
        drop(writeln!(io::stderr().lock(), "pintle: {what}"));
    }

    pub(crate) fn fail(&self, why: impl fmt::Display) {
        drop(writeln!(io::stderr().lock(), "pintle: {why}"));
    }
}
