//! The log lines and spans of a story, captured on its own thread.
//!
//! One subscriber serves the whole process and writes to the capture of the current thread. A subscriber per thread would
//! miss lines: tracing caches for each call site whether the first thread was interested.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::sync::Once;

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

thread_local! {
    static CAPTURED: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
    static SPANS: RefCell<Vec<Span>> = const { RefCell::new(Vec::new()) };
}

/// A span as a tracing system sees it.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) id: u64,
    pub(crate) parent: Option<u64>,
    pub(crate) name: &'static str,
    pub(crate) fields: BTreeMap<&'static str, String>,
}

static SUBSCRIBED: Once = Once::new();

/// Captures the log of this thread until it is dropped.
pub(crate) struct Log(());

impl Log {
    pub(crate) fn catch() -> Self {
        SUBSCRIBED.call_once(|| {
            let lines = tracing_subscriber::fmt::layer().with_writer(|| CaptureWriter).with_ansi(false);
            // Spans of calls are at `debug`, and lines stay as short as they are without them.
            let is_span = |metadata: &Metadata<'_>| metadata.is_span() && metadata.target().starts_with("pintle");
            let spans = CaptureSpans.with_filter(filter_fn(is_span)).with_filter(LevelFilter::DEBUG);
            tracing_subscriber::registry().with(lines.with_filter(LevelFilter::INFO)).with(spans).init();
        });
        CAPTURED.set(Some(Vec::new()));
        SPANS.take();
        Self(())
    }

    /// The spans that were opened, with what was recorded on them since.
    #[expect(clippy::unused_self, reason = "there are spans as long as they are captured")]
    pub(crate) fn spans(&self) -> Vec<Span> {
        SPANS.with_borrow(Clone::clone)
    }

    /// The lines that contain `text`.
    pub(crate) fn lines_with(&self, text: &str) -> Vec<String> {
        let all = CAPTURED
            .with_borrow(|captured| String::from_utf8_lossy(captured.as_deref().unwrap_or_default()).into_owned());
        all.lines().filter(|line| line.contains(text)).map(str::to_owned).collect()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        CAPTURED.set(None);
    }
}

struct CaptureWriter;

impl Write for CaptureWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        CAPTURED.with_borrow_mut(|captured| captured.as_mut().map(|captured| captured.extend_from_slice(bytes)));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

struct CaptureSpans;

impl<S> Layer<S> for CaptureSpans
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if CAPTURED.with_borrow(Option::is_none) {
            return;
        }
        let parent = context.span(id).and_then(|span| Some(span.parent()?.id().into_u64()));
        let mut span = Span { id: id.into_u64(), parent, name: attributes.metadata().name(), fields: BTreeMap::new() };
        attributes.record(&mut span);
        SPANS.with_borrow_mut(|spans| spans.push(span));
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        // The last of an id is meant: ids are used again once a span is closed.
        SPANS.with_borrow_mut(|spans| {
            if let Some(span) = spans.iter_mut().rev().find(|span| span.id == id.into_u64()) {
                values.record(span);
            }
        });
    }
}

impl Visit for Span {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.fields.insert(field.name(), format!("{value:?}"));
    }
}
