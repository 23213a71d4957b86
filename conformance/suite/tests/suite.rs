//! The embedded server, asked for behaviours and lived on by programs of others.

#[path = "suite/controllers.rs"]
mod controllers;
#[path = "suite/embedded.rs"]
mod embedded;
#[path = "suite/foreign.rs"]
mod foreign;
#[path = "suite/sections.rs"]
mod sections;
