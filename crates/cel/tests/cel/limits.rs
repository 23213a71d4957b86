//! What must not happen whatever an expression says: a panic, a full stack, a bill without end.

use pintle_cel::{COST_PER_CALL_MAX, Environment, EvaluationError, Type, Value};
use serde_json::json;

fn environment() -> Environment {
    Environment::new().with("self", Type::Dyn)
}

#[test]
fn the_limit_of_the_cost_ends_everything_at_once() {
    let ten = "[1,2,3,4,5,6,7,8,9,10]";
    let mut expression = "a + b + c + d + e + f > 0".to_owned();
    for variable in ["f", "e", "d", "c", "b", "a"] {
        expression = format!("{ten}.all({variable}, {expression})");
    }
    for expression in [expression.clone(), format!("{expression} || true"), format!("[1].exists(x, {expression})")] {
        let program = environment().compile(&expression).expect("it compiles");
        let evaluation = program.evaluate(&[None], COST_PER_CALL_MAX);
        assert_eq!(evaluation.result.err(), Some(EvaluationError::CostLimitExceeded), "{expression}");
        assert!(evaluation.cost <= COST_PER_CALL_MAX + 100, "{}", evaluation.cost);
    }
}

#[test]
fn deep_expressions_are_refused_before_they_fill_the_stack() {
    let deep = |count: usize| {
        let nested = format!("{}1{}", "(".repeat(count), ")".repeat(count));
        let chained = vec!["1"; count].join(" + ");
        let selected = format!("self{}", ".a".repeat(count));
        let negated = format!("{}true", "!(".repeat(count)) + &")".repeat(count);
        let listed = format!("{}{}", "[".repeat(count), "]".repeat(count));
        [nested, chained, selected, negated, listed]
    };
    // As much as a thread of tokio has.
    let check = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
        for expression in deep(100_000).iter().chain(&deep(2_000)) {
            assert!(environment().compile(expression).is_err());
        }
        for expression in deep(200) {
            if let Ok(program) = environment().compile(&expression) {
                drop(program.evaluate(&[Some(Value::Null)], COST_PER_CALL_MAX));
            }
        }
    });
    check.expect("a thread starts").join().expect("no stack overflows");
}

#[test]
fn no_part_of_an_expression_panics() {
    let object = json!({"a": 1, "b": "x", "l": [1, 2.5, "s"], "m": {"k": "v"}, "n": null, "t": true, "d": 1.5});
    let table = include_str!("dynamic.txt");
    let expressions = table.lines().filter(|line| !line.starts_with(['#', '=', '!', '$', 'E']) && !line.is_empty());
    let environment = environment();
    let mut evaluated = 0;
    for expression in expressions {
        let ends = expression.char_indices().map(|(at, _)| at);
        for at in ends {
            let rest = expression[at..].chars().skip(1).collect::<String>();
            for part in [&expression[..at], &expression[at..], &format!("{}{rest}", &expression[..at])] {
                if let Ok(program) = environment.compile(part) {
                    drop(program.evaluate(&[Some(Value::from(&object))], COST_PER_CALL_MAX));
                    evaluated += 1;
                }
            }
        }
    }
    assert!(evaluated > 1000, "only {evaluated} parts are expressions");
}
