//! An object as its bytes, with its head read and the way to decode it known.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use pintle_core::reference::{Lookup, ObjectRef};
use pintle_core::resource_version::ResourceVersion;
use serde::de::DeserializeOwned;

use crate::body::{Body, BodyError, Encoding};
use crate::head::Head;

/// A `K` that is not decoded yet. Cloning shares the bytes.
pub struct Packed<K> {
    contents: Arc<Contents>,
    ways: Ways<K>,
}

/// How a `K` is decoded, captured where it is known that it can be.
struct Ways<K> {
    decode: fn(Body<'_>) -> Result<K, BodyError>,
    decode_over: fn(Body<'_>, &mut K) -> bool,
}

impl<K> Clone for Ways<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Ways<K> {}

impl<K: DeserializeOwned + 'static> Ways<K> {
    const OF_TYPE: Self =
        Self { decode: |body| body.decode_object(), decode_over: |body, place| body.decode_over(place) };
}

#[derive(Clone)]
struct Contents {
    head: Head,
    body: Box<[u8]>,
    encoding: Encoding,
}

/// An object is not of the type it should be. The message names the object and the place, never what stands there.
#[derive(Clone, Debug, thiserror::Error)]
#[error("object {} is not a {} ({})", .0.object, .0.target, .0.place)]
pub struct DecodeError(Box<Undecodable>);

/// What a [`DecodeError`] says. It lies apart, because every object of a store has room for one.
#[derive(Clone, Debug)]
struct Undecodable {
    object: String,
    target: &'static str,
    place: String,
}

impl<K: DeserializeOwned + 'static> Packed<K> {
    /// Packs the bytes of an object together with the head read from them.
    pub fn new<'a>(head: Head, body: impl Into<Body<'a>>) -> Self {
        let body = body.into();
        let contents = Contents { head, body: body.bytes().into(), encoding: body.encoding() };
        Self { contents: Arc::new(contents), ways: Ways::OF_TYPE }
    }
}

impl<K> Packed<K> {
    /// What was read of it.
    pub fn head(&self) -> &Head {
        &self.contents.head
    }

    /// Its head alone; the bytes are let go.
    pub fn into_head(self) -> Head {
        Arc::try_unwrap(self.contents).map_or_else(|shared| shared.head.clone(), |contents| contents.head)
    }

    /// Its bytes, as they came.
    pub fn body(&self) -> Body<'_> {
        self.body_of(&self.contents.body)
    }

    /// The same object without its bytes, and these, to be kept in another form. Nothing is copied unless it is shared.
    #[must_use]
    pub fn into_hollow(self) -> (Self, Box<[u8]>) {
        let Self { contents, ways } = self;
        let Contents { head, body, encoding } = Arc::unwrap_or_clone(contents);
        let hollow = Contents { head, body: Box::default(), encoding };
        (Self { contents: Arc::new(hollow), ways }, body)
    }

    /// The same object with `body`: the bytes that it had before it was made [hollow](Self::into_hollow).
    #[must_use]
    pub fn refilled(&self, body: Vec<u8>) -> Self {
        let contents = Contents { head: self.head().clone(), body: body.into(), encoding: self.contents.encoding };
        Self { contents: Arc::new(contents), ways: self.ways }
    }

    /// Decodes it, at the caller's expense and anew each time.
    pub fn decode(&self) -> Result<K, DecodeError> {
        self.decode_body(self.body())
    }

    /// Decodes it as if it had no `metadata.managedFields`: about half the work, and half the memory.
    pub fn decode_without_managed_fields(&self) -> Result<K, DecodeError> {
        self.decode_body(self.body().without_managed_fields())
    }

    /// `bytes` as a body of this object: those that it had before it was made [hollow](Self::into_hollow).
    pub fn body_of<'a>(&self, bytes: &'a [u8]) -> Body<'a> {
        match self.contents.encoding {
            Encoding::Json => Body::json(bytes),
            Encoding::Protobuf(kind) => Body::protobuf(kind, bytes),
        }
    }

    /// Decodes `body`, which is its own; an error names the object.
    pub fn decode_body(&self, body: Body<'_>) -> Result<K, DecodeError> {
        let decoded = match (self.ways.decode)(body) {
            // Decoded once more so that the error names the place in what the server sent.
            Err(_) if !body.has_managed_fields() => (self.ways.decode)(self.body_of(body.bytes())),
            decoded => decoded,
        };
        decoded.map_err(|error| {
            let (object, target, place) = (self.label(), std::any::type_name::<K>(), error.to_string());
            DecodeError(Box::new(Undecodable { object, target, place }))
        })
    }

    /// Decodes `body`, which is its own, over another object, whose memory is used again: that takes less time, where the two
    /// have much in common half of it. Returns whether it was decoded; if not, by which nothing is said against it, what `place`
    /// holds is neither of the two, and [`decode_body`](Self::decode_body) has to be tried.
    pub fn decode_body_over(&self, body: Body<'_>, place: &mut K) -> bool {
        (self.ways.decode_over)(body, place)
    }

    fn label(&self) -> String {
        let head = self.head();
        head.namespace().map_or_else(|| head.name().to_owned(), |namespace| format!("{namespace}/{}", head.name()))
    }
}

