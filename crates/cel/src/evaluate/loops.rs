//! Loops, which macros become.

use std::sync::Arc;

use super::{Evaluated, EvaluationError, Frame, Map, Node, Value, cost, fail, items_mut, stop_at_limit};
use crate::plan::Loop;

impl<'a> Frame<'_, 'a> {
    pub(super) fn run(&mut self, loops: &'a Loop) -> Evaluated<'a> {
        let range = self.value(&loops.range)?;
        let initial = self.value(&loops.initial);
        stop_at_limit(&initial)?;
        let accumulator = self.locals.len();
        self.locals.push(initial);
        let result = self.rounds(loops, &range, accumulator).and_then(|()| {
            self.locals.truncate(accumulator + 1);
            self.value(&loops.result)
        });
        self.locals.truncate(accumulator);
        result
    }

    fn rounds(&mut self, loops: &'a Loop, range: &Value<'a>, accumulator: usize) -> Result<(), EvaluationError> {
        match range {
            Value::List(list) => {
                for (place, item) in list.iter().enumerate() {
                    let index = Value::Int(i64::try_from(place).unwrap_or(i64::MAX));
                    let (first, second) = if loops.has_second { (Ok(index), Some(item)) } else { (item, None) };
                    if !self.round(loops, accumulator, first, second)? {
                        break;
                    }
                }
                Ok(())
            }
            Value::Map(map) => {
                for key in map.keys() {
                    let value = loops.has_second.then(|| map.get(&key)).flatten();
                    if !self.round(loops, accumulator, Ok(key), value)? {
                        break;
                    }
                }
                Ok(())
            }
            other => fail(format!("got '{}', expected iterable type", go_name(other))),
        }
    }

    /// One round; says whether another may follow.
    fn round(
        &mut self,
        loops: &'a Loop,
        accumulator: usize,
        first: Evaluated<'a>,
        second: Option<Evaluated<'a>>,
    ) -> Result<bool, EvaluationError> {
        self.locals.truncate(accumulator + 1);
        self.locals.push(first);
        self.locals.extend(second);
        let condition = self.value(&loops.condition);
        stop_at_limit(&condition)?;
        if matches!(condition, Ok(Value::Bool(false))) {
            return Ok(false);
        }
        let step = self.value(&loops.step);
        stop_at_limit(&step)?;
        self.locals[accumulator] = step;
        Ok(true)
    }

    /// `accumulator + [item]`: the accumulator is taken from its place, and the loop puts back what this returns.
    pub(super) fn append(&mut self, accumulator: usize, item: &'a Node) -> Evaluated<'a> {
        let item = self.value(item);
        stop_at_limit(&item)?;
        self.charge(cost::IDENT + cost::LIST + cost::CALL)?;
        let taken = std::mem::replace(&mut self.locals[accumulator], Ok(Value::Null));
        match (taken, item) {
            (Ok(Value::List(mut list)), Ok(item)) => {
                items_mut(&mut list)?.push(item);
                Ok(Value::List(list))
            }
            (Err(error), _) | (_, Err(error)) => Err(error),
            _ => Err(EvaluationError::NoSuchOverload),
        }
    }

    /// `cel.@mapInsert(accumulator, key, value)` or `(accumulator, entries)`, as [`append`](Self::append).
    pub(super) fn insert(&mut self, accumulator: usize, entry: &'a [Node]) -> Evaluated<'a> {
        self.charge(cost::IDENT)?;
        let mut values = Vec::new();
        for node in entry {
            let value = self.value(node);
            stop_at_limit(&value)?;
            values.push(value);
        }
        self.charge(cost::CALL)?;
        let taken = std::mem::replace(&mut self.locals[accumulator], Ok(Value::Null))?;
        let values = values.into_iter().collect::<Result<Vec<_>, _>>()?;
        let Value::Map(Map::Owned(mut map)) = taken else { return Err(EvaluationError::NoSuchOverload) };
        let entries = Arc::make_mut(&mut map);
        match &values[..] {
            [key, value] => entries.insert(key.clone(), value.clone())?,
            [Value::Map(more)] => {
                for key in more.keys() {
                    if let Some(value) = more.get(&key) {
                        entries.insert(key, value?)?;
                    }
                }
            }
            _ => return Err(EvaluationError::NoSuchOverload),
        }
        Ok(Value::Map(Map::Owned(map)))
    }
}

/// What Go calls the type of a value that is no list and no map.
fn go_name(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "types.Null",
        Value::Bool(_) => "types.Bool",
        Value::Int(_) => "types.Int",
        Value::Uint(_) => "types.Uint",
        Value::Double(_) => "types.Double",
        Value::String(_) => "types.String",
        Value::Bytes(_) => "types.Bytes",
        Value::Timestamp(_) => "types.Timestamp",
        Value::Duration(_) => "types.Duration",
        Value::Type(_) => "*types.Type",
        Value::Optional(_) => "*types.Optional",
        _ => "ref.Val",
    }
}
