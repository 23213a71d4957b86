//! Operators and functions, by what they result in.

use super::{Writer, escaped};
use crate::cel::types::{Type, pick};

impl Writer<'_> {
    /// Something made of smaller expressions.
    pub(super) fn composed(&mut self, want: &Type, depth: usize) -> String {
        match want {
            Type::Bool => self.condition(depth),
            Type::Int => self.whole_number(depth),
            Type::Double => {
                let form = pick(
                    self.random,
                    &[
                        "({d} + {d})",
                        "({d} * {d})",
                        "({d} / {d})",
                        "double({i})",
                        "double({t})",
                        "[{d}, {d}].max()",
                        "[{d}].sum()",
                        "math.ceil({d})",
                        "math.round({d})",
                        "math.trunc({d})",
                        "math.sqrt({d})",
                        "{Q}.asApproximateFloat()",
                    ],
                );
                self.fill(form, depth)
            }
            Type::Text => self.text(depth),
            Type::Time | Type::Date => {
                let form = pick(self.random, &["({T} + {D})", "({T} - {D})", "timestamp({t})"]);
                self.fill(form, depth)
            }
            Type::Span => {
                let form = pick(self.random, &["({D} + {D})", "({T} - {T})", "duration({t})"]);
                self.fill(form, depth)
            }
            Type::Bytes => {
                let form = pick(self.random, &["bytes({t})", "({B} + {B})", "base64.decode({t})"]);
                self.fill(form, depth)
            }
            Type::Quantity => {
                let form = pick(self.random, &["quantity({t})", "{Q}.add({Q})", "{Q}.sub({Q})", "{Q}.add({i})"]);
                self.fill(form, depth)
            }
            Type::Address => {
                let form = pick(self.random, &["ip({t})", "{N}.ip()"]);
                self.fill(form, depth)
            }
            Type::Network => {
                let form = pick(self.random, &["cidr({t})", "{N}.masked()"]);
                self.fill(form, depth)
            }
            Type::Link => self.fill("url({t})", depth),
            Type::Version => self.fill("semver({t})", depth),
            Type::List(item) => self.list(item, depth),
            _ => self.leaf(want),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        match self.random.u8(..20) {
            0..=3 => {
                let operator = pick(self.random, &["&&", "||"]);
                let (left, right) = (self.write(&Type::Bool, depth), self.write(&Type::Bool, depth));
                format!("({left} {operator} {right})")
            }
            4 => format!("!({})", self.write(&Type::Bool, depth)),
            5..=8 => self.comparison(depth),
            9..=11 => self.over_items(depth),
            12 => self.presence(),
            _ => {
                let form = pick(self.random, CONDITIONS);
                self.fill(form, depth)
            }
        }
    }

    fn comparison(&mut self, depth: usize) -> String {
        let ordered = [Type::Int, Type::Double, Type::Text, Type::Time, Type::Span, Type::Bool, Type::Bytes];
        let kind = if self.random.bool() { pick(self.random, &ordered) } else { Type::of_schema(self.random, 1) };
        let operators: &[&str] =
            if ordered.contains(&kind) { &["==", "!=", "<", "<=", ">", ">="] } else { &["==", "!=", "=="] };
        let operator = pick(self.random, operators);
        let (left, right) = (self.write(&kind, depth), self.write(&kind, depth));
        format!("{left} {operator} {right}")
    }

    fn over_items(&mut self, depth: usize) -> String {
        let item = pick(self.random, &[Type::Int, Type::Text, Type::Double, Type::Bool]);
        let list = self.write(&Type::List(Box::new(item.clone())), depth);
        let name = format!("v{}", self.scope.len());
        if self.random.u8(..4) == 0 {
            let index = format!("k{}", self.scope.len());
            let form = pick(self.random, &["all", "exists", "existsOne"]);
            let body = self.with_variable(&index, &Type::Int, |writer| {
                writer.with_variable(&name, &item, |writer| writer.write(&Type::Bool, depth))
            });
            return format!("{list}.{form}({index}, {name}, {body})");
        }
        let form = pick(self.random, &["all", "exists", "exists_one", "existsOne"]);
        let body = self.with_variable(&name, &item, |writer| writer.write(&Type::Bool, depth));
        format!("{list}.{form}({name}, {body})")
    }

    /// Whether something is there.
    fn presence(&mut self) -> String {
        let (name, kind) = pick(self.random, &self.scope);
        match kind {
            Type::Object(fields) => {
                let (field, _) = pick(self.random, &fields);
                let field = escaped(field);
                let form = pick(self.random, &["has({p}.{f})", "{p}.?{f}.hasValue()", "{p}.?{f} == optional.none()"]);
                form.replace("{p}", &name).replace("{f}", field)
            }
            Type::Map(_) => {
                let form = pick(
                    self.random,
                    &[
                        "'a' in {p}",
                        "has({p}.a)",
                        "{p}.all(k, k != 'b')",
                        "{p}[?'a'].hasValue()",
                        "{p}.exists(k, v, k == 'a')",
                    ],
                );
                form.replace("{p}", &name)
            }
            Type::List(_) | Type::Keyed(_) => {
                let form =
                    pick(self.random, &["{p}.size() > 0", "{p}[?0].hasValue()", "{p} == []", "{p}.all(i, v, i < 9)"]);
                form.replace("{p}", &name)
            }
            _ => {
                let form = pick(
                    self.random,
                    &["type({p}) == string", "type({p}) == int", "{p} == null", "has({p})", "string({p}) != ''"],
                );
                form.replace("{p}", &name)
            }
        }
    }

    fn whole_number(&mut self, depth: usize) -> String {
        if self.random.u8(..5) == 0 {
            let kind = Type::of_schema(self.random, 1);
            let of = self.write(&kind, depth);
            return pick(self.random, &[format!("size({of})"), format!("{of}.size()")]);
        }
        let form = pick(self.random, NUMBERS);
        self.fill(form, depth)
    }

    fn text(&mut self, depth: usize) -> String {
        if self.random.u8(..6) == 0 {
            let kind = Type::of_schema(self.random, 1);
            let of = self.write(&kind, depth);
            let forms = ["string({})", "'%s'.format([{}])", "'%s'.format([[{}]])", "'%s'.format([{'a': {}}])"];
            return pick(self.random, &forms).replace("{}", &of);
        }
        let form = pick(self.random, STRINGS);
        self.fill(form, depth)
    }

    fn list(&mut self, item: &Type, depth: usize) -> String {
        let list = Type::List(Box::new(item.clone()));
        let name = format!("v{}", self.scope.len());
        match self.random.u8(..8) {
            0 => format!("({} + {})", self.write(&list, depth), self.write(&list, depth)),
            1 => {
                let of = self.write(&list, depth);
                let body = self.with_variable(&name, item, |writer| writer.write(&Type::Bool, depth));
                format!("{of}.filter({name}, {body})")
            }
            2 => {
                let from = pick(self.random, &[Type::Int, Type::Text]);
                let of = self.write(&Type::List(Box::new(from.clone())), depth);
                let body = self.with_variable(&name, &from, |writer| writer.write(item, depth));
                format!("{of}.map({name}, {body})")
            }
            3 if *item == Type::Text => {
                let form = pick(
                    self.random,
                    &["{t}.split({t})", "{t}.split('.', 2)", "{t}.findAll('[a-z]+')", "{t}.findAll({t}, 1)"],
                );
                self.fill(form, depth)
            }
            _ => self.leaf(&list),
        }
    }

    /// A form with its holes filled: `i` a whole number, `d` a double, `t` a text, `b` a condition, `T` a time, `D` a
    /// duration, `B` bytes, `Q` a quantity, `A` an address, `N` a network, `U` a URL, `V` a version, `I` and `S` lists of whole
    /// numbers and texts.
    fn fill(&mut self, form: &str, depth: usize) -> String {
        let mut filled = String::new();
        let mut rest = form;
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            let (hole, after) = after.split_once('}').unwrap_or(("", after));
            let kind = match hole {
                "i" => Type::Int,
                "d" => Type::Double,
                "b" => Type::Bool,
                "T" => Type::Time,
                "D" => Type::Span,
                "B" => Type::Bytes,
                "Q" => Type::Quantity,
                "A" => Type::Address,
                "N" => Type::Network,
                "U" => Type::Link,
                "V" => Type::Version,
                "I" => Type::List(Box::new(Type::Int)),
                "S" => Type::List(Box::new(Type::Text)),
                _ => Type::Text,
            };
            filled.push_str(&self.write(&kind, depth));
            rest = after;
        }
        filled + rest
    }
}

