//! What objects take once they are decoded, over the bytes that they came as: the estimate of Pintle's `DecodedBudget` is made
//! of these numbers.

mod stored;

use std::fmt::Debug;

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use pintle_wire::{Body, HeadReader, Packed, facts};
use serde::de::DeserializeOwned;

use crate::BoxError;
use crate::allocations::held_bytes;
use crate::answer::Encoding;
use crate::objects::{Kind, Objects, TEMPLATES};

const COUNT: usize = 200;

/// Prints a line for each kind and encoding.
pub(crate) fn weigh() -> Result<(), BoxError> {
    println!("| kind | encoding | bytes | decoded | without managedFields |\n|---|---|---:|---:|---:|");
    for encoding in [Encoding::Json, Encoding::Protobuf] {
        weigh_kind::<Pod>(Kind::Pods, encoding)?;
        weigh_kind::<ConfigMap>(Kind::ConfigMaps, encoding)?;
    }
    weigh_kind::<serde_json::Value>(Kind::Documents, Encoding::Json)?;

    println!(
        "\n| kind | encoding | in a store, compressed | of that the body | and beside it |\n|---|---|---:|---:|---:|"
    );
    for encoding in [Encoding::Json, Encoding::Protobuf] {
        stored::weigh_stored::<Pod>(Kind::Pods, encoding)?;
        stored::weigh_stored::<ConfigMap>(Kind::ConfigMaps, encoding)?;
    }
    Ok(())
}

fn weigh_kind<K: DeserializeOwned + Debug + 'static>(kind: Kind, encoding: Encoding) -> Result<(), BoxError> {
    let objects = Objects::generate(kind, COUNT, TEMPLATES, encoding)?;
    let (api_version, name) = kind.names();
    let body = |index| match encoding {
        Encoding::Json => Ok(Body::json(objects.object(index))),
        Encoding::Protobuf => {
            let shape = facts::kind_of(api_version, name).ok_or("it has no protobuf form")?;
            Ok::<_, BoxError>(Body::protobuf(shape, objects.object(index)))
        }
    };
    let packed: Vec<Packed<K>> = (0..COUNT)
        .map(|index| {
            let body = body(index)?;
            Ok(Packed::new(HeadReader::new().read_body(body)?, body))
        })
        .collect::<Result<_, BoxError>>()?;
    let bytes: usize = packed.iter().map(|packed| packed.body().bytes().len()).sum();
    let whole = held_by(|| packed.iter().map(|packed| Ok(Box::new(packed.decode()?))).collect())?;
    let lean = held_by(|| packed.iter().map(|packed| Ok(Box::new(packed.decode_without_managed_fields()?))).collect())?;
    let bytes = bytes as f64 / COUNT as f64;
    let times = |held: f64| format!("{held:.0} ({:.2} times)", held / bytes);
    println!("| {} | {} | {bytes:.0} | {} | {} |", kind.name(), encoding.name(), times(whole), times(lean));
    Ok(())
}

/// How many bytes each of the objects holds.
fn held_by<K>(decode: impl FnOnce() -> Result<Vec<Box<K>>, BoxError>) -> Result<f64, BoxError> {
    let before = held_bytes();
    let objects = decode()?;
    let held = held_bytes() - before;
    drop(objects);
    Ok(held as f64 / COUNT as f64)
}
