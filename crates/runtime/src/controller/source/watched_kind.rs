//! The kind that a source watches, and which of its changes matter.

use std::sync::Arc;

use pintle_client::client::writes::Write;
use pintle_core::DynamicObject;
use pintle_core::discovery::ApiResource;
use pintle_core::reference::{Lookup, ObjectRef};
use pintle_wire::Head;

use super::changed::{Changed, Judgement};
use super::trigger::{Cause, Related};
use super::watch_progress::WatchProgresses;
use super::{SourceError, Triggered};
use crate::controller::machine::loop_detector::{Origin, State};
use crate::reflector::Key;

/// The kind that a source watches, and which of its changes matter.
pub(in crate::controller) struct WatchedKind {
    /// The kind it watches.
    pub(in crate::controller) kind: Arc<ApiResource>,
    /// Which changes wake.
    pub(in crate::controller) changed: Option<Changed>,
    pub(super) has_warned: bool,
    /// How far every watch of the controller has come, where it may read more than one of this kind.
    pub(in crate::controller) progress: Option<WatchProgresses>,
}

impl WatchedKind {
    pub(in crate::controller) fn new<K: Lookup>(dyntype: &K::DynamicType, changed: Option<Changed>) -> Self {
        let kind = ApiResource {
            group: K::group(dyntype).into(),
            version: K::version(dyntype).into(),
            api_version: K::api_version(dyntype).into(),
            kind: K::kind(dyntype).into(),
            plural: K::plural(dyntype).into(),
        };
        Self { kind: Arc::new(kind), changed, has_warned: false, progress: None }
    }

    /// Whether a change matters; a judgement that panics is an error, and the change matters.
    pub(super) fn admits<K, Q>(
        &mut self,
        key: &Key,
        old: Option<&Head>,
        new: Option<&Head>,
        woken: &mut Triggered<K, Q>,
    ) -> bool {
        match self.changed.as_ref().map_or(Judgement::Matters, |changed| changed.judge(old, new)) {
            Judgement::Matters => true,
            Judgement::Hidden => false,
            Judgement::HiddenFinalizers => {
                if !std::mem::replace(&mut self.has_warned, true) {
                    let (kind, name) = (&self.kind.kind, &key.name);
                    tracing::warn!(%kind, %name, "a change of finalizers wakes no reconcile, because only the generation is \
                        looked at: use Changed::generation().or(Changed::finalizers())");
                }
                false
            }
            Judgement::Panicked(panic) => {
                woken.errors.push(SourceError::Panicked(Box::new(self.name(key)), panic));
                true
            }
        }
    }

    pub(super) fn name(&self, key: &Key) -> ObjectRef<DynamicObject> {
        let name = ObjectRef::new_with(&key.name, ApiResource::clone(&self.kind));
        match &key.namespace {
            Some(namespace) => name.within(namespace),
            None => name,
        }
    }

    /// A change, as what woke a key.
    pub(super) fn origin(&self, key: &Key, old: Option<&Head>, new: Option<&Head>) -> Option<Origin> {
        let state = match new {
            Some(new) => State::Version(new.resource_version()?.number()?),
            None => State::Gone(old?.uid()?.into_owned()),
        };
        Some(Origin { kind: Arc::clone(&self.kind), key: key.clone(), state })
    }

    /// A change that woke a key, if a store that the reconciler reads does not have it yet.
    pub(super) fn unshown(&self, key: &Key, old: Option<&Head>, new: Option<&Head>) -> Option<Write> {
        self.progress.as_ref()?.unshown(&self.kind, key, old, new)
    }

    pub(super) fn related(&self, key: &Key) -> Cause {
        Cause::Related(Box::new(Related { kind: Arc::clone(&self.kind), key: key.clone() }))
    }
}
