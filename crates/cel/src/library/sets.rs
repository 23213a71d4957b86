//! Lists as sets: `sets.contains`, `sets.equivalent`, `sets.intersects`.

use crate::functions::Library;
use crate::value::{EvaluationError, Value, contains};

pub(crate) const LIBRARY: Library = Library {
    declarations: "
        list_sets_contains_list: sets.contains(list(A), list(A)) -> bool
        list_sets_equivalent_list: sets.equivalent(list(A), list(A)) -> bool
        list_sets_intersects_list: sets.intersects(list(A), list(A)) -> bool
    ",
    implementations: &[
        ("sets.contains", |arguments| {
            let (one, other) = both(arguments)?;
            Ok(Value::Bool(has_all(&one, &other)))
        }),
        ("sets.equivalent", |arguments| {
            let (one, other) = both(arguments)?;
            Ok(Value::Bool(has_all(&one, &other) && has_all(&other, &one)))
        }),
        ("sets.intersects", |arguments| {
            let (one, other) = both(arguments)?;
            Ok(Value::Bool(one.iter().any(|item| contains(&other, item))))
        }),
    ],
};

type Items<'v> = Vec<Value<'v>>;

fn both<'v>(arguments: &[Value<'v>]) -> Result<(Items<'v>, Items<'v>), EvaluationError> {
    match (&arguments[0], &arguments[1]) {
        (Value::List(one), Value::List(other)) => Ok((one.to_vec()?, other.to_vec()?)),
        _ => Err(EvaluationError::NoSuchOverload),
    }
}

fn has_all(items: &[Value<'_>], wanted: &[Value<'_>]) -> bool {
    wanted.iter().all(|one| contains(items, one))
}
