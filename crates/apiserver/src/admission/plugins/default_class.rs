//! The class that is marked as the default one, of claims and of ingresses.
//!
//! In: the classes of a cluster. Out: the name of the newest that is marked, the first by name among those of one second.

use serde_json::Value;

use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::storage::store::Resource;

impl ClusterSnapshot {
    /// The class that carries one of these annotations as `true`.
    pub(super) fn default_class_of(&self, classes: &Resource, annotations: &[&str]) -> Option<String> {
        let is_marked = |class: &Object| {
            let all = class.metadata().get("annotations");
            annotations.iter().any(|key| all.and_then(|all| all.get(*key)).and_then(Value::as_str) == Some("true"))
        };
        let marked = self.decoded(classes, None).into_iter().filter(is_marked);
        // Times of one form compare as texts do.
        let newest =
            marked.reduce(
                |best, class| {
                    if class.meta("creationTimestamp") > best.meta("creationTimestamp") { class } else { best }
                },
            );
        newest.map(|class| class.name().to_owned())
    }
}
