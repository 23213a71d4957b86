//! How far a watch of the controller's own sees: which objects, and up to which version.
//!
//! In: where it looks, and each version it has reached. Out: whether it would see a write, and whether it has. A watch
//! tells what happens in the order of the versions, so one number says it all: whatever was written up to there and is
//! in sight has been told. What is deleted has no version to wait for; there the shelf is asked whether it is still
//! there.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use bytes::Bytes;
use pintle_client::client::writes::{Effect, Write};
use pintle_core::discovery::ApiResource;
use pintle_core::{Selector, SelectorExt};
use pintle_wire::{Body, Head};
use tokio::time::Instant;

use super::guard::Object;
use super::namespaces::Namespaces;
use super::readiness::Watched;
use super::waiting::{Awaited, Waiting};
use crate::reflector::Key;
use crate::watcher::{self, Health};

/// One watch's reach.
pub(super) struct Sight {
    kind: Arc<ApiResource>,
    view: Mutex<View>,
    look: OnceLock<Look>,
    /// How the watch is doing; each change of scope brings another.
    health: Mutex<Option<Health>>,
    /// Whose bodies are wanted although the shelf keeps none.
    suspects: Mutex<HashSet<Key>>,
    /// Which of the controller's objects wait for it.
    waiting: Mutex<Waiting>,
    ripe: Ripe,
}

/// The controller's objects that waited for something one of the watches has told since.
type Ripe = Arc<Mutex<Vec<Key>>>;

/// So many objects at most have their bodies kept: a controller with more loops than this has been told enough.
const SUSPECTS_MAX: usize = 100;

/// Where it looks, and how far it has come.
#[derive(Default)]
struct View {
    namespace: Option<String>,
    namespaces: Namespaces,
    /// `None` if the server selects by what cannot be judged here.
    selector: Option<Selector>,
    /// Set once a list is complete.
    reached: Option<u64>,
    /// When it was last known to have missed nothing; a change of scope does not touch it.
    sure: Option<Instant>,
}

