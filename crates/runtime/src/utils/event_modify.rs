//! Changes objects on their way.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures::Stream;
use pin_project_lite::pin_project;
use pintle_client::Error as ClientErr;

use crate::watcher::{self, Event};

pin_project! {
    /// Passes each object through a function. Should that panic, the object becomes an error and the stream goes on.
    #[must_use = "streams do nothing unless polled"]
    pub struct EventModify<S, F> {
        #[pin]
        stream: S,
        change: F,
    }
}

impl<S, F> EventModify<S, F> {
    pub(super) fn new(stream: S, change: F) -> Self {
        Self { stream, change }
    }
}

impl<S, F, K> Stream for EventModify<S, F>
where
    S: Stream<Item = watcher::Result<Event<K>>>,
    F: FnMut(&mut K),
{
    type Item = S::Item;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.project();
        let next = ready!(this.stream.poll_next(cx));
        Poll::Ready(next.map(|event| modified(event?, this.change)))
    }
}

fn modified<K>(event: Event<K>, change: &mut impl FnMut(&mut K)) -> watcher::Result<Event<K>> {
    // A half-changed object is dropped, and the function is called again as after any other return.
    catch_unwind(AssertUnwindSafe(|| event.modify(change))).map_err(|_| {
        let panicked = format!("the function given to modify() panicked on a {}", std::any::type_name::<K>());
        watcher::Error::WatchFailed(ClientErr::Service(panicked.into()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::StreamExt;

    #[tokio::test]
    async fn objects_are_changed_in_every_event_and_a_panic_is_one_error() {
        let events = [Event::Init, Event::InitApply(1), Event::InitDone, Event::Apply(0), Event::Delete(2)];
        let mut events = EventModify::new(futures::stream::iter(events.map(Ok)), |it: &mut i32| {
            assert_ne!(*it, 0, "the object is zero");
            *it *= 10;
        });
        assert!(matches!(events.next().await, Some(Ok(Event::Init))));
        assert!(matches!(events.next().await, Some(Ok(Event::InitApply(10)))));
        assert!(matches!(events.next().await, Some(Ok(Event::InitDone))));
        let error = events.next().await.unwrap().unwrap_err();
        assert!(format!("{error:?}").contains("modify() panicked"), "{error:?}");
        assert!(matches!(events.next().await, Some(Ok(Event::Delete(20)))));
        assert!(events.next().await.is_none());
    }
}
