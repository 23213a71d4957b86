//! How far one watch of the controller's own has come: which objects it shows, and up to which version.
//!
//! In: where the watch looks, and each version it has reached. Out: whether it would show a write, and whether it has. A
//! watch shows what happens in the order of the versions, so one number is enough: whatever was written up to there and
//! is within its scope has been shown. A delete has no version to wait for; there the watch's cache is asked whether the
//! object is still in it.

mod version_waiters;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use bytes::Bytes;
use pintle_client::client::writes::{Effect, Write};
use pintle_core::call::Target;
use pintle_core::discovery::ApiResource;
use pintle_core::resource_version::ResourceVersion;
use pintle_core::{Selector, SelectorExt};
use pintle_wire::{Body, Head};
use tokio::time::Instant;

use crate::controller::machine::loop_detector::Object;
use crate::controller::probes::readiness::Watched;
use crate::controller::source::namespaces::Namespaces;
use crate::reflector::Key;
use crate::watcher::{self, Health};
use version_waiters::{Awaited, VersionWaiters};

/// The progress of one watch.
pub(crate) struct WatchProgress {
    kind: Arc<ApiResource>,
    reach: Mutex<Reach>,
    look: OnceLock<Look>,
    /// How the watch is doing; each change of scope brings another.
    health: Mutex<Option<Health>>,
    /// Objects whose bodies are wanted although the cache keeps none.
    suspects: Mutex<HashSet<Key>>,
    /// Which of the controller's keys wait for it.
    waiters: Mutex<VersionWaiters>,
    shown: Shown,
}

/// The controller's keys that waited for something that one of the watches may have shown since.
type Shown = Arc<Mutex<Vec<Key>>>;

/// So many objects at most have their bodies kept: the first loops that are found are enough to know what is wrong.
const SUSPECTS_MAX: usize = 100;

/// Where it looks, and how far it has come.
#[derive(Default)]
struct Reach {
    namespace: Option<String>,
    namespaces: Namespaces,
    /// `None` if the server selects by what cannot be judged here.
    selector: Option<Selector>,
    /// Set once a list is complete.
    reached: Option<ResourceVersion>,
    /// When it was last known to have missed nothing; a change of scope does not touch it.
    sure: Option<Instant>,
}

