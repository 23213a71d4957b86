//! One object that may exist or not: look, change or make it, and write back what changed.
//!
//! ```text
//!   api.entry(name) ─► Occupied ─► get_mut, and_modify ──────┐
//!                  └─► Vacant ─► insert, or_insert ──────────┴─► OccupiedEntry ─► commit
//! ```
//! [`commit`](OccupiedEntry::commit) creates what did not exist, replaces what was touched, and sends nothing where
//! nothing was. The version that was read is sent along, so a change by another client in between is a conflict and
//! nothing is overwritten. It does not try again: on a conflict, start from [`Api::entry`].

use std::fmt::Debug;

use pintle_core::Resource;
use pintle_core::params::PostParams;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Api;
use crate::error::{Error, Result};

impl<K: Resource + Clone + DeserializeOwned + Debug> Api<K> {
    /// The object `name` as it is, or the place where it would be.
    ///
    /// # Errors
    /// When the server refuses for another reason than that it does not exist, or cannot be reached.
    pub async fn entry<'a>(&'a self, name: &'a str) -> Result<Entry<'a, K>> {
        Ok(match self.get_opt(name).await? {
            Some(object) => Entry::Occupied(OccupiedEntry { api: self, state: State::Unchanged, name, object }),
            None => Entry::Vacant(VacantEntry { api: self, name }),
        })
    }
}

/// An object, or the place where it would be.
#[derive(Debug)]
pub enum Entry<'a, K> {
    /// It exists.
    Occupied(OccupiedEntry<'a, K>),
    /// It does not.
    Vacant(VacantEntry<'a, K>),
}

impl<'a, K> Entry<'a, K> {
    /// The object, if it exists.
    pub fn get(&self) -> Option<&K> {
        match self {
            Self::Occupied(entry) => Some(entry.get()),
            Self::Vacant(_) => None,
        }
    }

    /// The object, to change it, if it exists.
    pub fn get_mut(&mut self) -> Option<&mut K> {
        match self {
            Self::Occupied(entry) => Some(entry.get_mut()),
            Self::Vacant(_) => None,
        }
    }

    /// Changes the object, if it exists.
    #[must_use]
    pub fn and_modify(self, f: impl FnOnce(&mut K)) -> Self {
        match self {
            Self::Occupied(entry) => Self::Occupied(entry.and_modify(f)),
            vacant @ Self::Vacant(_) => vacant,
        }
    }

    /// The object, made by `default` if it does not exist.
    #[must_use]
    pub fn or_insert(self, default: impl FnOnce() -> K) -> OccupiedEntry<'a, K>
    where
        K: Resource,
    {
        match self {
            Self::Occupied(entry) => entry,
            Self::Vacant(entry) => entry.insert(default()),
        }
    }
}

/// An object that exists, or will once it is committed.
#[derive(Debug)]
pub struct OccupiedEntry<'a, K> {
    api: &'a Api<K>,
    state: State,
    name: &'a str,
    object: K,
}

/// How the object relates to what the server has.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum State {
    /// It is what the server has.
    Unchanged,
    /// The server has an older one.
    Changed,
    /// The server has none.
    New,
}

impl<K> OccupiedEntry<'_, K> {
    /// The object.
    pub fn get(&self) -> &K {
        &self.object
    }

    /// The object, to change it. From now on it counts as changed.
    pub fn get_mut(&mut self) -> &mut K {
        if self.state == State::Unchanged {
            self.state = State::Changed;
        }
        &mut self.object
    }

    /// Changes the object.
    #[must_use]
    pub fn and_modify(mut self, f: impl FnOnce(&mut K)) -> Self {
        f(self.get_mut());
        self
    }

    /// The object, whether it was committed or not.
    pub fn into_object(self) -> K {
        self.object
    }

    /// Writes the object if it is new or was changed; afterwards it is what the server made of it.
    ///
    /// # Errors
    /// When it is not the object that was asked for, or the server refuses it, as it does when another client was
    /// faster.
    pub async fn commit(&mut self, pp: &PostParams) -> Result<(), CommitError>
    where
        K: Resource + DeserializeOwned + Serialize + Clone + Debug,
    {
        self.complete()?;
        let written = match self.state {
            State::Unchanged => return Ok(()),
            State::New => self.api.create(pp, &self.object).await,
            State::Changed => self.api.replace(self.name, pp, &self.object).await,
        };
        self.object = written.map_err(CommitError::Save)?;
        // A dry run stored nothing, so what there was to do is still there to do.
        if !pp.dry_run {
            self.state = State::Unchanged;
        }
        Ok(())
    }

    /// Fills in name and namespace, and checks that this is the object that was asked for and not one that would be
    /// written elsewhere.
    fn complete(&mut self) -> Result<(), CommitValidationError>
    where
        K: Resource,
    {
        let (name, namespace) = (self.name, self.api.namespace());
        let meta = self.object.meta_mut();
        let object_name = meta.name.get_or_insert_with(|| name.to_owned());
        if object_name != name {
            return Err(CommitValidationError::NameMismatch {
                object_name: object_name.clone(),
                expected: name.to_owned(),
            });
        }
        if meta.namespace.is_none() {
            meta.namespace = namespace.map(str::to_owned);
        }
        if meta.namespace.as_deref() != namespace {
            return Err(CommitValidationError::NamespaceMismatch {
                object_namespace: meta.namespace.clone(),
                expected: namespace.map(str::to_owned),
            });
        }
        match &meta.generate_name {
            Some(prefix) => Err(CommitValidationError::GenerateName { object_generate_name: prefix.clone() }),
            None => Ok(()),
        }
    }
}

/// The place of an object that does not exist.
#[derive(Debug)]
pub struct VacantEntry<'a, K> {
    api: &'a Api<K>,
    name: &'a str,
}

impl<'a, K> VacantEntry<'a, K> {
    /// Puts an object there. It exists once it is committed; then name and namespace are filled in where it has none.
    #[must_use]
    pub fn insert(self, object: K) -> OccupiedEntry<'a, K>
    where
        K: Resource,
    {
        OccupiedEntry { api: self.api, state: State::New, name: self.name, object }
    }
}

/// Why an object was not written.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// It is not the object that was asked for; nothing was sent.
    #[error("the object cannot be written: {0}")]
    Validate(#[from] CommitValidationError),
    /// The server refused it or could not be reached.
    #[error("writing the object failed: {0}")]
    Save(#[source] Error),
}

/// In what an object differs from the one that was asked for.
#[derive(Debug, thiserror::Error)]
pub enum CommitValidationError {
    /// It has another name.
    #[error("its name is {object_name:?}, but the entry is of {expected:?}")]
    NameMismatch {
        /// The name it has.
        object_name: String,
        /// The name of the entry.
        expected: String,
    },
    /// It is in another namespace.
    #[error("its namespace is {object_namespace:?}, but the Api is of {expected:?}")]
    NamespaceMismatch {
        /// The namespace it is in.
        object_namespace: Option<String>,
        /// The namespace of the `Api`.
        expected: Option<String>,
    },
    /// It asks for a generated name, where the entry has one already.
    #[error("it asks for a name made from {object_generate_name:?}, but the entry has a name")]
    GenerateName {
        /// What the name would be made from.
        object_generate_name: String,
    },
}
