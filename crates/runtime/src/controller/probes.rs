//! What a running controller answers when somebody asks how it is doing.

pub(super) mod heartbeat;
pub(super) mod liveness;
pub(super) mod readiness;
