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
//! [`manager`] (who starts it).

pub mod error;
pub mod manager;
pub mod runnable;
pub mod stage;
pub mod stop;

pub use error::Error;
pub use manager::{Builder, ControllerStatus, Manager};
pub use runnable::Runnable;
pub use stage::Stage;
pub use stop::Stop;
