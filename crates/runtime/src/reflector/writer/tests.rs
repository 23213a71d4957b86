//! What filling a store costs: objects that count how often they are decoded, and entries that are compared by identity.

use std::borrow::Cow;
use std::cell::Cell;

use pintle_wire::HeadReader;
use serde::Deserialize;
use serde::de::Deserializer;

use super::*;
use crate::reflector::shelf::Shelved;

thread_local! {
    static DECODED: Cell<usize> = const { Cell::new(0) };
}

/// An object that counts how often one of its kind is decoded on this thread.
#[derive(Clone, Debug)]
struct Counted {
    name: String,
}

impl<'de> Deserialize<'de> for Counted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Object {
            metadata: Metadata,
        }
        #[derive(Deserialize)]
        struct Metadata {
            name: String,
        }
        DECODED.set(DECODED.get() + 1);
        Ok(Self { name: Object::deserialize(deserializer)?.metadata.name })
    }
}

impl Lookup for Counted {
    type DynamicType = ();
    fn kind((): &()) -> Cow<'_, str> {
        "Counted".into()
    }
    fn group((): &()) -> Cow<'_, str> {
        "test".into()
    }
    fn version((): &()) -> Cow<'_, str> {
        "v1".into()
    }
    fn plural((): &()) -> Cow<'_, str> {
        "counteds".into()
    }
    fn name(&self) -> Option<Cow<'_, str>> {
        Some(self.name.as_str().into())
    }
    fn namespace(&self) -> Option<Cow<'_, str>> {
        None
    }
    fn resource_version(&self) -> Option<Cow<'_, str>> {
        None
    }
    fn uid(&self) -> Option<Cow<'_, str>> {
        None
    }
}

fn decoded() -> usize {
    DECODED.replace(0)
}

/// Version `version` of the object `number`, of about two kilobytes.
fn object(number: usize, version: usize) -> Packed<Counted> {
    let data = "the same words in every object ".repeat(64);
    let json = format!(
        r#"{{"metadata":{{"name":"{number:04}","uid":"u{number}","resourceVersion":"{version}"}},"data":"{data}"}}"#
    );
    Packed::new(HeadReader::new().read(json.as_bytes()).unwrap(), json.as_bytes())
}

fn relist(writer: &mut Writer<Counted>, objects: impl IntoIterator<Item = Packed<Counted>>) -> usize {
    writer.apply_packed(Event::Init);
    for packed in objects {
        assert!(writer.apply_packed(Event::InitApply(packed)).is_empty());
    }
    writer.apply_packed(Event::InitDone).len()
}

/// The entries of a store, to be recognized.
fn entries(writer: &Writer<Counted>) -> Vec<Entry<Counted>> {
    writer.as_reader().scan()
}

/// Beyond the budget, where an entry costs most: a copy of the body and of the head, and a turn of the compressor.
#[test]
fn a_relist_in_which_nothing_changed_makes_no_entries() {
    const OBJECTS: usize = 200;
    for bytes_max in [0, usize::MAX] {
        let budget = DecodedBudget::new(bytes_max);
        let mut writer = Writer::<Counted>::default().with_budget(&budget);
        assert_eq!(relist(&mut writer, (0..OBJECTS).map(|number| object(number, 1))), OBJECTS);
        budget.queue().wait_until_empty();
        let (before, pushed) = (entries(&writer), budget.queue().pushed());
        assert_eq!(pushed, if bytes_max == 0 { OBJECTS } else { 0 });
        assert_eq!(relist(&mut writer, (0..OBJECTS).map(|number| object(number, 1))), 0, "nothing changed");
        let is_carried = |(one, other): (&Entry<Counted>, &Entry<Counted>)| one.is_same_state(other);
        assert!(before.iter().zip(&entries(&writer)).all(is_carried), "each entry is the one that was there");
        assert_eq!(budget.queue().pushed(), pushed, "nothing more is compressed");
        assert_eq!(decoded(), 0);
        let changed = (0..OBJECTS).map(|number| object(number, 1 + number % 2));
        assert_eq!(relist(&mut writer, changed), OBJECTS / 2);
        assert_eq!(budget.queue().pushed(), pushed + pushed / 2, "an entry for each that changed");
    }
}

#[test]
fn a_delete_makes_no_entry() {
    let budget = DecodedBudget::new(0);
    let mut writer = Writer::<Counted>::default().with_budget(&budget);
    relist(&mut writer, [object(1, 1)]);
    assert_eq!(writer.apply_packed(Event::Delete(object(1, 2))).len(), 1);
    assert_eq!((budget.queue().pushed(), writer.as_reader().len()), (1, 0));
}

/// An index that is added while a list is read finds what the list brings, and its function is called outside the lock.
#[test]
fn an_index_added_while_a_list_is_read_finds_all_of_it() {
    let mut writer = Writer::<Counted>::default();
    let store = writer.as_reader();
    relist(&mut writer, [object(1, 1)]);
    writer.apply_packed(Event::Init);
    writer.apply_packed(Event::InitApply(object(1, 1)));
    writer.apply_packed(Event::InitApply(object(2, 1)));
    let reader = store.clone();
    let values = move |counted: &Counted| {
        assert!(!reader.is_empty(), "reading here would wait for ever under the lock");
        Some(counted.name.clone())
    };
    store.add_index("name", values).unwrap();
    writer.apply_packed(Event::InitApply(object(3, 1)));
    writer.apply_packed(Event::InitDone);
    assert_eq!(store.index_values("name").unwrap(), ["0001", "0002", "0003"]);
}

#[test]
fn versions_that_are_not_read_are_never_decoded() {
    let mut writer = Writer::<Counted>::default();
    relist(&mut writer, [object(1, 1)]);
    for version in 2..20 {
        writer.apply_packed(Event::Apply(object(1, version)));
    }
    relist(&mut writer, [object(1, 20)]);
    assert_eq!(decoded(), 0, "nothing is read");
    assert_eq!(writer.as_reader().state().len(), 1);
    assert_eq!(decoded(), 1, "one version is read");
}
