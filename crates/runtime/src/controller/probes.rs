//! How a running controller is doing.

pub(super) mod heartbeat;
pub(super) mod liveness;
pub(super) mod readiness;
