//! The objects of one namespace in a store, found as each library can.

/// kube's stores are gone through.
pub(crate) mod with_kube {
    use kube::Resource;
    use kube::runtime::reflector::Store;

    /// Nothing has to be prepared.
    pub(crate) fn prepare<K: Resource<DynamicType = ()> + Clone + Send + Sync + 'static>(_: &Store<K>) {}

    /// How many there are.
    pub(crate) fn find<K: Resource<DynamicType = ()> + Clone + 'static>(store: &Store<K>, namespace: &str) -> usize {
        let is_there = |object: &K| object.meta().namespace.as_deref() == Some(namespace);
        store.state().iter().filter(|object| is_there(object)).count()
    }
}

/// Pintle's stores have indexes.
pub(crate) mod with_pintle {
    use pintle::Resource;
    use pintle::runtime::reflector::Store;

    const INDEX: &str = "namespace";

    /// Adds the index.
    pub(crate) fn prepare<K: Resource<DynamicType = ()> + Clone + Send + Sync + 'static>(store: &Store<K>) {
        store.add_index(INDEX, |object: &K| object.meta().namespace.clone()).expect("there is none yet");
    }

    /// How many there are.
    pub(crate) fn find<K: Resource<DynamicType = ()> + Clone + 'static>(store: &Store<K>, namespace: &str) -> usize {
        store.by_index(INDEX, namespace).expect("it was added").len()
    }
}
