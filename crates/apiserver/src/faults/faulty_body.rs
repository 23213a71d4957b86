//! A response body with faults: cut, broken, stalled, slowed, truncated or corrupted.
//!
//! In: the pieces of a response, the faults that happen to it, and the commands given to open watches. Out: pieces, until
//! a fault ends them. A watch is taken apart into its frames only if a fault asks for it.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::future::{self, Either};
use futures::{Stream, StreamExt, stream};
use tokio::time::sleep;

use super::controlled_watch::ControlledWatch;
use super::corrupt::corrupt_frame;
use super::{Armed, Fault};
use crate::faults::open_watches::{CommandReceiver, OpenWatch, WatchCommand};
use crate::faults::trace::TraceLog;
use crate::request::info::RequestInfo;
use crate::response::body::{Body, Interrupted};
use crate::response::status::expired;
use crate::storage::watch::error_frame;

/// Sends a body as the faults have it; `open` is there for a watch.
pub(crate) fn inject(
    body: Body,
    armed: Vec<Armed>,
    open: Option<Arc<OpenWatch>>,
    log: Arc<TraceLog>,
    request: u64,
    info: RequestInfo,
) -> Body {
    let open = match open {
        Some(open) if armed.is_empty() => return Body::fallible(ControlledWatch::new(body.into_pieces(), open)),
        open => open,
    };
    let watcher = open.as_ref().map(|open| open.follow());
    let body = FaultyBody {
        inner: Box::pin(body.into_pieces()),
        frames: VecDeque::new(),
        events: 0,
        bytes: 0,
        slowness: None,
        silent: false,
        armed,
        watcher,
        open,
        log,
        request,
        info,
        ended: false,
    };
    Body::fallible(stream::unfold(body, |mut body| async move { body.next().await.map(|piece| (piece, body)) }))
}

struct FaultyBody {
    inner: Pin<Box<dyn Stream<Item = Result<Bytes, Interrupted>> + Send>>,
    /// Frames of a watch that were taken apart and not sent yet.
    frames: VecDeque<Bytes>,
    events: usize,
    bytes: usize,
    slowness: Option<Duration>,
    silent: bool,
    armed: Vec<Armed>,
    watcher: Option<CommandReceiver>,
    /// Kept so that commands can be given as long as the stream lives.
    open: Option<Arc<OpenWatch>>,
    log: Arc<TraceLog>,
    request: u64,
    info: RequestInfo,
    ended: bool,
}

/// What a fault makes of the stream before its next event.
enum NextStep {
    On,
    End,
    Last(Result<Bytes, Interrupted>),
    Silence,
}

impl FaultyBody {
    async fn next(&mut self) -> Option<Result<Bytes, Interrupted>> {
        if self.ended {
            return None;
        }
        loop {
            match self.watcher.as_mut().map_or(WatchCommand::Go, CommandReceiver::command) {
                WatchCommand::Go => {}
                WatchCommand::End => return self.end(None),
                WatchCommand::Break => return self.end(Some(Err(Interrupted))),
                WatchCommand::Stall => {
                    self.command_changed().await;
                    continue;
                }
            }
            match self.next_step() {
                NextStep::On => {}
                NextStep::End => return self.end(None),
                NextStep::Last(last) => return self.end(Some(last)),
                NextStep::Silence => {
                    self.command_changed().await;
                    continue;
                }
            }
            if let Some(piece) = self.piece().await {
                return piece;
            }
        }
    }

    /// What happens before the next event.
    fn next_step(&mut self) -> NextStep {
        let events = self.events;
        let due = self.armed.iter().position(|armed| match armed.fault() {
            Fault::Cut { after }
            | Fault::Break { after }
            | Fault::Stall { after }
            | Fault::Expire { after }
            | Fault::ErrorEvent { after, .. } => *after <= events,
            Fault::SlowEvents(_) => true,
            _ => false,
        });
        let Some(armed) = due.map(|at| self.armed[at].clone()) else {
            return NextStep::On;
        };
        match armed.fault() {
            // It stays armed: a silent watch stays silent, whatever the commands are, until it ends.
            Fault::Stall { .. } => {
                if !std::mem::replace(&mut self.silent, true) {
                    self.fire(&armed);
                }
                return NextStep::Silence;
            }
            Fault::SlowEvents(slowness) => self.slowness = Some(*slowness),
            _ => self.fire(&armed),
        }
        self.armed.remove(due.expect("it was found just now"));
        match armed.fault() {
            Fault::Cut { .. } => NextStep::End,
            Fault::Break { .. } => NextStep::Last(Err(Interrupted)),
            Fault::Expire { .. } => NextStep::Last(Ok(error_frame(&expired("too old resource version")))),
            Fault::ErrorEvent { status, .. } => NextStep::Last(Ok(error_frame(status))),
            // A slow watch goes on; it counts as one from its first event on.
            _ => {
                self.fire(&armed);
                self.next_step()
            }
        }
    }

