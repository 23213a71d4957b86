//! The watches that are open, and the commands given to them: end, break, fall silent, go on, send a bookmark.
//!
//! In: commands for the watches that a rule matches. Out: what each watch should do now. A watch that has ended is forgotten; a
//! server that is paused holds all of them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};

use tokio::sync::watch;

use crate::faults::Requests;
use crate::faults::trace::{TraceEvent, TraceLog};
use crate::request::info::RequestInfo;
use crate::storage::waiters::{Waiter, Waiters};

/// All open watches of a server.
pub(crate) struct OpenWatches {
    list: Mutex<Vec<Weak<OpenWatch>>>,
    /// Whether the server is paused.
    paused: watch::Sender<bool>,
}

/// One of them.
#[derive(Debug)]
pub(crate) struct OpenWatch {
    request: u64,
    info: RequestInfo,
    orders: Arc<Orders>,
}

/// The commands that one watch was given.
#[derive(Debug)]
struct Orders {
    commands: Mutex<WatchCommands>,
    changed: Arc<Waiters>,
}

/// What a watch is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WatchCommand {
    Go,
    Stall,
    End,
    Break,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct WatchCommands {
    command: WatchCommand,
    /// Whether the server is paused.
    paused: bool,
    /// How many extra bookmarks were requested so far.
    pub(crate) bookmarks: u64,
}

impl OpenWatches {
    pub(crate) fn new() -> OpenWatches {
        OpenWatches { list: Mutex::new(Vec::new()), paused: watch::Sender::new(false) }
    }

    /// Registers a watch; it is open as long as the returned handle lives.
    pub(crate) fn open(&self, request: u64, info: RequestInfo) -> Arc<OpenWatch> {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let first = WatchCommands { command: WatchCommand::Go, paused: *self.paused.borrow(), bookmarks: 0 };
        let orders = Arc::new(Orders { commands: Mutex::new(first), changed: Arc::default() });
        let open = Arc::new(OpenWatch { request, info, orders });
        list.retain(|watch| watch.strong_count() > 0);
        list.push(Arc::downgrade(&open));
        open
    }

    /// Gives a command to the matching watches and returns how many there were.
    pub(crate) fn command(&self, meant: &Requests, command: WatchCommand, log: &TraceLog) -> usize {
        let name = match command {
            WatchCommand::Go => "resume",
            WatchCommand::Stall => "stall",
            WatchCommand::End => "cut",
            WatchCommand::Break => "break",
        };
        self.each(meant, log, name, |commands| commands.command = command)
    }

    /// Asks the matching watches for a bookmark and returns how many there were.
    pub(crate) fn command_bookmarks(&self, meant: &Requests, log: &TraceLog) -> usize {
        self.each(meant, log, "bookmark", |commands| commands.bookmarks += 1)
    }

    pub(crate) fn pause(&self, paused: bool) {
        let list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        self.paused.send_replace(paused);
        // Each watch has orders of its own: those that all share would be contended at every event.
        for open in list.iter().filter_map(Weak::upgrade) {
            open.orders.change(|commands| commands.paused = paused);
        }
    }

    pub(crate) fn is_paused(&self) -> bool {
        *self.paused.borrow()
    }

    /// Waits while the server is paused.
    pub(crate) async fn going(&self) {
        if *self.paused.borrow() {
            // The sender is `self`, so it cannot be gone.
            drop(self.paused.subscribe().wait_for(|paused| !paused).await);
        }
    }

    fn each(&self, meant: &Requests, log: &TraceLog, name: &'static str, change: impl Fn(&mut WatchCommands)) -> usize {
        let list: Vec<Arc<OpenWatch>> =
            self.list.lock().unwrap_or_else(PoisonError::into_inner).iter().filter_map(Weak::upgrade).collect();
        let chosen: Vec<&Arc<OpenWatch>> = list.iter().filter(|open| meant.mean(&open.info)).collect();
        for open in &chosen {
            log.write(open.request, &open.info, TraceEvent::Fault(name));
            open.orders.change(&change);
        }
        chosen.len()
    }
}

impl OpenWatch {
    /// A view of the commands.
    pub(crate) fn follow(&self) -> CommandReceiver {
        let changed = self.orders.changed.join();
        let (orders, read_at) = (Arc::clone(&self.orders), self.orders.changed.changes());
        let known = *orders.commands();
        CommandReceiver { orders, known, read_at, changed }
    }
}

impl Orders {
    fn change(&self, change: impl FnOnce(&mut WatchCommands)) {
        change(&mut self.commands());
        self.changed.wake();
    }

    fn commands(&self) -> MutexGuard<'_, WatchCommands> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One watch's view of its commands. It looks at every event whether there are new ones, which takes no lock.
pub(crate) struct CommandReceiver {
    orders: Arc<Orders>,
    known: WatchCommands,
    /// How often they had changed when they were read.
    read_at: u64,
    changed: Waiter,
}

impl CommandReceiver {
    /// What to do now.
    pub(crate) fn command(&mut self) -> WatchCommand {
        let commands = self.commands();
        match commands.command {
            WatchCommand::Go if commands.paused => WatchCommand::Stall,
            command => command,
        }
    }

    /// All that it is to do now.
    pub(crate) fn commands(&mut self) -> WatchCommands {
        // First: a change while they are read is seen the next time.
        let changes = self.orders.changed.changes();
        if changes != self.read_at {
            self.known = *self.orders.commands();
            self.read_at = changes;
        }
        self.known
    }

    /// Waits for another command.
    pub(crate) fn poll_changed(&mut self, cx: &Context<'_>) -> Poll<()> {
        self.changed.poll_changed(cx)
    }
}
