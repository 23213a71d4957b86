//! A running watch: frames as they come, until its time is over.
//!
//! In: a broadcaster, woken by it. Out: bytes. There is neither a task nor a queue per watch: it reads from the revision it
//! has got to, whenever its client asks for more, and ends when the broadcaster has forgotten what it still needs.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use futures::Stream;
use futures::future::BoxFuture;
use pintle_core::Status;
use pintle_core::call::Form;
use pintle_core::response::document::Document;
use serde_json::json;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::catalog::crd::converter::Converter;
use crate::catalog::kinds::Kind;
use crate::codec::typed;
use crate::faults::injection::ActiveFaults;
use crate::faults::open_watches::CommandReceiver;
use crate::response::status::Answer;
use crate::storage::alarm::Alarm;
use crate::storage::broadcaster::{Broadcaster, Overtaken};
use crate::storage::entry::{ChangeKind, Entry};
use crate::storage::selection::Selection;
use crate::storage::view;
use crate::storage::waiters::Waiter;
use crate::storage::watch_cache::{Change, frame};

/// One watch.
pub(crate) struct Watcher {
    broadcaster: Arc<Broadcaster>,
    changed: Waiter,
    progress: Arc<watch::Sender<u64>>,
    kind: Arc<Kind>,
    /// The kind's.
    api_version: String,
    form: Form,
    selection: Selection,
    /// What exists and is still to be sent, last one first; `None` once that is over.
    initial: Option<Vec<Arc<Entry>>>,
    /// Everything up to this revision was sent.
    cursor: u64,
    deadline: Instant,
    bookmarks: Option<Bookmarks>,
    /// Commands to send bookmarks, from a test that controls this watch.
    commands: Option<CommandReceiver>,
    bookmarks_ordered: u64,
    alarm: Alarm,
    sends_end_bookmark: bool,
    ended: bool,
    /// Who converts, where a webhook does.
    converter: Option<Converter>,
    /// Room for the changes that are read next, so that an event asks for no memory.
    changes: Vec<Arc<Change>>,
    /// What is sent next, on its way to the version of this watch.
    converting: Option<BoxFuture<'static, Answer<()>>>,
}

struct Bookmarks {
    period: Duration,
    next: Instant,
}

impl Watcher {
    #[expect(clippy::too_many_arguments, reason = "each is a different fact about one watch, named at its only caller")]
    pub(crate) fn new(
        broadcaster: Arc<Broadcaster>,
        progress: Arc<watch::Sender<u64>>,
        kind: Arc<Kind>,
        form: Form,
        selection: Selection,
        mut initial: Option<Vec<Arc<Entry>>>,
        cursor: u64,
        deadline: Instant,
        bookmark_period: Option<Duration>,
    ) -> Watcher {
        if let Some(entries) = &mut initial {
            entries.reverse();
        }
        let changed = broadcaster.wait();
        let bookmarks = bookmark_period.map(|period| Bookmarks { period, next: deadline });
        let mut watcher = Watcher {
            broadcaster,
            changed,
            progress,
            api_version: kind.api_version(),
            kind,
            form,
            selection,
            initial,
            cursor,
            deadline,
            bookmarks,
            commands: None,
            bookmarks_ordered: 0,
            alarm: Alarm::default(),
            sends_end_bookmark: true,
            ended: false,
            converter: None,
            changes: Vec::new(),
            converting: None,
        };
        watcher.schedule_bookmark();
        watcher
    }

    /// Keeps to what a test wants of this watch.
    pub(super) fn follow(&mut self, faults: &ActiveFaults) {
        self.commands = faults.open.as_ref().map(|open| open.follow());
        self.sends_end_bookmark = !faults.without_end_bookmark;
    }

