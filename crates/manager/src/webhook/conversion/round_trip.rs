//! Whether an object survives the way to every other version and back.

use serde_json::Value;

use super::{Conversion, Version};

/// An object that another version does not hold.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RoundTripError {
    /// A conversion failed.
    #[error("{0}")]
    Failed(String),
    /// What comes back is not what was sent.
    #[error("{object} comes back from {to} changed at {path}: it was {was}, and is {is}")]
    Changed {
        /// The object's API version, kind and name.
        object: String,
        /// The API version on the way.
        to: String,
        /// Where, as a JSON pointer.
        path: String,
        /// What was there, as JSON.
        was: String,
        /// What is there now, as JSON.
        is: String,
    },
}

impl Conversion {
    /// Converts an object to every version it can become, and back.
    ///
    /// # Errors
    /// When one of these conversions fails or loses something.
    pub fn check_round_trips(&self, object: &Value) -> Result<(), RoundTripError> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let from = Version { kind: text(&object["kind"]), api_version: text(&object["apiVersion"]) };
        if !self.functions.contains_key(&from) {
            return Err(RoundTripError::Failed(format!("there is no conversion from {from}")));
        }
        for to in self.reachable(&from) {
            let there = self.convert(object, &to.api_version).map_err(RoundTripError::Failed)?;
            let back = self.convert(&there, &from.api_version).map_err(RoundTripError::Failed)?;
            if let Some((path, was, is)) = first_difference(object, &back) {
                let object = format!("{from} {:?}", text(&object["metadata"]["name"]));
                let (to, was, is) = (to.api_version.clone(), was.to_string(), is.to_string());
                return Err(RoundTripError::Changed { object, to, path, was, is });
            }
        }
        Ok(())
    }
}

/// For tests: panics unless every object survives the way to every other version and back.
///
/// # Panics
/// When one does not, with the object, the version and the place.
#[track_caller]
pub fn assert_round_trips(conversion: &Conversion, objects: impl IntoIterator<Item = Value>) {
    for object in objects {
        if let Err(error) = conversion.check_round_trips(&object) {
            panic!("{error}");
        }
    }
}

fn first_difference<'a>(was: &'a Value, is: &'a Value) -> Option<(String, &'a Value, &'a Value)> {
    let within = |name: &dyn std::fmt::Display, was: &'a Value, is: &'a Value| {
        first_difference(was, is).map(|(path, was, is)| (format!("/{name}{path}"), was, is))
    };
    match (was, is) {
        (Value::Object(one), Value::Object(other)) => {
            let names = one.keys().chain(other.keys().filter(|name| !one.contains_key(*name)));
            names.into_iter().find_map(|name| {
                within(name, one.get(name).unwrap_or(&Value::Null), other.get(name).unwrap_or(&Value::Null))
            })
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            one.iter().zip(other).enumerate().find_map(|(index, (was, is))| within(&index, was, is))
        }
        _ => (was != is).then(|| (String::new(), was, is)),
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use serde_json::json;

    use super::*;

    fn renaming(conversion: Conversion, from: &str, to: &str, old: &'static str, new: &'static str) -> Conversion {
        conversion.with_values("Widget", from, to, move |mut object| {
            let value = object["spec"][old].take();
            object["spec"] = json!({new: value});
            Ok::<_, Infallible>(object)
        })
    }

    /// `a/v1` ⇄ `a/v2` ⇄ `a/v3`, with a field of another name in each.
    fn chain() -> Conversion {
        let there = renaming(renaming(Conversion::new(), "a/v1", "a/v2", "one", "two"), "a/v2", "a/v3", "two", "three");
        renaming(renaming(there, "a/v3", "a/v2", "three", "two"), "a/v2", "a/v1", "two", "one")
    }

    fn widget(version: &str, spec: &Value) -> Value {
        json!({"apiVersion": version, "kind": "Widget", "metadata": {"name": "w", "uid": "u"}, "spec": spec})
    }

    #[test]
    fn versions_without_a_function_between_them_are_reached_by_a_third() {
        let converted = chain().convert(&widget("a/v1", &json!({"one": 1})), "a/v3").unwrap();
        assert_eq!(converted, widget("a/v3", &json!({"three": 1})));
        assert_round_trips(&chain(), [widget("a/v1", &json!({"one": 1})), widget("a/v2", &json!({"two": null}))]);
    }

    #[test]
    fn an_object_of_the_desired_version_is_not_touched() {
        let object = widget("b/v1", &json!({}));
        assert_eq!(chain().convert(&object, "b/v1").unwrap(), object);
    }

    #[test]
    fn what_gets_lost_on_the_way_is_named() {
        let lossy = chain();
        let error = lossy.check_round_trips(&widget("a/v1", &json!({"one": 1, "more": [2]}))).unwrap_err();
        let said = "a/v1 Widget \"w\" comes back from a/v2 changed at /spec/more: it was [2], and is null";
        assert_eq!(error.to_string(), said);
    }

    #[test]
    fn a_version_nobody_knows_is_an_error_with_the_object_and_both_versions() {
        let error = chain().convert(&widget("a/v1", &json!({})), "a/v9").unwrap_err();
        let said = "cannot convert a/v1 Widget \"w\" to a/v9: there is no conversion between these versions";
        assert_eq!(error, said);
    }

    #[test]
    fn a_conversion_changes_labels_and_annotations_of_metadata_and_nothing_else() {
        let conversion = Conversion::new().with_values("Widget", "a/v1", "a/v2", |mut object| {
            object["metadata"] = json!({"name": "other", "labels": {"new": "label"}});
            Ok::<_, Infallible>(object)
        });
        let mut object = widget("a/v1", &json!({}));
        object["metadata"]["annotations"] = json!({"gone": "1"});
        let converted = conversion.convert(&object, "a/v2").unwrap();
        assert_eq!(converted["metadata"], json!({"name": "w", "uid": "u", "labels": {"new": "label"}}));
    }
}
