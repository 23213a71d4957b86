//! Text that is borrowed from an object or shared by values.

use std::ops::Deref;
use std::sync::Arc;

/// Text.
#[derive(Debug, Clone)]
pub enum Text<'a> {
    /// In the object.
    Borrowed(&'a str),
    /// Made by an expression.
    Shared(Arc<str>),
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Text::Borrowed(text) => text,
            Text::Shared(text) => text,
        }
    }
}

impl From<&str> for Text<'_> {
    fn from(text: &str) -> Self {
        Text::Shared(Arc::from(text))
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Text::Shared(Arc::from(text))
    }
}

impl From<Arc<str>> for Text<'_> {
    fn from(text: Arc<str>) -> Self {
        Text::Shared(text)
    }
}
