//! Calls: what they cost for operands of a size, and how large what they return is.

use super::super::{AUTHORIZATION, PER_CHARACTER, PER_PATTERN_CHARACTER};
use super::{CALL, CallEstimate, CostEstimate, Entries, Estimator, LIST, Operand, STRUCT, Size};
use crate::ast::{Call, Expr, Kind, Literal, operators};
use crate::types::{self, Type};

impl Estimator<'_> {
    pub(super) fn plain_call(&mut self, expr: &Expr, call: &Call) -> CostEstimate {
        let costs: Vec<CostEstimate> = call.arguments.iter().map(|argument| self.cost(argument)).collect();
        let is_member = call.target.is_some() && !self.checked.namespaced.contains_key(&expr.id);
        let target_cost = match call.target.as_ref().filter(|_| is_member) {
            Some(target) => self.cost(target),
            None => CostEstimate::default(),
        };
        let name = self.checked.namespaced.get(&expr.id).map_or(&*call.function, |function| function.name);
        let overloads: Vec<&'static str> = match self.checked.overloads.get(&expr.id) {
            Some(overloads) => overloads.iter().map(|overload| overload.id).collect(),
            None if name == operators::OPTIONAL_SELECT => vec!["select_optional_field"],
            None => return CostEstimate::default(),
        };
        let mut whole = CostEstimate { min: u64::MAX, max: 0 };
        let mut result: Option<Size> = None;
        for overload in overloads {
            let target = call.target.as_ref().filter(|_| is_member).map(|target| self.operand(target));
            let arguments: Vec<Operand<'_>> = call.arguments.iter().map(|argument| self.operand(argument)).collect();
            let found = self.overload(expr, name, overload, target.as_ref(), &arguments, &costs);
            whole = whole.union(found.cost);
            result = match (result, found.result) {
                (Some(one), Some(other)) => Some(one.union(other)),
                (one, other) => one.or(other),
            };
            let part = match overload {
                "index_list" => Some("@items"),
                "index_map" => Some("@values"),
                _ => None,
            };
            if let (Some(part), Some(container)) = (part, call.arguments.first()) {
                result = self.entries_of(container).map(|entries| entries.value);
                let mut path = self.path(container);
                path.push(part.to_owned());
                self.paths.insert(expr.id, path);
            }
            result = result.or_else(|| self.size(expr));
        }
        if let Some(result) = result {
            self.sizes.insert(expr.id, result);
        }
        target_cost.plus(whole)
    }

    fn overload(
        &mut self,
        expr: &Expr,
        function: &str,
        overload: &str,
        target: Option<&Operand<'_>>,
        arguments: &[Operand<'_>],
        costs: &[CostEstimate],
    ) -> CallEstimate {
        let sum = costs.iter().fold(CostEstimate::default(), |sum, cost| sum.plus(*cost));
        let known = self
            .of_lists(overload, target, arguments)
            .or_else(|| self.of_kubernetes(function, overload, target, arguments));
        if let Some(found) = known {
            return CallEstimate { cost: found.cost.plus(sum), ..found };
        }
        self.of_language(expr, overload, target, arguments, costs, sum)
    }

    /// The extensions for lists and sets.
    fn of_lists(
        &mut self,
        overload: &str,
        target: Option<&Operand<'_>>,
        arguments: &[Operand<'_>],
    ) -> Option<CallEstimate> {
        let made = |factor: f64, size: Size| {
            let cost = size.by(factor).plus(CostEstimate::fixed(CALL + LIST));
            Some(CallEstimate { cost, result: Some(size) })
        };
        let whole = |operand: Option<&Operand<'_>>| operand.map(Operand::size_or_unknown);
        let compared = |operand: Option<&Operand<'_>>, is_text: bool| {
            let size = whole(operand)?;
            made(if is_text { 2.0 + PER_CHARACTER } else { 2.0 }, size.times(size))
        };
        match overload {
            "list_slice" => {
                let size = whole(target)?;
                let begin = arguments.first().map_or(0, |argument| argument.uint(0));
                let end = arguments.get(1).map_or(size.max, |argument| argument.uint(size.max));
                made(1.0, Size::fixed(end.wrapping_sub(begin)))
            }
            "lists_range" => made(1.0, Size::fixed(arguments.first()?.uint(u64::MAX))),
            "list_reverse" => made(1.0, whole(target)?),
            "list_flatten" => made(1.0, whole(target)?),
            "list_flatten_int" => made(arguments.first()?.uint(u64::MAX) as f64, whole(target)?),
            "list_distinct" => compared(target, false),
            "list_sets_contains_list" | "list_sets_intersects_list" | "list_sets_equivalent_list" => {
                let pairs = whole(arguments.first())?.times(whole(arguments.get(1))?);
                let factor = if overload == "list_sets_equivalent_list" { 2.0 } else { 1.0 };
                Some(CallEstimate { cost: pairs.by(factor).plus(CostEstimate::fixed(CALL)), result: None })
            }
            sort if sort.ends_with("_sort") => compared(target, is_of_text(sort)),
            sort if sort.ends_with("_sortByAssociatedKeys") => compared(arguments.first(), is_of_text(sort)),
            _ => None,
        }
    }

    /// The functions that Kubernetes adds, and those of text, of which it knows the cost.
    fn of_kubernetes(
        &mut self,
        function: &str,
        overload: &str,
        target: Option<&Operand<'_>>,
        arguments: &[Operand<'_>],
    ) -> Option<CallEstimate> {
        let plain = |cost: CostEstimate| Some(CallEstimate { cost, result: None });
        let first = || arguments.first().map(Operand::size_or_unknown);
        match function {
            "check" => plain(CostEstimate::fixed(AUTHORIZATION)),
            "serviceAccount" | "path" | "group" | "resource" | "subresource" | "namespace" | "name" | "allowed"
            | "reason" | "error" | "errored" => plain(CostEstimate::fixed(CALL)),
            "fieldSelector" | "labelSelector" => {
                let length = first()?;
                let requirements = length.by(0.5).by((LIST + STRUCT) as f64);
                plain(CostEstimate::fixed(LIST).plus(length.by(PER_CHARACTER)).plus(requirements))
            }
            "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => {
                let target = target?;
                let size = target.size_or_unknown();
                match target.kind {
                    Type::List(item) => {
                        let text = matches!(**item, Type::String | Type::Bytes);
                        let more =
                            if text { self.item_size(target).by(PER_CHARACTER) } else { CostEstimate::default() };
                        plain(size.times_cost(CostEstimate::fixed(1).plus(more)))
                    }
                    _ => plain(size.by(PER_CHARACTER)),
                }
            }
            "url" => first().map(|size| CallEstimate { cost: size.by(PER_CHARACTER), result: Some(size) }),
            "lowerAscii" | "upperAscii" | "substring" | "trim" => {
                let size = target?.size_or_unknown();
                Some(CallEstimate { cost: size.by(PER_CHARACTER), result: Some(size) })
            }
            "replace" => {
                let size = target?.size_or_unknown();
                let result = replaced(size, first()?, arguments.get(1)?.size_or_unknown());
                Some(CallEstimate { cost: size.by(2.0 * PER_CHARACTER), result: Some(result) })
            }
            "split" => {
                let size = target?.size_or_unknown();
                let most = match arguments.get(1).map(|limit| &limit.expr.kind) {
                    Some(Kind::Literal(Literal::Int(limit))) => *limit as u64,
                    _ => size.max,
                };
                Some(CallEstimate { cost: size.by(2.0 * PER_CHARACTER), result: Some(Size { min: 0, max: most }) })
            }
            "join" => Some(self.joined(target?, arguments)),
            "find" | "findAll" => {
                let size = target?.size_or_unknown();
                let result = Some(Size { min: 0, max: size.max });
                Some(CallEstimate { cost: pattern(size, first()?), result })
            }
            "ip" if overload == "cidr_ip" => plain(CostEstimate::fixed(CALL)),
            "cidr" | "isIP" | "isCIDR" | "ip" | "quantity" | "isQuantity" | "semver" | "isSemver" => {
                plain(first()?.by(PER_CHARACTER))
            }
            "ip.isCanonical" => plain(first()?.by(2.0 * PER_CHARACTER)),
            "containsIP" | "containsCIDR" => plain(contains(function, overload, first()?)),
            "validate" => plain(first()?.by(PER_CHARACTER).by(FORMAT_PATTERN * PER_PATTERN_CHARACTER)),
            name if crate::cost::is_one_call(name) => plain(CostEstimate::fixed(CALL)),
            operators::EQUALS => equality(arguments).and_then(plain),
            _ => None,
        }
    }

    /// How large an item of a list can be.
    fn item_size(&self, list: &Operand<'_>) -> Size {
        if list.path.is_empty() {
            return Size::UNKNOWN;
        }
        let path: Vec<String> = list.path.iter().cloned().chain(["@items".to_owned()]).collect();
        self.schema_size(&path).unwrap_or(Size::UNKNOWN)
    }

    fn joined(&mut self, list: &Operand<'_>, arguments: &[Operand<'_>]) -> CallEstimate {
        let count = list.size_or_unknown();
        let mut size = count.times(self.item_size(list));
        if let Some(separator) = arguments.first() {
            let between = Size { min: count.min.saturating_sub(1), max: count.max.saturating_sub(1) };
            size = size.plus(separator.size_or_unknown().times(between));
        }
        CallEstimate { cost: size.by(PER_CHARACTER), result: Some(size) }
    }

    /// Operators and the functions of the language.
    fn of_language(
        &mut self,
        expr: &Expr,
        overload: &str,
        target: Option<&Operand<'_>>,
        arguments: &[Operand<'_>],
        costs: &[CostEstimate],
        sum: CostEstimate,
    ) -> CallEstimate {
        let plain = |cost: CostEstimate| CallEstimate { cost: cost.plus(sum), result: None };
        let size = |place: usize| arguments.get(place).map_or(Size::UNKNOWN, Operand::size_or_unknown);
        let whole = target.map_or(Size::UNKNOWN, Operand::size_or_unknown);
        match overload {
            "string_format" => plain(whole.by(PER_CHARACTER)),
            "string_to_bytes" => {
                let result = Size { min: size(0).min, max: size(0).max.wrapping_mul(4) };
                CallEstimate { cost: size(0).by(PER_CHARACTER).plus(sum), result: Some(result) }
            }
            "bytes_to_string" => {
                let result = Size { min: size(0).min / 4, max: size(0).max };
                CallEstimate { cost: size(0).by(PER_CHARACTER).plus(sum), result: Some(result) }
            }
            "strings_quote" => {
                let max = size(0).max.wrapping_mul(2).wrapping_add(2);
                let result = Size { min: size(0).min + 2, max };
                CallEstimate { cost: size(0).by(PER_CHARACTER).plus(sum), result: Some(result) }
            }
            "starts_with_string" | "ends_with_string" => plain(size(0).by(PER_CHARACTER)),
            "in_list" => plain(size(1).by(1.0)),
            "matches_string" => plain(pattern(whole, size(0))),
            "matches" => plain(pattern(size(0), size(1))),
            "contains_string" => plain(whole.by(PER_CHARACTER).times(size(0).by(PER_CHARACTER))),
            "logical_or" | "logical_and" => {
                let cost = CostEstimate { min: costs[0].min, max: costs[0].plus(costs[1]).max };
                CallEstimate { cost, result: None }
            }
            "conditional" => {
                let entries = self.union_entries(arguments[1].expr, arguments[2].expr);
                if let Some(entries) = entries {
                    self.entries.insert(expr.id, entries);
                }
                let cost = costs[0].plus(costs[1].union(costs[2]));
                CallEstimate { cost, result: Some(size(1).union(size(2))) }
            }
            "add_string" | "add_bytes" | "add_list" => {
                let result = size(0).plus(size(1));
                if let Some(entries) = self.union_entries(arguments[0].expr, arguments[1].expr) {
                    self.entries.insert(expr.id, entries);
                }
                let cost = if overload == "add_list" { CostEstimate::fixed(CALL) } else { result.by(PER_CHARACTER) };
                CallEstimate { cost: cost.plus(sum), result: Some(result) }
            }
            "equals"
            | "not_equals"
            | "less_string"
            | "greater_string"
            | "less_equals_string"
            | "greater_equals_string"
            | "less_bytes"
            | "greater_bytes"
            | "less_equals_bytes"
            | "greater_equals_bytes" => {
                let max = size(0).max.min(size(1).max);
                plain(Size { min: u64::from(max > 0), max }.by(PER_CHARACTER))
            }
            _ => plain(CostEstimate::fixed(CALL)),
        }
    }

    fn union_entries(&self, one: &Expr, other: &Expr) -> Option<Entries> {
        let (one, other) = (self.entries_of(one)?, self.entries_of(other)?);
        Some(Entries { is_list: one.is_list, key: one.key.union(other.key), value: one.value.union(other.value) })
    }
}

