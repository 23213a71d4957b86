//! What each library has its own way for: finding objects in a store by a value, visiting all of them, and the queue that is
//! its controller's.

use crate::objects::uid_group;

/// What finds few objects among many: each object is in one of so many groups, by its uid.
#[derive(Clone, Copy)]
pub(crate) struct Groups(pub(crate) usize);

impl Groups {
    fn of(self, uid: Option<&str>) -> usize {
        uid_group(uid.unwrap_or_default(), self.0)
    }
}

/// kube's stores are gone through; its controller's queue is `scheduler`.
pub(crate) mod with_kube {
    use kube::Resource;
    use kube::runtime::reflector::Store;

    use super::Groups;
    use crate::BoxError;
    use crate::measure::Meter;

    /// Nothing can be prepared; whether something was.
    pub(crate) fn prepare<K>(_: &Store<K>, _: Groups) -> bool
    where
        K: Resource<DynamicType = ()> + Clone + Send + Sync + 'static,
    {
        false
    }

    /// How many objects there are in a namespace.
    pub(crate) fn find<K: Resource<DynamicType = ()> + Clone + 'static>(store: &Store<K>, namespace: &str) -> usize {
        let is_there = |object: &K| object.meta().namespace.as_deref() == Some(namespace);
        store.state().iter().filter(|object| is_there(object)).count()
    }

    /// How many objects there are in a group.
    pub(crate) fn find_few<K>(store: &Store<K>, groups: Groups, group: usize) -> usize
    where
        K: Resource<DynamicType = ()> + Clone + 'static,
    {
        let is_there = |object: &K| groups.of(object.meta().uid.as_deref()) == group;
        store.state().iter().filter(|object| is_there(object)).count()
    }

    /// Looks at each object, one after the other.
    pub(crate) fn visit<K: Resource<DynamicType = ()> + Clone + 'static>(store: &Store<K>, mut look: impl FnMut(&K)) {
        store.state().iter().for_each(|object| look(object));
    }

    /// There is none beside `scheduler`; whether there is one.
    pub(crate) async fn measure_queue(_: usize, _: &mut Meter) -> Result<bool, BoxError> {
        Ok(false)
    }
}

/// Pintle's stores have indexes; its controller's queue is by itself `WorkQueue`.
pub(crate) mod with_pintle {
    use k8s_openapi::api::core::v1::Pod;
    use pintle::Resource;
    use pintle::runtime::reflector::{ObjectRef, Store};
    use pintle::runtime::workqueue::WorkQueue;

    use super::Groups;
    use crate::BoxError;
    use crate::measure::{Meter, Moment};

    const NAMESPACE: &str = "namespace";
    const GROUP: &str = "group";

    /// Adds the indexes; whether something was done.
    pub(crate) fn prepare<K>(store: &Store<K>, groups: Groups) -> bool
    where
        K: Resource<DynamicType = ()> + Clone + Send + Sync + 'static,
    {
        store.add_index(NAMESPACE, |object: &K| object.meta().namespace.clone()).expect("there is none yet");
        let group = move |object: &K| Some(groups.of(object.meta().uid.as_deref()).to_string());
        store.add_index(GROUP, group).expect("there is none yet");
        true
    }

    /// How many objects there are in a namespace.
    pub(crate) fn find<K: Resource<DynamicType = ()> + Clone + 'static>(store: &Store<K>, namespace: &str) -> usize {
        store.by_index(NAMESPACE, namespace).expect("it was added").len()
    }

    /// How many objects there are in a group.
    pub(crate) fn find_few<K>(store: &Store<K>, _: Groups, group: usize) -> usize
    where
        K: Resource<DynamicType = ()> + Clone + 'static,
    {
        store.by_index(GROUP, &group.to_string()).expect("it was added").len()
    }

    /// Looks at each object, one after the other.
    pub(crate) fn visit<K: Resource<DynamicType = ()> + Clone + 'static>(store: &Store<K>, look: impl FnMut(&K)) {
        store.for_each(look);
    }

    /// So many keys wait at once and are taken one after the other; whether there is such a queue.
    pub(crate) async fn measure_queue(count: usize, meter: &mut Meter) -> Result<bool, BoxError> {
        let queue = WorkQueue::new();
        for index in 0..count {
            queue.add(ObjectRef::<Pod>::new(&format!("pod-{index}")).within("team-0"));
        }
        meter.spent("file", Moment::now());
        meter.holds("memory")?;
        for _ in 0..count {
            drop(queue.get().await.ok_or("the queue does not end")?);
        }
        meter.spent("take", Moment::now());
        Ok(true)
    }
}
