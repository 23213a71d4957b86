//! The objects that Kubernetes' own libraries are tested with (one of every kind, every field set, as JSON and as
//! protobuf) against the tables. Their folders come from `cargo xtask kube test`; they are Go's, and not ours to keep.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use pintle_wire::facts::{self, Field, Holds, Shape, Type};
use pintle_wire::protobuf;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

#[test]
#[ignore = "needs Go's module cache: run by `cargo xtask kube test`"]
fn golden_objects_hold_no_field_that_the_tables_do_not_know() {
    let mut seen = Seen::default();
    let objects = objects();
    for object in &objects {
        let json: Value = serde_json::from_slice(&fs::read(object.with_extension("json")).unwrap()).unwrap();
        let kind = kind_of(object);
        seen.json(kind, &json, object);
        let bytes = fs::read(object).unwrap();
        seen.message(kind, raw_of(bytes.strip_prefix(b"k8s\0").expect("the mark of protobuf")), object);
    }
    assert!(seen.problems.is_empty(), "{:#?}", seen.problems);
    assert!(objects.len() > 150, "only {} golden objects: is the folder right?", objects.len());
    println!(
        "golden: {} kinds, {} fields by JSON name and {} by protobuf number, in {} types",
        objects.len(),
        seen.names.len(),
        seen.numbers.len(),
        seen.names.iter().map(|(kind, _)| kind).collect::<BTreeSet<_>>().len(),
    );
}

#[test]
#[ignore = "needs Go's module cache: run by `cargo xtask kube test`"]
fn golden_objects_become_json_and_protobuf_as_go_writes_them() {
    let mut problems = Vec::new();
    let objects = objects();
    for object in &objects {
        let (expected, bytes) = (fs::read(object.with_extension("json")).unwrap(), fs::read(object).unwrap());
        let name = object.file_stem().unwrap().display();
        let expected: Value = serde_json::from_slice(&expected).unwrap();
        // Not every golden object says its kind.
        let raw = protobuf::Envelope::open(&bytes).unwrap().raw;
        match protobuf::message_to_json(kind_of(object), raw) {
            Ok(json) => {
                let mut json: Value = serde_json::from_slice(&json).unwrap();
                for name in ["apiVersion", "kind"] {
                    json.as_object_mut().unwrap().extend(expected.get(name).map(|it| (name.to_owned(), it.clone())));
                }
                if json != expected {
                    problems.push(format!("{name} as JSON: {}", difference(&json, &expected, "")));
                }
            }
            Err(error) => problems.push(format!("{name} as JSON: {error}")),
        }
        match protobuf::message_from_json(kind_of(object), expected.to_string().as_bytes()) {
            Ok(written) if written != raw => problems.push(format!("{name} as protobuf:\n{written:02x?}\n{raw:02x?}")),
            Ok(_) => {}
            Err(error) => problems.push(format!("{name} as protobuf: {error}")),
        }
    }
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
    println!("golden: {} objects from protobuf to JSON and, byte for byte, back", objects.len());
}

/// One check for each of these kinds: the golden protobuf is the golden JSON in the type, and the type is the protobuf.
macro_rules! check_typed {
    ($folders:expr, $problems:expr, $($file:literal => $kind:path),* $(,)?) => {
        [$(($file, typed::<$kind> as fn(&Path) -> Result<(), String>)),*].map(|(file, check)| {
            let object = $folders.iter().find(|object| object.file_stem().is_some_and(|stem| stem == file));
            let object = object.unwrap_or_else(|| panic!("no golden object {file}"));
            $problems.extend(check(object).err().map(|problem| format!("{file}: {problem}")));
        }).len()
    };
}

