//! Expressions of a type, mostly.
//!
//! In: what `self` is, and what an expression is to be. Out: its text. Each operator and function is written with arguments of
//! the types that it takes, except now and then: what is refused is as telling as what is not.

mod functions;

use super::types::{FIELDS, TEXTS, Type, pick};

/// Writes expressions.
pub(super) struct Writer<'a> {
    random: &'a mut fastrand::Rng,
    /// Names and what they are.
    scope: Vec<(String, Type)>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(random: &'a mut fastrand::Rng, own: &Type) -> Writer<'a> {
        Writer { random, scope: vec![("self".to_owned(), own.clone())] }
    }

    /// The same with the value before.
    pub(super) fn with_old_self(mut self) -> Writer<'a> {
        let own = self.scope[0].1.clone();
        self.scope.push(("oldSelf".to_owned(), own));
        self
    }

    /// An expression of a type.
    pub(super) fn write(&mut self, want: &Type, depth: usize) -> String {
        match self.random.u8(..120) {
            0 => {
                let other = Type::of_schema(self.random, 1);
                return self.leaf(&other);
            }
            1 => {
                return pick(
                    self.random,
                    &["nope", "self.nope", "self[3]", "null", "nope(1)", "self.nope()", "dyn(1)", "b'a'", "2u"],
                )
                .to_owned();
            }
            _ => {}
        }
        if depth == 0 || self.random.u8(..6) == 0 {
            return self.leaf(want);
        }
        if self.random.u8(..16) == 0 {
            let (condition, yes, no) =
                (self.write(&Type::Bool, depth - 1), self.write(want, depth - 1), self.write(want, depth - 1));
            return format!("({condition} ? {yes} : {no})");
        }
        self.composed(want, depth - 1)
    }

    /// A variable, a field, an item or a literal.
    fn leaf(&mut self, want: &Type) -> String {
        let mut known = Vec::new();
        for (name, kind) in &self.scope {
            reachable(name, kind, want, 3, &mut known);
        }
        if !known.is_empty() && self.random.u8(..10) < 7 {
            return known.swap_remove(self.random.usize(..known.len()));
        }
        self.literal(want)
    }

    fn literal(&mut self, want: &Type) -> String {
        let quoted = |text: &str| format!("{text:?}").replace('\'', "\\'");
        match want {
            Type::Bool => self.random.bool().to_string(),
            Type::Int => pick(self.random, &["0", "1", "2", "-1", "10", "0x1F", "9223372036854775807"]).to_owned(),
            Type::Double => pick(self.random, &["0.0", "1.5", "-2.5", "1e3", ".5"]).to_owned(),
            Type::Text => quoted(pick(self.random, TEXTS)),
            Type::Time => "timestamp('2024-02-29T12:00:00Z')".to_owned(),
            Type::Date => "timestamp('2001-01-01T00:00:00Z')".to_owned(),
            Type::Span => pick(self.random, &["duration('1h')", "duration('90m')", "duration('0s')"]).to_owned(),
            Type::Bytes => pick(self.random, &["b'abc'", "b''", "bytes('a')", "base64.decode('YQ==')"]).to_owned(),
            Type::IntOrString => pick(self.random, &["1", "'a'", "dyn('a')"]).to_owned(),
            Type::Unknown => "self".to_owned(),
            Type::Quantity => pick(self.random, &["quantity('1')", "quantity('100Mi')", "quantity('1.5')"]).to_owned(),
            Type::Address => pick(self.random, &["ip('10.0.0.1')", "ip('::1')", "ip('127.0.0.1')"]).to_owned(),
            Type::Network => pick(self.random, &["cidr('10.0.0.0/8')", "cidr('::/0')"]).to_owned(),
            Type::Link => pick(self.random, &["url('https://example.com:80/a?b=c')", "url('/a')"]).to_owned(),
            Type::Version => pick(self.random, &["semver('1.2.3')", "semver('v1.0', true)"]).to_owned(),
            Type::List(item) => {
                let items: Vec<String> = (0..self.random.usize(..3)).map(|_| self.leaf(item)).collect();
                format!("[{}]", items.join(", "))
            }
            Type::Map(value) => {
                let value = self.leaf(value);
                pick(self.random, &[format!("{{'a': {value}}}"), "{}".to_owned()])
            }
            Type::Keyed(_) | Type::Object(_) => "self".to_owned(),
        }
    }

    /// An item of a list, by a macro, within an expression over it.
    fn with_variable(&mut self, name: &str, kind: &Type, write: impl FnOnce(&mut Self) -> String) -> String {
        self.scope.push((name.to_owned(), kind.clone()));
        let written = write(self);
        self.scope.pop();
        written
    }
}

/// The expressions that select something of a type in a value.
fn reachable(path: &str, kind: &Type, want: &Type, depth: usize, known: &mut Vec<String>) {
    if kind == want || (*want == Type::Time && *kind == Type::Date) {
        known.push(path.to_owned());
    }
    if depth == 0 {
        return;
    }
    match kind {
        Type::List(item) => reachable(&format!("{path}[0]"), item, want, depth - 1, known),
        Type::Keyed(fields) => reachable(&format!("{path}[0]"), &Type::Object(fields.clone()), want, depth - 1, known),
        Type::Map(value) => reachable(&format!("{path}['a']"), value, want, depth - 1, known),
        Type::Object(fields) => {
            for (name, field) in fields {
                reachable(&format!("{path}.{}", escaped(name)), field, want, depth - 1, known);
            }
        }
        _ => {}
    }
}

/// What expressions call a field.
fn escaped(name: &str) -> &'static str {
    FIELDS.iter().find(|(field, _)| *field == name).map_or("nope", |(_, escaped)| escaped)
}
