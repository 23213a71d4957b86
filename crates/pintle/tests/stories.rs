//! What Pintle promises, told as stories on the embedded server.
//!
//! A story gets a [`World`](world::World) and nothing else, so the same stories can be told to a real cluster. Time is
//! paused, which makes them fast; none needs that to be right.

#![expect(clippy::unwrap_used, reason = "in a story a failure is a panic, wherever it happens")]

#[path = "stories/world.rs"]
mod world;

#[path = "stories/adapting.rs"]
mod adapting;
#[path = "stories/applying.rs"]
mod applying;
#[path = "stories/claims.rs"]
mod claims;
#[path = "stories/controller.rs"]
mod controller;
#[path = "stories/custom_resource.rs"]
mod custom_resource;
#[path = "stories/derive.rs"]
mod derive;
#[path = "stories/discovering.rs"]
mod discovering;
#[path = "stories/entries.rs"]
mod entries;
#[path = "stories/facade.rs"]
mod facade;
#[path = "stories/finalizing.rs"]
mod finalizing;
#[path = "stories/guide.rs"]
mod guide;
#[path = "stories/informing.rs"]
mod informing;
#[path = "stories/leading.rs"]
mod leading;
#[path = "stories/paging.rs"]
mod paging;
#[path = "stories/programs.rs"]
mod programs;
#[path = "stories/reading.rs"]
mod reading;
#[path = "stories/regressions.rs"]
mod regressions;
#[path = "stories/schedules.rs"]
mod schedules;
#[path = "stories/sharing.rs"]
mod sharing;
#[path = "stories/snippets.rs"]
mod snippets;
#[path = "stories/sockets.rs"]
mod sockets;
#[path = "stories/storing.rs"]
mod storing;
#[path = "stories/telling.rs"]
mod telling;
#[path = "stories/traps.rs"]
mod traps;
#[path = "stories/trouble.rs"]
mod trouble;
#[path = "stories/updating.rs"]
mod updating;
#[path = "stories/waiting.rs"]
mod waiting;
#[path = "stories/watch_options.rs"]
mod watch_options;
#[path = "stories/watching.rs"]
mod watching;
