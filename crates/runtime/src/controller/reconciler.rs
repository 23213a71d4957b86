//! What a program gives a controller to call, and what it gives back.

pub(super) mod action;
pub(super) mod boxed_error;
pub(super) mod error;
pub(super) mod handlers;
pub(super) mod panics;
pub(super) mod policy;
pub(super) mod request;
