//! Which objects of a kind a watch looks at.

use std::fmt;

use pintle_client::Api;

use crate::watcher;

/// Which objects of a kind a watch looks at.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct WatchScope {
    /// The namespace; `None` for all.
    pub namespace: Option<String>,
    /// The label selector, if there is one.
    pub label_selector: Option<String>,
    /// The field selector, if there is one.
    pub field_selector: Option<String>,
}

impl WatchScope {
    pub(super) fn of<K>(api: &Api<K>, config: &watcher::Config) -> Self {
        // An empty selector selects as much as none.
        let selector = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        Self {
            namespace: api.namespace().map(str::to_owned),
            label_selector: selector(&config.label_selector),
            field_selector: selector(&config.field_selector),
        }
    }

    /// Everything in `namespace`, or in all.
    #[must_use]
    pub fn of_namespace(namespace: Option<&str>) -> Self {
        Self { namespace: namespace.map(str::to_owned), ..Self::default() }
    }

    /// Whether it is every object, or every one of a namespace.
    #[must_use]
    pub fn is_unselected(&self) -> bool {
        self.label_selector.is_none() && self.field_selector.is_none()
    }
}

impl fmt::Display for WatchScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(f, "namespace {namespace}")?,
            None => f.write_str("all namespaces")?,
        }
        for (what, selector) in [("labels", &self.label_selector), ("fields", &self.field_selector)] {
            if let Some(selector) = selector {
                write!(f, ", {what} {selector}")?;
            }
        }
        Ok(())
    }
}
