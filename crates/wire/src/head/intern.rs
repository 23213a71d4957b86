//! One copy of each string that many objects share: namespaces, label keys, kinds.

use std::collections::HashSet;
use std::sync::Arc;

/// Strings longer than this are rarely shared and are not kept.
const SHARED_LENGTH_MAX: usize = 128;
/// So many strings are kept (2 MiB at the very most); then it begins anew, and only sharing suffers.
const SHARED_COUNT_MAX: usize = 16 * 1024;

/// Shares equal strings.
#[derive(Debug, Default)]
pub(super) struct Interner {
    shared: HashSet<Arc<str>, foldhash::fast::RandomState>,
}

impl Interner {
    pub(super) fn intern(&mut self, text: &str) -> Arc<str> {
        if text.len() > SHARED_LENGTH_MAX {
            return text.into();
        }
        if let Some(found) = self.shared.get(text) {
            return Arc::clone(found);
        }
        if self.shared.len() >= SHARED_COUNT_MAX {
            self.shared.clear();
        }
        let text: Arc<str> = text.into();
        self.shared.insert(Arc::clone(&text));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_are_one() {
        let mut interner = Interner::default();
        assert!(Arc::ptr_eq(&interner.intern("app"), &interner.intern("app")));
    }

    #[test]
    fn it_never_grows_past_its_bound() {
        let mut interner = Interner::default();
        for number in 0..SHARED_COUNT_MAX * 2 + 1 {
            interner.intern(&number.to_string());
            assert!(interner.shared.len() <= SHARED_COUNT_MAX);
        }
        interner.intern(&"x".repeat(SHARED_LENGTH_MAX + 1));
        assert!(!interner.shared.contains("x".repeat(SHARED_LENGTH_MAX + 1).as_str()));
    }
}