/// Looks at what the watch's shelf holds.
type Look = Box<dyn Fn(&Key, See<'_>) + Send + Sync>;

/// Sees the head of an object, and its body where the shelf has that.
type See<'a> = &'a mut dyn FnMut(&Head, Option<Body<'_>>);

impl Sight {
    fn new(kind: &Arc<ApiResource>, ripe: &Ripe) -> Self {
        Self {
            kind: Arc::clone(kind),
            view: Mutex::default(),
            look: OnceLock::new(),
            health: Mutex::default(),
            suspects: Mutex::default(),
            waiting: Mutex::default(),
            ripe: Arc::clone(ripe),
        }
    }

    /// The watch looks here from now on, and knows nothing of it yet.
    pub(super) fn point_at(&self, namespace: Option<&str>, config: &watcher::Config) {
        self.point_within(namespace, config, &Namespaces::all());
    }

    /// As [`point_at`](Self::point_at), and of what is there it looks at these namespaces alone.
    pub(super) fn point_within(&self, namespace: Option<&str>, config: &watcher::Config, namespaces: &Namespaces) {
        let labels = config.label_selector.as_deref().unwrap_or_default();
        let is_plain = config.field_selector.as_deref().is_none_or(str::is_empty);
        let mut view = self.view();
        *view = View {
            namespace: namespace.map(str::to_owned),
            namespaces: namespaces.clone(),
            selector: labels.parse().ok().filter(|_| is_plain),
            reached: None,
            sure: view.sure,
        };
        drop(view);
        self.ripen(Waiting::end);
    }

    /// This is how the watch is doing from now on.
    pub(super) fn is_told_by(&self, health: Health) {
        *self.health.lock().unwrap_or_else(PoisonError::into_inner) = Some(health);
    }

    fn report(&self) -> Option<Watched> {
        let health = self.health.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        Some(Watched { kind: ApiResource::clone(&self.kind), report: health.report() })
    }

    /// How the shelf of the watch is looked at; said once.
    pub(super) fn look_by(&self, look: impl Fn(&Key, See<'_>) + Send + Sync + 'static) {
        drop(self.look.set(Box::new(look)));
    }

    /// The watch told of this version of an object; before its first list is complete that says nothing of others.
    pub(super) fn told(&self, version: Option<u64>, object: impl FnOnce() -> Key, now: Instant) {
        let mut view = self.view();
        view.sure = view.sure.map(|_| now);
        if let (Some(reached), Some(version)) = (&mut view.reached, version) {
            *reached = version.max(*reached);
        }
        let reached = view.reached;
        drop(view);
        self.ripen(|waiting, ripe| {
            waiting.told(object, ripe);
            if let Some(reached) = reached {
                waiting.reached(reached, ripe);
            }
        });
    }

    /// A list that began then is complete; says since when the watch may have missed something, unless it is the first.
    pub(super) fn listed(&self, began: Instant) -> Option<Instant> {
        self.ripen(Waiting::told_of_any);
        self.view().sure.replace(began)
    }

    /// The watch knows everything up to this version, by a list or a bookmark; says whether that is news.
    pub(super) fn knows(&self, version: u64, now: Instant) -> bool {
        let mut view = self.view();
        let is_news = view.reached.replace(version) != Some(version);
        if is_news {
            view.sure = view.sure.map(|_| now);
        }
        drop(view);
        if is_news {
            self.ripen(|waiting, ripe| {
                waiting.told_of_any(ripe);
                waiting.reached(version, ripe);
            });
        }
        is_news
    }

    /// Gives out those of the waiting whose time has come.
    fn ripen(&self, give: impl FnOnce(&mut Waiting, &mut Vec<Key>)) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        give(&mut waiting, &mut self.ripe.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// `key` waits until the watch may have told of `write`.
    fn keep_waiting(&self, key: &Key, write: &Write) {
        let awaited = match &write.effect {
            Effect::Stored(version) => version.parse().ok().map(Awaited::Version),
            Effect::Deleted => target_key(write).map(Awaited::Object),
        };
        if let Some(awaited) = awaited {
            self.waiting.lock().unwrap_or_else(PoisonError::into_inner).add(key, awaited);
        }
    }

    /// Whether the watch is expected to tell of `write` and has not.
    pub(super) fn awaits(&self, write: &Write) -> bool {
        let view = self.view();
        let (target, kind) = (&write.target, &self.kind);
        let is_elsewhere = (view.namespace.is_some() && view.namespace != target.namespace)
            || !view.namespaces.admit(target.namespace.as_deref());
        if target.group != kind.group || target.plural != kind.plural || is_elsewhere {
            return false;
        }
        let (Some(reached), Some(key)) = (view.reached, target_key(write)) else { return false };
        let is_selected = view.selector.as_ref().is_some_and(|selector| selector.matches(&write.labels));
        drop(view);
        match &write.effect {
            Effect::Stored(version) => version.parse::<u64>().is_ok_and(|version| {
                // What is selected no more leaves the shelf, and that is waited for, too.
                reached < version && (is_selected || self.holds(&key, |_| true))
            }),
            Effect::Deleted => {
                self.holds(&key, |head| head.uid().as_deref() == Some(&write.uid) && !head.is_deleting())
            }
        }
    }

    /// Whether the body of `key` should be kept from now on.
    pub(super) fn is_suspect(&self, key: &Key) -> bool {
        self.suspects().contains(key)
    }

    /// The body of `key`, where the shelf has it; if not, it will have the next one.
    fn body(&self, key: &Key) -> Option<Bytes> {
        let mut found = None;
        if let Some(look) = self.look.get() {
            look(key, &mut |_, body| found = body.and_then(Body::to_json).map(|json| json.into_owned().into()));
        }
        let mut suspects = self.suspects();
        if found.is_none() && suspects.len() < SUSPECTS_MAX {
            suspects.insert(key.clone());
        }
        found
    }

    fn suspects(&self) -> MutexGuard<'_, HashSet<Key>> {
        self.suspects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn holds(&self, key: &Key, judge: impl Fn(&Head) -> bool) -> bool {
        let mut found = false;
        if let Some(look) = self.look.get() {
            look(key, &mut |head, _| found = judge(head));
        }
        found
    }

    // Nothing panics while it is locked.
    fn view(&self) -> MutexGuard<'_, View> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Sight {
    /// Nobody waits for a watch that is removed.
    fn drop(&mut self) {
        self.ripen(Waiting::end);
    }
}

/// The object that was written.
fn target_key(write: &Write) -> Option<Key> {
    let name = write.target.name.as_deref()?.into();
    Some(Key { namespace: write.target.namespace.as_deref().map(Arc::from), name })
}

/// The sights of all watches of one controller; one that is removed is seen no more.
#[derive(Clone, Default)]
pub(super) struct Sights {
    sights: Arc<Mutex<Vec<Weak<Sight>>>>,
    ripe: Ripe,
}

impl Sights {
    /// One more, of a watch of `kind`.
    pub(super) fn add(&self, kind: &Arc<ApiResource>) -> Arc<Sight> {
        let sight = Arc::new(Sight::new(kind, &self.ripe));
        let mut sights = self.sights.lock().unwrap_or_else(PoisonError::into_inner);
        sights.retain(|known| known.strong_count() > 0);
        sights.push(Arc::downgrade(&sight));
        sight
    }

    /// Whether any of them is expected to tell of `write` and has not.
    pub(super) fn await_any(&self, write: &Write) -> bool {
        self.all().iter().any(|sight| sight.awaits(write))
    }

    /// As [`await_any`](Self::await_any), and `key` is [ripe](Self::take_ripe) once that may have changed.
    pub(super) fn keep_waiting(&self, key: &Key, write: &Write) -> bool {
        let sight = self.all().into_iter().find(|sight| sight.awaits(write));
        sight.is_some_and(|sight| {
            sight.keep_waiting(key, write);
            true
        })
    }

    /// Who waited for something that may have been told since this was last asked.
    pub(super) fn take_ripe(&self) -> Vec<Key> {
        std::mem::take(&mut *self.ripe.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// `key` waits for nothing any more.
    pub(super) fn let_go(&self, key: &Key) {
        for sight in self.all() {
            sight.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
        }
    }

    /// How each watch is doing.
    pub(super) fn reports(&self) -> Vec<Watched> {
        self.all().iter().filter_map(|sight| sight.report()).collect()
    }

    /// How far each kind is known.
    pub(super) fn reached(&self) -> Reached {
        let reached = |sight: Arc<Sight>| Some((Arc::clone(&sight.kind), sight.view().reached?));
        Reached(self.all().into_iter().filter_map(reached).collect())
    }

    /// The first moment of which one of them cannot be sure.
    pub(super) fn unsure_since(&self) -> Option<Instant> {
        self.all().iter().filter_map(|sight| sight.view().sure).min()
    }

    /// An object as a watch has shown it last, where that is kept.
    pub(super) fn body(&self, object: &Object) -> Option<Bytes> {
        let mut sights = self.all();
        sights.retain(|sight| sight.kind.group == object.group && sight.kind.plural == object.plural);
        sights.iter().find_map(|sight| sight.body(&object.key))
    }

    fn all(&self) -> Vec<Arc<Sight>> {
        let sights = self.sights.lock().unwrap_or_else(PoisonError::into_inner);
        sights.iter().filter_map(Weak::upgrade).collect()
    }
}

/// How far each watched kind was known at a moment.
pub(super) struct Reached(Vec<(Arc<ApiResource>, u64)>);

impl Reached {
    /// Whether `write` changed something of a watched kind after that moment: one that changes nothing answers with a
    /// version from before.
    pub(super) fn is_before(&self, write: &Write) -> bool {
        let is_after = |reached: u64| match &write.effect {
            Effect::Stored(version) => version.parse::<u64>().is_ok_and(|version| version > reached),
            Effect::Deleted => true,
        };
        let is_same = |kind: &ApiResource| kind.group == write.target.group && kind.plural == write.target.plural;
        self.0.iter().any(|(kind, reached)| is_same(kind) && is_after(*reached))
    }
}
