//! What becomes of the `Warning` headers an API server sends: a deprecated version, an unknown field.

use std::fmt;
use std::sync::Arc;

/// One `Warning` header.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// The code; the API server sends 299.
    pub code: u16,
    /// Who says it; the API server says `-`.
    pub agent: String,
    /// What it says.
    pub text: String,
}

impl Warning {
    /// A warning.
    pub fn new(code: u16, agent: impl Into<String>, text: impl Into<String>) -> Self {
        Self { code, agent: agent.into(), text: text.into() }
    }
}

/// What is done with warnings.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum WarningHandler {
    /// Each text is logged once per client.
    #[default]
    LogOnce,
    /// Nothing.
    Ignore,
    /// Called with each; it must not block.
    Call(Arc<dyn Fn(&Warning) + Send + Sync>),
}

impl WarningHandler {
    /// Calls `handle` with each warning; it must not block.
    pub fn call(handle: impl Fn(&Warning) + Send + Sync + 'static) -> Self {
        Self::Call(Arc::new(handle))
    }
}

impl fmt::Debug for WarningHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LogOnce => "LogOnce",
            Self::Ignore => "Ignore",
            Self::Call(_) => "Call",
        })
    }
}
