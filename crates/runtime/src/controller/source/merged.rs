//! All sources of a controller as one stream, to which more can be added while it runs.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::stream::{BoxStream, SelectAll, Stream, StreamExt};
use tokio::sync::mpsc;

use crate::controller::source::{Source, Triggered};
use crate::watcher;

/// What a source brought, with its number.
pub(in crate::controller) type Numbered<K> = (usize, watcher::Result<Triggered<K, watcher::Error>>);

/// All sources, numbered in the order they came; the controller's own objects are number 0.
pub(in crate::controller) struct Sources<K> {
    all: SelectAll<BoxStream<'static, Numbered<K>>>,
    added: Option<mpsc::UnboundedReceiver<Source<K>>>,
    next_number: usize,
}

impl<K: 'static> Sources<K> {
    pub(in crate::controller) fn new(first: Vec<Source<K>>, added: mpsc::UnboundedReceiver<Source<K>>) -> Self {
        let mut sources = Self { all: SelectAll::new(), added: Some(added), next_number: 0 };
        first.into_iter().for_each(|source| sources.push(source));
        sources
    }

    fn push(&mut self, source: Source<K>) {
        let number = self.next_number;
        self.next_number += 1;
        self.all.push(source.map(move |woken| (number, woken)).boxed());
    }
}

impl<K: 'static> Stream for Sources<K> {
    type Item = Numbered<K>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        while let Some(added) = &mut self.added {
            match added.poll_recv(cx) {
                Poll::Ready(Some(source)) => self.push(source),
                Poll::Ready(None) => self.added = None,
                Poll::Pending => break,
            }
        }
        match self.all.poll_next_unpin(cx) {
            // More may be added.
            Poll::Ready(None) if self.added.is_some() => Poll::Pending,
            polled => polled,
        }
    }
}
