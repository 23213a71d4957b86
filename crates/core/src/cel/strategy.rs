//! How server-side apply merges a list, a map or a struct that several managers write.

use serde::{Deserialize, Serialize};

/// How a field is merged, whatever its shape.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub enum MergeStrategy {
    /// As a list.
    #[serde(rename = "x-kubernetes-list-type")]
    ListType(ListMerge),
    /// As a map.
    #[serde(rename = "x-kubernetes-map-type")]
    MapType(MapMerge),
    /// As a struct.
    #[serde(rename = "x-kubernetes-struct-type")]
    StructType(StructMerge),
}

/// How a list is merged.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ListMerge {
    /// The whole list has one owner.
    Atomic,
    /// Each scalar has its owners, and none is there twice.
    Set,
    /// Each object has its owners; these fields together identify it.
    Map(Vec<String>),
}

/// How a map is merged.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MapMerge {
    /// The whole map has one owner.
    Atomic,
    /// Each key has its owners.
    Granular,
}

/// How a struct is merged.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StructMerge {
    /// The whole struct has one owner.
    Atomic,
    /// Each field has its owners.
    Granular,
}

impl From<ListMerge> for MergeStrategy {
    fn from(merge: ListMerge) -> Self {
        Self::ListType(merge)
    }
}

impl From<MapMerge> for MergeStrategy {
    fn from(merge: MapMerge) -> Self {
        Self::MapType(merge)
    }
}

impl From<StructMerge> for MergeStrategy {
    fn from(merge: StructMerge) -> Self {
        Self::StructType(merge)
    }
}
