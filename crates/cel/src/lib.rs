//! The Common Expression Language as Kubernetes speaks it.
//!
//! ```text
//!   text ─ parser ─► Expr ─ checker ─► types, overloads ─ plan ─► Program ─ evaluate(variables) ─► Value, cost
//!                                           │                        ▲
//!                                           └── cost::estimate       └── library: what functions do
//!
//!   Schema ─► declared types of variables, JSON as values          rules: x-kubernetes-validations of a schema
//! ```
//! Read [`Environment`] first, then [`Program`] and [`Value`]; behind them `parser`, `checker`, `plan`, `evaluate`,
//! `library`, `cost`. Messages, limits and costs are those of Kubernetes 1.37 with cel-go 0.29. Nothing here does I/O.
//!
//! ```
//! use pintle_cel::{Environment, Type, Value};
//!
//! let environment = Environment::new().with("self", Type::Dyn);
//! let program = environment.compile("self.replicas <= 3")?;
//! let object = serde_json::json!({"replicas": 2});
//! let evaluation = program.evaluate(&[Some(Value::from(&object))], pintle_cel::COST_PER_CALL_MAX);
//! assert!(matches!(evaluation.result, Ok(Value::Bool(true))));
//! # Ok::<(), pintle_cel::CompileError>(())
//! ```

mod ast;
mod checker;
mod composition;
mod cost;
mod environment;
mod evaluate;
mod functions;
pub mod go_regexp;
mod library;
mod parser;
mod patch_types;
mod plan;
pub mod quantity;
mod rules;
mod schema;
mod source;
mod types;
mod value;

pub use composition::{Composed, Composition};
pub use cost::CostEstimate;
pub use environment::{CompileError, Environment};
pub use evaluate::{Evaluation, Program};
pub use library::authorizer::{AccessCheck, Authorize, Authorizer, Decision, ResourceAttributes, Subject};
pub use library::time::Moment;
pub use library::time_zones::is_time_zone;
pub use rules::{RuleIssue, RuleIssueKind, Rules, Validation, Violation, ViolationCause, ViolationReason, rule_issues};
pub use schema::{Root, Schema, escape};
pub use source::Issues;
pub use types::{ObjectType, Type};
pub use value::{Evaluated, EvaluationError, Kubernetes, List, Map, Text, Value};

/// What one evaluation may cost: roughly a tenth of a second.
pub const COST_PER_CALL_MAX: u64 = 1_000_000;

/// What all rules of an object, or all expressions of a policy, may cost together: roughly a second.
pub const COST_BUDGET: u64 = 10_000_000;

/// What the match conditions of a webhook may cost together: roughly a quarter of a second.
pub const MATCH_CONDITIONS_COST_BUDGET: u64 = 2_500_000;