#[test]
#[ignore = "needs Go's module cache: run by `cargo xtask kube test`"]
fn golden_objects_are_the_same_in_their_types() {
    use k8s_openapi::api;
    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions;
    let (objects, mut problems) = (objects(), Vec::new());
    let count = check_typed!(objects, problems,
        "core.v1.Pod" => api::core::v1::Pod,
        "core.v1.Node" => api::core::v1::Node,
        "core.v1.Secret" => api::core::v1::Secret,
        "core.v1.ConfigMap" => api::core::v1::ConfigMap,
        "core.v1.Service" => api::core::v1::Service,
        "core.v1.PersistentVolume" => api::core::v1::PersistentVolume,
        "core.v1.Event" => api::core::v1::Event,
        "apps.v1.Deployment" => api::apps::v1::Deployment,
        "apps.v1.ControllerRevision" => api::apps::v1::ControllerRevision,
        "batch.v1.Job" => api::batch::v1::Job,
        "coordination.k8s.io.v1.Lease" => api::coordination::v1::Lease,
        "networking.k8s.io.v1.Ingress" => api::networking::v1::Ingress,
        "networking.k8s.io.v1.NetworkPolicy" => api::networking::v1::NetworkPolicy,
        "autoscaling.v2.HorizontalPodAutoscaler" => api::autoscaling::v2::HorizontalPodAutoscaler,
        "authorization.k8s.io.v1.SubjectAccessReview" => api::authorization::v1::SubjectAccessReview,
        "certificates.k8s.io.v1.CertificateSigningRequest" => api::certificates::v1::CertificateSigningRequest,
        "resource.k8s.io.v1.ResourceClaim" => api::resource::v1::ResourceClaim,
        "apiextensions.k8s.io.v1.CustomResourceDefinition" => apiextensions::v1::CustomResourceDefinition,
    );
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    println!("golden: {count} kinds are the same in their types, both ways");
}

fn typed<K: Serialize + DeserializeOwned + PartialEq>(object: &Path) -> Result<(), String> {
    let (json, bytes) = (fs::read(object.with_extension("json")).unwrap(), fs::read(object).unwrap());
    let raw = protobuf::Envelope::open(&bytes).unwrap().raw;
    let from_protobuf: K = protobuf::decode_message(kind_of(object), raw).map_err(|error| error.to_string())?;
    let from_json: K = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
    if from_protobuf != from_json {
        return Err("its protobuf and its JSON are two objects".to_owned());
    }
    let written = protobuf::encode_message(kind_of(object), &from_json).map_err(|error| error.to_string())?;
    if written == raw { Ok(()) } else { Err(format!("{written:02x?}\n{raw:02x?}")) }
}

/// Where two values differ first.
fn difference(one: &Value, other: &Value, place: &str) -> String {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let names: BTreeSet<_> = one.keys().chain(other.keys()).collect();
            let differs = names.into_iter().find(|name| one.get(*name) != other.get(*name)).unwrap();
            let null = Value::Null;
            let (one, other) = (one.get(differs).unwrap_or(&null), other.get(differs).unwrap_or(&null));
            difference(one, other, &format!("{place}.{differs}"))
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let differs = (0..one.len()).find(|place| one[*place] != other[*place]).unwrap();
            difference(&one[differs], &other[differs], &format!("{place}[{differs}]"))
        }
        (one, other) => format!("{place}: {one} instead of {other}"),
    }
}

/// The protobuf file of every object.
fn objects() -> Vec<PathBuf> {
    let folders = std::env::var("PINTLE_GOLDEN").expect("PINTLE_GOLDEN names the folders: run `cargo xtask kube test`");
    let mut objects: Vec<PathBuf> = folders
        .split(':')
        .flat_map(|folder| fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder}: {error}")))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "pb"))
        .collect();
    objects.sort();
    objects
}

/// A file is called `apps.v1.Deployment.pb`; not every object says its kind.
fn kind_of(object: &Path) -> &'static Type {
    let name = object.file_stem().and_then(|name| name.to_str()).unwrap();
    let mut words = name.rsplitn(3, '.');
    let (kind, version, group) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
    let group = if group == "core" { "" } else { group };
    facts::kind(group, version, kind).unwrap_or_else(|| panic!("{name} is of no known kind"))
}

