//! What a watcher emits.

use std::fmt;

use pintle_core::ResourceExt;

/// A step towards knowing what exists.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Event<K> {
    /// An object is there or has changed.
    Apply(K),
    /// An object is gone.
    Delete(K),
    /// A list begins; what was known stays valid until [`InitDone`](Self::InitDone).
    Init,
    /// An object of the list.
    InitApply(K),
    /// The list is complete; what it did not name is gone.
    InitDone,
}

impl<K> Event<K> {
    /// Changes the object, if there is one.
    #[must_use]
    pub fn modify(mut self, mut change: impl FnMut(&mut K)) -> Self {
        match &mut self {
            Self::Apply(object) | Self::Delete(object) | Self::InitApply(object) => change(object),
            Self::Init | Self::InitDone => {}
        }
        self
    }

    /// The same event of another form of the object.
    pub fn try_map<T, E>(self, form: impl FnOnce(K) -> Result<T, E>) -> Result<Event<T>, E> {
        Ok(match self {
            Self::Apply(object) => Event::Apply(form(object)?),
            Self::Delete(object) => Event::Delete(form(object)?),
            Self::InitApply(object) => Event::InitApply(form(object)?),
            Self::Init => Event::Init,
            Self::InitDone => Event::InitDone,
        })
    }
}

impl<K: ResourceExt> fmt::Display for Event<K> {
    /// The event with the name of its object.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Apply(object) => write!(f, "Apply({})", object.name_any()),
            Self::Delete(object) => write!(f, "Delete({})", object.name_any()),
            Self::Init => f.write_str("Init"),
            Self::InitApply(object) => write!(f, "InitApply({})", object.name_any()),
            Self::InitDone => f.write_str("InitDone"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_core::DynamicObject;

    #[test]
    fn an_event_says_what_happened_to_whom() {
        let object: DynamicObject = serde_json::from_str(r#"{"metadata":{"name":"a"}}"#).unwrap();
        assert_eq!(Event::Apply(object.clone()).to_string(), "Apply(a)");
        assert_eq!(Event::InitApply(object.clone()).to_string(), "InitApply(a)");
        assert_eq!(Event::Delete(object).to_string(), "Delete(a)");
        assert_eq!(Event::<DynamicObject>::InitDone.to_string(), "InitDone");
    }
}