    /// The next piece to send; `None` when a command came first, `Some(None)` at the end.
    async fn piece(&mut self) -> Option<Option<Result<Bytes, Interrupted>>> {
        if self.frames.is_empty() {
            // Commands are read before each event, so waiting for them comes second.
            let next = {
                let ordered = std::pin::pin!(command_changed(&mut self.watcher));
                match future::select(self.inner.next(), ordered).await {
                    Either::Left((next, _)) => next,
                    Either::Right(((), _)) => return None,
                }
            };
            match next {
                None => return Some(self.end(None)),
                Some(Err(interrupted)) => return Some(self.end(Some(Err(interrupted)))),
                Some(Ok(piece)) if self.is_taken_apart() => self.frames.extend(frames(&piece)),
                Some(Ok(piece)) => self.frames.push_back(piece),
            }
        }
        let frame = self.frames.pop_front()?;
        if let Some(slowness) = self.slowness {
            sleep(slowness).await;
        }
        let frame = self.spoilt(frame);
        self.events += 1;
        Some(self.truncated(frame))
    }

    /// Whether faults look at single events.
    fn is_taken_apart(&self) -> bool {
        self.open.is_some() && (!self.armed.is_empty() || self.slowness.is_some())
    }

    fn spoilt(&mut self, frame: Bytes) -> Bytes {
        let events = self.events;
        let due = |armed: &Armed| matches!(armed.fault(), Fault::Undecodable { nth } if *nth <= events);
        let Some(at) = self.armed.iter().position(due).filter(|_| self.open.is_some()) else {
            return frame;
        };
        match corrupt_frame(&frame) {
            Some(spoilt) => {
                let armed = self.armed.remove(at);
                self.fire(&armed);
                spoilt
            }
            // A bookmark has nothing to spoil; the next event will do.
            None => frame,
        }
    }

    fn truncated(&mut self, mut piece: Bytes) -> Option<Result<Bytes, Interrupted>> {
        let limit = self.armed.iter().find_map(|armed| match armed.fault() {
            Fault::Truncate { at } => Some((*at, armed.clone())),
            _ => None,
        });
        let before = self.bytes;
        self.bytes += piece.len();
        if let Some((at, armed)) = limit.filter(|(at, _)| self.bytes > *at) {
            piece.truncate(at.saturating_sub(before));
            self.fire(&armed);
            self.armed.clear();
            // What is left arrives; then the connection breaks.
            self.inner = Box::pin(stream::iter([Err(Interrupted)]));
            self.frames.clear();
            if piece.is_empty() {
                return self.end(Some(Err(Interrupted)));
            }
        }
        Some(Ok(piece))
    }

    fn end(&mut self, last: Option<Result<Bytes, Interrupted>>) -> Option<Result<Bytes, Interrupted>> {
        self.ended = true;
        last
    }

    fn fire(&self, armed: &Armed) {
        armed.fire(&self.log, self.request, &self.info);
    }

    async fn command_changed(&mut self) {
        command_changed(&mut self.watcher).await;
    }
}

/// Waits for a command; only a watch gets any.
async fn command_changed(watcher: &mut Option<CommandReceiver>) {
    match watcher {
        Some(watcher) => future::poll_fn(|cx| watcher.poll_changed(cx)).await,
        None => future::pending().await,
    }
}

/// The frames of a piece: one JSON text per line.
fn frames(piece: &Bytes) -> Vec<Bytes> {
    let mut rest = piece.clone();
    let mut frames = Vec::new();
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        frames.push(rest.split_to(end + 1));
    }
    if !rest.is_empty() {
        frames.push(rest);
    }
    frames
}