impl Operand<'_> {
    fn size_or_unknown(&self) -> Size {
        self.size.unwrap_or(Size::UNKNOWN)
    }

    /// The number, if it is a literal; a negative one counts as none.
    fn uint(&self, otherwise: u64) -> u64 {
        match &self.expr.kind {
            Kind::Literal(Literal::Int(number)) => u64::try_from(*number).unwrap_or_default(),
            Kind::Literal(Literal::Uint(number)) => *number,
            _ => otherwise,
        }
    }
}

/// The length of the longest pattern that a named format can be.
const FORMAT_PATTERN: f64 = 128.0;

fn is_of_text(overload: &str) -> bool {
    overload.starts_with("list_string_") || overload.starts_with("list_bytes_")
}

fn pattern(text: Size, pattern: Size) -> CostEstimate {
    text.plus(Size::fixed(1)).by(PER_CHARACTER).times(pattern.by(PER_PATTERN_CHARACTER))
}

fn contains(function: &str, overload: &str, other: Size) -> CostEstimate {
    // Addresses have 4 or 16 bytes.
    let address = Size { min: 4, max: 16 };
    let mut cost = address.plus(address).by(PER_CHARACTER);
    if function == "containsCIDR" {
        cost = cost.plus(address.by(PER_CHARACTER)).plus(CostEstimate::fixed(1));
    }
    match overload {
        "cidr_contains_ip_string" | "cidr_contains_cidr_string" => cost.plus(other.by(PER_CHARACTER)),
        _ => cost,
    }
}