const CONDITIONS: &[&str] = &[
    "{t}.contains({t})",
    "{t}.startsWith({t})",
    "{t}.endsWith({t})",
    "{t}.matches('^[a-z]*$')",
    "{t}.matches({t})",
    "{t} in {S}",
    "{i} in {I}",
    "{I}.isSorted()",
    "{S}.isSorted()",
    "isIP({t})",
    "isCIDR({t})",
    "isURL({t})",
    "isQuantity({t})",
    "isSemver({t})",
    "ip.isCanonical({t})",
    "{A}.isLoopback()",
    "{A}.isGlobalUnicast()",
    "{A}.family() == {i}",
    "{N}.containsIP({t})",
    "{N}.containsIP({A})",
    "{N}.containsCIDR({t})",
    "{N}.prefixLength() < {i}",
    "{Q}.isGreaterThan({Q})",
    "{Q}.isLessThan({Q})",
    "{Q}.isInteger()",
    "{Q} == {Q}",
    "{Q} != {Q}",
    "{Q} in [{Q}, {Q}]",
    "dyn({Q}) != dyn({t})",
    "[{Q}] == [{Q}]",
    "{I}.distinct() == {I}",
    "{I}.sort() == {I}.reverse()",
    "{S}.slice(0, 1) == {S}",
    "{S}.sort() == {S}",
    "lists.range({i}).size() < 3",
    "[{I}, {I}].flatten() == {I}",
    "{t}.?x.hasValue()",
    "optional.ofNonZeroValue({t}).hasValue()",
    "optional.of({i}).optMap(o, o + 1).hasValue()",
    "optional.of({t}).optFlatMap(o, optional.none()).hasValue()",
    "math.isNaN({d})",
    "math.isFinite({d})",
    "{S}.transformList(i, v, v.size() > i).size() > 0",
    "{I}.transformMap(i, v, v > 1, v).size() < 2",
    "{U}.getQuery().size() == 0",
    "{U}.getHostname() == {t}",
    "string({N}) == {t}",
    "{A} == {A}",
    "{N} == {N}",
    "{V} == {V}",
    "isSemver({t}, true)",
    "format.named({t}).hasValue()",
    "format.qualifiedName().validate({t}) == optional.none()",
    "{B} in [{B}, b'abc']",
    "{Q}.compareTo({Q}) == {i}",
    "{Q}.sign() > 0",
    "sets.contains({I}, {I})",
    "sets.intersects({S}, {S})",
    "sets.equivalent({I}, {I})",
    "{V}.isLessThan({V})",
    "{V}.major() == {i}",
    "{U}.getHost() == {t}",
    "{U}.getScheme() == {t}",
    "{U}.getPort() == {t}",
    "{U} == {U}",
    "format.dns1123Label().validate({t}).hasValue()",
    "!format.uuid().validate({t}).hasValue()",
    "optional.of({i}).orValue({i}) == {i}",
    "optional.none().hasValue()",
    "{D} < {D}",
    "{T} < {T}",
    "bool({t})",
    "cel.bind(x, {i}, x == x)",
    "{d} == {i}",
    "dyn({d}) == dyn({i})",
];

