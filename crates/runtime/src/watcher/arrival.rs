//! An object as a watcher reads it off the wire: packed for a store, or decoded at once for a program.
//!
//! In: the bytes of an object. Out: the form that was asked for, and the version that the watch has reached with it. What is
//! decoded at once is decoded where its bytes lie: its head is not read and nothing is copied, unless there is something wrong
//! with it.

use pintle_client::api::packed::read_packed;
use pintle_client::{Error as ClientErr, Result as ClientResult};
use pintle_core::Resource;
use pintle_core::resource_version::ResourceVersion;
use pintle_wire::{Body, DecodeError, HeadReader, Packed};
use serde::de::DeserializeOwned;

/// One object.
pub(super) struct Arrival<T> {
    /// In its form, or why it is not of its kind.
    pub(super) object: Result<T, DecodeError>,
    pub(super) version: Option<ResourceVersion>,
}

impl<T> Arrival<T> {
    /// The object, where one that is not of its kind is an error.
    pub(super) fn into_object(self) -> Result<T, ClientErr> {
        self.object.map_err(|error| super::malformed(&error))
    }
}

/// Leaves an object packed.
pub(super) fn packed<K>(heads: &mut HeadReader, body: Body<'_>) -> ClientResult<Arrival<Packed<K>>>
where
    K: DeserializeOwned + 'static,
{
    let packed = read_packed(heads, body)?;
    Ok(Arrival { version: packed.head().resource_version().cloned(), object: Ok(packed) })
}

/// Decodes an object.
pub(super) fn decoded<K>(heads: &mut HeadReader, body: Body<'_>) -> ClientResult<Arrival<K>>
where
    K: Resource + DeserializeOwned + 'static,
{
    if let Ok(object) = body.decode_object::<K>()
        && object.meta().name.as_ref().is_some_and(|name| !name.is_empty())
    {
        let version = object.meta().resource_version.as_deref().and_then(ResourceVersion::parse);
        return Ok(Arrival { object: Ok(object), version });
    }
    // The error names the object, and is that of a packed one.
    let Arrival { object, version } = packed::<K>(heads, body)?;
    Ok(Arrival { object: object.and_then(|packed| packed.decode()), version })
}
