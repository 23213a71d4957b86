//! The objects within a body, taken out, changed and put back.

use super::envelope::Envelope;
use super::error::ProtobufError;
use super::read::take_field;
use super::write::put_bytes;
use crate::facts::{Field, Holds, Type};

/// The same body after `edit` has had each of its objects, as the bytes of its message: those of a list in their order and
/// numbered from 0, or the only one. What is not an object stays as it is.
///
/// # Errors
/// When it is not protobuf, or of a kind that the tables do not know.
pub fn edit_objects(body: &[u8], mut edit: impl FnMut(usize, &mut Vec<u8>)) -> Result<Vec<u8>, ProtobufError> {
    let envelope = Envelope::open(body)?;
    let raw = match items_of(envelope.type_of()?) {
        Some(items) => edit_items(envelope.raw, items, edit)?,
        None => {
            let mut object = envelope.raw.to_vec();
            edit(0, &mut object);
            object
        }
    };
    Ok(Envelope { raw: &raw, ..envelope }.seal())
}

/// The number of the field in which a list has its objects; no other kind has one of that name.
fn items_of(kind: &'static Type) -> Option<u8> {
    kind.field("items").filter(|items| items.holds() == Holds::List).map(Field::number)
}

fn edit_items(list: &[u8], items: u8, mut edit: impl FnMut(usize, &mut Vec<u8>)) -> Result<Vec<u8>, ProtobufError> {
    let (mut edited, mut rest, mut nth) = (Vec::with_capacity(list.len()), list, 0);
    loop {
        let before = rest;
        let Some((number, wire)) = take_field(&mut rest)? else { return Ok(edited) };
        if number == u32::from(items) {
            let mut object = wire.bytes().to_vec();
            edit(nth, &mut object);
            put_bytes(&mut edited, items, &object);
            nth += 1;
        } else {
            edited.extend_from_slice(&before[..before.len() - rest.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{from_json, to_json};
    use super::*;
    use crate::facts;

    fn names(body: &[u8]) -> String {
        let value: serde_json::Value = serde_json::from_slice(&to_json(body).unwrap()).unwrap();
        let name = |object: &serde_json::Value| object["metadata"]["name"].as_str().unwrap().to_owned();
        value["items"].as_array().map_or_else(|| name(&value), |items| items.iter().map(name).collect())
    }

    #[test]
    fn each_object_is_shown_once_in_its_order_and_what_is_made_of_it_takes_its_place() {
        let object = |name: &str| format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}"}}}}"#);
        let list = format!(
            r#"{{"apiVersion":"v1","kind":"ConfigMapList","metadata":{{"resourceVersion":"7"}},"items":[{},{},{}]}}"#,
            object("a"),
            object("b"),
            object("c")
        );
        let (list, longer) =
            (from_json(list.as_bytes()).unwrap(), from_json(object(&"x".repeat(300)).as_bytes()).unwrap());
        assert_eq!(edit_objects(&list, |_, _| {}).unwrap(), list, "nothing else changes");
        let longer = Envelope::open(&longer).unwrap().raw.to_vec();
        let mut shown = Vec::new();
        let edited = edit_objects(&list, |nth, object| {
            shown.push(nth);
            if nth == 1 {
                object.clone_from(&longer);
            }
        });
        assert_eq!((names(&edited.unwrap()), shown), (format!("a{}c", "x".repeat(300)), vec![0, 1, 2]));
        let one = from_json(object("a").as_bytes()).unwrap();
        assert_eq!(names(&edit_objects(&one, |_, object| object.clone_from(&longer)).unwrap()), "x".repeat(300));
        edit_objects(b"{}", |_, _| {}).unwrap_err();
    }

    #[test]
    fn a_kind_with_items_is_a_list() {
        let with_items = facts::kinds().filter(|(.., kind)| items_of(kind).is_some());
        let others: Vec<_> = with_items.filter(|(_, _, name, _)| !name.ends_with("List")).map(|it| it.2).collect();
        assert!(others.is_empty(), "{others:?}");
    }
}
