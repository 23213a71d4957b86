//! Who has to look when an object was stored or removed: its own controllers, its owner, and who refers to it.

use super::deployment::DEPLOYMENTS;
use super::names::controllers_of;
use super::plan::Built;
use super::pods::{PODS, claims_of};
use crate::cluster::Cluster;
use crate::storage::entry::Entry;
use crate::storage::store::{Resource, StorageKey, key, scan};

impl Cluster {
    /// Wakes the controllers that an object is about.
    pub(crate) fn wake_controllers(&mut self, place: &StorageKey, entry: Option<&Entry>) {
        if self.simulation.is_none() {
            return;
        }
        let mut woken = vec![place.clone()];
        let stored = entry.is_none().then(|| self.store.get(&place.resource, &place.key)).flatten();
        if let Some(entry) = entry.or(stored.as_deref()) {
            self.follow(place, entry, &mut woken);
        }
        let is_gone = entry.is_some();
        let Some(simulation) = &mut self.simulation else { return };
        woken.retain(|place| !controllers_of(&place.resource).is_empty());
        simulation.dirty.extend(woken);
        if let Some(uid) = entry.filter(|_| is_gone && place.resource.is("", "pods")).and_then(|entry| entry.head.uid())
        {
            simulation.since.retain(|(known, _), _| **known != *uid);
        }
    }

    fn follow(&self, place: &StorageKey, entry: &Entry, woken: &mut Vec<StorageKey>) {
        let namespace = place.key.split_once('/').map(|(namespace, _)| namespace);
        let controller = entry.head.owners().iter().find(|owner| owner.is_controller());
        if let Some(owner) = controller {
            let group = owner.api_version().split_once('/').map_or("", |(group, _)| group);
            if let Some(kind) = self.catalog.kind_named(group, owner.kind()) {
                let key = key(namespace.filter(|_| kind.namespaced), owner.name());
                woken.push(StorageKey { resource: kind.resource(), key });
            }
        }
        let mut all = |group: &str, plural: &str, namespace: Option<&str>| {
            let resource = Resource::new(group, plural);
            for (key, _) in scan(&self.store.snapshot(&resource), namespace, "") {
                woken.push(StorageKey { resource: resource.clone(), key: key.clone() });
            }
        };
        match (&*place.resource.group, &*place.resource.plural) {
            ("", "pods") => {
                if self.simulation.as_ref().is_some_and(|it| it.controllers.has_endpoints()) {
                    all("", "services", namespace);
                }
                if self.simulation.as_ref().is_some_and(|it| it.controllers.has_budgets()) {
                    all("policy", "poddisruptionbudgets", namespace);
                }
                if controller.is_none() {
                    ["replicasets", "statefulsets", "daemonsets"]
                        .iter()
                        .for_each(|plural| all("apps", plural, namespace));
                    all("batch", "jobs", namespace);
                    all("", "replicationcontrollers", namespace);
                }
                // A Deployment that recreates its pods waits for those of its sets to end.
                if let Some(set) = woken.iter().find(|place| place.resource.is("apps", "replicasets")).cloned() {
                    let set = self.store.get(&set.resource, &set.key);
                    let owners = set.iter().flat_map(|set| set.head.owners());
                    let deployments = owners.filter(|owner| owner.is_controller() && owner.kind() == "Deployment");
                    let deployments: Vec<StorageKey> =
                        deployments.map(|owner| DEPLOYMENTS.place(namespace, owner.name())).collect();
                    woken.extend(deployments);
                }
                for claim in claims_of(&entry.object()) {
                    woken.push(Built::new("", "v1", "persistentvolumeclaims").place(namespace, &claim));
                }
            }
            ("apps", "replicasets") if controller.is_none() => all("apps", "deployments", namespace),
            ("", "nodes") => {
                all("apps", "daemonsets", None);
                woken.extend(self.waiting_pods(None));
            }
            ("", "services") => woken.push(Built::new("", "v1", "endpoints").place(namespace, entry.head.name())),
            ("", "endpoints") => woken.push(Built::new("", "v1", "services").place(namespace, entry.head.name())),
            ("", "persistentvolumeclaims") => {
                woken.extend(self.waiting_pods(namespace));
                if let Some(volume) = entry.object().at("/spec/volumeName").and_then(|name| name.as_str()) {
                    woken.push(Built::new("", "v1", "persistentvolumes").place(None, volume));
                }
            }
            ("", "persistentvolumes") | ("storage.k8s.io", "storageclasses") => {
                all("", "persistentvolumeclaims", None);
            }
            // Whose requests for certificates are approved may have changed.
            ("rbac.authorization.k8s.io", "clusterroles" | "clusterrolebindings") => {
                all("certificates.k8s.io", "certificatesigningrequests", None);
            }
            ("", "serviceaccounts") => all("", "secrets", namespace),
            _ => {}
        }
    }

    /// Pods that are on no node.
    fn waiting_pods(&self, namespace: Option<&str>) -> Vec<StorageKey> {
        let (resource, pods) = (PODS.resource(), self.store.snapshot(&PODS.resource()));
        let waiting = scan(&pods, namespace, "").filter(|(_, pod)| pod.object().text_at("/spec/nodeName").is_empty());
        waiting.map(|(key, _)| StorageKey { resource: resource.clone(), key: key.clone() }).collect()
    }
}
