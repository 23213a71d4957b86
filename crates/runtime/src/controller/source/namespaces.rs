//! In which namespaces a controller works, and how all its watches hear of a change.
//!
//! One watch serves any number of namespaces. What the server can select by `metadata.namespace` it selects: all but a few,
//! or one. Several cannot be said in one selector, because terms of a selector are all of them conditions; there the
//! watch of all namespaces is looked at by heads, and what lies elsewhere is dropped before it is decoded or stored.

use std::any::TypeId;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pintle_core::{NamespaceResourceScope, Resource};
use tokio::sync::mpsc;

use crate::watcher;

/// In which namespaces a controller works, of those that its `Api`s can see; objects without a namespace always count.
///
/// All of its watches stay what they are: one for each kind. So a controller of several namespaces needs to be allowed to
/// list and watch its kinds in all of them.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Namespaces(Choice);

#[derive(Clone, Debug, Default, Eq, PartialEq)]
enum Choice {
    #[default]
    All,
    Only(BTreeSet<String>),
    Except(BTreeSet<String>),
}

/// So many names fit into the line of a request with room to spare; more are left out by heads.
const SELECTED_MAX: usize = 50;

impl Namespaces {
    /// Every namespace.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// These and no others.
    #[must_use]
    pub fn only<N: Into<String>>(namespaces: impl IntoIterator<Item = N>) -> Self {
        Self(Choice::Only(namespaces.into_iter().map(Into::into).collect()))
    }

    /// Every namespace but these.
    #[must_use]
    pub fn except<N: Into<String>>(namespaces: impl IntoIterator<Item = N>) -> Self {
        Self(Choice::Except(namespaces.into_iter().map(Into::into).collect()))
    }

    /// Whether `namespace` is one of them.
    #[must_use]
    pub fn contains(&self, namespace: &str) -> bool {
        match &self.0 {
            Choice::All => true,
            Choice::Only(names) => names.contains(namespace),
            Choice::Except(names) => !names.contains(namespace),
        }
    }

    /// Whether an object there counts; without a namespace it does.
    pub(in crate::controller) fn admit(&self, namespace: Option<&str>) -> bool {
        namespace.is_none_or(|namespace| self.contains(namespace))
    }

    /// `config` with as much of the choice as the server can make for objects of kind `K`.
    pub(in crate::controller) fn selected<K: Resource + 'static>(&self, config: &watcher::Config) -> watcher::Config {
        let mut selected = config.clone();
        // A kind that does not live in namespaces has no such field, and asking for it is an error.
        if TypeId::of::<K::Scope>() != TypeId::of::<NamespaceResourceScope>() {
            return selected;
        }
        let mut terms: Vec<_> =
            selected.field_selector.take().filter(|fields| !fields.is_empty()).into_iter().collect();
        match &self.0 {
            Choice::Only(names) if names.len() == 1 => {
                terms.extend(names.iter().map(|name| format!("metadata.namespace={name}")));
            }
            Choice::Except(names) if names.len() <= SELECTED_MAX => {
                terms.extend(names.iter().map(|name| format!("metadata.namespace!={name}")));
            }
            Choice::All | Choice::Only(_) | Choice::Except(_) => {}
        }
        selected.field_selector = (!terms.is_empty()).then(|| terms.join(","));
        selected
    }
}

/// The namespaces of all watches of one controller; each of them hears when they change.
#[derive(Clone, Default)]
pub(in crate::controller) struct Bounds(Arc<Mutex<Known>>);

#[derive(Default)]
struct Known {
    namespaces: Namespaces,
    followers: Vec<mpsc::UnboundedSender<Namespaces>>,
    /// Whether they cannot be changed, because others look at the same watches.
    is_fixed: bool,
}

/// One watch's end.
pub(in crate::controller) struct Bound {
    pub(in crate::controller) namespaces: Namespaces,
    pub(in crate::controller) changes: mpsc::UnboundedReceiver<Namespaces>,
}

impl Bounds {
    /// Sets the namespaces and notifies every watch.
    pub(in crate::controller) fn set(&self, namespaces: &Namespaces) {
        let mut known = self.known();
        known.namespaces = namespaces.clone();
        known.followers.retain(|follower| follower.send(namespaces.clone()).is_ok());
    }

    /// Says that others look at the same watches, or that they do not any more.
    pub(in crate::controller) fn fix(&self, is_fixed: bool) {
        self.known().is_fixed = is_fixed;
    }

    pub(in crate::controller) fn is_fixed(&self) -> bool {
        self.known().is_fixed
    }

    /// One more watch.
    pub(in crate::controller) fn follow(&self) -> Bound {
        let (follower, changes) = mpsc::unbounded_channel();
        let mut known = self.known();
        // Watches come and go while a controller runs.
        known.followers.retain(|follower| !follower.is_closed());
        known.followers.push(follower);
        Bound { namespaces: known.namespaces.clone(), changes }
    }

    // Nothing panics while it is locked.
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{Namespace, Pod};

    use super::*;

    fn fields<K: Resource + 'static>(namespaces: &Namespaces, fields: Option<&str>) -> Option<String> {
        let config = watcher::Config { field_selector: fields.map(Into::into), ..watcher::Config::default() };
        namespaces.selected::<K>(&config).field_selector
    }

    #[test]
    fn what_a_selector_can_say_the_server_is_asked_for() {
        let (one, two) = (Namespaces::only(["a"]), Namespaces::only(["a", "b"]));
        let but_two = Namespaces::except(["x", "y"]);
        let phase = Some("status.phase=Running");
        let but = "metadata.namespace!=x,metadata.namespace!=y";
        assert_eq!(fields::<Pod>(&Namespaces::all(), None), None);
        assert_eq!(fields::<Pod>(&one, None).as_deref(), Some("metadata.namespace=a"));
        assert_eq!(fields::<Pod>(&two, phase).as_deref(), phase, "one or the other cannot be said");
        assert_eq!(fields::<Pod>(&but_two, Some("")).as_deref(), Some(but));
        assert_eq!(fields::<Pod>(&but_two, phase), Some(format!("status.phase=Running,{but}")));
        assert_eq!(fields::<Namespace>(&but_two, None), None, "it lives in none");
        assert_eq!(fields::<Pod>(&Namespaces::except((0..51).map(|it| it.to_string())), None), None, "too many");
    }

    #[test]
    fn every_watch_hears_of_a_change_and_one_that_is_gone_is_forgotten() {
        let bounds = Bounds::default();
        let mut staying = bounds.follow();
        for _ in 0..100 {
            drop(bounds.follow());
        }
        assert!(bounds.known().followers.len() <= 2, "{} are remembered", bounds.known().followers.len());
        bounds.set(&Namespaces::only(["a"]));
        assert_eq!(staying.changes.try_recv(), Ok(Namespaces::only(["a"])));
        assert_eq!(bounds.follow().namespaces, Namespaces::only(["a"]));
    }

    #[test]
    fn each_choice_admits_what_it_says_and_what_lives_in_no_namespace() {
        for (namespaces, a, b) in [
            (Namespaces::all(), true, true),
            (Namespaces::only(["a"]), true, false),
            (Namespaces::except(["a"]), false, true),
            (Namespaces::only::<String>([]), false, false),
        ] {
            let admitted = [Some("a"), Some("b"), None].map(|namespace| namespaces.admit(namespace));
            assert_eq!(admitted, [a, b, true], "{namespaces:?}");
        }
    }
}
