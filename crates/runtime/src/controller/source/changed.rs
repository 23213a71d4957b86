//! Which changes of an object matter, judged by its head before and after.
//!
//! Unlike a predicate on a stream it remembers nothing: the shelf knows what was there before. An object that comes,
//! goes, is replaced by another of the same name or begins to be deleted matters always, so no predicate can hide a
//! delete. It is pure but for what a user's own judgement does.

use std::fmt;
use std::sync::Arc;

use pintle_wire::Head;

use crate::controller::reconciler::panics::{Panic, catch};

/// Which changes of an object wake its reconciler.
///
/// ```
/// use pintle_runtime::controller::Changed;
/// // What the user wrote, and who wants to clean up; not what the reconciler itself writes into the status.
/// let changed = Changed::generation().or(Changed::finalizers());
/// ```
#[derive(Clone)]
#[must_use]
pub struct Changed {
    parts: Vec<Part>,
}

type Judge = Arc<dyn Fn(&Head, &Head) -> bool + Send + Sync>;

#[derive(Clone)]
enum Part {
    Generation,
    Labels,
    Annotations,
    Finalizers,
    Owners,
    Anything,
    Judged(Judge),
}

/// What a change comes to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in crate::controller) enum Judgement {
    /// It wakes.
    Matters,
    /// It does not.
    Hidden,
    /// It does not, though finalizers changed and only the generation was looked at.
    HiddenFinalizers,
    /// The user's own judgement panicked; it wakes.
    Panicked(Panic),
}

impl Changed {
    /// The spec, on kinds that count its changes.
    pub fn generation() -> Self {
        Self { parts: vec![Part::Generation] }
    }

    /// A label.
    pub fn labels() -> Self {
        Self { parts: vec![Part::Labels] }
    }

    /// An annotation.
    pub fn annotations() -> Self {
        Self { parts: vec![Part::Annotations] }
    }

    /// A finalizer.
    pub fn finalizers() -> Self {
        Self { parts: vec![Part::Finalizers] }
    }

    /// An owner.
    pub fn owners() -> Self {
        Self { parts: vec![Part::Owners] }
    }

    /// Anything at all: every new version. A relist that brings the same version again does not matter.
    pub fn anything() -> Self {
        Self { parts: vec![Part::Anything] }
    }

    /// What `judge` says of the head before and after.
    pub fn by(judge: impl Fn(&Head, &Head) -> bool + Send + Sync + 'static) -> Self {
        Self { parts: vec![Part::Judged(Arc::new(judge))] }
    }

    /// Either.
    pub fn or(mut self, other: Self) -> Self {
        self.parts.extend(other.parts);
        self
    }

    pub(in crate::controller) fn judge(&self, old: Option<&Head>, new: Option<&Head>) -> Judgement {
        let (Some(old), Some(new)) = (old, new) else { return Judgement::Matters };
        if old.uid() != new.uid() || old.is_deleting() != new.is_deleting() {
            return Judgement::Matters;
        }
        let matters = || self.parts.iter().any(|part| part.differs(old, new));
        match catch(matters) {
            Ok(true) => Judgement::Matters,
            Ok(false) if self.is_generation_alone() && old.finalizers() != new.finalizers() => {
                Judgement::HiddenFinalizers
            }
            Ok(false) => Judgement::Hidden,
            Err(panic) => Judgement::Panicked(panic),
        }
    }

    fn is_generation_alone(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Generation))
    }
}

impl Part {
    fn differs(&self, old: &Head, new: &Head) -> bool {
        match self {
            // A kind that does not count has no generation, and everything matters.
            Self::Generation => new.generation().is_none() || old.generation() != new.generation(),
            Self::Labels => !old.labels().eq(new.labels()),
            Self::Annotations => old.annotations_hash() != new.annotations_hash(),
            Self::Finalizers => old.finalizers() != new.finalizers(),
            Self::Owners => old.owners() != new.owners(),
            Self::Anything => !old.is_same_state(new),
            Self::Judged(judge) => judge(old, new),
        }
    }
}

impl fmt::Debug for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |part: &Part| match part {
            Part::Generation => "generation",
            Part::Labels => "labels",
            Part::Annotations => "annotations",
            Part::Finalizers => "finalizers",
            Part::Owners => "owners",
            Part::Anything => "anything",
            Part::Judged(_) => "judged",
        };
        f.debug_set().entries(self.parts.iter().map(name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_wire::HeadReader;
    use serde_json::json;

    fn head(metadata: &serde_json::Value) -> Head {
        let mut full = json!({"name": "a", "uid": "u", "generation": 1, "resourceVersion": "1"});
        let fields = metadata.as_object().cloned().unwrap_or_default();
        full.as_object_mut().expect("it is one").extend(fields);
        HeadReader::new().read(json!({ "metadata": full }).to_string().as_bytes()).unwrap()
    }

    fn check(changed: &Changed, metadata: &serde_json::Value, expected: &Judgement) {
        assert_eq!(changed.judge(Some(&head(&json!({}))), Some(&head(metadata))), *expected, "{changed:?} {metadata}");
    }

    #[test]
    fn each_part_sees_its_own_change_and_no_other() {
        let changes = [
            (Changed::generation(), json!({"generation": 2})),
            (Changed::labels(), json!({"labels": {"a": "b"}})),
            (Changed::annotations(), json!({"annotations": {"a": "b"}})),
            (
                Changed::owners(),
                json!({"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "x"}]}),
            ),
            (Changed::finalizers(), json!({"finalizers": ["a/b"]})),
        ];
        for (at, (changed, _)) in changes.iter().enumerate() {
            for (other, (_, metadata)) in changes.iter().enumerate() {
                let expected = match (at == other, at, other) {
                    (true, ..) => Judgement::Matters,
                    (false, 0, 4) => Judgement::HiddenFinalizers,
                    (false, ..) => Judgement::Hidden,
                };
                check(changed, metadata, &expected);
            }
            check(changed, &json!({"resourceVersion": "2"}), &Judgement::Hidden);
        }
        check(&Changed::anything(), &json!({"resourceVersion": "2"}), &Judgement::Matters);
        check(&Changed::anything(), &json!({}), &Judgement::Hidden);
        check(&Changed::generation().or(Changed::finalizers()), &json!({"finalizers": ["a/b"]}), &Judgement::Matters);
    }

    #[test]
    fn a_delete_a_replacement_and_a_panic_are_never_hidden() {
        let nothing = Changed::by(|_, _| false);
        check(&nothing, &json!({"deletionTimestamp": "2026-01-01T00:00:00Z"}), &Judgement::Matters);
        check(&nothing, &json!({"uid": "another"}), &Judgement::Matters);
        check(&nothing, &json!({"generation": 7}), &Judgement::Hidden);
        let panics = Changed::by(|_, _| panic!("on purpose")).judge(Some(&head(&json!({}))), Some(&head(&json!({}))));
        assert!(matches!(panics, Judgement::Panicked(panic) if panic.message() == "on purpose"));
        assert_eq!(nothing.judge(Some(&head(&json!({}))), None), Judgement::Matters);
        assert_eq!(nothing.judge(None, Some(&head(&json!({})))), Judgement::Matters);
    }
}
