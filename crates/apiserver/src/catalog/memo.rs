//! Documents about what is served, each printed once for as long as what it is made of stays.
//!
//! In: a catalog. Out: the OpenAPI document of each group-version, and the list of all of them. A definition that changes
//! makes the documents of its own group-version anew; all others, and those of Kubernetes' own groups, are kept. All
//! catalogs of a server share one memo, and so do those of its forks: a document is known by its very kinds.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Catalog;
use super::openapi::Document;
use crate::response::shared_text::SharedText;

/// What was made so far.
#[derive(Default, Clone)]
pub(crate) struct Memo(Arc<Mutex<Made>>);

#[derive(Default)]
struct Made {
    /// By path: the newest.
    documents: BTreeMap<String, Arc<Document>>,
    /// All documents of a catalog, by its generation.
    listed: Option<(u64, Arc<Vec<Arc<Document>>>)>,
    /// What was printed of a whole catalog, by name, with its generation.
    printed: BTreeMap<&'static str, (u64, Arc<SharedText>)>,
}

/// A number that no catalog of this process had before.
pub(super) fn next_generation() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Memo {
    /// Every document of a catalog; those that are made of the same kinds are the same.
    pub(super) fn documents(&self, catalog: &Catalog) -> Arc<Vec<Arc<Document>>> {
        if let Some((generation, listed)) = &self.made().listed
            && *generation == catalog.generation
        {
            return Arc::clone(listed);
        }
        let known = self.made().documents.clone();
        let fresh = Document::all(catalog, |path, kinds| {
            let is_same = |document: &&Arc<Document>| document.is_of(kinds);
            known.get(path).filter(is_same).map(Arc::clone)
        });
        let mut made = self.made();
        made.documents = fresh.iter().map(|document| (document.path.clone(), Arc::clone(document))).collect();
        let listed = Arc::new(fresh);
        made.listed = Some((catalog.generation, Arc::clone(&listed)));
        listed
    }

    /// What is printed of a whole catalog under a name.
    pub(super) fn printed(
        &self,
        catalog: &Catalog,
        name: &'static str,
        print: impl FnOnce() -> SharedText,
    ) -> Arc<SharedText> {
        if let Some((generation, text)) = self.made().printed.get(name)
            && *generation == catalog.generation
        {
            return Arc::clone(text);
        }
        let text = Arc::new(print());
        self.made().printed.insert(name, (catalog.generation, Arc::clone(&text)));
        text
    }

    fn made(&self) -> MutexGuard<'_, Made> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_made_once_and_shared_by_catalogs_of_the_same_kinds() {
        let first = Catalog::default();
        let mut second = first.clone();
        second.changed();
        let (before, after) = (first.memo.documents(&first), second.memo.documents(&second));
        assert!(!Arc::ptr_eq(&before, &after), "another catalog has another list");
        assert!(before.iter().zip(&*after).all(|(one, other)| Arc::ptr_eq(one, other)), "of the same documents");
        assert!(Arc::ptr_eq(&after, &second.memo.documents(&second)));
    }

    #[test]
    fn what_is_printed_of_a_catalog_is_printed_again_only_after_a_change() {
        let mut catalog = Catalog::default();
        let printed = |catalog: &Catalog, text: &str| catalog.memo.printed(catalog, "x", || text.to_owned().into());
        let one = printed(&catalog, "one");
        assert!(Arc::ptr_eq(&printed(&catalog, "two"), &one));
        catalog.changed();
        assert_ne!(printed(&catalog, "two").digest(), one.digest());
    }
}
