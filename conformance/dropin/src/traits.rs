//! What the types of the runtime can do besides their methods: shown, copied, compared, shared between threads. It need only
//! compile.

use std::fmt::Debug;
use std::hash::Hash;

use k8s_openapi::api::core::v1::{ConfigMap, ObjectReference};
use kube::runtime::controller::{self, Action, ReconcileReason, ReconcileRequest};
use kube::runtime::events::{EventType, Recorder, Reference, Reporter};
use kube::runtime::reflector::store::{Writer, WriterDropped};
use kube::runtime::reflector::{ObjectRef, ObjectRefExtra, ReflectHandle, Store};
use kube::runtime::scheduler::ScheduleRequest;
use kube::runtime::utils::Backoff;
use kube::runtime::wait::conditions::{And, Not, Or};
use kube::runtime::watcher::{self, DefaultBackoff, Event, ExponentialBackoff, InitialListStrategy, ListSemantic};
use kube::runtime::{Config, PredicateConfig};

fn shown<T: Debug>() {}
fn copied<T: Clone>() {}
fn compared<T: PartialEq>() {}
fn hashed<T: Eq + Hash>() {}
fn made<T: Default>() {}
fn shared<T: Send + Sync>() {}
fn turned<A, B: From<A>>() {}
fn failing<T: std::error::Error + Send + Sync + 'static>() {}
fn backing_off<T: Backoff + 'static>() {}

pub fn hold() {
    stores();
    controllers();
    watchers();
    events();
}

fn stores() {
    shown::<Store<ConfigMap>>();
    copied::<Store<ConfigMap>>();
    shared::<Store<ConfigMap>>();
    shown::<Writer<ConfigMap>>();
    made::<Writer<ConfigMap>>();
    copied::<ReflectHandle<ConfigMap>>();
    shown::<WriterDropped>();
    failing::<WriterDropped>();
    type Name = ObjectRef<ConfigMap>;
    shown::<Name>();
    copied::<Name>();
    compared::<Name>();
    hashed::<Name>();
    shared::<Name>();
    turned::<&ConfigMap, Name>();
    turned::<Name, ObjectReference>();
    shown::<ObjectRefExtra>();
    copied::<ObjectRefExtra>();
    made::<ObjectRefExtra>();
}

fn controllers() {
    type Request = ReconcileRequest<ConfigMap>;
    shown::<Request>();
    copied::<Request>();
    compared::<Request>();
    hashed::<Request>();
    shown::<ReconcileReason>();
    copied::<ReconcileReason>();
    turned::<ObjectRef<ConfigMap>, Request>();
    shown::<Action>();
    copied::<Action>();
    compared::<Action>();
    shown::<Config>();
    copied::<Config>();
    made::<Config>();
    shown::<ScheduleRequest<u8>>();
    failing::<controller::Error<std::fmt::Error, watcher::Error>>();
    shown::<PredicateConfig>();
    copied::<PredicateConfig>();
    made::<PredicateConfig>();
    copied::<Not<u8>>();
    compared::<And<u8, u8>>();
    shown::<Or<u8, u8>>();
}

fn watchers() {
    shown::<watcher::Config>();
    copied::<watcher::Config>();
    compared::<watcher::Config>();
    made::<watcher::Config>();
    shown::<ListSemantic>();
    copied::<ListSemantic>();
    compared::<ListSemantic>();
    made::<ListSemantic>();
    copied::<InitialListStrategy>();
    compared::<InitialListStrategy>();
    made::<InitialListStrategy>();
    shown::<Event<ConfigMap>>();
    copied::<Event<ConfigMap>>();
    failing::<watcher::Error>();
    made::<DefaultBackoff>();
    backing_off::<DefaultBackoff>();
    backing_off::<ExponentialBackoff>();
    backing_off::<Box<dyn Backoff>>();
}

fn events() {
    shown::<EventType>();
    copied::<EventType>();
    hashed::<EventType>();
    shown::<Reporter>();
    copied::<Reporter>();
    hashed::<Reporter>();
    turned::<String, Reporter>();
    turned::<&str, Reporter>();
    shown::<Reference>();
    copied::<Reference>();
    hashed::<Reference>();
    copied::<Recorder>();
    shared::<Recorder>();
}