    /// Has a webhook convert what it sends.
    pub(super) fn convert_with(&mut self, converter: Converter) {
        self.converter = self.kind.conversion.is_some().then_some(converter);
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Answer<Option<Bytes>>> {
        loop {
            ready!(self.poll_converting(cx))?;
            if self.begin_converting_initial() {
                continue;
            }
            if let Some(frames) = self.next_initial()? {
                return Poll::Ready(Ok(Some(frames)));
            }
            if Instant::now() >= self.deadline {
                return Poll::Ready(Ok(None));
            }
            // First: what comes after it is a wake-up.
            self.changed.look();
            // Then this: it is closed after its last change.
            let closed = self.broadcaster.is_closed();
            let mut changes = std::mem::take(&mut self.changes);
            if let Err(Overtaken) = self.broadcaster.read(self.cursor, BATCH, &mut changes) {
                tracing::debug!(resource = %self.kind.plural, "ending a watch that was too slow");
                return Poll::Ready(Ok(None));
            }
            if !changes.is_empty() {
                let frames = if self.begin_converting_changes(&changes) { None } else { self.frames(&changes)? };
                changes.clear();
                changes.shrink_to(KEPT_ROOM);
                self.changes = changes;
                match frames {
                    Some(frames) => return Poll::Ready(Ok(Some(frames))),
                    None => continue,
                }
            }
            self.changes = changes;
            if closed {
                return Poll::Ready(Ok(None));
            }
            if !self.is_bookmark_due() {
                ready!(self.poll_wait(cx));
            } else if self.catch_up() {
                return Poll::Ready(Ok(Some(self.bookmark())));
            }
        }
    }

    /// Moves on to the last revision of all, if there is nothing to send up to it.
    fn catch_up(&mut self) -> bool {
        // Read first: once there turns out to be nothing, everything up to this revision was sent.
        let revision = *self.progress.borrow();
        let is_sent = !self.broadcaster.has_changes(self.cursor);
        if is_sent {
            self.cursor = self.cursor.max(revision);
        }
        is_sent
    }

    /// Waits for what is being converted, which is one review at a time, so that order is kept.
    fn poll_converting(&mut self, cx: &mut Context<'_>) -> Poll<Answer<()>> {
        let Some(converting) = &mut self.converting else { return Poll::Ready(Ok(())) };
        let done = ready!(converting.as_mut().poll(cx));
        self.converting = None;
        Poll::Ready(done)
    }

    /// Begins to convert what exists and is sent next, if a webhook has to; says whether it does.
    fn begin_converting_initial(&mut self) -> bool {
        if self.converter.is_none() {
            return false;
        }
        let next = self.initial.as_deref().unwrap_or_default().rchunks(BATCH).next().unwrap_or_default();
        self.begin_converting(next.iter().filter(|entry| self.is_needed(entry)).cloned().collect())
    }

    /// The same for changes; of an object that departs the state before is sent.
    fn begin_converting_changes(&mut self, changes: &[Arc<Change>]) -> bool {
        if self.converter.is_none() {
            return false;
        }
        let sent = changes.iter().filter(|change| self.selection.covers(&change.key)).filter_map(|change| {
            let is_last = change.kind() == ChangeKind::Deleted || self.selection.matches(&change.key, &change.new);
            if is_last { Some(&change.new) } else { change.old.as_ref() }
        });
        self.begin_converting(sent.filter(|entry| self.is_needed(entry)).cloned().collect())
    }

    fn is_needed(&self, entry: &Entry) -> bool {
        view::is_unconverted(&self.kind, entry)
    }

    fn begin_converting(&mut self, needed: Vec<Arc<Entry>>) -> bool {
        let Some(converter) = self.converter.clone().filter(|_| !needed.is_empty()) else { return false };
        let kind = Arc::clone(&self.kind);
        self.converting = Some(Box::pin(async move { converter.prepare(&kind, &needed).await }));
        true
    }

    /// The next piece of what exists, and at its end the bookmark that says so.
    fn next_initial(&mut self) -> Answer<Option<Bytes>> {
        let Some(entries) = &mut self.initial else {
            return Ok(None);
        };
        let mut buffer = BytesMut::new();
        while buffer.len() < PIECE_BYTES
            && let Some(entry) = entries.pop()
        {
            buffer.put_slice(ChangeKind::Added.prefix());
            buffer.put_slice(&view::body(&self.kind, self.form, &entry)?);
            buffer.put_slice(crate::storage::entry::FRAME_END);
        }
        if entries.is_empty() {
            self.initial = None;
            if self.bookmarks.is_some() && self.sends_end_bookmark {
                buffer.put_slice(&self.bookmark_frame(&json!({"k8s.io/initial-events-end": "true"})));
            }
        }
        Ok((!buffer.is_empty()).then(|| buffer.freeze()))
    }

    /// Waits for a change, a bookmark's time or the end; which of them it was shows when everything is read again.
    fn poll_wait(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let bookmark = self.bookmarks.as_ref().map_or(self.deadline, |bookmarks| bookmarks.next);
        if self.changed.poll_changed(cx).is_ready() {
            return Poll::Ready(());
        }
        if let Some(commands) = &mut self.commands
            && commands.poll_changed(cx).is_ready()
        {
            return Poll::Ready(());
        }
        self.alarm.poll_at(cx, bookmark.min(self.deadline))
    }

    fn is_bookmark_due(&mut self) -> bool {
        if self.bookmarks.is_none() {
            return false;
        }
        let is_ordered = self.ordered_bookmarks() > self.bookmarks_ordered;
        self.bookmarks.as_ref().is_some_and(|bookmarks| is_ordered || bookmarks.next <= Instant::now())
    }

    fn ordered_bookmarks(&mut self) -> u64 {
        self.commands.as_mut().map_or(0, |commands| commands.commands().bookmarks)
    }

    fn frames(&mut self, changes: &[Arc<Change>]) -> Answer<Option<Bytes>> {
        if let [change] = changes {
            // The usual case: mostly the bytes which the store encoded, shared by all watches.
            let frame = self.frame(change)?;
            self.cursor = change.revision();
            return Ok(frame);
        }
        let mut frames = Vec::new();
        let mut bytes = 0;
        for change in changes {
            let frame = self.frame(change)?;
            self.cursor = change.revision();
            bytes += frame.as_ref().map_or(0, Bytes::len);
            frames.extend(frame);
            if bytes >= PIECE_BYTES {
                // The rest is read again: a piece is never much larger than one object.
                break;
            }
        }
        Ok(match frames.len() {
            0 => None,
            1 => frames.pop(),
            _ => Some(frames.concat().into()),
        })
    }

    /// The frame that this watch sends for a change.
    fn frame(&self, change: &Change) -> Answer<Option<Bytes>> {
        if self.selection.is_by_key() {
            // The same objects before and after the change: it is for this watch what it is for the store.
            let is_meant = self.selection.matches(&change.key, &change.new);
            return if is_meant { self.frame_as(change.kind(), change).map(Some) } else { Ok(None) };
        }
        if !self.selection.covers(&change.key) {
            return Ok(None);
        }
        let is_deletion = change.kind() == ChangeKind::Deleted;
        let was = change.old.as_ref().filter(|old| self.selection.matches(&change.key, old));
        let is = !is_deletion && self.selection.matches(&change.key, &change.new);
        let kind = match (was, is) {
            (None, false) => return Ok(None),
            (None, true) => ChangeKind::Added,
            (Some(_), true) => ChangeKind::Modified,
            (Some(old), false) if !is_deletion => {
                let body = view::departed(&self.kind, self.form, change, old)?;
                return Ok(Some(frame(ChangeKind::Deleted, &body)));
            }
            (Some(_), false) => ChangeKind::Deleted,
        };
        self.frame_as(kind, change).map(Some)
    }

    /// A change as one of this kind: mostly the bytes of the store.
    fn frame_as(&self, kind: ChangeKind, change: &Change) -> Answer<Bytes> {
        if kind == change.kind() && self.form != Form::Metadata && change.new.is_at(&self.api_version) {
            return Ok(change.new.frame());
        }
        Ok(frame(kind, &view::body(&self.kind, self.form, &change.new)?))
    }

    fn bookmark(&mut self) -> Bytes {
        self.bookmarks_ordered = self.ordered_bookmarks();
        self.schedule_bookmark();
        self.bookmark_frame(&json!(null))
    }

    fn bookmark_frame(&self, annotations: &serde_json::Value) -> Bytes {
        let (kind, api_version) = match self.form {
            Form::Metadata => ("PartialObjectMetadata", "meta.k8s.io/v1".to_owned()),
            Form::Object | Form::Table => (self.kind.kind.as_str(), self.kind.api_version()),
        };
        let mut metadata = json!({"resourceVersion": self.cursor.to_string()});
        if annotations.is_object() {
            metadata["annotations"] = annotations.clone();
        }
        let mut object = json!({"kind": kind, "apiVersion": api_version, "metadata": metadata});
        if let Some(of_kind) = typed::of_kind(&self.kind).filter(|_| self.form == Form::Object) {
            typed::print(of_kind, &mut object);
        }
        format!("{{\"type\":\"BOOKMARK\",\"object\":{object}}}\n").into()
    }

    /// The next bookmark comes after the period, and one comes shortly before the end.
    fn schedule_bookmark(&mut self) {
        let deadline = self.deadline;
        if let Some(bookmarks) = &mut self.bookmarks {
            let now = Instant::now();
            let last = deadline.checked_sub(LAST_BOOKMARK).filter(|last| *last > now);
            // A period that reaches beyond the clock is one that never ends.
            let next = now.checked_add(bookmarks.period).unwrap_or(deadline);
            bookmarks.next = last.map_or(next, |last| next.min(last));
        }
    }
}

impl Stream for Watcher {
    type Item = Bytes;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.ended {
            return Poll::Ready(None);
        }
        Poll::Ready(ready!(self.poll(cx)).unwrap_or_else(|refusal| {
            self.ended = true;
            Some(error_frame(&refusal))
        }))
    }
}

/// The frame of an error.
pub(crate) fn error_frame(status: &Status) -> Bytes {
    let status = serde_json::to_string(&Document(status)).expect("a Status always prints");
    format!("{{\"type\":\"ERROR\",\"object\":{status}}}\n").into()
}

/// Changes read from a broadcaster at once; between two batches a watch lets others have the broadcaster.
const BATCH: usize = 256;

/// Room for so many changes is kept by a watch that waits: a pointer each.
const KEPT_ROOM: usize = 16;

/// Events are sent in pieces of about this size.
const PIECE_BYTES: usize = 64 * 1024;

/// A last bookmark comes so long before the end that it arrives, and the next watch begins where this one ended.
const LAST_BOOKMARK: Duration = Duration::from_secs(2);
