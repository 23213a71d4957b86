//! How often one object has failed in a row.
//!
//! Counted per object, not per name: one that was deleted and created again begins anew.

/// The failures of one object since it last succeeded.
/// It lies apart, because hardly any object fails and every key has room for them.
#[derive(Clone, Debug, Default)]
pub(super) struct Failures(Option<Box<InARow>>);

#[derive(Clone, Debug, Eq, PartialEq)]
struct InARow {
    uid: Option<String>,
    count: u32,
}

impl Failures {
    /// One more failure of the object `uid`.
    pub(super) fn add(&mut self, uid: Option<&str>) {
        let known = self.0.take().filter(|known| known.uid.as_deref() == uid);
        let mut known = known.unwrap_or_else(|| Box::new(InARow { uid: uid.map(str::to_owned), count: 0 }));
        known.count = known.count.saturating_add(1);
        self.0 = Some(known);
    }

    /// How many there were.
    pub(super) fn count(&self) -> u32 {
        self.0.as_ref().map_or(0, |known| known.count)
    }

    /// Which attempt the next one is: 1 unless the object `uid` has failed.
    pub(super) fn attempt(&self, uid: Option<&str>) -> u32 {
        let known = self.0.as_ref().filter(|known| known.uid.as_deref() == uid);
        known.map_or(1, |known| known.count.saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_object_of_the_same_name_begins_anew() {
        let mut failures = Failures::default();
        for expected in 1..=10 {
            assert_eq!(failures.attempt(Some("old")), expected);
            failures.add(Some("old"));
        }
        assert_eq!((failures.count(), failures.attempt(Some("new"))), (10, 1));
        failures.add(Some("new"));
        assert_eq!((failures.count(), failures.attempt(Some("new"))), (1, 2));
    }
}
