//! Names, fields and indexes.
//!
//! A chain of them is one attribute: one for its beginning, one for each step. A branch of `? :` and an index that are
//! attributes themselves are not charged for their beginning.

use super::{Evaluated, EvaluationError, Frame, Node, Value, fail};
use crate::library::index;

/// Whether the beginning of an attribute is charged for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Charge {
    Whole,
    StepsOnly,
}

impl<'a> Frame<'_, 'a> {
    /// Evaluates an attribute, or anything else as the beginning of one.
    pub(super) fn attribute(&mut self, node: &'a Node, charge: Charge) -> Evaluated<'a> {
        match node {
            Node::Variable { place, name } => {
                self.begin(charge)?;
                match self.variables.get(*place) {
                    Some(Some(value)) => Ok(value.clone()),
                    _ => match self.unreadable.get(*place) {
                        Some(Some(why)) => Err(why.clone()),
                        _ => fail(format!("no such attribute(s): {name}")),
                    },
                }
            }
            Node::Composition => fail("no such attribute(s): variables"),
            Node::Composed { place, is_test } => {
                self.begin(if *is_test { Charge::StepsOnly } else { charge })?;
                self.charge(1)?;
                let Some(composed) = self.composed else { return fail("no such attribute(s): variables") };
                let value = composed.value(*place, self.variables);
                if *is_test { value.map(|_| Value::Bool(true)) } else { value }
            }
            Node::Local(place) => {
                self.begin(charge)?;
                self.locals[*place].clone()
            }
            Node::Select { operand, field, is_optional } => {
                let operand = self.beginning(operand, charge)?;
                self.select(&operand, field, *is_optional)
            }
            Node::Index { operand, index, is_optional } => {
                let operand = self.beginning(operand, charge)?;
                let index = match index.is_attribute() {
                    true => self.attribute(index, Charge::StepsOnly)?,
                    false => self.value(index)?,
                };
                self.index(&operand, &index, *is_optional)
            }
            Node::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                let branch = match self.value(condition)? {
                    Value::Bool(true) => yes,
                    Value::Bool(false) => no,
                    _ => return Err(EvaluationError::NoSuchOverload),
                };
                match branch.is_attribute() {
                    true => self.attribute(branch, Charge::StepsOnly),
                    false => self.value(branch),
                }
            }
            other => self.value(other),
        }
    }

    fn begin(&mut self, charge: Charge) -> Result<(), EvaluationError> {
        if charge == Charge::Whole { self.charge(1) } else { Ok(()) }
    }

    /// What a step is taken from.
    fn beginning(&mut self, operand: &'a Node, charge: Charge) -> Evaluated<'a> {
        if operand.is_attribute() {
            return self.attribute(operand, charge);
        }
        let value = self.value(operand)?;
        self.begin(charge)?;
        Ok(value)
    }

    /// `has(operand.field)`.
    pub(super) fn test(&mut self, operand: &'a Node, field: &str) -> Evaluated<'a> {
        let operand = self.beginning(operand, Charge::StepsOnly)?;
        self.charge(1)?;
        let found = match &operand {
            Value::Optional(Some(inner)) => present(inner, field),
            other => present(other, field),
        };
        match found {
            Some(Err(error)) => Err(error),
            found => Ok(Value::Bool(found.is_some())),
        }
    }

    fn select(&mut self, operand: &Value<'a>, field: &str, is_optional: bool) -> Evaluated<'a> {
        let (held, is_optional) = match operand {
            Value::Optional(None) => return Ok(Value::Optional(None)),
            Value::Optional(Some(inner)) => (&**inner, true),
            other => (other, is_optional),
        };
        let found = present(held, field);
        if is_optional {
            return match found {
                Some(value) => {
                    self.charge(1)?;
                    Value::optional_of(value)
                }
                None => Ok(Value::Optional(None)),
            };
        }
        self.charge(1)?;
        found.unwrap_or_else(|| fail(format!("no such key: {field}")))
    }

    fn index(&mut self, operand: &Value<'a>, key: &Value<'a>, is_optional: bool) -> Evaluated<'a> {
        let (held, is_optional) = match operand {
            Value::Optional(None) => return Ok(Value::Optional(None)),
            Value::Optional(Some(inner)) => (&**inner, true),
            other => (other, is_optional),
        };
        if !is_optional {
            self.charge(1)?;
            return index(held, key);
        }
        let found = match (held, key) {
            (Value::Map(map), key) => map.get(key),
            (Value::List(list), Value::Int(place)) => usize::try_from(*place).ok().and_then(|place| list.get(place)),
            (Value::List(list), Value::Uint(place)) => usize::try_from(*place).ok().and_then(|place| list.get(place)),
            (Value::List(_), _) => {
                self.charge(1)?;
                return index(held, key).map(Value::optional);
            }
            _ => None,
        };
        let Some(found) = found else { return Ok(Value::Optional(None)) };
        self.charge(1)?;
        Value::optional_of(found)
    }
}

/// The value of a field, if it is there.
fn present<'a>(operand: &Value<'a>, field: &str) -> Option<Evaluated<'a>> {
    match operand {
        Value::Map(map) => map.field(field),
        _ => None,
    }
}
