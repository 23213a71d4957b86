//! The watches that are open, and the orders given to them: end, break, fall silent, go on, send a bookmark.
//!
//! In: orders for the watches a rule means. Out: each watch's own view of them. A watch that has ended is forgotten; a
//! server that is paused holds all of them.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll};

use tokio::sync::watch;

use crate::fault::{Asked, Requests};
use crate::storage::signal::Signal;
use crate::trace::{Log, What};

/// All open watches of a server.
pub(crate) struct OpenWatches {
    list: Mutex<Vec<Weak<OpenWatch>>>,
    /// Whether the server stands still.
    paused: watch::Sender<bool>,
}

/// One of them.
#[derive(Debug)]
pub(crate) struct OpenWatch {
    request: u64,
    asked: Asked,
    orders: watch::Sender<Orders>,
}

/// What a watch is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Go,
    Stall,
    End,
    Break,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Orders {
    order: Order,
    /// Whether the server stands still.
    paused: bool,
    /// How many bookmarks were ordered so far.
    pub(crate) bookmarks: u64,
}

impl OpenWatches {
    pub(crate) fn new() -> OpenWatches {
        OpenWatches { list: Mutex::new(Vec::new()), paused: watch::Sender::new(false) }
    }

    /// Notes a watch; it is open as long as somebody holds what is returned.
    pub(crate) fn open(&self, request: u64, asked: Asked) -> Arc<OpenWatch> {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let orders = watch::Sender::new(Orders { order: Order::Go, paused: *self.paused.borrow(), bookmarks: 0 });
        let open = Arc::new(OpenWatch { request, asked, orders });
        list.retain(|watch| watch.strong_count() > 0);
        list.push(Arc::downgrade(&open));
        open
    }

    /// Gives an order to the watches that are meant, and says how many there were.
    pub(crate) fn order(&self, meant: &Requests, order: Order, log: &Log) -> usize {
        let name = match order {
            Order::Go => "resume",
            Order::Stall => "stall",
            Order::End => "cut",
            Order::Break => "break",
        };
        self.each(meant, log, name, |orders| orders.order = order)
    }

    /// Orders a bookmark of the watches that are meant.
    pub(crate) fn order_bookmarks(&self, meant: &Requests, log: &Log) -> usize {
        self.each(meant, log, "bookmark", |orders| orders.bookmarks += 1)
    }

    pub(crate) fn pause(&self, paused: bool) {
        let list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        self.paused.send_replace(paused);
        // Each is told by itself: what all of them wait for would be in the way of each at every event.
        for open in list.iter().filter_map(Weak::upgrade) {
            open.orders.send_modify(|orders| orders.paused = paused);
        }
    }

    /// Waits while the server stands still.
    pub(crate) async fn going(&self) {
        if *self.paused.borrow() {
            // The sender is `self`, so it cannot be gone.
            drop(self.paused.subscribe().wait_for(|paused| !paused).await);
        }
    }

    fn each(&self, meant: &Requests, log: &Log, name: &'static str, change: impl Fn(&mut Orders)) -> usize {
        let list: Vec<Arc<OpenWatch>> =
            self.list.lock().unwrap_or_else(PoisonError::into_inner).iter().filter_map(Weak::upgrade).collect();
        let chosen: Vec<&Arc<OpenWatch>> = list.iter().filter(|open| meant.mean(&open.asked)).collect();
        for open in &chosen {
            log.write(open.request, &open.asked, What::Fault(name));
            open.orders.send_modify(&change);
        }
        chosen.len()
    }
}

impl OpenWatch {
    /// A view of the orders.
    pub(crate) fn follow(&self) -> Follower {
        Follower { orders: self.orders.subscribe(), signal: Signal::of(self.orders.subscribe()) }
    }

    /// The orders about bookmarks, for the watch itself.
    pub(crate) fn orders(&self) -> watch::Receiver<Orders> {
        self.orders.subscribe()
    }
}

/// One watch's view of its orders.
pub(crate) struct Follower {
    orders: watch::Receiver<Orders>,
    signal: Signal<Orders>,
}

impl Follower {
    /// What to do now.
    pub(crate) fn order(&mut self) -> Order {
        let orders = *self.orders.borrow();
        match orders.order {
            Order::Go if orders.paused => Order::Stall,
            order => order,
        }
    }

    /// Waits for another order.
    pub(crate) fn poll_changed(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.signal.poll_changed(cx)
    }
}
