//! Which object to reconcile, and why it was asked for.
//!
//! The reason is for logs: it stands in the span of the reconcile and never reaches the reconciler, because changes may
//! be merged and a reconciler that acts on the reason misses what it does not mention.

use std::fmt;
use std::hash::{Hash, Hasher};

use pintle_core::reference::ObjectRef;
use pintle_core::{DynamicObject, Resource};

/// A wish to reconcile an object. Two are equal if their objects are.
pub struct ReconcileRequest<K: Resource> {
    /// Which object.
    pub obj_ref: ObjectRef<K>,
    /// Why.
    pub reason: ReconcileReason,
}

/// Why a reconcile was asked for.
#[derive(Clone, Debug)]
pub enum ReconcileReason {
    /// Unknown.
    Unknown,
    /// The object came or changed.
    ObjectUpdated,
    /// Another object came, changed or went.
    RelatedObjectUpdated {
        /// Which one.
        obj_ref: Box<ObjectRef<DynamicObject>>,
    },
    /// The last reconcile asked for it.
    ReconcilerRequestedRetry,
    /// The last reconcile failed.
    ErrorPolicyRequestedRetry,
    /// All objects are reconciled.
    BulkReconcile,
    /// Another reason.
    Custom {
        /// In its own words.
        reason: String,
    },
}

impl fmt::Display for ReconcileReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("unknown"),
            Self::ObjectUpdated => f.write_str("object updated"),
            Self::RelatedObjectUpdated { obj_ref } => write!(f, "related object updated: {obj_ref}"),
            Self::ReconcilerRequestedRetry => f.write_str("reconciler requested retry"),
            Self::ErrorPolicyRequestedRetry => f.write_str("error policy requested retry"),
            Self::BulkReconcile => f.write_str("bulk reconcile requested"),
            Self::Custom { reason } => f.write_str(reason),
        }
    }
}

impl<K: Resource> From<ObjectRef<K>> for ReconcileRequest<K> {
    fn from(obj_ref: ObjectRef<K>) -> Self {
        Self { obj_ref, reason: ReconcileReason::Unknown }
    }
}

impl<K: Resource> Clone for ReconcileRequest<K>
where
    K::DynamicType: Clone,
{
    fn clone(&self) -> Self {
        Self { obj_ref: self.obj_ref.clone(), reason: self.reason.clone() }
    }
}

impl<K: Resource> fmt::Debug for ReconcileRequest<K>
where
    K::DynamicType: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReconcileRequest").field("obj_ref", &self.obj_ref).field("reason", &self.reason).finish()
    }
}

impl<K: Resource> PartialEq for ReconcileRequest<K>
where
    K::DynamicType: PartialEq,
{
    fn eq(&self, other: &Self) -> bool {
        self.obj_ref == other.obj_ref
    }
}

impl<K: Resource> Eq for ReconcileRequest<K> where K::DynamicType: Eq {}

impl<K: Resource> Hash for ReconcileRequest<K>
where
    K::DynamicType: Hash,
{
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.obj_ref.hash(state);
    }
}
