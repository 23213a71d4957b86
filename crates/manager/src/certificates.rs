//! Certificates of a webhook server: read from files, or made and rotated by the program itself.
//!
//! ```text
//!   CertificateFiles ──────reads every 10 s─────┐
//!                                               ├─► ServingCertificate ─► Tls, at each handshake
//!   ManagedCertificate ──Secret of the cluster──┘
//!          └─► caBundle of webhook configurations and CustomResourceDefinitions
//! ```
//! [`ServingCertificate`] is the one slot between them: what is put there is shown from the next handshake on. A pair that
//! cannot be used never gets there; the last one that could be stays.
//!
//! Reading order: `validity` (pure), `serving`, `files`; then for managed ones `rotation` (pure: what is to be done, and when), `issue`, `secret`,
//! `bundle` (pure: who is to trust it), `managed` (does what `rotation` says).

mod bundle;
mod files;
mod issue;
mod managed;
mod rotation;
mod secret;
mod serving;
mod validity;

pub use files::{CertificateFiles, FilesMetrics};
pub use issue::IssueError;
pub use managed::{Error, ManagedCertificate};
pub use rotation::Policy;
pub use serving::{PairError, ServingCertificate};
