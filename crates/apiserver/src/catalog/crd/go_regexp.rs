//! The patterns of schemas: Go's regular expressions, which `pintle-cel` compiles.

use regex::bytes::Regex;

/// A pattern that Go would take, compiled.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    #[cfg(test)]
    COMPILED.with(|compiled| compiled.set(compiled.get() + 1));
    pintle_cel::go_regexp::compile(pattern)
}

#[cfg(test)]
thread_local! {
    /// How many patterns a test has compiled: it takes as long as everything else about a place of a schema together.
    pub(crate) static COMPILED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}
