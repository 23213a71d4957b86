//! ConversionReview: a webhook that makes custom resources of one version into those of another.
//!
//! In: objects of one kind, and a version. Out: the same objects at that version, or what is wrong with what came back, in
//! kube-apiserver's words. A webhook may change everything but which object it is, and of the metadata labels and
//! annotations alone: the rest is put back.

use serde_json::{Value, json};

use crate::cluster::ids::Ids;
use crate::registry::validation::metadata;
use crate::response::status::FieldError;
use crate::webhook::review::{self, ReviewType};
use crate::webhook::{CallError, Caller, ClientConfig, WebhookClient};

/// The webhook of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConversionWebhook {
    client_config: ClientConfig,
    review_version: &'static str,
}

/// Why objects were not converted.
pub(super) enum Unconverted {
    /// The webhook did not answer: asking it again would not help.
    NotAnswered(String),
    /// What it answered is wrong.
    Answered(String),
}

impl ConversionWebhook {
    /// What a definition says under `conversion`, if that is a webhook.
    pub(super) fn read(conversion: Option<&Value>) -> Option<ConversionWebhook> {
        let conversion = conversion?;
        let webhook =
            conversion.get("webhook").filter(|_| conversion.get("strategy").is_some_and(|it| it == "Webhook"))?;
        Some(ConversionWebhook {
            client_config: ClientConfig::read(webhook.get("clientConfig").unwrap_or(&Value::Null)),
            review_version: review::version(webhook.get("conversionReviewVersions").unwrap_or(&Value::Null)),
        })
    }

    /// Makes objects, of which there is at least one, into those of another version.
    pub(super) async fn convert(
        &self,
        client: &WebhookClient,
        ids: &Ids,
        objects: &[Value],
        api_version: &str,
    ) -> Result<Vec<Value>, Unconverted> {
        let from = objects.first().map(type_of).unwrap_or_default();
        let failed = |why: &str| format!("conversion webhook for {from} failed: {why}");
        let (review, uid) = (self.review_type(), ids.uid());
        let sent = json!({"kind": review.kind, "apiVersion": review.api_version(),
            "request": {"uid": uid, "desiredAPIVersion": api_version, "objects": objects}});
        let answered = client.post(Caller::Conversion, &self.client_config, TIMEOUT, &sent, false).await;
        let value = answered.map_err(|error| match error {
            CallError::Client(why) | CallError::Call(why) => Unconverted::NotAnswered(failed(&why)),
        })?;
        let converted = self.objects(&value, &uid).map_err(|why| Unconverted::Answered(failed(&why)))?;
        if converted.len() != objects.len() {
            let (found, expected) = (converted.len(), objects.len());
            let why = format!("conversion webhook for {from} returned {found} objects, expected {expected}");
            return Err(Unconverted::Answered(why));
        }
        let checked = objects.iter().zip(converted).enumerate().map(|(at, (object, converted))| {
            checked(object, converted, at, api_version).map_err(|wrong| match wrong {
                Wrong::Unreadable(why) => why,
                Wrong::Invalid(why) => format!("conversion webhook for {from} returned {why}"),
            })
        });
        checked.collect::<Result<_, _>>().map_err(Unconverted::Answered)
    }

    fn review_type(&self) -> ReviewType {
        ReviewType { group: "apiextensions.k8s.io", version: self.review_version, kind: "ConversionReview" }
    }

    /// The objects that came back.
    fn objects(&self, value: &Value, uid: &str) -> Result<Vec<Value>, String> {
        self.review_type().check(value)?;
        let response = value.get("response").filter(|response| response.is_object()).ok_or("no response provided")?;
        let text = |pointer: &str| response.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        if text("/uid") != uid {
            return Err(format!("expected response.uid={uid:?}, got {:?}", text("/uid")));
        }
        let (status, message) = (text("/result/status"), text("/result/message"));
        if status != "Success" {
            let unsaid = format!("response.result.status was '{status}', not 'Success'");
            return Err(if message.is_empty() { unsaid } else { message.to_owned() });
        }
        Ok(response.get("convertedObjects").and_then(Value::as_array).cloned().unwrap_or_default())
    }
}

/// What is wrong with an object that came back.
enum Wrong {
    /// It is not an object of any kind.
    Unreadable(String),
    /// It is not this one.
    Invalid(String),
}

/// An object that came back, with the metadata that it had.
fn checked(object: &Value, mut converted: Value, at: usize, api_version: &str) -> Result<Value, Wrong> {
    if converted.is_null() {
        return Err(Wrong::Unreadable("unexpected end of JSON input".to_owned()));
    }
    if !converted.is_object() {
        let found = crate::codec::typed::go_errors::type_name(&converted);
        let why = format!("json: cannot unmarshal {found} into Go value of type map[string]interface {{}}");
        return Err(Wrong::Unreadable(why));
    }
    if text(&converted, "/kind").is_empty() {
        return Err(Wrong::Unreadable(format!("Object 'Kind' is missing in '{converted}'")));
    }
    let invalid = |why: String| Err(Wrong::Invalid(why));
    let (found, kind, expected) = (text(&converted, "/apiVersion"), text(&converted, "/kind"), text(object, "/kind"));
    if found != api_version {
        return invalid(format!(
            "invalid object at index {at}: invalid groupVersion (expected {api_version}, received {found})"
        ));
    }
    if kind != expected {
        return invalid(format!("invalid object at index {at}: invalid kind (expected {expected}, received {kind})"));
    }
    for (field, shown) in [("name", "name"), ("namespace", "namespace"), ("uid", "UID")] {
        let pointer = format!("/metadata/{field}");
        let (before, after) = (text(object, &pointer), text(&converted, &pointer));
        if before != after {
            return invalid(format!("invalid object: must have the same {shown}: {before} != {after}"));
        }
    }
    let metadata = restored(object, &converted).map_err(|why| Wrong::Invalid(format!("invalid metadata: {why}")))?;
    converted["metadata"] = metadata;
    Ok(converted)
}

