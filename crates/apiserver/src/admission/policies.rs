//! Admission policies: rules of the cluster in CEL, which change what is written, refuse it, warn of it or note it.
//!
//! ```text
//!   policy ──┐ compiled when stored              ┌─ mutations ───► JSONPatch, ApplyConfiguration
//!            ├─► selection: which ones, with  ──►┤
//!   binding ─┘   which parameters? conditions?   └─ validations ─► Deny, Warn, Audit
//! ```
//! In: what a request does to an object, and the policies in the cluster as it was looked at. Out: the object changed; or a refusal,
//! in the words of kube-apiserver 1.37, warnings, and annotations for the trace. A policy counts only where it is bound.
//! Where there is no policy, a write looks at one empty map.

mod configuration;
mod mutating;
mod namespace;
mod policy;
mod selection;
mod type_checking;
mod validating;

pub(crate) use configuration::AdmissionPolicies;
pub(super) use mutating::mutate;
pub(crate) use policy::ParamKind;
pub(crate) use type_checking::{TypeWarning, type_warnings};
pub(super) use validating::validate;
