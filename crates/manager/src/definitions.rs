//! CustomResourceDefinitions, installed by the program that serves them: applied, waited for, and their objects migrated.
//!
//! ```text
//!   definition ─► compare with the one that is there ─┬─► objects would break: refused, unless forced
//!                                                     └─► apply ─► Established, in discovery ─► objects rewritten at the
//!                                                         storage version ─► status.storedVersions trimmed
//! ```
//! A version that objects are still stored at cannot be removed at once: it is kept, not as the storage version, until they are
//! rewritten, and removed then. All of it can be interrupted and repeated.
//!
//! Reading order: `compatibility` (pure: what a new schema does to objects of the old one), `installer`, `migration`.

mod compatibility;
mod installer;
mod migration;

pub use compatibility::{Break, breaks};
pub use installer::{Error, Installer, install};
