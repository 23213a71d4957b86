//! A limit on how many updaters an object remembers: past it the oldest of each version become one, `ancient-changes`.

use std::collections::BTreeMap;

use super::managers::{Manager, Managers, Operation};

/// Merges the oldest updaters until there are few enough, or none can be merged any more.
pub(super) fn cap(managers: &mut Managers) {
    let mut updaters: Vec<(i64, Manager)> = managers
        .0
        .iter()
        .filter(|(manager, _)| manager.operation == Operation::Update)
        .map(|(manager, share)| (share.second(), manager.clone()))
        .collect();
    updaters.sort();
    let mut left = updaters.len();
    let mut first_of: BTreeMap<String, Manager> = BTreeMap::new();
    for (_, manager) in updaters {
        if left <= UPDATERS_MAX {
            return;
        }
        let bucket = Manager::new(ANCIENT, Operation::Update, &manager.api_version, "");
        let Some(first) = first_of.get(&manager.api_version) else {
            first_of.insert(manager.api_version.clone(), manager);
            continue;
        };
        merge(managers, first, &bucket);
        merge(managers, &manager, &bucket);
        left -= 1;
    }
}

/// Moves a manager's share into another's; the time is the mover's, which is the later one.
fn merge(managers: &mut Managers, from: &Manager, into: &Manager) {
    if from == into {
        return;
    }
    let Some(share) = managers.0.remove(from) else { return };
    match managers.0.get_mut(into) {
        Some(bucket) => {
            bucket.fields.add(share.fields);
            bucket.time = share.time;
        }
        None => drop(managers.0.insert(into.clone(), share)),
    }
}

/// The manager of changes that are too old to be kept apart.
const ANCIENT: &str = "ancient-changes";

/// kube-apiserver's limit, so that managedFields stay smaller than the objects they are in.
const UPDATERS_MAX: usize = 10;