/// The metadata that an object had, with the labels and annotations that came back.
fn restored(object: &Value, converted: &Value) -> Result<Value, String> {
    let mut metadata = object.get("metadata").cloned().unwrap_or_else(|| json!({}));
    for field in ["labels", "annotations"] {
        let found = converted.pointer(&format!("/metadata/{field}")).filter(|found| !found.is_null());
        let pairs = found.and_then(Value::as_object);
        if let Some((key, value)) = pairs.into_iter().flatten().find(|(_, value)| !value.is_string()) {
            let found = crate::codec::typed::go_errors::dynamic(value);
            return Err(format!("metadata.{field}[{key}] must be a string, but is {found} in converted object"));
        }
        let errors = match field {
            "labels" => metadata::labels("metadata.labels", found),
            _ => metadata::annotations(found),
        };
        if !errors.is_empty() {
            return Err(together(&errors));
        }
        match (found, metadata.as_object_mut()) {
            (Some(found), Some(fields)) => drop(fields.insert(field.to_owned(), found.clone())),
            (None, Some(fields)) => drop(fields.remove(field)),
            _ => {}
        }
    }
    Ok(metadata)
}

/// Several errors as Go prints them in one line.
fn together(errors: &[FieldError]) -> String {
    let texts: Vec<String> = errors.iter().map(FieldError::text).collect();
    if texts.len() == 1 { texts[0].clone() } else { format!("[{}]", texts.join(", ")) }
}

/// The type of an object as Go prints it.
fn type_of(object: &Value) -> String {
    format!("{}, Kind={}", text(object, "/apiVersion"), text(object, "/kind"))
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// kube-apiserver waits so long for a conversion, whatever the definition says.
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(30);

#[cfg(test)]
mod tests {
    use super::*;

    fn convert(change: impl FnOnce(&mut Value)) -> Result<Value, String> {
        let object = json!({"apiVersion": "ex.io/v1", "kind": "Thing", "spec": {"a": 1},
            "metadata": {"name": "a", "namespace": "n", "uid": "u", "generation": 5, "labels": {"l": "1"}}});
        let mut converted = object.clone();
        converted["apiVersion"] = "ex.io/v2".into();
        change(&mut converted);
        checked(&object, converted, 0, "ex.io/v2").map_err(|wrong| match wrong {
            Wrong::Unreadable(why) | Wrong::Invalid(why) => why,
        })
    }

    #[test]
    fn of_the_metadata_only_labels_and_annotations_change() {
        let converted = convert(|object| {
            object["metadata"]["labels"] = json!({"new": "yes"});
            object["metadata"]["annotations"] = json!({"a": "b"});
            object["metadata"]["generation"] = 77.into();
            object["metadata"]["finalizers"] = json!(["x.io/y"]);
        });
        let metadata = converted.unwrap()["metadata"].clone();
        assert_eq!(
            metadata,
            json!({"name": "a", "namespace": "n", "uid": "u", "generation": 5,
            "labels": {"new": "yes"}, "annotations": {"a": "b"}})
        );
    }

    /// As kube-apiserver 1.37 said it.
    #[test]
    fn what_may_not_change_is_named() {
        let changed =
            |pointer: &str, value: Value| convert(|object| *object.pointer_mut(pointer).unwrap() = value).unwrap_err();
        let version = "invalid object at index 0: invalid groupVersion (expected ex.io/v2, received other.io/v1)";
        assert_eq!(changed("/apiVersion", json!("other.io/v1")), version);
        let kind = "invalid object at index 0: invalid kind (expected Thing, received Other)";
        assert_eq!(changed("/kind", json!("Other")), kind);
        assert_eq!(changed("/metadata/name", json!("b")), "invalid object: must have the same name: a != b");
        assert_eq!(changed("/metadata/namespace", json!("m")), "invalid object: must have the same namespace: n != m");
        assert_eq!(changed("/metadata/uid", json!("v")), "invalid object: must have the same UID: u != v");
        let number = "invalid metadata: metadata.labels[l] must be a string, but is int64 in converted object";
        assert_eq!(changed("/metadata/labels/l", json!(5)), number);
        assert!(
            changed("/metadata/labels/l", json!("!"))
                .starts_with("invalid metadata: metadata.labels: Invalid value: \"!\"")
        );
        assert_eq!(changed("", Value::Null), "unexpected end of JSON input");
        assert_eq!(
            changed("", json!("x")),
            "json: cannot unmarshal string into Go value of type map[string]interface {}"
        );
    }
}
