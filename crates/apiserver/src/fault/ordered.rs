//! A watch on its way to the client that no fault happens to: it obeys the orders given to open watches, and nothing
//! stands between an event and its client but a look at them.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures::Stream;

use crate::body::{Interrupted, Pieces};
use crate::open_watches::{Follower, OpenWatch, Order};

/// The watch.
pub(super) struct Ordered {
    pieces: Pieces,
    orders: Follower,
    /// Kept so that orders can be given as long as the stream lives.
    _open: Arc<OpenWatch>,
    ended: bool,
}

impl Ordered {
    pub(super) fn new(pieces: Pieces, open: Arc<OpenWatch>) -> Ordered {
        Ordered { pieces, orders: open.follow(), _open: open, ended: false }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Interrupted>>> {
        loop {
            // Orders are looked at before each event, so waiting for them comes second.
            match self.orders.order() {
                Order::Go => {
                    if let Poll::Ready(piece) = self.pieces.as_mut().poll_next(cx) {
                        self.ended = !matches!(piece, Some(Ok(_)));
                        return Poll::Ready(piece);
                    }
                }
                Order::Stall => {}
                Order::End => {
                    self.ended = true;
                    return Poll::Ready(None);
                }
                Order::Break => {
                    self.ended = true;
                    return Poll::Ready(Some(Err(Interrupted)));
                }
            }
            ready!(self.orders.poll_changed(cx));
        }
    }
}

impl Stream for Ordered {
    type Item = Result<Bytes, Interrupted>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.ended { Poll::Ready(None) } else { self.poll(cx) }
    }
}
