//! What reading a store costs: objects by their names, all of them, and those that have a value in common.

use std::collections::BTreeSet;
use std::fmt::Debug;

use serde::de::DeserializeOwned;

use super::library::Resource;
use super::library::runtime::reflector::{ObjectRef, Store};
use super::own_ways;
use crate::BoxError;
use crate::measure::{Meter, Moment};
use crate::objects::Kind;
use crate::own_ways::Groups;

#[inline(never)]
pub(crate) fn read_store<K>(store: &Store<K>, kind: Kind, count: usize, meter: &mut Meter) -> Result<(), BoxError>
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + Sync + 'static,
{
    let references = kind.references(count)?;
    let reference = |(namespace, name): &(String, String)| ObjectRef::new(name).within(namespace);
    let names: Vec<ObjectRef<K>> = references.iter().map(reference).collect();
    by_name(store, &names, meter);
    all(store, count, meter);
    by_value(store, &references, meter);
    Ok(())
}

/// Each object by its name, twice, and a few of them again and again; at last each of them again and again.
fn by_name<K>(store: &Store<K>, names: &[ObjectRef<K>], meter: &mut Meter)
where
    K: Resource<DynamicType = ()> + Clone + 'static,
{
    let look = |name: &ObjectRef<K>| {
        assert!(store.get(name).is_some_and(|object| object.meta().name.is_some()), "{name} is held");
    };
    meter.restart();
    names.iter().for_each(look);
    // What the first reading leaves to be done behind it belongs to it; the others leave nothing.
    meter.spent("get", Moment::at_rest());
    names.iter().for_each(look);
    meter.spent("get-again", Moment::now());
    let hot = &names[..names.len().min(HOT)];
    hot.iter().chain(hot).for_each(look);
    meter.restart();
    hot.iter().cycle().take(names.len()).for_each(look);
    meter.spent("get-hot", Moment::now());
    if names.len() > OFTEN_MAX {
        return;
    }
    (0..OFTEN).for_each(|_| names.iter().for_each(look));
    meter.restart();
    names.iter().for_each(look);
    meter.spent("get-often", Moment::now());
}

/// All objects, one after the other and at once.
fn all<K>(store: &Store<K>, count: usize, meter: &mut Meter)
where
    K: Resource<DynamicType = ()> + Clone + 'static,
{
    meter.restart();
    own_ways::visit(store, |object: &K| assert!(object.meta().name.is_some(), "every object has a name"));
    meter.spent("visit", Moment::now());
    if count > AT_ONCE_MAX {
        return;
    }
    for figure in ["state", "state-again"] {
        meter.restart();
        assert!(store.state().iter().all(|object| object.meta().name.is_some()), "every object has a name");
        meter.spent(figure, Moment::now());
    }
}

/// The objects of each namespace, and of a hundred small groups.
fn by_value<K>(store: &Store<K>, references: &[(String, String)], meter: &mut Meter)
where
    K: Resource<DynamicType = ()> + Clone + Send + Sync + 'static,
{
    let groups = Groups(references.len().div_ceil(IN_A_GROUP));
    meter.restart();
    if own_ways::prepare(store, groups) {
        meter.spent("add-indexes", Moment::at_rest());
    }

    let namespaces: BTreeSet<&str> = references.iter().map(|(namespace, _)| namespace.as_str()).collect();
    meter.restart();
    let found: usize = namespaces.iter().map(|namespace| own_ways::find(store, namespace)).sum();
    meter.spent("index", Moment::now());
    assert_eq!(found, references.len(), "each object is in one namespace");

    meter.restart();
    let found: usize = (0..LOOKUPS).map(|group| own_ways::find_few(store, groups, group % groups.0)).sum();
    meter.spent_for("index-few", LOOKUPS, Moment::now());
    assert!(found > 0, "there are objects in groups");
}

/// What a program reads again and again is few.
const HOT: usize = 100;
/// Of so many objects at most each one is read again and again, so many times before it is measured.
const OFTEN_MAX: usize = 10_000;
const OFTEN: usize = 20;
/// All of them decoded at once need memory for all of them: a million are visited only.
const AT_ONCE_MAX: usize = 200_000;
/// As a node has pods, or an owner children.
const IN_A_GROUP: usize = 10;
const LOOKUPS: usize = 100;
