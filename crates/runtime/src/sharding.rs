//! Replicas that share the keys of one controller.
mod machine;
mod slots;
