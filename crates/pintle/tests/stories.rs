//! Stories: tests of what Pintle promises, across all crates, on the embedded server.
//!
//! A story gets a [`World`](world::World) and nothing else, so the same stories also run on a real cluster. Time is paused,
//! which makes them fast; no story depends on it to be correct. A file is a theme and is named after what it tests.

#![expect(clippy::unwrap_used, reason = "in a story a failure is a panic, wherever it happens")]

#[path = "stories/world.rs"]
mod world;

#[path = "stories/admission_webhook.rs"]
mod admission_webhook;
#[path = "stories/api_over_tls.rs"]
mod api_over_tls;
#[path = "stories/book.rs"]
mod book;
#[path = "stories/controller.rs"]
mod controller;
#[path = "stories/custom_resource.rs"]
mod custom_resource;
#[path = "stories/derive.rs"]
mod derive;
#[path = "stories/discovery.rs"]
mod discovery;
#[path = "stories/documented_client_programs.rs"]
mod documented_client_programs;
#[path = "stories/documented_fragments.rs"]
mod documented_fragments;
#[path = "stories/documented_promises.rs"]
mod documented_promises;
#[path = "stories/documented_runtime_programs.rs"]
mod documented_runtime_programs;
#[path = "stories/entry.rs"]
mod entry;
#[path = "stories/events.rs"]
mod events;
#[path = "stories/facade.rs"]
mod facade;
#[path = "stories/finalizer.rs"]
mod finalizer;
#[path = "stories/generated_types.rs"]
mod generated_types;
#[path = "stories/glossary_page.rs"]
mod glossary_page;
#[path = "stories/informer.rs"]
mod informer;
#[path = "stories/leader_election.rs"]
mod leader_election;
#[path = "stories/manager.rs"]
mod manager;
#[path = "stories/manager_webhooks.rs"]
mod manager_webhooks;
#[path = "stories/observability.rs"]
mod observability;
#[path = "stories/pagination.rs"]
mod pagination;
#[path = "stories/protobuf.rs"]
mod protobuf;
#[path = "stories/random_faults.rs"]
mod random_faults;
#[path = "stories/rbac.rs"]
mod rbac;
#[path = "stories/readme.rs"]
mod readme;
#[path = "stories/regressions_page.rs"]
mod regressions_page;
#[path = "stories/server_side_apply.rs"]
mod server_side_apply;
#[path = "stories/sharding.rs"]
mod sharding;
#[path = "stories/shared_streams.rs"]
mod shared_streams;
#[path = "stories/store.rs"]
mod store;
#[path = "stories/stream_adapters.rs"]
mod stream_adapters;
#[path = "stories/stream_costs.rs"]
mod stream_costs;
#[path = "stories/testing_guide.rs"]
mod testing_guide;
#[path = "stories/traps_page.rs"]
mod traps_page;
#[path = "stories/updates.rs"]
mod updates;
#[path = "stories/wait.rs"]
mod wait;
#[path = "stories/watcher.rs"]
mod watcher;
#[path = "stories/watcher_config.rs"]
mod watcher_config;
#[path = "stories/watcher_recovery.rs"]
mod watcher_recovery;
