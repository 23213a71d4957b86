//! The mistakes of one macro call, so that all are reported at once, each at its place.

use proc_macro2::Span;
use syn::{Error, Result};

/// What was found wrong so far.
#[derive(Default)]
pub(crate) struct Mistakes(Vec<Error>);

impl Mistakes {
    pub(crate) fn add(&mut self, mistake: Error) {
        self.0.push(mistake);
    }

    pub(crate) fn say(&mut self, span: Span, message: impl std::fmt::Display) {
        self.add(Error::new(span, message));
    }

    /// The value, or nothing and one mistake more.
    pub(crate) fn keep<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|mistake| self.add(mistake)).ok()
    }

    /// `value`, if there was no mistake.
    pub(crate) fn or<T>(self, value: T) -> Result<T> {
        let all = self.0.into_iter().reduce(|mut all, mistake| {
            all.combine(mistake);
            all
        });
        all.map_or(Ok(value), Err)
    }
}
