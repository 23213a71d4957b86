//! A stream of messages, each delayed until its time and yielded once however often it was asked for.
//!
//! In: [`ScheduleRequest`]s. Out: their messages. A message that waits already is not scheduled twice: the earlier time
//! counts, also with a debounce, which is a window that the first request opens and that later ones do not move.
//! Messages due together come in the order they were asked for. The [`Controller`](crate::Controller) has a queue of
//! its own with priorities; this is the piece by itself, with kube's names.

use std::collections::BTreeMap;
use std::future::Future;
use std::hash::Hash;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::stream::{Fuse, FusedStream, Stream, StreamExt};
use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::keyed::{Found, Keyed, Number};

/// A message and when it is due.
#[derive(Debug)]
pub struct ScheduleRequest<T> {
    /// What to yield.
    pub message: T,
    /// When.
    pub run_at: Instant,
}

/// Yields each message of `requests` when it is due.
pub fn scheduler<T: Eq + Hash + Clone, S: Stream<Item = ScheduleRequest<T>>>(requests: S) -> Scheduler<T, S> {
    debounced_scheduler(requests, Duration::ZERO)
}

/// As [`scheduler`], `debounce` later: whatever is asked for again within that time is yielded once, at its end.
pub fn debounced_scheduler<T: Eq + Hash + Clone, S: Stream<Item = ScheduleRequest<T>>>(
    requests: S,
    debounce: Duration,
) -> Scheduler<T, S> {
    Scheduler { requests: requests.fuse(), agenda: Agenda::default(), debounce, alarm: None }
}

pin_project! {
    /// The stream of [`scheduler`].
    #[must_use = "streams do nothing unless polled"]
    pub struct Scheduler<T, R> {
        #[pin]
        requests: Fuse<R>,
        agenda: Agenda<T>,
        debounce: Duration,
        // Boxed, because a program may poll a scheduler that it has not pinned.
        alarm: Option<Pin<Box<Sleep>>>,
    }
}

/// Half a year: as good as never, and far from what an `Instant` cannot hold. Whatever waits here waits no longer.
pub(crate) const DELAY_MAX: Duration = Duration::from_secs(180 * 24 * 60 * 60);

impl<T, R> Scheduler<T, R>
where
    T: Eq + Hash + Clone,
    R: Stream<Item = ScheduleRequest<T>>,
{
    /// Yields only what `can_take_message` accepts; what is due and not accepted stays pending, for the next poll. Each poll
    /// asks about what is pending, in its order, until something is accepted: another answer may come each time.
    pub fn hold_unless<C: Fn(&T) -> bool>(self: Pin<&mut Self>, can_take_message: C) -> HoldUnless<'_, T, R, C> {
        HoldUnless { scheduler: self, can_take_message }
    }

    /// Takes requests in and yields nothing.
    pub fn hold(self: Pin<&mut Self>) -> Hold<'_, T, R> {
        Hold { scheduler: self }
    }

    /// The next message that `may` accepts, none where nothing may; `None` once nothing is left to wait for.
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>, may: Option<&dyn Fn(&T) -> bool>) -> Poll<Option<T>> {
        let mut this = self.project();
        while let Poll::Ready(Some(request)) = this.requests.as_mut().poll_next(cx) {
            let latest = Instant::now() + DELAY_MAX;
            let due = request.run_at.checked_add(*this.debounce).unwrap_or(latest);
            this.agenda.add(request.message, due.min(latest));
        }
        loop {
            this.agenda.ripen(Instant::now());
            if let Some(message) = may.and_then(|may| this.agenda.take(may)) {
                return Poll::Ready(Some(message));
            }
            let Some(due) = this.agenda.next_due() else {
                let is_over = this.requests.is_terminated() && this.agenda.is_empty();
                return if is_over { Poll::Ready(None) } else { Poll::Pending };
            };
            let alarm = this.alarm.get_or_insert_with(|| Box::pin(sleep_until(due)));
            if alarm.deadline() != due {
                alarm.as_mut().reset(due);
            }
            ready!(alarm.as_mut().poll(cx));
        }
    }
}

impl<T, R> Stream for Scheduler<T, R>
where
    T: Eq + Hash + Clone,
    R: Stream<Item = ScheduleRequest<T>>,
{
    type Item = T;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        self.poll(cx, Some(&|_| true))
    }
}

/// A view of a [`Scheduler`] that yields only what it may. Made anew for each poll; nothing is lost with it.
#[must_use = "streams do nothing unless polled"]
pub struct HoldUnless<'a, T, R, C> {
    scheduler: Pin<&'a mut Scheduler<T, R>>,
    can_take_message: C,
}

impl<T, R, C> Stream for HoldUnless<'_, T, R, C>
where
    T: Eq + Hash + Clone,
    R: Stream<Item = ScheduleRequest<T>>,
    C: Fn(&T) -> bool + Unpin,
{
    type Item = T;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let this = self.get_mut();
        this.scheduler.as_mut().poll(cx, Some(&this.can_take_message))
    }
}

