//! A watch without faults that still obeys the commands given to open watches. Between an event and its client there is
//! one read of the current command.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures::Stream;

use crate::faults::open_watches::{CommandReceiver, OpenWatch, WatchCommand};
use crate::response::body::{Interrupted, Pieces};

/// The body of such a watch.
pub(super) struct ControlledWatch {
    pieces: Pieces,
    commands: CommandReceiver,
    /// Kept so that commands can be given as long as the stream lives.
    _open: Arc<OpenWatch>,
    ended: bool,
}

impl ControlledWatch {
    pub(super) fn new(pieces: Pieces, open: Arc<OpenWatch>) -> ControlledWatch {
        ControlledWatch { pieces, commands: open.follow(), _open: open, ended: false }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Interrupted>>> {
        loop {
            // Commands are read before each event, so waiting for them comes second.
            match self.commands.command() {
                WatchCommand::Go => {
                    if let Poll::Ready(piece) = self.pieces.as_mut().poll_next(cx) {
                        self.ended = !matches!(piece, Some(Ok(_)));
                        return Poll::Ready(piece);
                    }
                }
                WatchCommand::Stall => {}
                WatchCommand::End => {
                    self.ended = true;
                    return Poll::Ready(None);
                }
                WatchCommand::Break => {
                    self.ended = true;
                    return Poll::Ready(Some(Err(Interrupted)));
                }
            }
            ready!(self.commands.poll_changed(cx));
        }
    }
}

impl Stream for ControlledWatch {
    type Item = Result<Bytes, Interrupted>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.ended { Poll::Ready(None) } else { self.poll(cx) }
    }
}