impl<K: Lookup> Packed<K> {
    /// The key of the object, of kind `K`.
    pub fn object_ref(&self, dyntype: K::DynamicType) -> ObjectRef<K> {
        self.to_object_ref(dyntype).into_kind()
    }
}

impl<K> Clone for Packed<K> {
    fn clone(&self) -> Self {
        Self { contents: Arc::clone(&self.contents), ways: self.ways }
    }
}

impl<K> fmt::Debug for Packed<K> {
    /// Names the object; its content may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Packed({}, {} bytes)", self.label(), self.body().bytes().len())
    }
}

impl<K: Lookup> Lookup for Packed<K> {
    type DynamicType = K::DynamicType;

    fn kind(dyntype: &Self::DynamicType) -> Cow<'_, str> {
        K::kind(dyntype)
    }
    fn group(dyntype: &Self::DynamicType) -> Cow<'_, str> {
        K::group(dyntype)
    }
    fn version(dyntype: &Self::DynamicType) -> Cow<'_, str> {
        K::version(dyntype)
    }
    fn plural(dyntype: &Self::DynamicType) -> Cow<'_, str> {
        K::plural(dyntype)
    }
    fn name(&self) -> Option<Cow<'_, str>> {
        Some(self.head().name().into())
    }
    fn namespace(&self) -> Option<Cow<'_, str>> {
        self.head().namespace().map(Into::into)
    }
    fn resource_version(&self) -> Option<Cow<'_, str>> {
        self.head().resource_version().map(ResourceVersion::text)
    }
    fn uid(&self) -> Option<Cow<'_, str>> {
        self.head().uid()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::head::HeadReader;
    use k8s_openapi::api::core::v1::ConfigMap;

    fn pack(json: &str) -> Packed<ConfigMap> {
        let body = Body::json(json.as_bytes());
        Packed::new(HeadReader::new().read_body(body).unwrap(), body)
    }

    #[test]
    fn an_object_is_the_same_from_both_encodings() {
        let json = r#"{"metadata":{"name":"a","namespace":"ns","uid":"u"},"data":{"k":"v"}}"#;
        let kind = crate::facts::kind_of("v1", "ConfigMap").unwrap();
        let message = crate::protobuf::message_from_json(kind, json.as_bytes()).unwrap();
        let body = Body::protobuf(kind, &message);
        let packed: Packed<ConfigMap> = Packed::new(HeadReader::new().read_body(body).unwrap(), body);
        assert_eq!(packed.head(), pack(json).head());
        assert_eq!(packed.decode().unwrap(), pack(json).decode().unwrap());
    }

    #[test]
    fn undecodable_protobuf_is_named_without_its_content() {
        // A name, and data whose entry is a number.
        let kind = crate::facts::kind_of("v1", "ConfigMap").unwrap();
        let body = Body::protobuf(kind, b"\x0a\x03\x0a\x01a\x10\x07");
        let packed: Packed<ConfigMap> = Packed::new(HeadReader::new().read_body(body).unwrap(), body);
        let error = packed.decode().unwrap_err().to_string();
        assert!(error.starts_with("object a is not a k8s_openapi") && error.contains("(data: malformed"), "{error}");
    }

    #[test]
    fn a_packed_object_has_a_key_before_it_is_decoded() {
        let packed = pack(r#"{"metadata":{"name":"a","namespace":"ns","uid":"u"},"data":{"k":"v"}}"#);
        assert_eq!(packed.object_ref(()), ObjectRef::new("a").within("ns"));
        assert_eq!(packed.decode().unwrap().data.unwrap()["k"], "v");
    }

    #[test]
    fn an_undecodable_object_is_named_without_its_content() {
        let packed = pack(r#"{"metadata":{"name":"a","namespace":"ns"},"data":"hunter2"}"#);
        let error = packed.decode().unwrap_err().to_string();
        assert!(error.contains("ns/a") && error.contains("ConfigMap"), "{error}");
        assert!(!error.contains("hunter2") && !format!("{packed:?}").contains("hunter2"), "{error}");
    }
}
