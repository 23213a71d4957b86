//! Each decoder against serde: random objects of its kind, as they are and changed in every way that matters.

mod random;

use std::any::Any;
use std::cell::RefCell;
use std::fmt::Debug;

use fastrand::Rng;
use k8s_openapi::api;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{decode, decode_over};
use crate::body::Body;
use crate::facts::{self, Type};
use crate::protobuf;
use random::{Oddities, message_with_changes, object_of, text_of, text_with_changes};

/// What is asked about one kind.
struct Kind {
    api_version: &'static str,
    kind: &'static str,
    /// Whether the decoder took it; what it made of it is compared with what serde makes of it.
    takes: fn(Body<'_>) -> bool,
}

/// The kind of the type `K`.
fn kind<K>() -> Kind
where
    K: k8s_openapi::Resource + DeserializeOwned + PartialEq + Debug + 'static,
{
    Kind { api_version: K::API_VERSION, kind: K::KIND, takes: takes::<K> }
}

fn takes<K: DeserializeOwned + PartialEq + Debug + 'static>(body: Body<'_>) -> bool {
    let decoded = decode::<K>(body);
    LAST.with_borrow_mut(|last| is_the_same_over_another(last, body, decoded.as_ref()));
    let Some(decoded) = decoded else { return false };
    match body.decode::<K>() {
        Ok(expected) => assert!(decoded == expected, "{}\n{decoded:#?}\n{expected:#?}", shown(body)),
        Err(error) => panic!("serde refuses it ({error}): {}", shown(body)),
    }
    true
}

thread_local! {
    /// What was decoded last, or half of it.
    static LAST: RefCell<Box<dyn Any>> = RefCell::new(Box::new(()));
}

/// What is decoded over the last object, be it half of one, is what is decoded into a blank place.
fn is_the_same_over_another<K: PartialEq + Debug + 'static>(
    last: &mut Box<dyn Any>,
    body: Body<'_>,
    decoded: Option<&K>,
) {
    if let Some(place) = last.downcast_mut::<K>() {
        assert_eq!(decode_over(place, body), decoded.is_some(), "{}", shown(body));
        assert!(decoded.is_none_or(|decoded| place == decoded), "{}\n{place:#?}\n{decoded:#?}", shown(body));
    } else if let Some(first) = decode::<K>(body) {
        *last = Box::new(first);
    }
}

fn shown(body: Body<'_>) -> String {
    match std::str::from_utf8(body.bytes()) {
        Ok(text) => text.to_owned(),
        Err(_) => format!("{:02x?}", body.bytes()),
    }
}

fn kinds() -> [Kind; 19] {
    [
        kind::<api::apps::v1::DaemonSet>(),
        kind::<api::apps::v1::Deployment>(),
        kind::<api::apps::v1::ReplicaSet>(),
        kind::<api::apps::v1::StatefulSet>(),
        kind::<api::batch::v1::CronJob>(),
        kind::<api::batch::v1::Job>(),
        kind::<api::coordination::v1::Lease>(),
        kind::<api::core::v1::ConfigMap>(),
        kind::<api::core::v1::Event>(),
        kind::<api::core::v1::Namespace>(),
        kind::<api::core::v1::Node>(),
        kind::<api::core::v1::PersistentVolume>(),
        kind::<api::core::v1::PersistentVolumeClaim>(),
        kind::<api::core::v1::Pod>(),
        kind::<api::core::v1::Secret>(),
        kind::<api::core::v1::Service>(),
        kind::<api::core::v1::ServiceAccount>(),
        kind::<api::discovery::v1::EndpointSlice>(),
        kind::<api::events::v1::Event>(),
    ]
}

impl Kind {
    fn type_of(&self) -> &'static Type {
        facts::kind_of(self.api_version, self.kind).expect("the tables know it")
    }

    /// An object that says its kind.
    fn object(&self, random: &mut Rng, oddities: Oddities) -> Value {
        let mut object = object_of(random, self.type_of(), oddities);
        object["apiVersion"] = self.api_version.into();
        object["kind"] = self.kind.into();
        object
    }

    /// How many of both readings, with and without managed fields, the decoder took.
    fn taken(&self, body: Body<'_>) -> usize {
        usize::from((self.takes)(body)) + usize::from((self.takes)(body.without_managed_fields()))
    }
}