/// A view of a [`Scheduler`] that yields nothing.
#[must_use = "streams do nothing unless polled"]
pub struct Hold<'a, T, R> {
    scheduler: Pin<&'a mut Scheduler<T, R>>,
}

impl<T, R> Stream for Hold<'_, T, R>
where
    T: Eq + Hash + Clone,
    R: Stream<Item = ScheduleRequest<T>>,
{
    type Item = T;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        self.scheduler.as_mut().poll(cx, None)
    }
}

/// What waits, by when it is due, and what is due and was not taken.
struct Agenda<T> {
    /// Each message, and when it is due; pending ones have no time.
    messages: Keyed<T, Option<(Instant, u64)>>,
    delayed: BTreeMap<(Instant, u64), Number>,
    pending: BTreeMap<u64, Number>,
    next_ticket: u64,
}

impl<T> Default for Agenda<T> {
    fn default() -> Self {
        Self { messages: Keyed::default(), delayed: BTreeMap::new(), pending: BTreeMap::new(), next_ticket: 0 }
    }
}

impl<T: Eq + Hash + Clone> Agenda<T> {
    fn add(&mut self, message: T, due: Instant) {
        let ticket = self.ticket();
        let number = match self.messages.find(&message) {
            Found::Unknown(hash) => self.messages.insert(message, hash, Some((due, ticket))),
            Found::Known(number) => {
                match *self.messages.value(number) {
                    Some(place) if place.0 > due => drop(self.delayed.remove(&place)),
                    Some(_) | None => return,
                }
                // The newer message counts: equal ones may differ in what they carry along.
                *self.messages.key_mut(number) = message;
                *self.messages.value_mut(number) = Some((due, ticket));
                number
            }
        };
        self.delayed.insert((due, ticket), number);
    }

    /// Moves what is due from the delayed to the pending.
    fn ripen(&mut self, now: Instant) {
        while let Some(first) = self.delayed.first_entry().filter(|first| first.key().0 <= now) {
            let number = first.remove();
            *self.messages.value_mut(number) = None;
            let ticket = self.ticket();
            self.pending.insert(ticket, number);
        }
    }

    fn take(&mut self, may: impl Fn(&T) -> bool) -> Option<T> {
        let messages = &self.messages;
        let (&ticket, &number) = self.pending.iter().find(|(_, number)| may(messages.key(**number)))?;
        self.pending.remove(&ticket);
        Some(self.messages.remove(number))
    }

    fn next_due(&self) -> Option<Instant> {
        self.delayed.first_key_value().map(|((due, _), _)| *due)
    }

    fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    fn ticket(&mut self) -> u64 {
        self.next_ticket += 1;
        self.next_ticket
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::poll;
    use futures::stream;

    fn request(message: u8, after: u64) -> ScheduleRequest<u8> {
        ScheduleRequest { message, run_at: Instant::now() + Duration::from_secs(after) }
    }

    #[tokio::test(start_paused = true)]
    async fn each_message_comes_at_its_time_and_the_stream_ends_with_the_last() {
        let start = Instant::now();
        let requests = stream::iter([request(1, 5), request(2, 1), request(1, 3), request(2, 9)]);
        let yielded = scheduler(requests).map(|message| (message, start.elapsed().as_secs()));
        assert_eq!(yielded.collect::<Vec<_>>().await, [(2, 1), (1, 3)]);
    }

    #[tokio::test(start_paused = true)]
    async fn updates_within_the_debounce_still_come_at_the_end_of_the_window() {
        let start = Instant::now();
        let every_100_ms = stream::unfold((), async |()| {
            tokio::time::sleep(Duration::from_millis(100)).await;
            Some((ScheduleRequest { message: 1, run_at: Instant::now() }, ()))
        });
        let yielded = debounced_scheduler(every_100_ms, Duration::from_millis(200)).take(3);
        let times: Vec<_> = yielded.map(|_| start.elapsed().as_millis()).collect().await;
        assert_eq!(times, [300, 600, 900]);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_held_stays_pending_and_is_yielded_once() {
        let requests = stream::iter([request(1, 0), request(2, 0)]).chain(stream::pending());
        let mut scheduler = std::pin::pin!(scheduler(requests));
        assert!(poll!(scheduler.as_mut().hold().next()).is_pending());
        assert_eq!(scheduler.as_mut().hold_unless(|message| *message == 2).next().await, Some(2));
        assert!(poll!(scheduler.as_mut().hold_unless(|message| *message == 2).next()).is_pending());
        assert_eq!(scheduler.next().await, Some(1));
        assert!(poll!(scheduler.next()).is_pending());
    }

    #[tokio::test(start_paused = true)]
    async fn a_time_beyond_all_times_does_not_panic() {
        let far = ScheduleRequest { message: 1, run_at: Instant::now() + Duration::from_secs(1 << 40) };
        let mut scheduler = std::pin::pin!(debounced_scheduler(stream::iter([far]), Duration::MAX));
        assert!(poll!(scheduler.next()).is_pending());
    }
}
