//! FieldsV1, the JSON in which managedFields say what somebody owns.
//!
//! `{"f:spec":{"f:ports":{"k:{\"port\":80}":{".":{},"f:name":{}}}}}`: a key is a path element by its prefix (`f:` a
//! field, `k:` an item by keys, `v:` a set's item, `i:` an index), `.` says that the path so far is owned itself, and an
//! empty object is owned and has nothing below it. What is printed is read back as the same set.

use serde_json::{Map, Value};

use super::path::{Element, Scalar};
use super::set::{FieldSet, Node};

/// Why a text is no set of fields.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) String);

/// The set as JSON.
pub(crate) fn print(set: &FieldSet) -> Value {
    let fields = set.nodes().map(|(element, node)| {
        let mut below = print(&node.below);
        if node.is_member
            && !node.below.is_empty()
            && let Value::Object(map) = &mut below
        {
            map.insert(".".to_owned(), Value::Object(Map::new()));
        }
        (print_element(element), below)
    });
    Value::Object(fields.collect())
}

/// The set that a JSON value says.
pub(crate) fn parse(value: &Value) -> Result<FieldSet, Malformed> {
    let Value::Object(fields) = value else {
        return Err(Malformed(format!("expected an object of fields, found {value}")));
    };
    let mut set = FieldSet::default();
    for (text, below) in fields {
        if text == "." {
            continue;
        }
        let Some(element) = parse_element(text)? else { continue };
        let is_leaf = below.as_object().is_some_and(Map::is_empty);
        let is_member = is_leaf || below.get(".").is_some();
        set.put(element, Node { is_member, below: parse(below)? });
    }
    Ok(set)
}

fn print_element(element: &Element) -> String {
    match element {
        Element::Field(name) => format!("f:{name}"),
        Element::Key(keys) => {
            let map: Map<String, Value> = keys.iter().map(|(name, value)| (name.clone(), value.0.clone())).collect();
            format!("k:{}", Value::Object(map))
        }
        Element::Value(value) => format!("v:{value}"),
        Element::Index(index) => format!("i:{index}"),
    }
}

/// The element that a text says; prefixes of a later Kubernetes are passed over.
fn parse_element(text: &str) -> Result<Option<Element>, Malformed> {
    let malformed = || Malformed(format!("no path element: {text}"));
    let (prefix, rest) = text.split_once(':').ok_or_else(malformed)?;
    let json = || serde_json::from_str::<Value>(rest).map_err(|_| malformed());
    Ok(Some(match prefix {
        "f" => Element::Field(rest.to_owned()),
        "v" => Element::Value(Scalar(json()?)),
        "i" => Element::Index(rest.parse().map_err(|_| malformed())?),
        "k" => match json()? {
            Value::Object(keys) if !keys.is_empty() => {
                let mut keys: Vec<_> = keys.into_iter().map(|(name, value)| (name, Scalar(value))).collect();
                keys.sort_by(|a, b| a.0.cmp(&b.0));
                Element::Key(keys)
            }
            _ => return Err(malformed()),
        },
        _ => return Ok(None),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_kind_of_element_is_read_back_as_it_was_printed() {
        let text = json!({
            "f:metadata": {"f:labels": {".": {}, "f:app": {}}, "f:finalizers": {"v:\"a/b\"": {}}},
            "f:spec": {
                "f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}}},
                "f:args": {"i:0": {}, "v:1": {}, "v:true": {}},
            },
        });
        let set = parse(&text).unwrap();
        assert_eq!(print(&set), text);
        assert_eq!(set.paths().len(), 8);
    }

    #[test]
    fn a_random_set_is_read_back_as_it_was_printed() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..500 {
            let mut set = FieldSet::default();
            for _ in 0..random.usize(..6) {
                let path: Vec<Element> = (0..random.usize(1..4)).map(|_| element(&mut random)).collect();
                set.insert(&path);
            }
            assert_eq!(parse(&print(&set)), Ok(set));
        }
    }

    fn element(random: &mut fastrand::Rng) -> Element {
        let scalar = |random: &mut fastrand::Rng| {
            Scalar(random.choice([json!("a\"b"), json!(1), json!(-2.5), json!(true), json!("")]).unwrap())
        };
        match random.u8(..4) {
            0 => Element::field(random.choice([".", "a", "b:c", "", "f:x"]).unwrap()),
            1 => Element::Key(vec![("k".to_owned(), scalar(random)), ("l".to_owned(), scalar(random))]),
            2 => Element::Value(scalar(random)),
            _ => Element::Index(random.i64(0..3)),
        }
    }

    #[test]
    fn what_is_no_set_of_fields_is_said_to_be_none() {
        for wrong in [json!("f:a"), json!({"a": {}}), json!({"v:x": {}}), json!({"k:1": {}}), json!({"i:x": {}})] {
            assert!(parse(&wrong).is_err(), "{wrong}");
        }
        assert!(parse(&json!({"z:new": {}})).unwrap().is_empty());
    }
}
