//! What a cluster does by itself after a write: the controllers that kube-apiserver leaves to other processes.
//!
//! ```text
//!  stored or removed ─► Cluster::settle ─┬─► garbage_collector    what gone owners leave behind
//!                                        ├─► cluster_role_aggregation   the rules that a role gathers from others
//!                                        ├─► namespace            its defaults, and the end of what is in it
//!                                        ├─► in_use_protection    finalizers of volumes and claims
//!                                        ├─► policy_status        what the types of a policy's expressions do not fit
//!                                        ├─► resource_quota       what is used of quotas, counted anew
//!                                        └─► simulated            workloads, pods, endpoints, volumes, if somebody wants them
//!                                              └─► intents: their writes, as every other write
//! ```
//! In: the storage key of an object that was stored or removed. Out: writes, which are followed in the same way. Invariant:
//! they come to rest: an object that is as it should be is not written again. It happens after the answer to the request
//! that caused it, and before anything is read that must be most recent (`server::settling`).

pub(crate) mod cluster_role_aggregation;
pub(crate) mod garbage_collector;
pub(crate) mod in_use_protection;
pub(crate) mod intents;
pub(crate) mod namespace;
pub(crate) mod policy_status;
pub(crate) mod resource_quota;
pub(crate) mod simulated;
