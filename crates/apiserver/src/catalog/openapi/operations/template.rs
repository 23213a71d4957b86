//! The operations of custom kinds: those of one shape differ in names alone. So they are described once, with a sign in place
//! of each name, and printed for a kind by putting its names there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use super::names::{Name, Names};
use super::{Paths, described_paths};
use crate::catalog::kinds::Kind;

/// What is printed of every custom kind of a shape: each text is followed by a name.
pub(super) struct Template {
    texts: Vec<(String, Name)>,
    end: String,
    /// The schemas that it refers to beside the kind's own.
    types: BTreeSet<String>,
}

/// What else makes a difference: whether objects are in namespaces, and which subresources they have.
type Shape = (bool, Vec<String>);

impl Template {
    /// The template of a custom kind.
    pub(super) fn of(kind: &Kind) -> Arc<Template> {
        static KNOWN: Mutex<BTreeMap<Shape, Arc<Template>>> = Mutex::new(BTreeMap::new());
        let shape = (kind.namespaced, kind.subresources.iter().map(|subresource| subresource.name.clone()).collect());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(shape).or_insert_with(|| Arc::new(Template::made(kind))))
    }

    fn made(kind: &Kind) -> Template {
        let names = Names::replaced(sign);
        let paths: Paths<'_> = described_paths(&names, kind);
        let mut types = BTreeSet::new();
        paths.values().for_each(|item| item.add_references(&mut types));
        types.retain(|name| !name.contains(|character| name_at(character).is_some()));
        let printed = serde_json::to_string(&paths).expect("what is described can be printed");
        // Without its braces, because the paths of other kinds stand beside them.
        let mut rest = &printed[1..printed.len() - 1];
        let mut texts = Vec::new();
        while let Some((at, found)) = rest.char_indices().find_map(|(at, character)| Some((at, name_at(character)?))) {
            texts.push((rest[..at].to_owned(), found));
            rest = &rest[at + sign(found).len_utf8()..];
        }
        Template { texts, end: rest.to_owned(), types }
    }

    /// Prints the paths of a kind, which are fields of an object, and adds the types they refer to. Names of kinds are plain
    /// words, so they are printed as they are.
    pub(super) fn print(&self, names: &Names<'_>, printed: &mut Vec<u8>, referred: &mut BTreeSet<String>) {
        for (text, name) in &self.texts {
            printed.extend_from_slice(text.as_bytes());
            printed.extend_from_slice(names.get(*name).as_bytes());
        }
        printed.extend_from_slice(self.end.as_bytes());
        if !self.types.is_subset(referred) {
            referred.extend(self.types.iter().cloned());
        }
    }
}

/// What stands for a name: a character that means nothing, which no text has.
fn sign(name: Name) -> char {
    char::from_u32(FIRST_SIGN + name as u32).expect("the characters for private use are characters")
}

fn name_at(character: char) -> Option<Name> {
    let number = u32::from(character).checked_sub(FIRST_SIGN)?;
    Name::ALL.get(number as usize).copied()
}

/// The first of the characters for private use.
const FIRST_SIGN: u32 = 0xE000;

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::catalog::kinds::built_in;

    #[test]
    fn a_template_prints_what_is_described() {
        for namespaced in [true, false] {
            let mut kind = Kind::clone(&built_in("apps", "v1", "deployments").expect("it is built in"));
            kind.namespaced = namespaced;
            kind.subresources.retain(|subresource| subresource.name != "status" || namespaced);
            let names = Names::of("apis/apps/v1", &kind);
            let (mut printed, mut referred) = (b"{".to_vec(), BTreeSet::new());
            Template::made(&kind).print(&names, &mut printed, &mut referred);
            printed.push(b'}');
            let described = described_paths(&names, &kind);
            let printed: Value = serde_json::from_slice(&printed).unwrap();
            assert_eq!(printed, serde_json::to_value(&described).unwrap());
            assert!(referred.contains("io.k8s.api.autoscaling.v1.Scale"), "{referred:?}");
            assert!(!referred.contains("io.k8s.api.apps.v1.Deployment"), "its own are there anyway");
        }
    }
}
