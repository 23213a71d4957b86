//! A watch as a client saw it: what it asked, what came, and what comes when it begins again in the middle.

use super::super::world::{Watch, World, version};
use super::history::key;
use super::traffic::Traffic;
use futures::FutureExt;
use serde_json::{Value, json};

/// What a watch was asked for.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) collection: &'static str,
    pub(crate) namespace: Option<&'static str>,
    pub(crate) selector: Selector,
    pub(crate) start: Start,
    pub(crate) bookmarks: bool,
    pub(crate) metadata_only: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// With everything that exists.
    State,
    /// With what comes after a version.
    After(u64),
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Selector {
    All,
    Label(&'static str, &'static str),
    LabelAbsent(&'static str),
    LabelNotIn(&'static str, [&'static str; 2]),
    NameNot(&'static str),
}

/// An event as it came.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub(crate) kind: String,
    pub(crate) object: Value,
    pub(crate) version: u64,
}

/// A watch that is over, or was read to a certain point.
#[derive(Debug, Clone)]
pub(crate) struct Recording {
    pub(crate) asked: Asked,
    /// The version of the server when the watch began.
    pub(crate) opened_at: u64,
    /// Everything up to this version had been written when it was read to the end.
    pub(crate) read_to: u64,
    pub(crate) events: Vec<Event>,
    /// What watches sent that began after a version seen here.
    pub(crate) resumed: Vec<(u64, Vec<Event>)>,
}

pub(crate) struct Recorder {
    watch: Watch,
    ended: bool,
    recording: Recording,
}

impl Selector {
    fn query(self) -> String {
        match self {
            Selector::All => String::new(),
            Selector::Label(label, value) => format!("&labelSelector={label}%3D{value}"),
            Selector::LabelAbsent(label) => format!("&labelSelector=!{label}"),
            Selector::LabelNotIn(label, [a, b]) => format!("&labelSelector={label}+notin+({a},{b})"),
            Selector::NameNot(name) => format!("&fieldSelector=metadata.name!%3D{name}"),
        }
    }

    fn matches(self, object: &Value) -> bool {
        let label = |label: &str| object["metadata"]["labels"][label].as_str().map(str::to_owned);
        match self {
            Selector::All => true,
            Selector::Label(name, value) => label(name).as_deref() == Some(value),
            Selector::LabelAbsent(name) => label(name).is_none(),
            Selector::LabelNotIn(name, values) => label(name).is_none_or(|is| !values.contains(&is.as_str())),
            Selector::NameNot(name) => object["metadata"]["name"] != name,
        }
    }
}

impl Asked {
    pub(crate) fn all(collection: &'static str, start: Start) -> Asked {
        let (namespace, selector) = (None, Selector::All);
        Asked { collection, namespace, selector, start, bookmarks: true, metadata_only: false }
    }

    /// Any of the ways to watch.
    pub(crate) fn at_random(traffic: &mut Traffic, oldest: u64, newest: u64) -> Asked {
        let collection = traffic.collection;
        let random = &mut traffic.random;
        let start = if random.bool() { Start::State } else { Start::After(random.u64(oldest..=newest)) };
        let selectors = [
            Selector::All,
            Selector::Label("on", "yes"),
            Selector::LabelAbsent("on"),
            Selector::LabelNotIn("on", ["yes", "no"]),
            Selector::NameNot("b"),
        ];
        Asked {
            namespace: [None, Some("default"), Some("other")][random.usize(..3)],
            selector: selectors[random.usize(..selectors.len())],
            bookmarks: random.u8(..4) > 0,
            metadata_only: random.u8(..4) == 0,
            ..Asked::all(collection, start)
        }
    }

    /// Whether an object is one that is asked for.
    pub(crate) fn means(&self, object: &Value) -> bool {
        self.namespace.is_none_or(|namespace| object["metadata"]["namespace"] == namespace)
            && self.selector.matches(object)
    }

    /// An object as this watch should receive it.
    pub(crate) fn form(&self, object: &Value) -> Value {
        if !self.metadata_only {
            return object.clone();
        }
        json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": object["metadata"]})
    }

    fn uri(&self) -> String {
        let collection = match self.namespace {
            Some(namespace) => {
                let (root, plural) = self.collection.rsplit_once('/').unwrap();
                format!("{root}/namespaces/{namespace}/{plural}")
            }
            None => self.collection.to_owned(),
        };
        let start = match self.start {
            Start::State if self.bookmarks => "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan".to_owned(),
            Start::State => String::new(),
            Start::After(version) => format!("&resourceVersion={version}"),
        };
        let (bookmarks, selector) = (self.bookmarks, self.selector.query());
        format!("{collection}?watch=true&allowWatchBookmarks={bookmarks}{selector}{start}")
    }

