//! Tables of expressions with their values, errors and costs. What is expected was asked of cel-go 0.29 with the libraries
//! of kube-apiserver 1.37.
//!
//! ```text
//! # variable self, as JSON           then blocks of
//! expression
//! = value                            or  ! error of evaluation   or  E issue, line by line
//! $ cost, least estimate, most estimate   where it was asked for
//! ```

use pintle_cel::{COST_PER_CALL_MAX, CompileError, Environment, Root, Schema, Type, Value};
use serde_json::Value as Json;

/// One expression and what is expected of it.
#[derive(Debug, Default, Clone)]
struct Case {
    expression: String,
    outcome: String,
    cost: Option<String>,
}

fn cases(table: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (mark, rest) = line.split_at_checked(2).unwrap_or((line, ""));
        match (mark, cases.last_mut()) {
            ("= " | "! ", Some(case)) => case.outcome = line.to_owned(),
            ("E ", Some(case)) => {
                case.outcome.push_str(if case.outcome.is_empty() { "E " } else { "\n" });
                case.outcome.push_str(rest);
            }
            ("$ ", Some(case)) => case.cost = Some(rest.to_owned()),
            _ => cases.push(Case { expression: line.replace("\\N", "\n"), ..Case::default() }),
        }
    }
    cases
}

/// Compares everything in a table, and shows all that differs.
fn check(table: &str, schema: Option<Root>) {
    let header = |prefix: &str| {
        let text = table.lines().find_map(|line| line.strip_prefix(prefix)).unwrap_or("null");
        serde_json::from_str::<Json>(text).expect("the head of a table is JSON")
    };
    let own = header("# self ");
    let schema = schema.map(|root| Schema::read(&header("# schema "), root));
    let environment = match &schema {
        Some(schema) => Environment::new().with_schema("self", schema).expect("it declares a type"),
        None => Environment::new().with("self", Type::Dyn),
    };
    let mut differences = Vec::new();
    let cases = cases(table);
    for case in &cases {
        let value = match &schema {
            Some(schema) => Value::of(&own, schema).ok(),
            None => Some(Value::from(&own)),
        };
        let (outcome, cost) = outcome(&environment, case, value);
        if outcome != case.outcome || (cost != case.cost && cost.is_some() && case.cost.is_some()) {
            let expected = format!("{}\n$ {}", case.outcome, case.cost.clone().unwrap_or_default());
            let found = format!("{outcome}\n$ {}", cost.unwrap_or_default());
            differences.push(format!("{}\n--- expected\n{expected}\n--- found\n{found}\n", case.expression));
        }
    }
    assert!(!cases.is_empty(), "the table is empty");
    let count = differences.len();
    assert!(differences.is_empty(), "{count} of {} differ\n{}", cases.len(), differences.join("\n"));
}

#[test]
fn expressions_on_an_object_without_schema() {
    check(include_str!("dynamic.txt"), None);
}

#[test]
fn expressions_on_an_object_with_a_schema() {
    check(include_str!("schema.txt"), Some(Root::Resource));
}

/// What came of an expression, as the tables write it.
fn outcome(environment: &Environment, case: &Case, own: Option<Value<'_>>) -> (String, Option<String>) {
    let program = match environment.compile(&case.expression) {
        Ok(program) => program,
        Err(CompileError::Invalid(issues)) => return (format!("E {issues}"), None),
        Err(CompileError::Instantiation(why)) => return (format!("E PROGRAM {why}"), None),
        Err(other) => return (format!("E {other}"), None),
    };
    let evaluation = program.evaluate(&[own], COST_PER_CALL_MAX);
    let outcome = match &evaluation.result {
        Ok(value) => format!("= {} {value}", program.kind().full_name()),
        Err(error) => format!("! {error}"),
    };
    let (least, most) = (program.cost().min, program.cost().max);
    (outcome, Some(format!("{} {least} {most}", evaluation.cost)))
}
