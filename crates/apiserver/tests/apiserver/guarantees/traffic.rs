//! Random writes: every verb, two namespaces, labels that come and go, finalizers, and writes of other kinds.

use super::super::world::World;
use serde_json::json;

pub(crate) struct Traffic {
    pub(crate) random: fastrand::Rng,
    pub(crate) collection: &'static str,
}

impl Traffic {
    pub(crate) fn new(seed: u64, collection: &'static str) -> Traffic {
        Traffic { random: fastrand::Rng::with_seed(seed), collection }
    }

    pub(crate) async fn prepare(&self, world: &World) {
        world.post("/api/v1/namespaces", json!({"metadata": {"name": "other"}})).await.expect(201);
    }

    fn path(&mut self) -> String {
        let (root, plural) = self.collection.rsplit_once('/').unwrap();
        format!("{root}/namespaces/{}/{plural}", ["default", "other"][self.random.usize(..2)])
    }

    /// One write, which may well be refused or change nothing.
    pub(crate) async fn step(&mut self, world: &World) {
        let path = self.path();
        let name = ["a", "b", "c", "d"][self.random.usize(..4)];
        let object = format!("{path}/{name}");
        let labels = [json!({"on": "yes"}), json!({"on": "no"}), json!({"on": null})][self.random.usize(..3)].clone();
        let finalizers = if self.random.u8(..4) == 0 { json!(["example.com/wait"]) } else { json!([]) };
        let number = self.random.u8(..3).to_string();
        match self.random.u8(..14) {
            0..=3 => {
                let metadata = json!({"name": name, "labels": {"on": "yes"}, "finalizers": finalizers});
                world.post(&path, json!({"metadata": metadata})).await;
            }
            4 | 5 => drop(world.delete(&object).await),
            6 => drop(world.merge(&object, json!({"metadata": {"finalizers": null}})).await),
            7 => drop(world.delete(&format!("{path}?labelSelector=on%3Dno")).await),
            8 => {
                let mut same = world.get(&object).await.json();
                if self.random.bool() {
                    same["data"] = json!({"n": number});
                }
                world.put(&object, &same).await;
            }
            9 => {
                // Another resource takes versions too.
                world.post("/api/v1/namespaces/default/secrets", json!({"metadata": {"generateName": "s-"}})).await;
            }
            _ => drop(world.merge(&object, json!({"metadata": {"labels": labels}, "data": {"n": number}})).await),
        }
    }
}
