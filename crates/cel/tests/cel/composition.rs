//! Variables that are expressions, and the types of patches.

use pintle_cel::{COST_PER_CALL_MAX, Composed, Composition, Environment, Type, Value};
use serde_json::json;

fn environment() -> Environment {
    Environment::new().with("object", Type::Dyn)
}

#[test]
fn a_variable_is_evaluated_once_and_only_where_it_is_asked_for() {
    let mut composition = Composition::new();
    composition.add(&environment(), "all", "object.items.map(i, i + 1)").unwrap();
    composition.add(&environment(), "sum", "variables.all.sum()").unwrap();
    composition.add(&environment(), "fails", "object.none").unwrap();
    let full = environment().with_composition(&composition);
    let object = json!({"items": [1, 2, 3]});
    let variables = [Some(Value::from(&object))];
    let [twice, once, failing, known] =
        ["variables.sum + variables.sum", "variables.sum", "variables.fails == 1", "has(variables.sum)"]
            .map(|expression| full.compile(expression).unwrap());
    let composed = Composed::new(&composition);
    assert_eq!(twice.evaluate_composed(&variables, &composed, COST_PER_CALL_MAX).result.unwrap().to_string(), "18");
    let first = composed.take_cost();
    assert!(first > 0);
    let again = once.evaluate_composed(&variables, &composed, COST_PER_CALL_MAX).cost;
    assert_eq!((again, composed.take_cost()), (2, 0), "what is known costs its selection alone");
    let error = failing.evaluate_composed(&variables, &composed, COST_PER_CALL_MAX).result.unwrap_err().to_string();
    assert_eq!(error, "composited variable \"fails\" fails to evaluate: no such key: none");
    let found = known.evaluate_composed(&variables, &composed, COST_PER_CALL_MAX).result.unwrap();
    assert!(matches!(found, Value::Bool(true)));
}

#[test]
fn a_variable_knows_those_before_it_and_has_its_type() {
    let mut composition = Composition::new();
    let early = composition.add(&environment(), "early", "variables.late").unwrap_err().to_string();
    assert!(early.contains("undefined field 'late'"), "{early}");
    composition.add(&environment(), "late", "1").unwrap();
    let full = environment().with_composition(&composition);
    let mixed = full.compile("variables.late + 'x'").unwrap_err().to_string();
    assert!(mixed.contains("found no matching overload for '_+_' applied to '(int, string)'"), "{mixed}");
    assert!(environment().compile("variables.late").is_err(), "without a composition there are no variables");
}

#[test]
fn objects_of_patches_become_json_and_are_named_after_their_paths() {
    let types = environment().with_patch_types();
    let object = json!({"name": "a"});
    let json = |expression: &str| {
        let program = types.compile(expression).unwrap();
        let variables = [Some(Value::from(&object))];
        let value = program.evaluate(&variables, COST_PER_CALL_MAX).result.unwrap();
        value.check_object_names().and_then(|()| value.to_json())
    };
    let applied =
        "Object{spec: Object.spec{items: [Object.spec.items{name: object.name, ?none: optional.none()}], n: 1.5}}";
    assert_eq!(json(applied), Ok(json!({"spec": {"items": [{"name": "a"}], "n": 1.5}})));
    let why = "unexpected type name \"Object.sepc\", expected \"Object.spec\", which matches field name path from root Object type";
    assert_eq!(json("Object{spec: Object.sepc{}}"), Err(why.to_owned()));
    let patch =
        types.compile("[JSONPatch{op: 'add', path: '/a/' + jsonpatch.escapeKey('b/c~d'), value: [1]}]").unwrap();
    let operations = patch.evaluate(&[None], COST_PER_CALL_MAX).result.unwrap().to_json_patch();
    assert_eq!(operations, Ok(vec![json!({"op": "add", "path": "/a/b~1c~0d", "value": [1]})]));
    assert!(environment().compile("Object{}").is_err() && environment().compile("jsonpatch.escapeKey('a')").is_err());
}
