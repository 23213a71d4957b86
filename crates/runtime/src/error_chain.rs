//! An error with its causes in one line, each once.
//!
//! Errors differ in whether their text contains that of their source. This prints an error and then every source whose
//! text has not been printed yet, so that neither style loses a cause or repeats one.

use std::error::Error;
use std::fmt;

/// Prints an error and its sources, joined by `: `.
pub(crate) struct ErrorChain<'a>(pub(crate) &'a (dyn Error + 'static));

impl fmt::Display for ErrorChain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printed = self.0.to_string();
        let mut next = self.0.source();
        while let Some(source) = next {
            let text = source.to_string();
            if !printed.contains(&text) {
                printed.push_str(": ");
                printed.push_str(&text);
            }
            next = source.source();
        }
        f.write_str(&printed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    enum Layer {
        #[error("disk full")]
        Bottom,
        #[error("cannot write: {0}")]
        WithCause(#[source] Box<Layer>),
        #[error("cannot save")]
        WithoutCause(#[source] Box<Layer>),
    }

    #[test]
    fn each_cause_is_printed_once_whether_or_not_its_error_prints_it() {
        let with = |inner| Layer::WithCause(Box::new(inner));
        let without = |inner| Layer::WithoutCause(Box::new(inner));
        let cases = [
            (Layer::Bottom, "disk full"),
            (with(Layer::Bottom), "cannot write: disk full"),
            (without(Layer::Bottom), "cannot save: disk full"),
            (without(with(Layer::Bottom)), "cannot save: cannot write: disk full"),
            (with(without(Layer::Bottom)), "cannot write: cannot save: disk full"),
        ];
        for (error, printed) in cases {
            assert_eq!(ErrorChain(&error).to_string(), printed);
        }
    }
}
