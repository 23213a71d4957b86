//! Where log lines go, which of them, and in which colours.
//!
//! To standard error, or to the view while it has the terminal. Warnings by default. `RUST_LOG` chooses more, in tracing's notation; what Pintle is built on stays at `info` unless it
//! is named there, so that `RUST_LOG=debug` shows Pintle and not every HTTP/2 frame.

use std::env;
use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use crate::dev::view::shared_model::SharedModel;
use crate::dev::view::tracing_layers::{LogLines, ReconcileSpans};
use crate::failure::Failure;

/// Libraries whose own log would drown everything else.
const QUIET: &str = "h2=info,hyper=info,hyper_util=info,rustls=info,tower=info,tokio_tungstenite=info,tungstenite=info";

/// What is shown if `RUST_LOG` says nothing.
const DEFAULT: &str = "warn";

/// What shows each request.
const REQUESTS: &str = "pintle::requests=debug";

/// Whether each request is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requests {
    Logged,
    Unlogged,
}

/// Begins to log: to the view if there is one, else to standard error.
pub(crate) fn start(view: Option<&SharedModel>, requests: Requests) -> Result<(), Failure> {
    let asked_for = env::var("RUST_LOG").ok().filter(|text| !text.trim().is_empty());
    let mut filter = filter(asked_for.as_deref())?;
    if requests == Requests::Logged {
        filter = filter.add_directive(REQUESTS.parse().expect("it is a directive"));
    }
    match view {
        Some(model) => tracing_subscriber::registry()
            .with(LogLines(model.clone()).with_filter(filter))
            .with(ReconcileSpans::layer(model.clone()))
            .init(),
        None => tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_ansi(colours_on(&io::stderr()))
            .with_writer(io::stderr)
            .init(),
    }
    Ok(())
}

/// Whether what is written there may have colours.
pub(crate) fn colours_on(stream: &impl IsTerminal) -> bool {
    wants_colours(stream.is_terminal(), env::var("NO_COLOR").ok().as_deref())
}

fn filter(asked_for: Option<&str>) -> Result<EnvFilter, Failure> {
    // Of two directives for one target the later one counts.
    EnvFilter::try_new(format!("{QUIET},{}", asked_for.unwrap_or(DEFAULT))).map_err(|error| {
        let what = format!("RUST_LOG={} is not a filter such as debug or pintle_client=trace", asked_for.unwrap_or(""));
        Failure::new(what, error)
    })
}

fn wants_colours(is_terminal: bool, no_color: Option<&str>) -> bool {
    is_terminal && no_color.is_none_or(str::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_alone_leaves_h2_at_info_and_a_named_level_changes_it() {
        let levels = |asked_for| filter(asked_for).unwrap().to_string();
        for (asked_for, expected) in [
            (None, ["warn", "h2=info"]),
            (Some("debug"), ["debug", "h2=info"]),
            (Some("debug,h2=trace"), ["debug", "h2=trace"]),
        ] {
            let levels = levels(asked_for);
            let directives: Vec<_> = levels.split(',').collect();
            assert!(expected.iter().all(|part| directives.contains(part)), "{asked_for:?}: {levels}");
        }
        assert!(filter(Some("pintle=loud")).unwrap_err().to_string().contains("RUST_LOG=pintle=loud"));
    }

    #[test]
    fn colours_are_for_terminals_that_do_not_mind() {
        assert!(wants_colours(true, None) && wants_colours(true, Some("")));
        assert!(!wants_colours(false, None) && !wants_colours(true, Some("1")));
    }
}