/// Equality of the types that Kubernetes adds.
fn equality(arguments: &[Operand<'_>]) -> Option<CostEstimate> {
    let [one, other] = arguments else { return None };
    if !one.kind.is_same(other.kind) {
        return None;
    }
    match one.kind {
        Type::Opaque(_) => Some(CostEstimate::fixed(CALL)),
        Type::Object(object) => match object.name.as_str() {
            types::FORMAT => Some(CostEstimate { min: 1, max: 64 }.by(PER_CHARACTER)),
            types::URL => {
                let max = other.size.map_or(1, |size| size.max);
                Some(CostEstimate { min: 1, max }.by(PER_CHARACTER))
            }
            name if types::KUBERNETES.contains_key(name) => Some(CostEstimate::fixed(CALL)),
            _ => None,
        },
        _ => None,
    }
}

/// How long a text can be of which parts were replaced.
fn replaced(text: Size, old: Size, new: Size) -> Size {
    let ceil = |all: u64, part: u64| (all as f64 / part as f64).ceil() as u64;
    let (count_max, kept_max) = match old.min {
        0 => (text.max.saturating_add(1), text.max),
        _ if new.max <= old.min => (0, text.max),
        least => (ceil(text.max, least), 0),
    };
    let (count_min, kept_min) = match old.max {
        0 => (text.min.saturating_add(1), text.min),
        _ if old.max <= new.min => (0, text.min),
        most => (ceil(text.min, most), 0),
    };
    let count = Size { min: count_min, max: count_max };
    count.times(new).plus(Size { min: kept_min, max: kept_max })
}
