//! What a watcher tells.

use std::fmt;

/// A step towards knowing what exists.
#[derive(Clone, Debug)]
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

impl<K> fmt::Display for Event<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Apply(_) => "Apply",
            Self::Delete(_) => "Delete",
            Self::Init => "Init",
            Self::InitApply(_) => "InitApply",
            Self::InitDone => "InitDone",
        })
    }
}
