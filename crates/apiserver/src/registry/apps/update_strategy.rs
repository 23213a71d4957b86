//! How the pods of a workload are replaced: which types of strategy its kind knows, and what a rolling update may say.
//!
//! In: a strategy and the table of its kind. Out: errors, in the order of the table. In refusals a strategy is shown as
//! kube-apiserver has it in memory: by Go's names of its fields.

use serde_json::Value;

use crate::registry::validation::field::Field;
use crate::response::status::FieldError;

/// What one kind of workload knows.
pub(super) struct UpdateStrategies {
    pub(super) types: &'static [(&'static str, RollingUpdate)],
    /// What a type that is not among them is refused with.
    pub(super) unknown: Unknown,
    /// The fields of a rolling update, as Go lists them.
    pub(super) shown: [&'static str; 2],
}

/// What `rollingUpdate` may be, given the type.
pub(super) enum RollingUpdate {
    /// Anything: nobody reads it.
    Ignored,
    /// Nothing, with this sentence.
    Forbidden(&'static str),
    /// Nothing, with this sentence and what there is.
    Invalid(&'static str),
    /// What satisfies all of these.
    Checked(&'static [Check]),
}

/// One rule about the numbers of a rolling update.
pub(super) enum Check {
    /// A number or a percentage.
    Amount(&'static str),
    /// No percentage above a hundred.
    AtMostAll(&'static str),
    NotNegative(&'static str),
    /// Not a zero that somebody wrote.
    NotZero(&'static str, &'static str),
    /// The first may not be zero where the second is.
    OneMoves(&'static str, &'static str, Words),
    /// The first may not be set where the second is.
    OnlyOneMoves(&'static str, &'static str, &'static str),
}

/// How a rule is worded.
pub(super) enum Words {
    Invalid(&'static str),
    Required(&'static str),
}

/// How an unknown type is refused.
pub(super) enum Unknown {
    /// With the list of those that are known.
    Listed(&'static [&'static str]),
    Said(&'static str),
}

impl UpdateStrategies {
    /// What is wrong with a strategy.
    pub(super) fn errors(&self, strategy: &Field<'_>) -> Vec<FieldError> {
        let asked = strategy.field("type");
        // An object without a spec: the defaults that it would have are right.
        if asked.value.is_null() {
            return Vec::new();
        }
        match self.types.iter().find(|(name, _)| *name == asked.text()) {
            Some((_, rolling)) => rolling.errors(&strategy.field("rollingUpdate"), self.shown),
            None => vec![self.unknown(strategy)],
        }
    }

    fn unknown(&self, strategy: &Field<'_>) -> FieldError {
        let rolling = in_go(&strategy.field("rollingUpdate"), self.shown);
        let shown = format!("{{\"Type\":{},\"RollingUpdate\":{rolling}}}", strategy.field("type").value);
        match self.unknown {
            Unknown::Listed(known) => FieldError::none_of(&strategy.path, &shown, known),
            Unknown::Said(why) => FieldError::invalid(&strategy.path, &shown, why),
        }
    }
}

impl RollingUpdate {
    fn errors(&self, rolling: &Field<'_>, shown: [&str; 2]) -> Vec<FieldError> {
        match self {
            RollingUpdate::Checked(checks) => checks.iter().filter_map(|check| check.error(rolling)).collect(),
            RollingUpdate::Forbidden(why) if !rolling.value.is_null() => vec![rolling.forbidden(why)],
            RollingUpdate::Invalid(why) if !rolling.value.is_null() => {
                vec![FieldError::invalid(&rolling.path, &in_go(rolling, shown), why)]
            }
            RollingUpdate::Ignored | RollingUpdate::Forbidden(_) | RollingUpdate::Invalid(_) => Vec::new(),
        }
    }
}

impl Check {
    fn error(&self, rolling: &Field<'_>) -> Option<FieldError> {
        let moves = |name: &str| !rolling.field(name).is_zero_or_none();
        match *self {
            Check::Amount(name) => rolling.field(name).count_or_percentage(),
            Check::AtMostAll(name) => rolling.field(name).at_most_all(),
            Check::NotNegative(name) => rolling.field(name).not_negative(),
            Check::NotZero(name, why) => {
                let field = rolling.field(name);
                (!field.value.is_null() && !moves(name)).then(|| field.wrong(why))
            }
            Check::OneMoves(name, other, ref words) => {
                (!moves(name) && !moves(other)).then(|| words.about(&rolling.field(name)))
            }
            Check::OnlyOneMoves(name, other, why) => {
                (moves(name) && moves(other)).then(|| rolling.field(name).wrong(why))
            }
        }
    }
}

impl Words {
    fn about(&self, field: &Field<'_>) -> FieldError {
        match self {
            Words::Invalid(why) => field.wrong(why),
            Words::Required(why) => FieldError::required(&field.path, why),
        }
    }
}

/// A rolling update by Go's names of these fields.
fn in_go(rolling: &Field<'_>, fields: [&str; 2]) -> String {
    if rolling.value.is_null() {
        return Value::Null.to_string();
    }
    let shown = fields.map(|name| {
        let (first, rest) = name.split_at(1);
        let value = match (name, rolling.field(name).value) {
            // A number, not a pointer to one.
            ("partition", Value::Null) => "0".to_owned(),
            (_, value) => value.to_string(),
        };
        format!("\"{}{rest}\":{value}", first.to_uppercase())
    });
    format!("{{{}}}", shown.join(","))
}
