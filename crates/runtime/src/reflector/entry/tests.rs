//! What a store shows of objects that do not decode, and of managed fields.

use k8s_openapi::api::core::v1::ConfigMap;
use pintle_wire::HeadReader;

use super::*;
use crate::reflector::cold::all_pressed;
use crate::reflector::{ObjectRef, Writer};
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

/// Every sequence of five states, good and bad, looked at or not after each: what is shown is the last good one.
#[test]
fn the_last_version_that_decodes_is_shown_in_every_sequence_of_five() {
    for pattern in 0_u32..1 << 10 {
        let mut writer = synced();
        let store = writer.as_reader();
        let mut last_good = None;
        for step in 0..5 {
            let (good, is_looked_at) = (pattern >> (2 * step) & 1 == 1, pattern >> (2 * step + 1) & 1 == 1);
            writer.apply_packed(Event::Apply(state("u", step, good)));
            if good {
                last_good = Some(step);
            }
            if is_looked_at || step == 4 {
                let shown = store.state().first().map(|map| map.data.as_ref().unwrap()["v"].clone());
                assert_eq!(shown, last_good.map(|version| version.to_string()), "{pattern:b} at {step}");
                let faults = store.undecodable();
                assert_eq!(faults.len(), usize::from(!good), "{pattern:b} at {step}");
                assert!(faults.iter().all(|it| it.is_kept == last_good.is_some()));
                assert_eq!((store.len(), store.is_complete()), (1, last_good.is_some()));
            }
        }
    }
}

#[test]
fn versions_that_nobody_looks_at_do_not_pile_up() {
    let mut writer = synced();
    for version in 0..100 {
        writer.apply_packed(Event::Apply(state("u", version, true)));
    }
    let entry = writer.as_reader().scan().remove(0);
    let mut held = 0;
    let mut before = Some(entry);
    while let Some(entry) = before {
        held += 1;
        before = match &entry.0.form {
            Form::Packed(form) => locked(&form.before).clone(),
            Form::Plain(_) => None,
        };
    }
    assert!(held <= 3, "{held} versions are held");
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

/// Every sequence of four arrivals of one version, spoilt on the way or intact, by a list or a watch, looked at or not after
/// each: once it came intact it is shown, and a relist tells of it when that is news.
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
                let is_told = !writer.apply_packed(Event::InitDone).is_empty();
                assert_eq!(is_told, !was_there || (is_intact && !came_intact), "{pattern:b} at {step}");
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

/// One test at a time goes beyond what all stores of the process may hold decoded.
static BUDGET: Mutex<()> = Mutex::new(());

/// Sixteen megabytes of JSON, which decoded would weigh more than the budget of the process.
#[test]
fn a_store_beyond_its_budget_lies_compressed_and_reads_as_before() {
    let _turn = locked(&BUDGET);
    let mut writer = synced();
    for number in 0..1700 {
        writer.apply_packed(Event::Apply(large(number, 1)));
    }
    all_pressed();
    let store = writer.as_reader();
    let entries = store.scan();
    let cold: Vec<_> = entries.iter().filter(|entry| entry.is_cold()).collect();
    assert!(cold.len() > 300, "{} of {} lie cold", cold.len(), entries.len());
    assert!(!entries[0].is_cold(), "what came while there was room stays as it came");
    let last = cold.last().unwrap().get().unwrap();
    assert!(last.data.as_ref().unwrap()["text"].starts_with("0: the same line"));
    assert!(!Arc::ptr_eq(&last, &cold.last().unwrap().get().unwrap()), "and nothing is held twice");
    let mut shown = None;
    cold.last().unwrap().show(|head, body| shown = Some((head.name().to_owned(), body.bytes().to_vec())));
    let (name, body) = shown.unwrap();
    assert!(name == "m01699" && body == large(1699, 1).body().bytes(), "the bytes of {name} are those that came");
    assert_eq!(store.state().len(), 1700);
    let mut seen = 0;
    store.for_each(|map| seen += usize::from(map.data.is_some()));
    assert_eq!(seen, 1700);
    writer.apply_packed(Event::Apply(large(1699, 2)));
    assert_eq!(writer.as_reader().scan()[1699].resource_version().as_deref(), Some("2"));
}

/// As long as somebody else has the press, nothing can be compressed: whoever brings events does not wait for it.
#[test]
fn events_go_on_while_what_came_before_is_being_compressed() {
    let _turn = locked(&BUDGET);
    let mut writer = synced();
    let (store, press) = (writer.as_reader(), writer.press());
    let busy = locked(&press);
    // One object that weighs more than the budget.
    let huge = "x".repeat(12 << 20);
    let json =
        format!(r#"{{"metadata":{{"name":"huge","uid":"h","resourceVersion":"1"}},"data":{{"text":"{huge}"}}}}"#);
    writer.apply_packed(Event::Apply(packed(&json)));
    let cold = || store.scan().iter().filter(|entry| entry.is_cold()).count();
    for number in 0..100 {
        writer.apply_packed(Event::Apply(large(number, 1)));
    }
    assert_eq!((store.len(), cold()), (101, 0));
    assert!(store.state().iter().all(|map| map.data.is_some()), "everything can be read meanwhile");
    // One goes and one changes before their turn.
    writer.apply_packed(Event::Delete(large(7, 1)));
    writer.apply_packed(Event::Apply(large(8, 2)));
    drop(busy);
    all_pressed();
    assert!(cold() > 50, "{} lie cold once there was time for it", cold());
    assert_eq!(store.len(), 100);
    assert_eq!(store.get(&ObjectRef::new("m00008")).unwrap().metadata.resource_version.as_deref(), Some("2"));
}

#[test]
fn a_budget_of_ones_own_is_kept_to() {
    let _turn = locked(&BUDGET);
    let mut writer = synced();
    let before = DECODED_BYTES_MAX.load(Ordering::Relaxed);
    set_decoded_budget(0);
    for number in 0..20 {
        writer.apply_packed(Event::Apply(large(number, 1)));
    }
    set_decoded_budget(before);
    all_pressed();
    let cold = writer.as_reader().scan().iter().filter(|entry| entry.is_cold()).count();
    // The first of them are what the others are compressed against.
    assert!(cold >= 15, "{cold} of 20 lie cold");
}

/// Counts the warnings that say something; what is said otherwise is nothing to it.
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
fn whoever_decodes_all_of_a_store_beyond_its_budget_is_told_once_what_does_not() {
    let _turn = locked(&BUDGET);
    let before = DECODED_BYTES_MAX.load(Ordering::Relaxed);
    let mut writer = synced();
    let (store, count) = (writer.as_reader(), Arc::new(AtomicUsize::new(0)));
    let told = || count.load(Ordering::Relaxed);
    let warnings = Warnings {
        text: "Store::scan, select and indexes decode nothing, for_each one at a time",
        count: Arc::clone(&count),
    };
    let _listening = tracing::subscriber::set_default(warnings);
    writer.apply_packed(Event::Apply(large(0, 1)));
    assert_eq!((store.state().len(), told()), (1, 0), "what fits is decoded without a word");
    set_decoded_budget(0);
    for number in 0..20 {
        writer.apply_packed(Event::Apply(large(number, 2)));
    }
    set_decoded_budget(before);
    all_pressed();
    store.for_each(|_| {});
    assert_eq!((store.scan().len(), told()), (20, 0), "who decodes one at a time, or none, is not told");
    assert_eq!((store.state().len(), told()), (20, 1));
    store.find(|_| false);
    assert_eq!((store.state_filter(|_| true).len(), told()), (20, 1), "it is told once");
}
