//! A wait for a moment that is begun once and kept: a task that waits for several things, one of which happens often, does not
//! begin to wait for the moment again each time.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::time::{Instant, Sleep, sleep_until};

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