    async fn open(&self, world: &World) -> Watch {
        let form = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
        world.watch_as(&self.uri(), if self.metadata_only { form } else { "application/json" }).await
    }
}

impl Event {
    fn of(frame: &Value) -> Event {
        let object = frame["object"].clone();
        let version = version(&object).parse().unwrap_or_else(|_| panic!("an event without a version: {frame}"));
        Event { kind: frame["type"].as_str().unwrap().to_owned(), object, version }
    }

    pub(crate) fn is_bookmark(&self) -> bool {
        self.kind == "BOOKMARK"
    }

    pub(crate) fn is_end_of_state(&self) -> bool {
        self.is_bookmark() && self.object["metadata"]["annotations"]["k8s.io/initial-events-end"] == "true"
    }
}

impl Recorder {
    pub(crate) async fn open(world: &World, asked: Asked) -> Recorder {
        let opened_at = world.server.revision();
        let watch = asked.open(world).await;
        let recording = Recording { asked, opened_at, read_to: 0, events: Vec::new(), resumed: Vec::new() };
        Recorder { watch, ended: false, recording }
    }

    /// Reads what has come.
    pub(crate) async fn read(&mut self, world: &World) {
        // A yield, because a watch that ends and has changes at the same moment may send the changes first.
        tokio::task::yield_now().await;
        while let Some(next) = self.watch.next().now_or_never() {
            match next {
                Some(frame) => self.recording.events.push(Event::of(&frame)),
                None => {
                    self.ended = true;
                    return;
                }
            }
        }
        self.recording.read_to = world.server.revision();
    }

    /// Reads until something of this name has come, and what existed is over.
    pub(crate) async fn read_until(&mut self, name: &str) {
        let is_named = |event: &Event| event.object["metadata"]["name"] == name;
        while let Some(frame) = self.watch.next().await {
            let event = Event::of(&frame);
            self.recording.read_to = event.version;
            self.recording.events.push(event);
            let events = &self.recording.events;
            let is_begun = self.recording.asked.start != Start::State || events.iter().any(Event::is_end_of_state);
            if is_begun && events.iter().any(is_named) {
                return;
            }
        }
        panic!("the watch ended before {name} came");
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    pub(crate) fn finish(self) -> Recording {
        self.recording
    }
}

impl Recording {
    /// The version of the state that a watch began with.
    pub(crate) fn begun_at(&self) -> u64 {
        match self.asked.start {
            Start::After(version) => version,
            Start::State => {
                let end = self.events.iter().find(|event| event.is_end_of_state());
                end.map_or(self.opened_at, |end| end.version)
            }
        }
    }

    /// The last version up to which this watch has sent everything.
    pub(crate) fn complete_up_to(&self) -> u64 {
        let last = self.live().last().map_or(self.begun_at(), |event| event.version);
        last.max(self.read_to)
    }

    /// The events for what exists, and those for what changes.
    fn initial_count(&self) -> usize {
        if self.asked.start != Start::State {
            return 0;
        }
        let begun_at = self.begun_at();
        let end = self.events.iter().position(Event::is_end_of_state);
        end.unwrap_or_else(|| self.events.iter().take_while(|event| event.version <= begun_at).count())
    }

    pub(crate) fn initial(&self) -> &[Event] {
        &self.events[..self.initial_count()]
    }

    pub(crate) fn live(&self) -> &[Event] {
        &self.events[self.initial_count()..]
    }

    /// Begins again after each version that was seen, or after one of so many, and records what is sent up to where this
    /// watch was.
    pub(crate) async fn resume_after_every(&mut self, nth: usize, world: &World) {
        let complete_up_to = self.complete_up_to();
        let mut seen: Vec<u64> = self.live().iter().map(|event| event.version).collect();
        seen.dedup();
        for version in seen.into_iter().step_by(nth) {
            let asked = Asked { start: Start::After(version), bookmarks: false, ..self.asked.clone() };
            let mut again = Recorder::open(world, asked).await;
            again.read(world).await;
            let events = again.finish().events.into_iter().filter(|event| event.version <= complete_up_to);
            self.resumed.push((version, events.collect()));
        }
    }

    /// The events, for a person.
    pub(crate) fn print(&self) -> String {
        let line = |event: &Event| {
            let labels = &event.object["metadata"]["labels"];
            format!("  {:>8} {:>5} {} {labels}\n", event.kind, event.version, key(&event.object))
        };
        self.events.iter().map(line).collect()
    }
}
