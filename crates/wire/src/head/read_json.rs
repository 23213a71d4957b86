//! Metadata out of JSON as servers write it, in one pass and without serde.
//!
//! Whatever is odd (another shape, a name with escapes, text that is not UTF-8) is declined: the careful reader goes over it
//! again, and has the last word about what is wrong with it.

use super::read::{AnnotationsHash, Labels, Metadata, OwnerReference, Text};
use super::read_protobuf::hash_of;
use crate::json::{self, Declined, Integer, ManagedFields, Reader};

/// What the metadata of an object says; nothing behind it is looked at.
pub(super) fn find(json: &[u8]) -> Result<Metadata<'_>, Declined> {
    let text = std::str::from_utf8(json).map_err(|_| Declined)?;
    let mut reader = Reader::new(text, ManagedFields::Read);
    reader.open(b'{')?;
    let mut is_first = true;
    while let Some(name) = reader.next_name(&mut is_first)? {
        if name.bytes == b"metadata" {
            return metadata(&mut reader);
        }
        reader.skip()?;
    }
    Err(Declined)
}

fn metadata<'a>(reader: &mut Reader<'a>) -> Result<Metadata<'a>, Declined> {
    let mut found = Metadata::default();
    reader.open(b'{')?;
    let mut is_first = true;
    while let Some(name) = reader.next_name(&mut is_first)? {
        match name.bytes {
            b"name" => found.name = unless_null(reader, text)?,
            b"namespace" => found.namespace = unless_null(reader, text)?,
            b"uid" => found.uid = unless_null(reader, text)?,
            b"resourceVersion" => found.resource_version = unless_null(reader, text)?,
            b"generation" => found.generation = unless_null(reader, integer)?,
            b"deletionTimestamp" => found.is_deleting = unless_null(reader, Reader::skip)?.is_some(),
            b"labels" => found.labels = unless_null(reader, labels)?,
            b"annotations" => found.annotations = unless_null(reader, annotations)?,
            b"ownerReferences" => found.owner_references = unless_null(reader, |it| list(it, owner))?,
            b"finalizers" => found.finalizers = unless_null(reader, |it| list(it, text))?,
            // Above all managedFields, a third of many an object.
            _ => drop(reader.skip()?),
        }
    }
    reader.close(b'}')?;
    Ok(found)
}

fn labels<'a>(reader: &mut Reader<'a>) -> Result<Labels<'a>, Declined> {
    let mut labels = Vec::with_capacity(8);
    entries(reader, |key, value| labels.push((key, value)))?;
    Ok(Labels(labels))
}

fn annotations(reader: &mut Reader<'_>) -> Result<AnnotationsHash, Declined> {
    let mut mixed = 0_u64;
    entries(reader, |key, value| mixed = mixed.wrapping_add(hash_of(&key.0, &value.0)))?;
    Ok(AnnotationsHash(mixed))
}

fn owner<'a>(reader: &mut Reader<'a>) -> Result<OwnerReference<'a>, Declined> {
    let [mut api_version, mut kind, mut name, mut uid] = [const { None }; 4];
    let (mut controller, mut block_owner_deletion) = (None, None);
    reader.open(b'{')?;
    let mut is_first = true;
    while let Some(field) = reader.next_name(&mut is_first)? {
        match field.bytes {
            b"apiVersion" => once(&mut api_version, text(reader)?)?,
            b"kind" => once(&mut kind, text(reader)?)?,
            b"name" => once(&mut name, text(reader)?)?,
            b"uid" => once(&mut uid, text(reader)?)?,
            b"controller" if controller.is_some() => return Err(Declined),
            b"controller" => controller = Some(unless_null(reader, Reader::truth)?),
            b"blockOwnerDeletion" if block_owner_deletion.is_some() => return Err(Declined),
            b"blockOwnerDeletion" => block_owner_deletion = Some(unless_null(reader, Reader::truth)?),
            _ => drop(reader.skip()?),
        }
    }
    reader.close(b'}')?;
    Ok(OwnerReference {
        api_version: api_version.ok_or(Declined)?,
        kind: kind.ok_or(Declined)?,
        name: name.ok_or(Declined)?,
        uid: uid.ok_or(Declined)?,
        controller: controller.flatten(),
        block_owner_deletion: block_owner_deletion.flatten(),
    })
}

/// A field that comes twice is an error, which is not for here.
fn once<'a>(place: &mut Option<Text<'a>>, text: Text<'a>) -> Result<(), Declined> {
    if place.replace(text).is_some() { Err(Declined) } else { Ok(()) }
}

/// The texts of an object, `null` being an empty one.
fn entries<'a>(reader: &mut Reader<'a>, mut take: impl FnMut(Text<'a>, Text<'a>)) -> Result<(), Declined> {
    reader.open(b'{')?;
    let mut is_first = true;
    while reader.goes_on(b'}', &mut is_first)? {
        let key = text(reader)?;
        reader.take(b':')?;
        take(key, unless_null(reader, text)?.unwrap_or_default());
    }
    reader.close(b'}')
}

fn list<'a, T>(
    reader: &mut Reader<'a>,
    read: impl Fn(&mut Reader<'a>) -> Result<T, Declined>,
) -> Result<Vec<T>, Declined> {
    let mut list = Vec::new();
    reader.open(b'[')?;
    let mut is_first = true;
    while reader.goes_on(b']', &mut is_first)? {
        list.push(read(reader)?);
    }
    reader.close(b']')?;
    Ok(list)
}

fn text<'a>(reader: &mut Reader<'a>) -> Result<Text<'a>, Declined> {
    Ok(Text(match reader.text()? {
        json::Text::Plain(text) => text.into(),
        json::Text::Unescaped(text) => text.into(),
    }))
}

fn integer(reader: &mut Reader<'_>) -> Result<i64, Declined> {
    match reader.integer().ok_or(Declined)? {
        Integer::Positive(value) => value.try_into().map_err(|_| Declined),
        Integer::Negative(value) => Ok(value),
    }
}

/// The next value as it is read, or `None` if it is `null`.
fn unless_null<'a, T>(
    reader: &mut Reader<'a>,
    read: impl FnOnce(&mut Reader<'a>) -> Result<T, Declined>,
) -> Result<Option<T>, Declined> {
    if reader.takes_null()? { Ok(None) } else { read(reader).map(Some) }
}
