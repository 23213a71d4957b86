//! A wait that is begun once and kept: a task that waits for several things, one of which happens often, does not
//! begin to wait for the others again each time.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep_until};

/// Changes of a value, waited for.
pub(crate) struct Signal<T> {
    waiting: Pin<Box<dyn Future<Output = watch::Receiver<T>> + Send>>,
}

impl<T: Send + Sync + 'static> Signal<T> {
    pub(crate) fn of(receiver: watch::Receiver<T>) -> Signal<T> {
        Signal { waiting: Box::pin(change(receiver)) }
    }

    /// Waits for a change; for ever once the sender is gone.
    pub(crate) fn poll_changed(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let receiver = ready!(self.waiting.as_mut().poll(cx));
        self.waiting = Box::pin(change(receiver));
        Poll::Ready(())
    }
}

async fn change<T>(mut receiver: watch::Receiver<T>) -> watch::Receiver<T> {
    if receiver.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
    receiver
}

/// A moment waited for, which seldom changes.
#[derive(Default)]
pub(crate) struct Alarm {
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Alarm {
    /// Waits until a moment.
    pub(crate) fn poll_at(&mut self, cx: &mut Context<'_>, moment: Instant) -> Poll<()> {
        // Made when it is first waited for, because it belongs to the runtime it is made in.
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(moment)));
        if sleep.deadline() != moment {
            sleep.as_mut().reset(moment);
        }
        sleep.as_mut().poll(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::time::Duration;

    use futures::poll;

    use super::*;

    #[tokio::test]
    async fn a_signal_reports_every_change_and_nothing_else() {
        let sender = watch::Sender::new(0);
        let mut signal = Signal::of(sender.subscribe());
        for value in 1..3 {
            assert!(poll!(poll_fn(|cx| signal.poll_changed(cx))).is_pending());
            sender.send_replace(value);
            poll_fn(|cx| signal.poll_changed(cx)).await;
        }
        drop(sender);
        assert!(poll!(poll_fn(|cx| signal.poll_changed(cx))).is_pending(), "the sender is gone, which is not a change");
    }

    #[tokio::test(start_paused = true)]
    async fn an_alarm_can_be_set_again() {
        let (mut alarm, begin) = (Alarm::default(), Instant::now());
        let after = |seconds| begin + Duration::from_secs(seconds);
        assert!(poll!(poll_fn(|cx| alarm.poll_at(cx, after(60)))).is_pending());
        poll_fn(|cx| alarm.poll_at(cx, after(1))).await;
        poll_fn(|cx| alarm.poll_at(cx, after(2))).await;
        assert_eq!(begin.elapsed(), Duration::from_secs(2));
    }
}
