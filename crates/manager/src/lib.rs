//! What a controller needs to run for years, beside its reconcilers.
//!
//! ```text
//!   signals ─► Manager ─┬─► servers: health, metrics, webhooks      started first, stopped last
//!                       ├─► watches: one per kind, scope, selector and form; shared by all who want it
//!                       ├─► lease: leads or stands by, with warm stores
//!                       └─► controllers: reconcile only while this replica leads
//! ```

pub mod http_server;
