//! Which objects a controller may reconcile, as long as something else says so: a lease, or a share of the work.
//!
//! ```text
//!   Permits::set(permit) ──► engine ──► Machine: Input::Permitted(scope)   what may not run is not started, what runs is cut off
//!                              └──────► WriteGuard of each reconcile       what it was about to write is not sent
//! ```
//!
//! The machine gets a [`Scope`] as an input and decides; the clock of a lease is looked at here. A controller without
//! permits may always reconcile everything.

use std::any::Any;
use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use pintle_client::client::write_guard::WriteGuard;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::lease::{Guard, NotLeading};
use crate::reflector::Key;

/// Which objects a controller may reconcile now.
#[derive(Clone, Debug)]
pub struct Permit {
    scope: Scope,
    guard: Option<Guard>,
}

/// All objects, none, or some.
#[derive(Clone)]
pub(super) enum Scope {
    All,
    None,
    Keys(Arc<dyn Fn(&Key) -> bool + Send + Sync>),
    Shared(Arc<dyn KeyShare>),
}

/// Objects that several replicas share, of which some are on their way to another.
pub(crate) trait KeyShare: Send + Sync {
    /// Whether an object may be reconciled.
    fn may_start(&self, key: &Key) -> bool;
    /// Whether a reconcile that runs may go on.
    fn may_go_on(&self, key: &Key) -> bool;
    /// Counts a reconcile that begins now until what it returns is dropped; `None` if it may not begin any more.
    fn begin(&self, key: &Key) -> Option<Box<dyn Any + Send + Sync>>;
}

/// Says which objects controllers may reconcile, now and later; clones say it to the same controllers.
///
/// What becomes permitted is reconciled once. What runs and is not permitted any more is cut off: it is
/// dropped where it waits, and nothing that it was about to write is sent. Deletes that come while they may not be handled
/// are not handled later: what must happen needs a finalizer.
#[derive(Clone, Debug)]
pub struct Permits(watch::Sender<Permit>);

/// An object may not be reconciled by this replica any more.
#[derive(Clone, Debug, thiserror::Error)]
enum NotPermitted {
    #[error(transparent)]
    NotLeading(#[from] NotLeading),
    #[error("this replica may not reconcile {0} any more")]
    Key(Key),
}

impl Permit {
    /// Every object.
    #[must_use]
    pub fn all() -> Self {
        Self { scope: Scope::All, guard: None }
    }

    /// No object.
    #[must_use]
    pub fn none() -> Self {
        Self { scope: Scope::None, guard: None }
    }

    /// The objects that `is_permitted` accepts. It must say the same each time it is asked.
    #[must_use]
    pub fn keys(is_permitted: impl Fn(&Key) -> bool + Send + Sync + 'static) -> Self {
        Self { scope: Scope::Keys(Arc::new(is_permitted)), guard: None }
    }

    /// The objects that are this replica's by `sharing`.
    pub(crate) fn shared(sharing: impl KeyShare + 'static) -> Self {
        Self { scope: Scope::Shared(Arc::new(sharing)), guard: None }
    }

    /// The same, and no object from when `guard` closes.
    #[must_use]
    pub fn guarded_by(mut self, guard: Guard) -> Self {
        self.guard = Some(guard);
        self
    }

    fn is_open(&self) -> bool {
        self.guard.as_ref().is_none_or(Guard::is_open)
    }

    fn check(&self, key: &Key) -> Result<(), NotPermitted> {
        self.guard.as_ref().map_or(Ok(()), Guard::check)?;
        if self.scope.lets_go_on(key) { Ok(()) } else { Err(NotPermitted::Key(key.clone())) }
    }
}

impl Scope {
    pub(super) fn admits(&self, key: &Key) -> bool {
        match self {
            Self::All => true,
            Self::None => false,
            Self::Keys(is_permitted) => is_permitted(key),
            Self::Shared(sharing) => sharing.may_start(key),
        }
    }

    /// Whether a reconcile that runs may go on.
    pub(super) fn lets_go_on(&self, key: &Key) -> bool {
        match self {
            Self::Shared(sharing) => sharing.may_go_on(key),
            Self::All | Self::None | Self::Keys(_) => self.admits(key),
        }
    }
}

impl Permits {
    /// Says `first` until something else is [set](Self::set).
    #[must_use]
    pub fn new(first: Permit) -> Self {
        Self(watch::Sender::new(first))
    }

    /// Says `permit` from now on.
    pub fn set(&self, permit: Permit) {
        self.0.send_replace(permit);
    }

    pub(super) fn follow(&self) -> Follower {
        let mut receiver = self.0.subscribe();
        receiver.mark_changed();
        Follower { receiver, guard: None, is_open: true }
    }
}

/// A controller's end.
pub(super) struct Follower {
    receiver: watch::Receiver<Permit>,
    /// The guard of the permit that was last looked at, and whether it was open then.
    guard: Option<Guard>,
    is_open: bool,
}

impl Follower {
    /// What may be reconciled, one after the other, as far as that has changed since it was last asked.
    pub(super) fn news(&mut self) -> Vec<Scope> {
        if !self.has_news() {
            return Vec::new();
        }
        let permit = self.receiver.borrow_and_update().clone();
        self.is_open = permit.is_open();
        let scope = if self.is_open { permit.scope } else { Scope::None };
        // What runs was begun under a guard, and does not go on under another one.
        let is_same = match (&self.guard, &permit.guard) {
            (Some(before), Some(now)) => before.is_same(now),
            (Some(_), None) => false,
            (None, _) => true,
        };
        self.guard = permit.guard;
        if is_same { vec![scope] } else { vec![Scope::None, scope] }
    }

    /// Waits until there are [`news`](Self::news). Whenever this is polled the clock is looked at, timer or not: a process
    /// may have stood still.
    pub(super) async fn changed(&mut self) {
        let mut receiver = self.receiver.clone();
        let is_closed = poll_fn(|_| if self.has_news() { Poll::Ready(()) } else { Poll::Pending });
        // What is true already comes first.
        tokio::select! {
            biased;
            () = is_closed => {}
            changed = receiver.changed() => {
                if changed.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        }
    }

    /// When its guard closes.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.receiver.borrow().guard.as_ref()?.deadline()
    }

    /// What the reconcile of `key` that begins now asks before it writes.
    pub(super) fn write_guard(&self, key: &Key) -> WriteGuard {
        let (permit, receiver, key) = (self.receiver.borrow().clone(), self.receiver.clone(), key.clone());
        // It counts as long as anything of it is on its way.
        let run = match &permit.scope {
            Scope::Shared(sharing) => sharing.begin(&key),
            Scope::All | Scope::None | Scope::Keys(_) => Some(Box::new(()) as _),
        };
        let guard = permit.guard;
        WriteGuard::new(move || {
            guard.as_ref().map_or(Ok(()), Guard::check)?;
            if run.is_none() { Err(NotPermitted::Key(key.clone())) } else { receiver.borrow().check(&key) }
        })
    }

    fn has_news(&self) -> bool {
        let is_replaced = self.receiver.has_changed().unwrap_or(false);
        is_replaced || self.is_open != self.receiver.borrow().is_open()
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::All => "All",
            Self::None => "None",
            Self::Keys(_) => "Keys",
            Self::Shared(_) => "Shared",
        })
    }
}
