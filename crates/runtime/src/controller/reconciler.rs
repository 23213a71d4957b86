//! What a program gives a controller to call, and what that returns.

pub(super) mod action;
pub(super) mod boxed_error;
pub(super) mod error;
pub(super) mod handlers;
pub(super) mod panics;
pub(super) mod policy;
pub(super) mod request;
