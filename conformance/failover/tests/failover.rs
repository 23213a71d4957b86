//! Replicas as processes that are killed, asked to stop, or stopped past their lease and continued: never two write at once.
//!
//! The server is embedded, or the one of `PINTLE_FAILOVER_KUBECONFIG`.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "in a test a failure is a panic, wherever it happens")]
#![expect(clippy::print_stdout, reason = "the times of each failover are what a run is made for")]

#[path = "failover/cluster.rs"]
mod cluster;
#[path = "failover/history.rs"]
mod history;
#[path = "failover/leader.rs"]
mod leader;
#[path = "failover/replicas.rs"]
mod replicas;
#[path = "failover/shards.rs"]
mod shards;
#[path = "failover/writes.rs"]
mod writes;
