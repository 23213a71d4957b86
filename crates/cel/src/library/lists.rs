//! Lists: those of Kubernetes (`isSorted`, `sum`, `min`, `max`, `indexOf`) and of CEL's extension (`sort`, `flatten`, …).

use std::cmp::Ordering;

use crate::functions::Library;
use crate::value::{Evaluated, EvaluationError, List, Value, compare, contains, fail, is_equal};

pub(crate) const LIBRARY: Library = Library {
    declarations: "
        list_int_is_sorted_bool: list(int)::isSorted() -> bool
        list_uint_is_sorted_bool: list(uint)::isSorted() -> bool
        list_double_is_sorted_bool: list(double)::isSorted() -> bool
        list_bool_is_sorted_bool: list(bool)::isSorted() -> bool
        list_duration_is_sorted_bool: list(duration)::isSorted() -> bool
        list_timestamp_is_sorted_bool: list(timestamp)::isSorted() -> bool
        list_string_is_sorted_bool: list(string)::isSorted() -> bool
        list_bytes_is_sorted_bool: list(bytes)::isSorted() -> bool
        list_int_sum_int: list(int)::sum() -> int
        list_uint_sum_uint: list(uint)::sum() -> uint
        list_double_sum_double: list(double)::sum() -> double
        list_duration_sum_duration: list(duration)::sum() -> duration
        list_int_max_int: list(int)::max() -> int
        list_uint_max_uint: list(uint)::max() -> uint
        list_double_max_double: list(double)::max() -> double
        list_bool_max_bool: list(bool)::max() -> bool
        list_duration_max_duration: list(duration)::max() -> duration
        list_timestamp_max_timestamp: list(timestamp)::max() -> timestamp
        list_string_max_string: list(string)::max() -> string
        list_bytes_max_bytes: list(bytes)::max() -> bytes
        list_int_min_int: list(int)::min() -> int
        list_uint_min_uint: list(uint)::min() -> uint
        list_double_min_double: list(double)::min() -> double
        list_bool_min_bool: list(bool)::min() -> bool
        list_duration_min_duration: list(duration)::min() -> duration
        list_timestamp_min_timestamp: list(timestamp)::min() -> timestamp
        list_string_min_string: list(string)::min() -> string
        list_bytes_min_bytes: list(bytes)::min() -> bytes
        list_a_index_of_int: list(A)::indexOf(A) -> int
        list_a_last_index_of_int: list(A)::lastIndexOf(A) -> int
        list_slice: list(A)::slice(int, int) -> list(A)
        list_flatten: list(list(A))::flatten() -> list(A)
        list_flatten_int: list(dyn)::flatten(int) -> list(dyn)
        list_int_sort: list(int)::sort() -> list(int)
        list_uint_sort: list(uint)::sort() -> list(uint)
        list_double_sort: list(double)::sort() -> list(double)
        list_bool_sort: list(bool)::sort() -> list(bool)
        list_duration_sort: list(duration)::sort() -> list(duration)
        list_timestamp_sort: list(timestamp)::sort() -> list(timestamp)
        list_string_sort: list(string)::sort() -> list(string)
        list_bytes_sort: list(bytes)::sort() -> list(bytes)
        list_int_sortByAssociatedKeys: list(A)::@sortByAssociatedKeys(list(int)) -> list(A)
        list_uint_sortByAssociatedKeys: list(A)::@sortByAssociatedKeys(list(uint)) -> list(A)
        list_double_sortByAssociatedKeys: list(A)::@sortByAssociatedKeys(list(double)) -> list(A)
        list_bool_sortByAssociatedKeys: list(A)::@sortByAssociatedKeys(list(bool)) -> list(A)
        list_duration_sortByAssociatedKeys: list(A)::@sortByAssociatedKeys(list(duration)) -> list(A)
        list_timestamp_sortByAssociatedKeys: list(A)::@sortByAssociatedKeys(list(timestamp)) -> list(A)
        list_string_sortByAssociatedKeys: list(A)::@sortByAssociatedKeys(list(string)) -> list(A)
        list_bytes_sortByAssociatedKeys: list(A)::@sortByAssociatedKeys(list(bytes)) -> list(A)
        lists_range: lists.range(int) -> list(int)
        list_reverse: list(A)::reverse() -> list(A)
        list_distinct: list(A)::distinct() -> list(A)
    ",
    implementations: &[
        ("isSorted", is_sorted),
        ("sum", sum),
        ("max", |arguments| extreme("max", arguments, Ordering::Less)),
        ("min", |arguments| extreme("min", arguments, Ordering::Greater)),
        ("indexOf", |arguments| position(arguments, |found| found.first().copied())),
        ("lastIndexOf", |arguments| position(arguments, |found| found.last().copied())),
        ("slice", slice),
        ("flatten", flatten),
        ("sort", |arguments| {
            let items = list(&arguments[0])?.to_vec()?;
            sorted(&items, &items)
        }),
        ("@sortByAssociatedKeys", |arguments| sorted(&list(&arguments[0])?.to_vec()?, &list(&arguments[1])?.to_vec()?)),
        ("lists.range", range),
        ("reverse", |arguments| {
            let mut items = list(&arguments[0])?.to_vec()?;
            items.reverse();
            Ok(Value::list(items))
        }),
        ("distinct", distinct),
    ],
};

