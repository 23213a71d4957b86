//! Webhooks that an API server calls: admission of writes, and conversion between the versions of a custom resource.
//!
//! ```text
//!   POST /path?timeout=10s ─► Webhooks ─┬─► admission: review ─► AdmissionRequest<K> ─► handler ─► Decision ─► review
//!                                       └─► conversion: review ─► each object by Conversion ─► review
//! ```
//! [`Webhooks`] is a tower service: an [`HttpServer`](crate::http_server::HttpServer) puts it on a socket, and the embedded API
//! server takes it as it is (`Builder::webhook_service`), without a socket or certificate.
//!
//! What comes in is bounded: 7 MiB a body, a number of requests at once, and the time that the API server waits. A request
//! that can be answered as a review is: a handler that panics is a denial with code 500. What is not a review, comes too
//! late or is too much is refused with an HTTP code and a line that says why, so that the webhook's `failurePolicy` decides.
//!
//! Reading order: [`decision`](Decision), [`handler`](Handler), `admission`, `patch`, [`conversion`](Conversion), `exchange`, `service`,
//! [`server`](Server).

mod admission;
mod conversion;
mod decision;
mod exchange;
mod handler;
mod metrics;
mod patch;
mod server;
mod service;

pub use conversion::{Conversion, RoundTripError, assert_round_trips};
pub use decision::Decision;
pub use exchange::BODY_MAX;
pub use handler::{Handler, Reviewed};
pub use metrics::Metrics;
pub use server::{Certificate, Server, ServerError};
pub use service::{REQUESTS_MAX, Webhooks};
