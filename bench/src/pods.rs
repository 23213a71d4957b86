//! Pods as an API server sends them, the same in every run.
//!
//! In: how many, of how many apps, in which encoding. Out: their bytes as the items of a list, in one run with the place
//! of each. A round changes all of them: each pod then has another version, patched in place, so that what a round
//! sends is prepared before anything is measured.

mod pod;
mod template;

use std::ops::Range;

use pintle_wire::{facts, protobuf};

use crate::BoxError;
use crate::answer::{Encoding, put_item};

/// The apps in the cluster.
pub(crate) const TEMPLATES: usize = 40;

/// All pods, serialized.
pub(crate) struct Pods {
    bytes: Vec<u8>,
    places: Vec<Place>,
    round: usize,
    encoding: Encoding,
}

/// Where one pod stands.
struct Place {
    /// Where it begins as an item of a list.
    item: usize,
    pod: Range<usize>,
    /// Where the digits of its version begin.
    version: usize,
}

impl Pods {
    /// So many pods of so many apps.
    pub(crate) fn generate(count: usize, templates: usize, encoding: Encoding) -> Result<Self, BoxError> {
        // One allocation for all of them: what generating frees must not serve the measured program as a reserve.
        let mut bytes = Vec::with_capacity(count * 16 * 1024);
        let mut places = Vec::with_capacity(count);
        let kind = facts::kind_of("v1", "Pod").ok_or("there are pods")?;
        for index in 0..count {
            let json = pod::pod(index, templates);
            let pod = match encoding {
                Encoding::Json => json.into_bytes(),
                Encoding::Protobuf => protobuf::message_from_json(kind, json.as_bytes())?,
            };
            let item = bytes.len();
            put_item(&mut bytes, encoding, &pod);
            let start = bytes.len() - pod.len();
            let digits = version(0, index);
            let found = pod.windows(VERSION_DIGITS).position(|window| window == digits.as_bytes());
            let version = start + found.ok_or("a pod has a version")?;
            places.push(Place { item, pod: start..bytes.len(), version });
        }
        Ok(Self { bytes, places, round: 0, encoding })
    }

    /// Every pod changes.
    pub(crate) fn change_all(&mut self) {
        self.round += 1;
        for (index, place) in self.places.iter().enumerate() {
            let digits = version(self.round, index);
            self.bytes[place.version..place.version + VERSION_DIGITS].copy_from_slice(digits.as_bytes());
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn average_bytes(&self) -> usize {
        self.bytes.len() / self.places.len()
    }

    pub(crate) fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The latest version of any of them.
    pub(crate) fn resource_version(&self) -> String {
        version(self.round, self.places.len())
    }

    /// The pods from `first` up to, not including, `end` as the items of a list.
    pub(crate) fn items(&self, first: usize, end: usize) -> &[u8] {
        match self.places.get(first..end) {
            // Without the comma before the first.
            Some([head, .., last]) if self.encoding == Encoding::Json => &self.bytes[head.pod.start..last.pod.end],
            Some([head, .., last]) => &self.bytes[head.item..last.pod.end],
            Some([only]) if self.encoding == Encoding::Json => self.pod_at(only),
            Some([only]) => &self.bytes[only.item..only.pod.end],
            Some([]) | None => &[],
        }
    }

    /// One pod.
    pub(crate) fn pod(&self, index: usize) -> &[u8] {
        self.pod_at(&self.places[index])
    }

    fn pod_at(&self, place: &Place) -> &[u8] {
        &self.bytes[place.pod.clone()]
    }
}

/// As many digits in every round, so that a version can be patched; no other number in a pod looks like this.
fn version(round: usize, index: usize) -> String {
    format!("77{:02}{index:08}", round + 10)
}

const VERSION_DIGITS: usize = 12;
