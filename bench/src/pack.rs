//! Cutting and packing a list of pods, against decoding it into `ObjectList<Pod>`, which is what kube does with it.
//!
//! ```text
//!   body ─┬─► serde_json ─► ObjectList<Pod>                   kube's way, always from JSON
//!         ├─► Cutter ─► HeadReader ─► Packed<Pod>  (JSON)      until the objects are looked at
//!         └─► Cutter ─► HeadReader ─► Packed<Pod>  (protobuf)
//! ```
//! Each way gets the body as a client does, in chunks; the results are kept until the clock has stopped. Ratios are
//! kube's figure over ours, of CPU time and of allocations.

use std::hint::black_box;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube::core::ObjectList;
use pintle_wire::{Body, CutError, Cutter, HeadReader, Limits, MediaType, Packed, protobuf};

use crate::BoxError;
use crate::allocations::allocations;
use crate::answer::{Encoding, around_page};
use crate::measure::cpu_time;
use crate::objects::{Kind, Objects, TEMPLATES};

/// What a TLS record brings at most, and so a chunk of a body.
const CHUNK_BYTES: usize = 16 * 1024;
/// Odd, so that the median is a measurement.
const RUNS: usize = 7;

/// Enough that fixed costs vanish.
const PODS: usize = 2_000;

/// What one way cost, per object.
#[derive(Clone, Copy)]
struct Cost {
    cpu: Duration,
    allocations: u64,
}

/// Prints the ratios for pods of one template and of many.
pub(crate) fn compare() -> Result<(), BoxError> {
    for (templates, suffix) in [(1, String::new()), (TEMPLATES, format!("-{TEMPLATES}"))] {
        let pods = Objects::generate(Kind::Pods, PODS, templates, Encoding::Json)?;
        println!("{PODS} pods of {} bytes on average, from {templates} templates", pods.average_bytes());
        let json = list_of(&pods);
        let encoded = protobuf::from_json(&json)?;
        let count = pods.len();
        drop(pods);
        let kube = cost(count, || Ok(serde_json::from_slice::<ObjectList<Pod>>(&json)?))?;
        for (name, media_type, body) in [("json", MediaType::Json, &json), ("protobuf", MediaType::Protobuf, &encoded)]
        {
            let packed = cost(count, || pack(media_type, body))?;
            println!(
                "pack-{name}{suffix}: {:.1} µs and {} allocations per pod, serde_json {:.1} µs and {}",
                packed.cpu.as_secs_f64() * 1e6,
                packed.allocations,
                kube.cpu.as_secs_f64() * 1e6,
                kube.allocations,
            );
            println!("ratio pack-{name}{suffix} {:.2}", kube.cpu.as_secs_f64() / packed.cpu.as_secs_f64());
            let fewer = kube.allocations as f64 / packed.allocations as f64;
            println!("ratio pack-{name}{suffix}-allocations {fewer:.2}");
        }
    }
    Ok(())
}

/// The list as a server sends it: its items do not say their kind.
fn list_of(pods: &Objects) -> Vec<u8> {
    let (before, behind) = around_page(pods, 0, pods.len());
    [&before, pods.items(0, pods.len()), behind].concat()
}

fn pack(media_type: MediaType, body: &[u8]) -> Result<Vec<Packed<Pod>>, BoxError> {
    let mut cutter = Cutter::new(media_type, Limits::default());
    let mut heads = HeadReader::new();
    let mut packed = Vec::new();
    for chunk in body.chunks(CHUNK_BYTES) {
        cutter.push(chunk, &mut |item: Body<'_>| {
            let head = heads.read_body(item).map_err(|_| CutError::Incomplete { items: 0 })?;
            packed.push(Packed::new(head, item));
            Ok::<_, CutError>(())
        })?;
    }
    cutter.finish()?;
    Ok(packed)
}

/// The median cost per object of one way.
fn cost<T>(count: usize, mut way: impl FnMut() -> Result<T, BoxError>) -> Result<Cost, BoxError> {
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        let (time, allocated) = (cpu_time(), allocations());
        let result = black_box(way()?);
        let cost = Cost {
            cpu: (cpu_time() - time) / u32::try_from(count)?,
            allocations: (allocations() - allocated) / count as u64,
        };
        drop(result);
        runs.push(cost);
    }
    runs.sort_by_key(|run| run.cpu);
    Ok(runs[RUNS / 2])
}
