//! What a store shows of objects that do not decode, and of managed fields.

use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::api::core::v1::ConfigMap;
use pintle_wire::HeadReader;

use super::*;
use crate::reflector::memory::dictionary::Patience;
use crate::reflector::{DecodedBudget, ObjectRef, Writer};
use crate::watcher::Event;

fn packed(json: &str) -> Packed<ConfigMap> {
    Packed::new(HeadReader::new().read(json.as_bytes()).unwrap(), json.as_bytes())
}

/// Version `version` of the config map `a`; one that is not `good` does not decode.
fn state(uid: &str, version: u32, good: bool) -> Packed<ConfigMap> {
    let data = if good { format!(r#"{{"v":"{version}"}}"#) } else { "7".into() };
    let json = format!(r#"{{"metadata":{{"name":"a","uid":"{uid}","resourceVersion":"{version}"}},"data":{data}}}"#);
    packed(&json)
}

fn synced() -> Writer<ConfigMap> {
    let mut writer = Writer::<ConfigMap>::default();
    writer.apply_packed(Event::Init);
    writer.apply_packed(Event::InitDone);
    writer
}

/// Every sequence of five states, good and bad, read or not after each.
#[test]
fn readers_never_lose_an_object_that_they_saw_in_every_sequence_of_five() {
    for pattern in 0_u32..1 << 10 {
        let mut writer = synced();
        let store = writer.as_reader();
        let (mut is_before_good, mut last_seen) = (false, None);
        for step in 0..5_u32 {
            let (is_good, is_read) = (pattern >> (2 * step) & 1 == 1, pattern >> (2 * step + 1) & 1 == 1);
            writer.apply_packed(Event::Apply(state("u", step, is_good)));
            if is_read || step == 4 {
                let shown = store.state().first().map(|map| map.data.as_ref().unwrap()["v"].parse::<u32>().unwrap());
                let place = format!("{pattern:b} at {step}");
                assert_eq!(shown == Some(step), is_good, "the latest is shown if it can be: {place}");
                assert!(shown >= last_seen, "no reader is shown less than it saw: {place}");
                assert!(is_good || last_seen.is_some() || shown.is_some() || !is_before_good, "{place}");
                let faults = store.undecodable();
                assert_eq!(faults.len(), usize::from(!is_good), "{place}");
                assert!(faults.iter().all(|it| it.is_kept == shown.is_some()));
                assert_eq!((store.len(), store.is_complete()), (1, shown.is_some()));
                last_seen = shown;
            }
            is_before_good = is_good;
        }
    }
}

#[test]
fn versions_that_are_not_read_do_not_pile_up() {
    for is_first_read in [false, true] {
        let mut writer = synced();
        writer.apply_packed(Event::Apply(state("u", 0, true)));
        if is_first_read {
            writer.as_reader().state();
        }
        for version in 1..100 {
            writer.apply_packed(Event::Apply(state("u", version, true)));
        }
        let entry = writer.as_reader().scan().remove(0);
        let before = entry.packed_form().unwrap().before().unwrap();
        let expected = if is_first_read { "0" } else { "98" };
        assert_eq!(before.resource_version().as_deref(), Some(expected), "the last one that was read, or the last one");
        assert!(before.packed_form().unwrap().before().is_none(), "two versions are held");
    }
}

#[test]
fn another_object_of_the_same_name_does_not_show_its_predecessor() {
    let mut writer = synced();
    writer.apply_packed(Event::Apply(state("first", 1, true)));
    writer.apply_packed(Event::Apply(state("second", 2, false)));
    let store = writer.as_reader();
    assert!(store.state().is_empty() && store.len() == 1 && !store.is_complete());
    assert!(!store.undecodable()[0].is_kept);
}

#[test]
fn a_relist_keeps_what_does_not_decode_and_shows_what_did() {
    let mut writer = synced();
    writer.apply_packed(Event::Apply(state("u", 1, true)));
    for version in [2, 2, 3] {
        writer.apply_packed(Event::Init);
        writer.apply_packed(Event::InitApply(state("u", version, false)));
        writer.apply_packed(Event::InitDone);
        let store = writer.as_reader();
        assert_eq!(store.state()[0].data.as_ref().unwrap()["v"], "1");
        assert_eq!((store.len(), store.undecodable().len()), (1, 1));
    }
}

/// Every sequence of four arrivals of one version, damaged on the way or intact, by a list or a watch, looked at or not after
/// each: once it came intact it is shown, and a relist reports that as a change.
#[test]
fn a_version_that_came_spoilt_is_shown_as_soon_as_it_comes_intact() {
    for pattern in 0_u32..1 << 12 {
        let mut writer = synced();
        let store = writer.as_reader();
        let (mut came_intact, mut was_there) = (false, false);
        for step in 0..4 {
            let [is_intact, is_listed, is_looked_at] = [0, 1, 2].map(|bit| pattern >> (3 * step + bit) & 1 == 1);
            let arrived = state("u", 1, is_intact);
            if is_listed {
                writer.apply_packed(Event::Init);
                writer.apply_packed(Event::InitApply(arrived));
                let is_reported = !writer.apply_packed(Event::InitDone).is_empty();
                assert_eq!(is_reported, !was_there || (is_intact && !came_intact), "{pattern:b} at {step}");
            } else {
                writer.apply_packed(Event::Apply(arrived));
            }
            (came_intact, was_there) = (came_intact || is_intact, true);
            if is_looked_at || step == 3 {
                assert_eq!(store.state().len(), usize::from(came_intact), "{pattern:b} at {step}");
                assert_eq!(store.undecodable().is_empty(), came_intact, "{pattern:b} at {step}");
            }
        }
    }
}

const MANAGED: &str = r#"{"metadata":{"name":"a","uid":"u","resourceVersion":"1",
    "managedFields":[{"manager":"m","operation":"Update"}]},"data":{"k":"v"}}"#;

#[test]
fn managed_fields_are_not_decoded_for_a_store_unless_asked_for() {
    for (writer, expected) in [(synced(), false), (synced().with_managed_fields(), true)] {
        let mut writer = writer;
        writer.apply_packed(Event::Apply(packed(MANAGED)));
        let map = writer.as_reader().state().remove(0);
        assert_eq!(map.metadata.managed_fields.is_some(), expected);
        assert_eq!(map.data.as_ref().unwrap()["k"], "v");
    }
}

#[test]
fn objects_that_come_decoded_keep_their_managed_fields() {
    let mut writer = synced();
    writer.apply_watcher_event(&Event::Apply(packed(MANAGED).decode().unwrap()));
    assert!(writer.as_reader().state()[0].metadata.managed_fields.is_some());
}

/// A body of ten kilobytes that is like that of its neighbours.
fn large(number: usize, version: u32) -> Packed<ConfigMap> {
    let text: String = (0..250).map(|line| format!("{line}: the same line in every object\\n")).collect();
    let json = format!(
        r#"{{"metadata":{{"name":"m{number:05}","uid":"{number}","resourceVersion":"{version}"}},"data":{{"text":"{text}"}}}}"#
    );
    packed(&json)
}

/// A writer with a budget of its own, and that.
fn with_budget(bytes: usize) -> (Writer<ConfigMap>, DecodedBudget) {
    let budget = DecodedBudget::new(bytes);
    (synced().with_budget(&budget), budget)
}

fn compressed(writer: &Writer<ConfigMap>) -> usize {
    writer.as_reader().scan().iter().filter(|entry| entry.is_compressed()).count()
}

#[test]
fn a_store_beyond_its_budget_is_compressed_and_reads_as_before() {
    // Room for about sixty of them.
    let (mut writer, budget) = with_budget(3_500_000);
    for number in 0..170 {
        writer.apply_packed(Event::Apply(large(number, 1)));
    }
    budget.queue().wait_until_empty();
    let store = writer.as_reader();
    let entries = store.scan();
    assert!(compressed(&writer) > 160, "{} of {} are compressed", compressed(&writer), entries.len());
    let last = entries.last().unwrap();
    let object = last.get().unwrap();
    assert!(last.is_compressed() && object.data.as_ref().unwrap()["text"].starts_with("0: the same line"));
    assert!(!Arc::ptr_eq(&object, &last.get().unwrap()), "nothing is held decoded");
    let mut shown = None;
    last.show(|head, body| shown = Some((head.name().to_owned(), body.bytes().to_vec())));
    let (name, body) = shown.unwrap();
    assert!(name == "m00169" && body == large(169, 1).body().bytes(), "the bytes of {name} are those that came");
    assert_eq!(store.state().len(), 170);
    let mut seen = 0;
    store.for_each(|map| seen += usize::from(map.data.is_some()));
    assert_eq!(seen, 170);
    writer.apply_packed(Event::Apply(large(169, 2)));
    assert_eq!(writer.as_reader().scan()[169].resource_version().as_deref(), Some("2"));
}

#[test]
fn what_came_while_there_was_room_stays_decoded_until_it_is_clear_that_there_is_not() {
    let weight = 5 * large(0, 1).body().bytes().len();
    let (mut writer, budget) = with_budget(60 * weight);
    let store = writer.as_reader();
    store.add_index("version", |map: &ConfigMap| map.metadata.resource_version.clone()).unwrap();
    (0..70).for_each(|number| drop(writer.apply_packed(Event::Apply(large(number, 1)))));
    let first = store.get(&ObjectRef::new("m00000")).unwrap();
    assert!(Arc::ptr_eq(&first, &store.scan()[0].get().unwrap()), "it is a few too many");

    (70..90).for_each(|number| drop(writer.apply_packed(Event::Apply(large(number, 1)))));
    budget.queue().wait_until_empty();
    let entries = store.scan();
    assert!(entries.iter().all(Entry::is_beyond_budget), "those that came first, too");
    assert!(compressed(&writer) >= 89 && !Arc::ptr_eq(&first, &entries[0].get().unwrap()));
    assert_eq!(store.by_index("version", "1").unwrap().len(), 90, "what is known of them stays");
    assert_eq!(writer.apply_packed(Event::Apply(large(0, 1)))[0].old.as_ref().map(Entry::key), Some(entries[0].key()));

    // A relist in which nothing has changed.
    writer.apply_packed(Event::Init);
    (0..90).for_each(|number| drop(writer.apply_packed(Event::InitApply(large(number, 1)))));
    assert!(writer.apply_packed(Event::InitDone).is_empty());
}

#[test]
fn what_came_beyond_the_budget_stays_decoded_only_where_it_can_be_let_go_again() {
    let weight = 5 * large(0, 1).body().bytes().len();
    let (mut writer, budget) = with_budget(60 * weight);
    let mut other = synced().with_budget(&budget);
    (0..70).for_each(|number| drop(other.apply_packed(Event::Apply(large(number, 1)))));
    writer.apply_packed(Event::Apply(large(0, 1)));
    drop(other);
    assert!(!budget.is_exceeded(), "there is room now");
    let (store, key) = (writer.as_reader(), ObjectRef::new("m00000"));
    let entry = store.scan().remove(0);
    assert!(!Arc::ptr_eq(&entry.get().unwrap(), &entry.get().unwrap()), "it would stay for as long as it lives");
    assert!(Arc::ptr_eq(&store.get(&key).unwrap(), &store.get(&key).unwrap()), "readers come back to it");
}

#[test]
fn a_list_that_is_broken_off_for_ever_gives_back_what_it_superseded() {
    let weight = 5 * large(0, 1).body().bytes().len();
    let (mut writer, budget) = with_budget(100 * weight);
    let (store, count) = (writer.as_reader(), |budget: &DecodedBudget| format!("{budget:?}"));
    (0..10).for_each(|number| drop(writer.apply_packed(Event::Apply(large(number, 1)))));
    let before = count(&budget);
    writer.apply_packed(Event::Init);
    (0..10).for_each(|number| drop(writer.apply_packed(Event::InitApply(large(number, 2)))));
    drop(writer);
    assert_eq!((store.len(), count(&budget)), (10, before), "what its readers have counts as before");
}

#[test]
fn a_relist_in_which_everything_changes_counts_once_also_where_it_is_broken_off() {
    let weight = 5 * large(0, 1).body().bytes().len();
    let (mut writer, budget) = with_budget(100 * weight + weight / 2);
    let list = |writer: &mut Writer<ConfigMap>, version, count| {
        writer.apply_packed(Event::Init);
        (0..count).for_each(|number| drop(writer.apply_packed(Event::InitApply(large(number, version)))));
    };
    list(&mut writer, 1, 90);
    writer.apply_packed(Event::InitDone);
    list(&mut writer, 2, 50);
    list(&mut writer, 3, 90);
    let changes = writer.apply_packed(Event::InitDone);
    assert_eq!(changes.len(), 90);
    let entries = writer.as_reader().scan();
    assert!(entries.iter().all(Entry::is_within_budget), "half of it is about to go");
    // What was broken off before counts again: one more than fits is one too many.
    drop((changes, entries));
    list(&mut writer, 4, 90);
    writer.apply_packed(Event::Init);
    (100..110).for_each(|number| drop(writer.apply_packed(Event::InitApply(large(number, 1)))));
    assert!(!budget.is_exceeded());
    writer.apply_packed(Event::InitApply(large(110, 1)));
    assert!(budget.is_exceeded());
    drop(writer);
    assert!(format!("{budget:?}").contains("bytes: 0"), "{budget:?}");
}

#[test]
fn what_a_reader_saw_before_outlives_the_room_for_decoded_objects() {
    let (mut writer, budget) = with_budget(50_000);
    let store = writer.as_reader();
    writer.apply_packed(Event::Apply(state("u", 1, true)));
    assert_eq!(store.state().len(), 1);
    writer.apply_packed(Event::Apply(state("u", 2, false)));
    (0..3).for_each(|number| drop(writer.apply_packed(Event::Apply(large(number, 1)))));
    budget.queue().wait_until_empty();
    assert!(store.scan()[0].is_beyond_budget());
    assert_eq!((store.state().len(), store.undecodable().len(), store.is_complete()), (4, 1, true));
}

#[test]
fn what_a_list_brings_is_compressed_at_once_and_what_changes_rests_first() {
    let (mut writer, budget) = with_budget(3_500_000);
    let store = writer.as_reader();
    writer.apply_packed(Event::Init);
    (0..170).for_each(|number| drop(writer.apply_packed(Event::InitApply(large(number, 1)))));
    writer.apply_packed(Event::InitDone);
    budget.queue().wait_until_nothing_is_due();
    assert!(compressed(&writer) >= 169, "all but what the others are compressed against");

    writer.apply_packed(Event::Apply(large(100, 2)));
    budget.queue().wait_until_nothing_is_due();
    assert!(!store.scan()[100].is_compressed(), "it is likely to change again");
}

/// A body of a kilobyte, most of which its neighbours have, too.
fn small(number: usize) -> Packed<ConfigMap> {
    let text: String = (0..25).map(|line| format!("{line}: the same line in every object\\n")).collect();
    packed(&format!(r#"{{"metadata":{{"name":"s{number:05}","uid":"{number}"}},"data":{{"text":"{text}"}}}}"#))
}

#[test]
fn small_objects_are_compressed_only_where_they_take_four_times_the_budget() {
    let bytes = small(0).body().bytes().len();
    // Four may be decoded, and eighty stay as they came.
    let (mut writer, budget) = with_budget(20 * bytes);
    let text_of = |writer: &Writer<ConfigMap>, number: usize| {
        let map = writer.as_reader().get(&ObjectRef::new(&format!("s{number:05}"))).unwrap();
        map.data.as_ref().unwrap()["text"].clone()
    };
    (0..80).for_each(|number| drop(writer.apply_packed(Event::Apply(small(number)))));
    budget.queue().wait_until_empty();
    assert_eq!(compressed(&writer), 0);
    assert!(writer.as_reader().scan()[79].is_beyond_budget(), "it is decoded each time all the same");

    (80..200).for_each(|number| drop(writer.apply_packed(Event::Apply(small(number)))));
    budget.queue().wait_until_empty();
    let before = compressed(&writer);
    assert!(before > 80, "{before} are compressed");
    assert_eq!(text_of(&writer, 199), text_of(&writer, 79));

    (10..60).for_each(|number| drop(writer.apply_packed(Event::Delete(small(number)))));
    (200..240).for_each(|number| drop(writer.apply_packed(Event::Apply(small(number)))));
    budget.queue().wait_until_empty();
    assert_eq!(compressed(&writer), before, "there is room for small ones again");
}

/// As long as another thread trains the dictionary, nothing new can be compressed: events do not wait for it.
#[test]
fn events_go_on_while_what_came_before_is_being_compressed() {
    let (mut writer, budget) = with_budget(0);
    let (store, dictionary) = (writer.as_reader(), Arc::clone(&writer.storage().dictionary));
    let busy = dictionary.examples(Patience::Waits);
    for number in 0..100 {
        writer.apply_packed(Event::Apply(large(number, 1)));
    }
    assert_eq!((store.len(), compressed(&writer)), (100, 0));
    assert!(store.state().iter().all(|map| map.data.is_some()), "everything can be read meanwhile");
    // One goes and one changes before their turn.
    writer.apply_packed(Event::Delete(large(7, 1)));
    writer.apply_packed(Event::Apply(large(8, 2)));
    drop(busy);
    budget.queue().wait_until_empty();
    assert!(compressed(&writer) > 50, "{} are compressed once there was time for it", compressed(&writer));
    assert_eq!(store.len(), 99);
    assert_eq!(store.get(&ObjectRef::new("m00008")).unwrap().metadata.resource_version.as_deref(), Some("2"));
}

#[test]
fn what_changes_again_is_not_compressed_in_between_and_waits_only_once() {
    let body_bytes = large(0, 1).body().bytes().len();
    // Decoded there is room for two, and three may wait.
    let (mut writer, budget) = with_budget(14 * body_bytes);
    for number in 0..5 {
        writer.apply_packed(Event::Apply(large(number, 1)));
    }
    budget.queue().wait_until_empty();
    for version in 2..100 {
        writer.apply_packed(Event::Apply(large(4, version)));
        // One that is not read holds on to the version before it.
        assert!(writer.as_reader().get(&ObjectRef::new("m00004")).is_some());
        assert!(!writer.as_reader().scan()[4].is_compressed(), "it rests");
        assert!(budget.queue().bytes() < 2 * body_bytes, "an older version does not wait any more");
    }
    budget.queue().wait_until_empty();
    assert_eq!(budget.queue().bytes(), 0);
}

/// Where the thread does not keep up, who brings bodies compresses what the thread does not get to.
#[test]
fn what_waits_is_bounded_though_it_comes_faster_than_one_thread_compresses() {
    let body_bytes = large(0, 1).body().bytes().len();
    let (mut writer, budget) = with_budget(16 * body_bytes);
    for number in 0..50 {
        writer.apply_packed(Event::Apply(large(number, 1)));
    }
    budget.queue().wait_until_empty();
    for number in 50..2000 {
        writer.apply_packed(Event::Apply(large(number, 1)));
        let waiting = budget.queue().bytes();
        assert!(waiting <= 10 * body_bytes, "{waiting} bytes wait, a body has {body_bytes}");
    }
}

#[test]
fn what_may_not_wait_is_compressed_at_once() {
    let (mut writer, budget) = with_budget(0);
    for number in 0..100 {
        writer.apply_packed(Event::Apply(large(number, 1)));
    }
    budget.queue().wait_until_within_bounds();
    assert!(compressed(&writer) > 50, "{} are compressed", compressed(&writer));
}

#[test]
fn stores_keep_to_the_budget_they_share() {
    let (mut one, budget) = with_budget(3_500_000);
    let mut other = synced().with_budget(&budget);
    for number in 0..60 {
        one.apply_packed(Event::Apply(large(number, 1)));
        other.apply_packed(Event::Apply(large(number, 1)));
    }
    budget.queue().wait_until_empty();
    assert!(compressed(&one) > 15 && compressed(&other) > 15);
    drop((one, other));
    let mut third = synced().with_budget(&budget);
    third.apply_packed(Event::Apply(large(0, 1)));
    budget.queue().wait_until_empty();
    assert_eq!(compressed(&third), 0, "there is room again");
}

/// Counts the warnings that contain a text.
struct Warnings {
    text: &'static str,
    count: Arc<AtomicUsize>,
}

impl tracing::Subscriber for Warnings {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() == tracing::Level::WARN
    }

    fn event(&self, event: &tracing::Event<'_>) {
        struct Fields(String);
        impl tracing::field::Visit for Fields {
            fn record_debug(&mut self, _: &tracing::field::Field, value: &dyn fmt::Debug) {
                self.0 += &format!("{value:?} ");
            }
        }
        let mut fields = Fields(String::new());
        event.record(&mut fields);
        if fields.0.contains(self.text) {
            self.count.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn decoding_all_of_a_store_beyond_its_budget_is_logged_once_with_the_alternatives() {
    let (mut writer, budget) = with_budget(1 << 20);
    let (store, count) = (writer.as_reader(), Arc::new(AtomicUsize::new(0)));
    let logged = || count.load(Ordering::Relaxed);
    let warnings = Warnings {
        text: "Store::scan, select and indexes decode nothing, for_each one at a time",
        count: Arc::clone(&count),
    };
    let _listening = tracing::subscriber::set_default(warnings);
    writer.apply_packed(Event::Apply(large(0, 1)));
    assert_eq!((store.state().len(), logged()), (1, 0), "what fits is decoded without a word");
    budget.set_max(0);
    for number in 0..20 {
        writer.apply_packed(Event::Apply(large(number, 2)));
    }
    budget.set_max(1 << 20);
    budget.queue().wait_until_empty();
    store.for_each(|_| {});
    assert_eq!((store.scan().len(), logged()), (20, 0), "decoding one at a time, or none, is fine");
    assert_eq!((store.state().len(), logged()), (20, 1));
    store.find(|_| false);
    assert_eq!((store.state_filter(|_| true).len(), logged()), (20, 1), "it is logged once");
}

#[test]
fn decoding_all_of_a_store_of_small_objects_beyond_its_budget_is_logged_too() {
    let count = Arc::new(AtomicUsize::new(0));
    let logged = || count.load(Ordering::Relaxed);
    let warnings = Warnings { text: "too large to stay decoded", count: Arc::clone(&count) };
    let _listening = tracing::subscriber::set_default(warnings);
    // Four may be decoded, and eighty stay as they came.
    let (mut writer, _budget) = with_budget(20 * small(0).body().bytes().len());
    (0..4).for_each(|number| drop(writer.apply_packed(Event::Apply(small(number)))));
    let store = writer.as_reader();
    assert_eq!((store.state().len(), logged()), (4, 0));
    (4..30).for_each(|number| drop(writer.apply_packed(Event::Apply(small(number)))));
    assert_eq!((store.state().len(), compressed(&writer), logged()), (30, 0, 1));
}

#[test]
fn a_version_that_is_reconciled_once_does_not_stay_decoded_and_one_that_is_read_again_does() {
    let mut writer = synced();
    writer.apply_packed(Event::Apply(state("u", 1, true)));
    let store = writer.as_reader();
    let key = store.scan()[0].key();
    let decoded = |comes_back| {
        let entry = store.entry_by(&key).unwrap();
        let object = store.read_to_reconcile(&entry, comes_back, || None).unwrap();
        assert_eq!(object.metadata.name.as_deref(), Some("a"));
        store.usage().decoded_objects
    };
    assert_eq!((decoded(false), decoded(false)), (0, 1), "reconciled twice");
    writer.apply_packed(Event::Apply(state("u", 3, true)));
    assert_eq!(decoded(true), 1, "others wake it, too");
    writer.apply_packed(Event::Apply(state("u", 4, true)));
    store.get(&ObjectRef::new("a"));
    assert_eq!(store.usage().decoded_objects, 1, "read by name");
}

#[test]
fn a_reconcile_decodes_over_the_object_of_the_last_one_unless_somebody_has_it() {
    let mut writer = synced();
    let store = writer.as_reader();
    let mut reconcile = |version: u32, is_good: bool, spare: &mut Option<Arc<ConfigMap>>| {
        writer.apply_packed(Event::Apply(state("u", version, is_good)));
        let key = store.scan()[0].key();
        let object = store.read_to_reconcile(&store.entry_by(&key).unwrap(), false, || spare.take()).ok()?;
        assert_eq!(object.data.as_ref().unwrap()["v"], version.to_string());
        assert!(spare.is_none(), "it was used, or is of no use");
        Some(object)
    };
    let first = reconcile(1, true, &mut None);
    let place = first.as_ref().map(Arc::as_ptr);
    let mut spare = first;
    let second = reconcile(2, true, &mut spare).unwrap();
    assert_eq!(place, Some(Arc::as_ptr(&second)), "its memory is used again");
    spare = Some(Arc::clone(&second));
    let third = reconcile(3, true, &mut spare).unwrap();
    assert_eq!((second.data.as_ref().unwrap()["v"].as_str(), third.data.as_ref().unwrap()["v"].as_str()), ("2", "3"));
    drop(second);
    spare = Some(third);
    assert!(reconcile(4, false, &mut spare).is_none(), "what does not decode is an error as ever");
}
