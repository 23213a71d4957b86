//! What a controller needs to run for years, beside its reconcilers.
//!
//! ```text
//!   signals ─► Manager ─┬─► servers: health, metrics, webhooks      started first, stopped last
//!                       ├─► watches: one per kind, scope, selector and form; shared by all who want it
//!                       ├─► runnables of the program
//!                       ├─► lease: leads or stands by, with warm stores
//!                       └─► controllers: reconcile only while this replica leads
//! ```
//!
//! Reading order: [`stage`] (the order in which everything starts and stops), [`runnable`] (what is started),
//! [`manager`] (who starts it), [`cluster`] (what controllers work on), [`reader`] (the stores, read), `leadership`
//! (who may reconcile); then [`http_server`] and what it serves: [`metrics`], [`health`], [`webhook`] with
//! [`certificates`]. [`definitions`] is used before all of it.

pub mod certificates;
pub mod cluster;
pub mod definitions;
pub mod error;
pub mod health;
pub mod http_server;
mod leadership;
pub mod manager;
pub mod metrics;
pub mod reader;
pub mod runnable;
pub mod stage;
pub mod stop;
mod text_answer;
pub mod webhook;

pub use cluster::{Cluster, ControllerStatus};
pub use error::Error;
pub use manager::{Builder, Manager};
pub use reader::{ReadError, Reader};
pub use runnable::Runnable;
pub use stage::Stage;
pub use stop::Stop;
