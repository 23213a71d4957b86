//! The schema of one kind with everything that it refers to in its place: what expressions about its objects are checked
//! against.
//!
//! In: a kind that is served. Out: JSON without references. A type that holds itself (the schema in a definition) is an object
//! without fields where it comes again, as it is to kube-apiserver.

use pintle_wire::facts::named;
use serde_json::{Value, json};

use super::schemas::{OBJECT_META, Schema, meta, type_schema};
use crate::catalog::Catalog;
use crate::catalog::kinds::Kind;

impl Catalog {
    /// The schema of a kind, without references.
    pub(crate) fn resolved_schema(&self, kind: &Kind) -> Value {
        let (mut schema, mut within) = match crate::codec::typed::of_kind(kind) {
            Some(root) => (type_schema(root), vec![root.name().to_owned()]),
            None => (custom(self, kind), Vec::new()),
        };
        resolve(&mut schema, &mut within);
        schema
    }
}

fn custom(catalog: &Catalog, kind: &Kind) -> Value {
    let printed = Schema::Custom(kind, catalog.stated_schema(kind)).printed();
    serde_json::from_slice(&printed.text()).unwrap_or_default()
}

/// Resolves a schema that stands within the types of these names.
fn resolve(schema: &mut Value, within: &mut Vec<String>) {
    if let Some(name) = referred(schema) {
        *schema = match named(&name) {
            Some(found) if !within.contains(&name) => type_schema(found),
            _ => json!({"type": "object"}),
        };
        within.push(name);
        resolve_parts(schema, within);
        within.pop();
    } else {
        resolve_parts(schema, within);
    }
}

fn resolve_parts(schema: &mut Value, within: &mut Vec<String>) {
    if schema["format"] == "int-or-string" {
        schema["x-kubernetes-int-or-string"] = true.into();
    }
    if schema["x-kubernetes-embedded-resource"] == true {
        schema["properties"]["apiVersion"] = json!({"type": "string"});
        schema["properties"]["kind"] = json!({"type": "string"});
        schema["properties"]["metadata"] = meta(OBJECT_META);
    }
    let Value::Object(fields) = schema else { return };
    for part in ["items", "additionalProperties"] {
        fields.get_mut(part).filter(|part| part.is_object()).into_iter().for_each(|part| resolve(part, within));
    }
    let properties = fields.get_mut("properties").and_then(Value::as_object_mut);
    properties.into_iter().flatten().for_each(|(_, property)| resolve(property, within));
}

/// The name of the type that a schema refers to, alone or with a default beside it.
fn referred(schema: &Value) -> Option<String> {
    let reference = schema.get("$ref").or_else(|| schema.get("allOf")?.get(0)?.get("$ref"))?;
    Some(reference.as_str()?.strip_prefix("#/components/schemas/")?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(group: &str, version: &str, plural: &str) -> Value {
        let catalog = Catalog::default();
        catalog.resolved_schema(&catalog.kind(group, version, plural).expect("it is built in"))
    }

    #[test]
    fn what_a_kind_refers_to_stands_in_its_place() {
        let deployment = schema("apps", "v1", "deployments");
        let image = "/properties/spec/properties/template/properties/spec/properties/containers/items/properties/image";
        assert_eq!(deployment.pointer(image), Some(&json!({"type": "string"})));
        assert_eq!(deployment.pointer("/properties/metadata/properties/uid/type"), Some(&json!("string")));
        assert!(!deployment.to_string().contains("$ref"));
    }

    #[test]
    fn a_type_that_holds_itself_ends() {
        let definition = schema("apiextensions.k8s.io", "v1", "customresourcedefinitions");
        let stated =
            "/properties/spec/properties/versions/items/properties/schema/properties/openAPIV3Schema/properties";
        let stated = definition.pointer(stated).expect("a version states a schema");
        assert_eq!(stated["properties"]["additionalProperties"], json!({"type": "object"}));
    }
}
