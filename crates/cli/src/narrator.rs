//! Says what happens: as plain lines, a word for who speaks and then what they say, or in the view.

use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

use tokio::time::Instant;

use crate::dev::view::model::{ReconcileEnd, Tone};
use crate::dev::view::shared_model::SharedModel;

/// Speaks on standard output, remarks and failures go to standard error; or everything goes to the view, which has the terminal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Narrator {
    view: Option<SharedModel>,
}

impl Narrator {
    pub(crate) fn new(view: Option<SharedModel>) -> Self {
        Self { view }
    }

    /// One line. A reader that stopped listening (a closed pipe) is not an error of ours.
    pub(crate) fn say(&self, who: &str, what: impl fmt::Display) {
        self.line(who, &what, Tone::Plain);
    }

    /// The same about what went wrong.
    pub(crate) fn trouble(&self, who: &str, what: impl fmt::Display) {
        self.line(who, &what, Tone::Trouble);
    }

    /// A line that says what the view shows in another way.
    pub(crate) fn say_in_lines(&self, who: &str, what: impl fmt::Display) {
        if self.view.is_none() {
            self.say(who, what);
        }
    }

    /// How a reconcile ended. As a line only if it failed: what it does well it says meanwhile.
    pub(crate) fn reconciled(&self, object: &str, took: Duration, result: Result<&str, String>) {
        match (&self.view, result) {
            (None, Ok(_)) => {}
            (None, Err(error)) => self.say("trouble", format_args!("{object}: {error}")),
            (Some(model), result) => {
                let end = match result {
                    Ok(done) => ReconcileEnd::Done(took, done.to_owned()),
                    Err(error) => ReconcileEnd::Failed(took, error),
                };
                model.with(|model| model.reconcile_ended(object, end));
            }
        }
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
        match &self.view {
            None => drop(writeln!(io::stderr().lock(), "pintle: {what}")),
            Some(_) => self.say("pintle", what),
        }
    }

    /// Why it all ends; the view has given the terminal back by then.
    pub(crate) fn fail(&self, why: impl fmt::Display) {
        drop(writeln!(io::stderr().lock(), "pintle: {why}"));
    }

    fn line(&self, who: &str, what: &dyn fmt::Display, tone: Tone) {
        match &self.view {
            Some(model) => model.with(|model| model.say(who, what.to_string(), tone, Instant::now())),
            None => {
                let mut out = io::stdout().lock();
                drop(writeln!(out, "{who:<10} {what}").and_then(|()| out.flush()));
            }
        }
    }
}
