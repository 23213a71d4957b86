//! What there was at each version, as lists return it.

use std::collections::BTreeMap;

use super::super::world::{World, version};
use super::recording::Asked;
use serde_json::Value;

/// Objects by `namespace/name`.
pub(crate) type State = BTreeMap<String, Value>;

pub(crate) struct History {
    states: BTreeMap<u64, State>,
}

impl History {
    /// Reads the state of a collection at each version of a range.
    pub(crate) async fn read(world: &World, collection: &str, from: u64, to: u64) -> History {
        let mut states = BTreeMap::new();
        for version in from..=to {
            let query = format!("{collection}?resourceVersionMatch=Exact&resourceVersion={version}");
            states.insert(version, state_of(&world.get(&query).await.expect(200)));
        }
        let now = world.get(collection).await.expect(200);
        assert_eq!(version(&now), to.to_string(), "nothing is written any more");
        assert_eq!(states[&to], state_of(&now), "the last exact list is the plain one");
        History { states }
    }

    /// What a watch is to know of at a version.
    pub(crate) fn at(&self, version: u64, asked: &Asked) -> State {
        let state = self.states.get(&version).unwrap_or_else(|| panic!("there is no history of {version}"));
        let seen = state.iter().filter(|(_, object)| asked.means(object));
        seen.map(|(key, object)| (key.clone(), asked.form(object))).collect()
    }

    pub(crate) fn has(&self, version: u64) -> bool {
        self.states.contains_key(&version)
    }
}

/// The objects of a list by namespace and name, each with the kind and version that the list says for all of them.
fn state_of(list: &Value) -> State {
    let kind = list["kind"].as_str().unwrap().strip_suffix("List").unwrap();
    let named = |item: &Value| {
        let mut object = item.clone();
        object["apiVersion"] = list["apiVersion"].clone();
        object["kind"] = kind.into();
        (key(item), object)
    };
    list["items"].as_array().unwrap().iter().map(named).collect()
}

/// Where an object stands.
pub(crate) fn key(object: &Value) -> String {
    let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
    format!("{}/{}", text("namespace"), text("name"))
}
