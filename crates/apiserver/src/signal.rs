//! A wait that is begun once and kept: whoever waits for several things, of which one happens all the time, does not
//! begin to wait for the others anew each time.

use std::future::Future;
use std::pin::Pin;

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

    /// Waits for a change; for ever once nobody is left who could make one.
    pub(crate) async fn changed(&mut self) {
        let receiver = self.waiting.as_mut().await;
        self.waiting = Box::pin(change(receiver));
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
    pub(crate) async fn at(&mut self, moment: Instant) {
        // Made when it is first waited for, because it belongs to the runtime it is made in.
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(moment)));
        if sleep.deadline() != moment {
            sleep.as_mut().reset(moment);
        }
        sleep.as_mut().await;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn a_signal_tells_of_every_change_and_of_no_other() {
        let sender = watch::Sender::new(0);
        let mut signal = Signal::of(sender.subscribe());
        for value in 1..3 {
            assert!(signal.changed().now_or_never().is_none());
            sender.send_replace(value);
            signal.changed().await;
        }
        drop(sender);
        assert!(signal.changed().now_or_never().is_none(), "nobody is left, and that is no change");
    }

    #[tokio::test(start_paused = true)]
    async fn an_alarm_can_be_set_again() {
        let (mut alarm, begin) = (Alarm::default(), Instant::now());
        assert!(alarm.at(begin + Duration::from_secs(60)).now_or_never().is_none());
        alarm.at(begin + Duration::from_secs(1)).await;
        alarm.at(begin + Duration::from_secs(2)).await;
        assert_eq!(begin.elapsed(), Duration::from_secs(2));
    }
}