/// The object within its envelope, whose second field it is.
fn raw_of(envelope: &[u8]) -> &[u8] {
    let mut rest = envelope;
    while !rest.is_empty() {
        let (number, _, value) = take_field(&mut rest);
        if number == 2 {
            return value;
        }
    }
    &[]
}

/// What was met on the way.
#[derive(Default)]
struct Seen {
    names: BTreeSet<(&'static str, String)>,
    numbers: BTreeSet<(&'static str, u32)>,
    problems: BTreeSet<String>,
}

impl Seen {
    fn json(&mut self, kind: &'static Type, json: &Value, place: &Path) {
        let (Value::Object(fields), Shape::Struct) = (json, kind.shape()) else { return };
        for (name, value) in fields {
            let Some(field) = kind.field(name) else {
                self.problems.insert(format!("{}: {} has no field {name}", place.display(), kind.name()));
                continue;
            };
            self.names.insert((kind.name(), name.clone()));
            match (field.holds(), value) {
                (Holds::One, value) => self.json(field.kind(), value, place),
                (Holds::List, Value::Array(values)) => {
                    values.iter().for_each(|value| self.json(field.kind(), value, place));
                }
                (Holds::Map, Value::Object(values)) => {
                    values.values().for_each(|value| self.json(field.kind(), value, place));
                }
                (holds, Value::Null) if holds != Holds::One => {}
                (holds, _) => {
                    self.problems.insert(format!("{}: {}.{name} is not a {holds:?}", place.display(), kind.name()));
                }
            }
        }
    }

    fn message(&mut self, kind: &'static Type, bytes: &[u8], place: &Path) {
        if kind.fields().is_empty() {
            return;
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            let (number, wire, value) = take_field(&mut rest);
            let Some(field) = kind.field_numbered(number) else {
                self.problems.insert(format!("{}: {} has no number {number}", place.display(), kind.name()));
                continue;
            };
            self.numbers.insert((kind.name(), number));
            if wire != wire_of(field) {
                self.problems.insert(format!(
                    "{}: {}.{} has wire type {wire}",
                    place.display(),
                    kind.name(),
                    field.name()
                ));
            }
            match field.holds() {
                Holds::Map => self.entry(field, value, place),
                Holds::One | Holds::List => self.message(field.kind(), value, place),
            }
        }
    }

    /// An entry of a map is a message of key and value.
    fn entry(&mut self, field: &'static Field, mut rest: &[u8], place: &Path) {
        while !rest.is_empty() {
            let (number, _, value) = take_field(&mut rest);
            if number == 2 {
                self.message(field.kind(), value, place);
            }
        }
    }
}

/// The wire type that follows from a field's type.
fn wire_of(field: &Field) -> u8 {
    match (field.holds(), field.kind().shape()) {
        (Holds::Map, _) => 2,
        (_, Shape::Bool | Shape::Int32 | Shape::Int64) => 0,
        (_, Shape::Double) => 1,
        _ => 2,
    }
}

/// Number, wire type and content (empty for numbers) of the next field.
fn take_field<'a>(rest: &mut &'a [u8]) -> (u32, u8, &'a [u8]) {
    let tag = take_varint(rest);
    let (number, wire) = (u32::try_from(tag >> 3).unwrap(), u8::try_from(tag & 7).unwrap());
    let length = match wire {
        0 => {
            take_varint(rest);
            return (number, wire, &[]);
        }
        1 => {
            *rest = &rest[8..];
            return (number, wire, &[]);
        }
        2 => usize::try_from(take_varint(rest)).unwrap(),
        other => panic!("wire type {other}"),
    };
    let (value, after) = rest.split_at(length);
    *rest = after;
    (number, wire, value)
}

fn take_varint(rest: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = rest[0];
        *rest = &rest[1..];
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    value
}
