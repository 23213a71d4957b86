//! Rules and merge strategies inside a schema.
//!
//! In: a schema and what is to stand in it. Out: the schema with `x-kubernetes-validations` (rules are added to those
//! that are there), `x-kubernetes-list-type`, `x-kubernetes-list-map-keys` or `x-kubernetes-map-type`.
//! A property that is named by its position and does not exist is left alone, as in kube.

use schemars::Schema;
use serde_json::{Map, Value};

use super::{ListMerge, MapMerge, MergeStrategy, Rule, StructMerge};

/// Adds a rule to a schema.
///
/// # Errors
///
/// When the rule cannot be written as JSON, which no rule is known to do.
pub fn validate(s: &mut Schema, rule: impl Into<Rule>) -> serde_json::Result<()> {
    add_rule(s.ensure_object(), &rule.into())
}

/// Adds a rule to the property at this position of a schema.
///
/// # Errors
///
/// As [`validate`].
pub fn validate_property(
    s: &mut Schema,
    property_index: usize,
    rule: impl Into<Rule> + Clone,
) -> serde_json::Result<()> {
    match property(s, property_index).and_then(Value::as_object_mut) {
        Some(property) => add_rule(property, &rule.into()),
        None => Ok(()),
    }
}

/// Puts the properties of `merge` over those of the same name in `s`.
pub fn merge_properties(s: &mut Schema, merge: &mut Schema) {
    let Some(Value::Object(additions)) = merge.get("properties") else {
        return;
    };
    let additions = additions.clone();
    let properties = s.ensure_object().entry("properties").or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(properties) = properties {
        for (name, addition) in additions {
            match (properties.get_mut(&name), addition) {
                (Some(Value::Object(property)), Value::Object(addition)) => property.extend(addition),
                (_, addition) => {
                    properties.insert(name, addition);
                }
            }
        }
    }
}

/// Writes how server-side apply merges it into the schema of a field.
///
/// # Errors
///
/// When the strategy cannot be written as JSON, which none is known to do.
pub fn merge_strategy(s: &mut Value, strategy: MergeStrategy) -> serde_json::Result<()> {
    if let Some(node) = s.as_object_mut() {
        strategy.write(node);
    }
    Ok(())
}

/// Writes how server-side apply merges it into the property at this position of a schema.
///
/// # Errors
///
/// As [`merge_strategy`].
pub fn merge_strategy_property(
    s: &mut Schema,
    property_index: usize,
    strategy: impl Into<MergeStrategy>,
) -> serde_json::Result<()> {
    property(s, property_index).map_or(Ok(()), |property| merge_strategy(property, strategy.into()))
}

impl MergeStrategy {
    /// Writes the strategy into the schema of the field that it is for.
    pub fn write_to(self, schema: &mut Schema) {
        self.write(schema.ensure_object());
    }

    fn write(self, node: &mut Map<String, Value>) {
        // The API server has one keyword for maps and structs.
        let (keyword, value) = match self {
            Self::ListType(ListMerge::Atomic) => ("x-kubernetes-list-type", "atomic"),
            Self::ListType(ListMerge::Set) => ("x-kubernetes-list-type", "set"),
            Self::ListType(ListMerge::Map(keys)) => {
                node.insert("x-kubernetes-list-map-keys".to_owned(), Value::from(keys));
                ("x-kubernetes-list-type", "map")
            }
            Self::MapType(MapMerge::Atomic) | Self::StructType(StructMerge::Atomic) => {
                ("x-kubernetes-map-type", "atomic")
            }
            Self::MapType(MapMerge::Granular) | Self::StructType(StructMerge::Granular) => {
                ("x-kubernetes-map-type", "granular")
            }
        };
        node.insert(keyword.to_owned(), Value::from(value));
    }
}

fn add_rule(node: &mut Map<String, Value>, rule: &Rule) -> serde_json::Result<()> {
    let rule = serde_json::to_value(rule)?;
    match node.get_mut("x-kubernetes-validations") {
        Some(Value::Array(rules)) => rules.push(rule),
        _ => {
            node.insert("x-kubernetes-validations".to_owned(), Value::Array(vec![rule]));
        }
    }
    Ok(())
}

fn property(schema: &mut Schema, index: usize) -> Option<&mut Value> {
    schema.get_mut("properties")?.as_object_mut()?.values_mut().nth(index)
}

#[cfg(test)]
mod tests {
    use schemars::{Schema, json_schema};
    use serde_json::json;

    use super::{merge_properties, merge_strategy_property, validate, validate_property};
    use crate::cel::{ListMerge, MapMerge, StructMerge};

    fn schema() -> Schema {
        json_schema!({ "type": "object", "properties": { "field": { "type": "string" } } })
    }

    #[test]
    fn rules_are_added_to_those_that_are_there() {
        let mut schema = schema();
        validate(&mut schema, "self == oldSelf").unwrap();
        validate(&mut schema, ("self.field != ''", "is empty")).unwrap();
        validate_property(&mut schema, 0, "self != 'x'").unwrap();
        validate_property(&mut schema, 7, "there is no such property").unwrap();
        assert_eq!(
            schema.as_value(),
            &json!({
                "type": "object",
                "properties": { "field": { "type": "string", "x-kubernetes-validations": [{ "rule": "self != 'x'" }] } },
                "x-kubernetes-validations": [
                    { "rule": "self == oldSelf" },
                    { "rule": "self.field != ''", "message": "is empty" },
                ],
            })
        );
    }

    #[test]
    fn strategies_are_the_keywords_of_the_api_server() {
        let property_with = |strategy: super::MergeStrategy| {
            let mut schema = schema();
            merge_strategy_property(&mut schema, 0, strategy).unwrap();
            let mut property = schema.as_value()["properties"]["field"].clone();
            property.as_object_mut().unwrap().remove("type");
            property
        };
        assert_eq!(property_with(ListMerge::Set.into()), json!({ "x-kubernetes-list-type": "set" }));
        assert_eq!(property_with(ListMerge::Atomic.into()), json!({ "x-kubernetes-list-type": "atomic" }));
        assert_eq!(
            property_with(ListMerge::Map(vec!["name".to_owned()]).into()),
            json!({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] })
        );
        assert_eq!(property_with(MapMerge::Granular.into()), json!({ "x-kubernetes-map-type": "granular" }));
        assert_eq!(property_with(StructMerge::Atomic.into()), json!({ "x-kubernetes-map-type": "atomic" }));
    }

    #[test]
    fn properties_of_another_schema_extend_those_of_the_first() {
        let mut schema = schema();
        let mut other = json_schema!({ "properties": { "field": { "maxLength": 3 }, "more": { "type": "integer" } } });
        merge_properties(&mut schema, &mut other);
        assert_eq!(
            schema.as_value()["properties"],
            json!({ "field": { "type": "string", "maxLength": 3 }, "more": { "type": "integer" } })
        );
    }
}