#[test]
fn whatever_a_server_writes_is_taken_and_is_what_serde_reads() {
    for kind in kinds() {
        let mut random = Rng::with_seed(1);
        for _ in 0..OBJECTS {
            let object = kind.object(&mut random, Oddities::None);
            let text = object.to_string();
            assert_eq!(kind.taken(Body::json(text.as_bytes())), 2, "{text}");
            let message = protobuf::message_from_json(kind.type_of(), text.as_bytes()).unwrap();
            assert_eq!(kind.taken(Body::protobuf(kind.type_of(), &message)), 2, "{text}");
            let body = protobuf::from_json(text.as_bytes()).unwrap();
            assert_eq!(kind.taken(Body::in_envelope(&body).unwrap()), 2, "{text}");
        }
    }
}

#[test]
fn odd_and_broken_json_is_read_as_serde_reads_it_or_declined() {
    let (mut taken, mut declined) = (0, 0);
    for kind in kinds() {
        let mut random = Rng::with_seed(2);
        for _ in 0..OBJECTS {
            let object = kind.object(&mut random, Oddities::Some);
            for _ in 0..CHANGES {
                let text = text_of(&mut random, &object);
                let changed = text_with_changes(&mut random, &text);
                for text in [text, changed] {
                    let count = kind.taken(Body::json(text.as_bytes()));
                    (taken, declined) = (taken + count, declined + 2 - count);
                }
            }
        }
    }
    assert!(taken > TAKEN_MIN && declined > TAKEN_MIN, "{taken} taken, {declined} declined: this shows too little");
}

#[test]
fn odd_and_broken_protobuf_is_read_as_serde_reads_it_or_declined() {
    let (mut taken, mut declined) = (0, 0);
    for kind in kinds() {
        let mut random = Rng::with_seed(3);
        for _ in 0..OBJECTS {
            let object = kind.object(&mut random, Oddities::Some);
            let Ok(message) = protobuf::message_from_json(kind.type_of(), object.to_string().as_bytes()) else {
                continue;
            };
            for _ in 0..2 * CHANGES {
                let changed = message_with_changes(&mut random, &message);
                let count = kind.taken(Body::protobuf(kind.type_of(), &changed));
                (taken, declined) = (taken + count, declined + 2 - count);
            }
        }
    }
    assert!(taken > TAKEN_MIN && declined > TAKEN_MIN, "{taken} taken, {declined} declined: this shows too little");
}

/// Objects of each kind, and how often each is changed: some thousand cases in all, and seconds in a debug build.
const OBJECTS: usize = 12;
const CHANGES: usize = 8;
const TAKEN_MIN: usize = 500;

#[test]
fn an_object_of_another_kind_is_for_serde() {
    let text = br#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}}"#;
    assert!(decode::<api::core::v1::Secret>(Body::json(text)).is_some());
    assert!(decode::<api::core::v1::ConfigMap>(Body::json(text)).is_none());
    let body = protobuf::from_json(text).unwrap();
    assert!(decode::<api::core::v1::Secret>(Body::in_envelope(&body).unwrap()).is_some());
    assert!(decode::<api::core::v1::ConfigMap>(Body::in_envelope(&body).unwrap()).is_none());
    assert!(decode::<Value>(Body::json(text)).is_none(), "not a kind at all");
}

#[test]
fn a_condition_without_its_time_is_refused_as_serde_refuses_it() {
    let service = |time: &str| {
        format!(r#"{{"status":{{"conditions":[{{"type":"a","status":"True","reason":"b","message":""{time}}}]}}}}"#)
    };
    for (time, is_taken) in [
        (r#","lastTransitionTime":"2026-11-16T00:35:45Z""#, true),
        (r#","lastTransitionTime":null"#, false),
        ("", false),
    ] {
        let text = service(time);
        let body = Body::json(text.as_bytes());
        assert_eq!(decode::<api::core::v1::Service>(body).is_some(), is_taken, "{text}");
        assert_eq!(body.decode::<api::core::v1::Service>().is_ok(), is_taken, "{text}");
    }
}
