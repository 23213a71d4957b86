//! What the view learns from tracing: log lines, and which reconcile began and why.

use std::fmt;

use tokio::time::Instant;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

use super::model::Tone;
use super::shared_model::SharedModel;

/// Shows log lines among the events.
pub(crate) struct LogLines(pub(crate) SharedModel);

/// Shows the reconciles that begin, by the spans that the runtime opens for them.
pub(crate) struct ReconcileSpans(SharedModel);

impl ReconcileSpans {
    /// The layer with the filter that lets just these spans through, whatever the log shows.
    pub(crate) fn layer<S>(model: SharedModel) -> impl Layer<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        Self(model).with_filter(Targets::new().with_target("pintle_runtime", Level::INFO))
    }
}

impl<S: Subscriber> Layer<S> for LogLines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let level = *event.metadata().level();
        let tone = if level <= Level::WARN { Tone::Trouble } else { Tone::Plain };
        let who = level.as_str().to_ascii_lowercase();
        self.0.with(|model| model.say(&who, fields.message, tone, Instant::now()));
    }
}

impl<S: Subscriber> Layer<S> for ReconcileSpans {
    fn on_new_span(&self, attributes: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        if attributes.metadata().name() != "reconciling object" {
            return;
        }
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let Fields { reference, name, reason, attempt, .. } = fields;
        let object = path(&reference, &name);
        self.0.with(|model| model.reconcile_began(object, reason, attempt, Instant::now()));
    }
}

/// The fields that are shown.
#[derive(Default)]
struct Fields {
    message: String,
    reference: String,
    name: String,
    reason: String,
    attempt: u64,
}

impl Visit for Fields {
    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "attempt" {
            self.attempt = value;
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let text = match field.name() {
            "message" => &mut self.message,
            "object.ref" => &mut self.reference,
            "object.name" => &mut self.name,
            "object.reason" => &mut self.reason,
            _ => return,
        };
        *text = format!("{value:?}");
    }
}

/// `default/guide` of `Document.v1.example.com/guide.default`.
fn path(reference: &str, name: &str) -> String {
    let namespace = reference
        .split_once('/')
        .and_then(|(_, object)| object.strip_prefix(name)?.strip_prefix('.'))
        .filter(|namespace| !namespace.is_empty());
    namespace.map_or_else(|| name.to_owned(), |namespace| format!("{namespace}/{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_shown_by_namespace_and_name() {
        assert_eq!(path("Document.v1.example.com/guide.default", "guide"), "default/guide");
        assert_eq!(path("Node.v1./a.b", "a.b"), "a.b");
        assert_eq!(path("Document.v1.example.com/a.b.default", "a.b"), "default/a.b");
    }
}
