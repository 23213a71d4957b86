//! The history of StatefulSets and DaemonSets: ControllerRevisions, each with a template, for `kubectl rollout`.
//!
//! In: an object with a template. Out: the revision of that template (made or brought to the front), and the others, of which
//! only so many are kept.

use serde_json::{Value, json};

use super::ownership::reference;
use super::plan::{Built, Plan};
use super::view::{LETTERS, View, integer};
use crate::codec::object::Object;
use crate::registry::delete::Propagation;

/// The revisions of an object.
pub(super) struct Revisions {
    /// The name of the revision of the template now.
    pub(super) update: String,
    /// All that are there, oldest first.
    all: Vec<Object>,
}

impl Revisions {
    /// The revisions of an object, with that of its template as the newest.
    pub(super) fn of(view: &View<'_>, owner: &Object, plan: &mut Plan) -> Revisions {
        let mut all = view.controlled(owner, REVISIONS);
        all.sort_by_key(|revision| integer(revision, "/revision").unwrap_or_default());
        let data = data(owner);
        let newest = all.last().and_then(|last| integer(last, "/revision")).unwrap_or_default();
        if let Some(known) = all.iter().find(|known| known.get("data") == Some(&data)) {
            let update = known.name().to_owned();
            if integer(known, "/revision") != Some(newest) {
                let mut first = known.clone();
                first.set("revision", (newest + 1).into());
                plan.update(REVISIONS, known, first);
            }
            return Revisions { update, all };
        }
        let hash = letters(fnv(&format!("{data}{}", integer(owner, "/status/collisionCount").unwrap_or_default())));
        let update = format!("{}-{hash}", owner.name());
        let mut labels = owner.at("/spec/template/metadata/labels").cloned().unwrap_or_else(|| json!({}));
        labels[if owner.text("kind") == "DaemonSet" { LABEL } else { HASH }] = hash.into();
        let metadata = json!({"name": update, "labels": labels, "ownerReferences": [reference(owner)]});
        let body = json!({"metadata": metadata, "data": data, "revision": newest + 1});
        plan.create(REVISIONS, Some(owner.meta("namespace")), body);
        Revisions { update, all }
    }

    /// The template that a revision stands for; the present one where it is not there.
    pub(super) fn template(&self, owner: &Object, name: &str) -> Value {
        let known = self.all.iter().find(|revision| revision.name() == name);
        let template = known.and_then(|revision| revision.at("/data/spec/template")).cloned().map(|mut template| {
            template.as_object_mut().map(|fields| fields.remove("$patch"));
            template
        });
        template.or_else(|| owner.at("/spec/template").cloned()).unwrap_or_default()
    }

    /// Deletes the oldest revisions that nothing uses any more, beyond those that are to be kept.
    pub(super) fn cut(&self, owner: &Object, in_use: &[&str], plan: &mut Plan) {
        let limit = integer(owner, "/spec/revisionHistoryLimit").and_then(|limit| usize::try_from(limit).ok());
        let unused = |revision: &&Object| revision.name() != self.update && !in_use.contains(&revision.name());
        let unused: Vec<&Object> = self.all.iter().filter(unused).collect();
        let surplus = unused.len().saturating_sub(limit.unwrap_or(HISTORY_LIMIT));
        for revision in unused.into_iter().take(surplus) {
            plan.delete(REVISIONS, revision, Propagation::Background, None);
        }
    }
}

/// The hash in the name of a revision, as the pods of a DaemonSet have it.
pub(super) fn hash_of<'a>(owner: &Object, revision: &'a str) -> &'a str {
    revision.strip_prefix(owner.name()).and_then(|rest| rest.strip_prefix('-')).unwrap_or(revision)
}

/// What a revision keeps: a patch that puts the template back.
fn data(owner: &Object) -> Value {
    let mut template = owner.at("/spec/template").cloned().unwrap_or_else(|| json!({}));
    template["$patch"] = "replace".into();
    json!({"spec": {"template": template}})
}

/// FNV-1a: the same for the same text, in every version of this program.
pub(super) fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A number in letters that make no words.
pub(super) fn letters(mut number: u64) -> String {
    let mut text = String::new();
    for _ in 0..10 {
        text.push(char::from(LETTERS[usize::try_from(number % 27).unwrap_or_default()]));
        number /= 27;
    }
    text
}

const REVISIONS: Built = Built::new("apps", "v1", "controllerrevisions");

/// Which revision a pod is of.
pub(super) const LABEL: &str = "controller-revision-hash";

const HASH: &str = "controller.kubernetes.io/hash";

/// The default of `revisionHistoryLimit`.
const HISTORY_LIMIT: usize = 10;