const NUMBERS: &[&str] = &[
    "({i} + {i})",
    "({i} - {i})",
    "({i} * {i})",
    "({i} / {i})",
    "({i} % {i})",
    "-({i})",
    "int({t})",
    "int({d})",
    "int({T})",
    "{t}.indexOf({t})",
    "{t}.lastIndexOf({t})",
    "{t}.indexOf({t}, {i})",
    "{I}.sum()",
    "{I}.min()",
    "{I}.max()",
    "{I}.indexOf({i})",
    "{S}.lastIndexOf({t})",
    "{I}[{i}]",
    "{T}.getFullYear()",
    "{T}.getMonth()",
    "{T}.getDayOfWeek('-03:00')",
    "{T}.getHours('Australia/Sydney')",
    "{T}.getDate('America/New_York')",
    "{T}.getMinutes({t})",
    "{T}.getDayOfYear('Asia/Kolkata')",
    "math.least([{i}, {i}])",
    "math.sign({i})",
    "math.bitAnd({i}, {i})",
    "math.bitShiftLeft({i}, {i})",
    "{V}.compareTo({V})",
    "{Q}.sub({i}).asInteger()",
    "{I}.first().orValue(3)",
    "{S}.last().orValue('').size()",
    "{N}.prefixLength()",
    "int({D})",
    "int({i} > 1 ? 2u : 3u)",
    "{D}.getHours()",
    "{D}.getMilliseconds()",
    "{Q}.asInteger()",
    "{V}.minor()",
    "int(2u)",
    "optional.of({i}).value()",
    "math.greatest({i}, {i})",
    "math.abs({i})",
    "{t}.size()",
];

const STRINGS: &[&str] = &[
    "({t} + {t})",
    "{t}.lowerAscii()",
    "{t}.upperAscii()",
    "{t}.trim()",
    "{t}.charAt({i})",
    "{t}.substring({i})",
    "{t}.substring({i}, {i})",
    "{t}.replace({t}, {t})",
    "{t}.replace({t}, {t}, {i})",
    "{S}.join()",
    "{S}.join(',')",
    "string({i})",
    "string({d})",
    "string({T})",
    "string({D})",
    "string({b})",
    "string({B})",
    "{t}.find('[a-z]+')",
    "'%d and %s'.format([{i}, {t}])",
    "'%.2f'.format([{d}])",
    "'%x'.format([{i}])",
    "base64.encode({B})",
    "string({A})",
    "{U}.getEscapedPath()",
    "{t}.reverse()",
    "'%e'.format([{d}])",
    "'%b %o %X'.format([{i}, {i}, {t}])",
    "'%s'.format([{Q}])",
    "'%s'.format([[{t}, {t}]])",
    "strings.quote({t})",
    "{S}[{i}]",
    "string({Q})",
    "{t}.split(',')[0]",
];