fn list<'l, 'v>(value: &'l Value<'v>) -> Result<&'l List<'v>, EvaluationError> {
    match value {
        Value::List(list) => Ok(list),
        _ => Err(EvaluationError::NoSuchOverload),
    }
}

fn is_sorted<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let items = list(&arguments[0])?.to_vec()?;
    for pair in items.windows(2) {
        // What has no order is not out of order.
        if compare(&pair[0], &pair[1]).is_ok_and(Ordering::is_gt) {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

fn sum<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let items = list(&arguments[0])?.to_vec()?;
    let zero = match items.first() {
        None | Some(Value::Int(_)) => Value::Int(0),
        Some(Value::Uint(_)) => Value::Uint(0),
        Some(Value::Double(_)) => Value::Double(0.0),
        Some(Value::Duration(_)) => Value::Duration(0),
        Some(_) => return Err(EvaluationError::NoSuchOverload),
    };
    items.into_iter().try_fold(zero, |sum, item| super::operators::add(&[sum, item]))
}

fn extreme<'v>(name: &str, arguments: &[Value<'v>], replaces: Ordering) -> Evaluated<'v> {
    let mut best: Option<Value<'v>> = None;
    for item in list(&arguments[0])?.iter() {
        let item = item?;
        best = Some(match best {
            Some(best) if !compare(&best, &item).is_ok_and(|order| order == replaces) => best,
            _ => item,
        });
    }
    best.map_or_else(|| fail(format!("{name} called on empty list")), Ok)
}

fn position<'v>(arguments: &[Value<'v>], choose: fn(&[usize]) -> Option<usize>) -> Evaluated<'v> {
    let mut found = Vec::new();
    for (place, item) in list(&arguments[0])?.iter().enumerate() {
        if is_equal(&item?, &arguments[1]) {
            found.push(place);
        }
    }
    let place = choose(&found).and_then(|place| i64::try_from(place).ok());
    Ok(Value::Int(place.unwrap_or(-1)))
}

fn slice<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let items = list(&arguments[0])?.to_vec()?;
    let (Value::Int(begin), Value::Int(end)) = (&arguments[1], &arguments[2]) else {
        return Err(EvaluationError::NoSuchOverload);
    };
    let (Ok(from), Ok(to)) = (usize::try_from(*begin), usize::try_from(*end)) else {
        return fail(format!("cannot slice({begin}, {end}), negative indexes not supported"));
    };
    if from > to {
        return fail(format!("cannot slice({begin}, {end}), start index must be less than or equal to end index"));
    }
    if to > items.len() {
        return fail(format!("cannot slice({begin}, {end}), list is length {}", items.len()));
    }
    Ok(Value::list(items[from..to].to_vec()))
}

fn flatten<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let depth = match arguments.get(1) {
        None => 1,
        Some(Value::Int(depth)) => *depth,
        Some(_) => return Err(EvaluationError::NoSuchOverload),
    };
    if depth < 0 {
        return fail("level must be non-negative");
    }
    let mut flat = Vec::new();
    collect(list(&arguments[0])?, depth, &mut flat)?;
    Ok(Value::list(flat))
}

fn collect<'v>(list: &List<'v>, depth: i64, flat: &mut Vec<Value<'v>>) -> Result<(), EvaluationError> {
    for item in list.iter() {
        match item? {
            Value::List(inner) if depth > 0 => collect(&inner, depth - 1, flat)?,
            other => flat.push(other),
        }
    }
    Ok(())
}

/// Items in the order of their keys; those of equal keys stay as they were.
fn sorted<'v>(items: &[Value<'v>], keys: &[Value<'v>]) -> Evaluated<'v> {
    if items.len() != keys.len() {
        return fail(format!(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {} and {} \
             elements respectively",
            items.len(),
            keys.len()
        ));
    }
    if let Some(first) = keys.first() {
        if compare(first, first).is_err() && !matches!(first, Value::Double(_)) {
            return fail("list elements must be comparable");
        }
        if keys.iter().any(|key| key.type_name() != first.type_name()) {
            return fail("list elements must have the same type");
        }
    }
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|one, other| compare(&keys[*one], &keys[*other]).unwrap_or(Ordering::Equal));
    Ok(Value::list(order.into_iter().map(|place| items[place].clone()).collect()))
}

fn range<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let Value::Int(count) = &arguments[0] else { return Err(EvaluationError::NoSuchOverload) };
    if *count < 0 {
        return fail(format!("lists.range: size must be non-negative, got {count}"));
    }
    if *count > RANGE_MAX {
        return fail(format!("lists.range: size {count} exceeds maximum allowed ({RANGE_MAX})"));
    }
    Ok(Value::list((0..*count).map(Value::Int).collect()))
}

/// The longest range that cel-go makes.
const RANGE_MAX: i64 = 1_000_000;

fn distinct<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let mut kept: Vec<Value<'v>> = Vec::new();
    for item in list(&arguments[0])?.iter() {
        let item = item?;
        if !contains(&kept, &item) {
            kept.push(item);
        }
    }
    Ok(Value::list(kept))
}
