//! Admission policies: rules of the cluster in CEL, which refuse what is written, warn of it or note it.
//!
//! ```text
//!   policy ──┐ compiled when stored             ┌─ matchConditions, variables
//!            ├─► selection: which ones, with ──►┤
//!   binding ─┘   which parameters?              └─ validations ─► Deny, Warn, Audit
//! ```
//! In: what a request does to an object, and the policies in the cluster as it was looked at. Out: a refusal, in the words of
//! kube-apiserver 1.37, warnings, and annotations for the trace. A policy counts only where a binding puts it in force.
//! Where there is no policy, a write looks at one empty map.

mod configuration;
mod policy;
mod selection;
mod validating;

pub(crate) use configuration::AdmissionPolicies;
pub(super) use validating::validate;