/// Looks into the watch's cache.
type Look = Box<dyn Fn(&Key, See<'_>) + Send + Sync>;

/// Receives the head of an object, and its body where the cache has that.
pub(crate) type See<'a> = &'a mut dyn FnMut(&Head, Option<Body<'_>>);

impl WatchProgress {
    fn new(kind: &Arc<ApiResource>, shown: &Shown) -> Self {
        Self {
            kind: Arc::clone(kind),
            reach: Mutex::default(),
            look: OnceLock::new(),
            health: Mutex::default(),
            suspects: Mutex::default(),
            waiters: Mutex::default(),
            shown: Arc::clone(shown),
        }
    }

    /// The watch looks here from now on, and knows nothing of it yet.
    pub(in crate::controller) fn point_at(&self, namespace: Option<&str>, config: &watcher::Config) {
        self.point_within(namespace, config, &Namespaces::all());
    }

    /// As [`point_at`](Self::point_at), and of what is there it looks at these namespaces alone.
    pub(in crate::controller) fn point_within(
        &self,
        namespace: Option<&str>,
        config: &watcher::Config,
        namespaces: &Namespaces,
    ) {
        let labels = config.label_selector.as_deref().unwrap_or_default();
        let is_plain = config.field_selector.as_deref().is_none_or(str::is_empty);
        let mut reach = self.reach();
        *reach = Reach {
            namespace: namespace.map(str::to_owned),
            namespaces: namespaces.clone(),
            selector: labels.parse().ok().filter(|_| is_plain),
            reached: None,
            sure: reach.sure,
        };
        drop(reach);
        self.notify(VersionWaiters::end);
    }

    /// This is how the watch is doing from now on.
    pub(in crate::controller) fn set_health(&self, health: Health) {
        *self.health.lock().unwrap_or_else(PoisonError::into_inner) = Some(health);
    }

    fn report(&self) -> Option<Watched> {
        let health = self.health.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        Some(Watched::new(ApiResource::clone(&self.kind), health.report()))
    }

    /// How the cache of the watch is looked at; set once.
    pub(in crate::controller) fn look_by(&self, look: impl Fn(&Key, See<'_>) + Send + Sync + 'static) {
        drop(self.look.set(Box::new(look)));
    }

    /// The watch has shown this version of an object; before its first list is complete that means nothing for others.
    pub(in crate::controller) fn shown(
        &self,
        version: Option<&ResourceVersion>,
        object: impl FnOnce() -> Key,
        now: Instant,
    ) {
        let mut reach = self.reach();
        reach.sure = reach.sure.map(|_| now);
        if let (Some(reached), Some(version)) = (&mut reach.reached, version)
            && version.is_newer_than(reached)
        {
            *reached = version.clone();
        }
        let reached = reach.reached.clone();
        drop(reach);
        self.notify(|waiters, shown| {
            waiters.shown(object, shown);
            if let Some(reached) = &reached {
                waiters.reached(reached, shown);
            }
        });
    }

    /// A list that began then is complete; returns since when the watch may have missed something, unless it is the first.
    pub(in crate::controller) fn listed(&self, began: Instant) -> Option<Instant> {
        self.notify(VersionWaiters::shown_any);
        self.reach().sure.replace(began)
    }

    /// The watch knows everything up to this version, by a list or a bookmark; returns whether that is news.
    pub(in crate::controller) fn caught_up(&self, version: &ResourceVersion, now: Instant) -> bool {
        let mut reach = self.reach();
        if reach.reached.as_ref() == Some(version) {
            return false;
        }
        reach.reached = Some(version.clone());
        reach.sure = reach.sure.map(|_| now);
        drop(reach);
        self.notify(|waiters, shown| {
            waiters.shown_any(shown);
            waiters.reached(version, shown);
        });
        true
    }

    /// Lets `take` move the waiters whose time has come to those that are shown.
    fn notify(&self, take: impl FnOnce(&mut VersionWaiters, &mut Vec<Key>)) {
        let mut waiters = self.waiters.lock().unwrap_or_else(PoisonError::into_inner);
        take(&mut waiters, &mut self.shown.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// `key` waits until the watch may have shown `write`.
    fn add_waiter(&self, key: &Key, write: &Write) {
        let awaited = match &write.effect {
            Effect::Stored(version) => ResourceVersion::parse(version).map(Awaited::Version),
            Effect::Deleted => target_key(write).map(Awaited::Object),
        };
        if let Some(awaited) = awaited {
            self.waiters.lock().unwrap_or_else(PoisonError::into_inner).add(key, awaited);
        }
    }

    /// Whether the watch is expected to show `write` and has not.
    fn is_unseen(&self, write: &Write) -> bool {
        let reach = self.reach();
        let (target, kind) = (&write.target, &self.kind);
        let is_elsewhere = (reach.namespace.is_some() && reach.namespace != target.namespace)
            || !reach.namespaces.admit(target.namespace.as_deref());
        if target.group != kind.group || target.plural != kind.plural || is_elsewhere {
            return false;
        }
        let (Some(reached), Some(key)) = (reach.reached.clone(), target_key(write)) else { return false };
        let is_selected = reach.selector.as_ref().is_some_and(|selector| selector.matches(&write.labels));
        drop(reach);
        match &write.effect {
            Effect::Stored(version) => ResourceVersion::parse(version).is_some_and(|version| {
                // An object that is not selected any more leaves the cache, and that is waited for, too.
                version.number().is_some()
                    && version.is_newer_than(&reached)
                    && (is_selected || self.holds(&key, |_| true))
            }),
            Effect::Deleted => {
                self.holds(&key, |head| head.uid().as_deref() == Some(&write.uid) && !head.is_deleting())
            }
        }
    }

    /// Whether the body of `key` should be kept.
    pub(in crate::controller) fn is_suspect(&self, key: &Key) -> bool {
        self.suspects().contains(key)
    }

    /// The body of `key`, where the cache has it; if not, it will have the next one.
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
    fn reach(&self) -> MutexGuard<'_, Reach> {
        self.reach.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for WatchProgress {
    /// Nothing waits for a watch that is removed.
    fn drop(&mut self) {
        self.notify(VersionWaiters::end);
    }
}

/// The object that was written.
fn target_key(write: &Write) -> Option<Key> {
    let name = write.target.name.as_deref()?.into();
    Some(Key { namespace: write.target.namespace.as_deref().map(Arc::from), name })
}

/// The progress of all watches of one controller; a watch that is removed is not among them any more.
#[derive(Clone, Default)]
pub(in crate::controller) struct WatchProgresses {
    watches: Arc<Mutex<Vec<Weak<WatchProgress>>>>,
    shown: Shown,
    /// Whether the reconciler reads a store that another watch fills than the one that wakes its keys.
    are_others_read: Arc<AtomicBool>,
}

impl WatchProgresses {
    /// One more, of a watch of `kind`.
    pub(in crate::controller) fn add(&self, kind: &Arc<ApiResource>) -> Arc<WatchProgress> {
        let watch = Arc::new(WatchProgress::new(kind, &self.shown));
        let mut watches = self.watches.lock().unwrap_or_else(PoisonError::into_inner);
        watches.retain(|known| known.strong_count() > 0);
        watches.push(Arc::downgrade(&watch));
        watch
    }

    /// One more, of a watch that wakes no key and fills a store that the reconciler reads.
    pub(in crate::controller) fn add_read(&self, kind: &Arc<ApiResource>) -> Arc<WatchProgress> {
        self.are_others_read.store(true, Ordering::Relaxed);
        self.add(kind)
    }

    /// A change that a watch of `kind` has shown, as a write, if another watch is expected to show it and has not. A reconcile
    /// that began now would read what was there before, and no key would be woken once the other has caught up.
    pub(in crate::controller) fn unshown(
        &self,
        kind: &ApiResource,
        key: &Key,
        old: Option<&Head>,
        new: Option<&Head>,
    ) -> Option<Write> {
        if !self.are_others_read.load(Ordering::Relaxed) {
            return None;
        }
        let head = new.or(old)?;
        let watches = self.of_kind(&kind.group, &kind.plural);
        let reached = || watches.iter().filter_map(|watch| watch.reach().reached.clone());
        let version = match new {
            Some(new) => new.resource_version()?.clone(),
            // The version of its end is at most the one that the watch which has shown it has come to.
            None => reached().reduce(|one, other| if other.is_newer_than(&one) { other } else { one })?,
        };
        if !reached().any(|reached| version.is_newer_than(&reached)) {
            return None;
        }
        let target = Target {
            group: kind.group.clone(),
            version: kind.version.clone(),
            plural: kind.plural.clone(),
            namespace: key.namespace.as_deref().map(str::to_owned),
            name: Some(key.name.to_string()),
            subresource: None,
        };
        let uid = head.uid().unwrap_or_default().into_owned();
        let mut shown = Write::new(target, uid, Effect::Stored(version.to_string()), None);
        shown.labels = head.labels().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        self.is_unseen(&shown).then_some(shown)
    }

    /// Whether any watch is expected to show `write` and has not.
    pub(in crate::controller) fn is_unseen(&self, write: &Write) -> bool {
        self.all().iter().any(|watch| watch.is_unseen(write))
    }

    /// Returns `key` by [`take_shown`](Self::take_shown) once a watch may have shown `write`.
    pub(in crate::controller) fn notify_when_shown(&self, key: &Key, write: &Write) {
        if let Some(watch) = self.all().into_iter().find(|watch| watch.is_unseen(write)) {
            watch.add_waiter(key, write);
        }
    }

    /// The keys that waited for something that may have been shown since this was last asked.
    pub(in crate::controller) fn take_shown(&self) -> Vec<Key> {
        std::mem::take(&mut *self.shown.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// `key` waits for nothing any more.
    pub(in crate::controller) fn stop_waiting(&self, key: &Key) {
        for watch in self.all() {
            watch.waiters.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
        }
    }

    /// How many keys wait for something that a watch is to show.
    pub(in crate::controller) fn waiting_len(&self) -> usize {
        let waiting = |watch: Arc<WatchProgress>| watch.waiters.lock().unwrap_or_else(PoisonError::into_inner).len();
        self.all().into_iter().map(waiting).sum()
    }

    /// How each watch is doing.
    pub(in crate::controller) fn reports(&self) -> Vec<Watched> {
        let mut reports: Vec<_> = self.all().iter().filter_map(|watch| watch.report()).collect();
        let mut named: HashMap<String, usize> = HashMap::new();
        for watched in &mut reports {
            let count = named.entry(watched.name.clone()).or_default();
            *count += 1;
            if *count > 1 {
                watched.name = format!("{}-{count}", watched.name);
            }
        }
        reports
    }

    /// How far each kind is known.
    pub(in crate::controller) fn reached(&self) -> Reached {
        let reached = |watch: Arc<WatchProgress>| Some((Arc::clone(&watch.kind), watch.reach().reached.clone()?));
        Reached(self.all().into_iter().filter_map(reached).collect())
    }

    /// The first moment of which one of the watches cannot be sure.
    pub(in crate::controller) fn unsure_since(&self) -> Option<Instant> {
        self.all().iter().filter_map(|watch| watch.reach().sure).min()
    }

    /// An object as a watch has shown it last, where that is kept; from now on it is, up to
    /// [`forget_suspect`](Self::forget_suspect).
    pub(in crate::controller) fn body(&self, object: &Object) -> Option<Bytes> {
        self.of_kind(&object.group, &object.plural).iter().find_map(|watch| watch.body(&object.key))
    }

    /// The body of this object need not be kept any more.
    pub(in crate::controller) fn forget_suspect(&self, object: &Object) {
        for watch in self.of_kind(&object.group, &object.plural) {
            watch.suspects().remove(&object.key);
        }
    }

    fn of_kind(&self, group: &str, plural: &str) -> Vec<Arc<WatchProgress>> {
        let mut watches = self.all();
        watches.retain(|watch| watch.kind.group == group && watch.kind.plural == plural);
        watches
    }

    fn all(&self) -> Vec<Arc<WatchProgress>> {
        let watches = self.watches.lock().unwrap_or_else(PoisonError::into_inner);
        watches.iter().filter_map(Weak::upgrade).collect()
    }
}

/// How far each watched kind was known at a moment.
pub(in crate::controller) struct Reached(Vec<(Arc<ApiResource>, ResourceVersion)>);

impl Reached {
    /// Whether `write` changed something of a watched kind after that moment: one that changes nothing is answered with a
    /// version from before.
    pub(in crate::controller) fn is_before(&self, write: &Write) -> bool {
        let is_after = |reached: &ResourceVersion| match &write.effect {
            Effect::Stored(version) => {
                ResourceVersion::parse(version).is_some_and(|version| version.is_newer_than(reached))
            }
            Effect::Deleted => true,
        };
        let is_same = |kind: &ApiResource| kind.group == write.target.group && kind.plural == write.target.plural;
        self.0.iter().any(|(kind, reached)| is_same(kind) && is_after(reached))
    }
}
