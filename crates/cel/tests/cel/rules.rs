//! The rules of schemas: what they say about objects, and which may be installed.

use pintle_cel::{Root, RuleIssueKind, Rules, Violation, rule_issues};
use serde_json::{Value as Json, json};

fn shown(violation: &Violation) -> String {
    let Violation { path, reason, value, detail, .. } = violation;
    format!("{path}: {reason:?} {}: {detail}", value.as_deref().unwrap_or("-"))
}

/// What the rules of a schema say about an object, and what they only warn of.
fn check(schema: &Json, object: &Json, old: Option<&Json>) -> (Vec<String>, Vec<String>) {
    let found = Rules::read(schema, Root::Resource).expect("it has rules").validate(object, old);
    (found.violations.iter().map(shown).collect(), found.warnings.iter().map(shown).collect())
}

/// A schema of which one property, `v`, is this.
fn of(property: &Json) -> Json {
    json!({"type": "object", "properties": {"v": property}})
}

#[test]
fn rules_hold_or_say_why_not() {
    let table = [
        (json!({"type": "integer", "x-kubernetes-validations": [{"rule": "self > 1"}]}), json!(2), ""),
        (
            json!({"type": "integer", "x-kubernetes-validations": [{"rule": "self > 1"}]}),
            json!(1),
            "v: Invalid 1: failed rule: self > 1",
        ),
        (
            json!({"type": "string", "x-kubernetes-validations": [{"rule": "self != 'x'", "message": " no x "}]}),
            json!("x"),
            "v: Invalid \"x\": no x",
        ),
        (
            json!({"type": "string", "maxLength": 9, "x-kubernetes-validations":
                [{"rule": "self != 'x'", "messageExpression": "'no ' + self", "reason": "FieldValueForbidden"}]}),
            json!("x"),
            "v: Forbidden \"x\": no x",
        ),
        (
            json!({"type": "array", "items": {"type": "integer"}, "x-kubernetes-validations": [{"rule": "self[3] == 1"}]}),
            json!([1]),
            "v: Invalid \"array\": index out of bounds: 3 evaluating rule: self[3] == 1",
        ),
        (
            json!({"x-kubernetes-int-or-string": true, "x-kubernetes-validations": [{"rule": "self > 1"}]}),
            json!("x"),
            "v: Invalid \"\": 'no such overload': call arguments did not match a supported operator, function or macro \
             signature for rule: self > 1",
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "integer",
                "x-kubernetes-validations": [{"rule": "self == 1"}]}}),
            json!({"a": 1, "b": 2}),
            "v[b]: Invalid 2: failed rule: self == 1",
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "integer"}}, "x-kubernetes-validations":
                [{"rule": "has(self.a)", "fieldPath": ".a", "reason": "FieldValueRequired", "message": "a is wanted"}]}),
            json!({}),
            "v.a: Required -: a is wanted",
        ),
        (
            json!({"type": "integer", "allOf": [{"x-kubernetes-validations": [{"rule": "self < 5"}]}]}),
            json!(7),
            "v: Invalid 7: failed rule: self < 5",
        ),
        (
            json!({"type": "string", "nullable": true, "x-kubernetes-validations": [{"rule": "self == 'x'"}]}),
            json!(null),
            "",
        ),
    ];
    for (property, value, expected) in table {
        let (violations, _) = check(&of(&property), &json!({"v": value}), None);
        assert_eq!(violations.join("; "), expected, "{property}");
    }
}

#[test]
fn transitions_are_asked_about_only_where_there_was_something() {
    let grows = of(&json!({"type": "integer", "x-kubernetes-validations": [{"rule": "self >= oldSelf"}]}));
    let rule = "!oldSelf.hasValue() || oldSelf.value() == self";
    let kept = of(&json!({"type": "integer", "x-kubernetes-validations": [{"rule": rule, "optionalOldSelf": true}]}));
    let item = json!({"type": "object", "required": ["k"], "properties": {"k": {"type": "string"},
        "n": {"type": "integer", "x-kubernetes-validations": [{"rule": "self >= oldSelf"}]}}});
    let keyed = of(&json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
        "items": item}));
    let table = [
        (&grows, json!({"v": 1}), None, 0),
        (&grows, json!({"v": 1}), Some(json!({})), 0),
        (&grows, json!({"v": 1}), Some(json!({"v": 2})), 1),
        (&grows, json!({"v": 2}), Some(json!({"v": 2})), 0),
        (&kept, json!({"v": 1}), None, 0),
        (&kept, json!({"v": 1}), Some(json!({"v": 2})), 1),
        (&keyed, json!({"v": [{"k": "b", "n": 1}, {"k": "a", "n": 0}]}), Some(json!({"v": [{"k": "a", "n": 1}]})), 1),
        (&keyed, json!({"v": [{"k": "b", "n": 0}, {"k": "a", "n": 1}]}), Some(json!({"v": [{"k": "a", "n": 1}]})), 0),
    ];
    for (schema, object, old, count) in table {
        assert_eq!(check(schema, &object, old.as_ref()).0.len(), count, "{object} after {old:?}");
    }
}

#[test]
fn what_did_not_change_is_only_warned_of() {
    let items = json!({"type": "integer", "x-kubernetes-validations": [{"rule": "self > 1"}]});
    let schema = json!({"type": "object", "properties": {"v": {"type": "integer",
        "x-kubernetes-validations": [{"rule": "self > 1"}]}, "l": {"type": "array", "items": items}}});
    let old = json!({"v": 1, "l": [1]});
    let (violations, warnings) = check(&schema, &json!({"v": 1, "l": [1]}), Some(&old));
    assert_eq!((violations.len(), warnings.len()), (0, 2));
    let (violations, warnings) = check(&schema, &json!({"v": 0, "l": [1, 1]}), Some(&old));
    // Items without keys have no counterpart: one that is new makes all of them new.
    assert_eq!((violations.len(), warnings.len()), (3, 0));
}

#[test]
fn rules_together_have_a_budget() {
    let ten = "[1,2,3,4,5,6,7,8,9,10]";
    let rule = format!("{ten}.all(a, {ten}.all(b, {ten}.all(c, {ten}.all(d, a + b + c + d > 0))))");
    let rules: Vec<Json> = (0..200).map(|_| json!({"rule": rule})).collect();
    let schema = of(&json!({"type": "integer", "x-kubernetes-validations": rules}));
    let (violations, _) = check(&schema, &json!({"v": 1}), None);
    let why = "v: Invalid \"integer\": validation failed due to running out of cost budget, no further validation rules \
               will be run";
    assert_eq!(violations, [why]);
}

#[test]
fn a_text_that_is_no_base64_fails_only_the_rules_that_need_it() {
    let property =
        |rule: &str| json!({"type": "string", "format": "byte", "x-kubernetes-validations": [{"rule": rule}]});
    let of = |rule: &str| check(&of(&property(rule)), &json!({"v": "/w=="}), None).0;
    // The format allows the other alphabet; Kubernetes' CEL does not.
    assert_eq!(of("size(self) > 100 || true"), [""; 0]);
    assert_eq!(of("!(self == b'' && false)"), [""; 0]);
    assert!(of("size(self) > 100")[0].contains("illegal base64 data at input byte 0 evaluating rule"));
    assert!(of("[self].exists(x, x == b'a' || true)")[0].contains("illegal base64 data"));
    let nested = json!({"type": "array", "items": {"type": "object", "additionalProperties": property("true")},
        "x-kubernetes-validations": [{"rule": "self == self"}]});
    let schema = json!({"type": "object", "properties": {"v": nested}});
    assert!(check(&schema, &json!({"v": [{"a": "/w=="}]}), None).0[0].contains("illegal base64 data"));
}

#[test]
fn an_optional_has_a_value_that_cannot_be_read_until_it_is_taken_out() {
    let list = |rule: &str| json!({"type": "array", "items": {"type": "string", "format": "byte"}, "x-kubernetes-validations": [{"rule": rule}]});
    let of = |rule: &str| check(&of(&list(rule)), &json!({"v": ["/w=="]}), None).0;
    assert_eq!(of("self[?0].hasValue() && !self[?1].hasValue()"), [""; 0]);
    for taken_out in ["self[?0].value() == b''", "self[?0].orValue(b'') == b''", "[?self[?0]] == [b'']"] {
        assert!(of(taken_out)[0].contains("illegal base64 data"), "{taken_out}");
    }
}

#[test]
fn rules_need_a_schema_that_says_what_they_are_about() {
    let rules = json!([{"rule": "true"}]);
    let unknown = json!({"x-kubernetes-preserve-unknown-fields": true});
    let stated = |mut schema: Json| {
        schema["x-kubernetes-validations"] = rules.clone();
        rule_issues("s", &of(&schema))
    };
    for schema in [unknown.clone(), json!({"type": "array", "items": unknown})] {
        let issues = stated(schema);
        assert!(matches!(issues[0].kind, RuleIssueKind::Internal), "{issues:?}");
        assert_eq!(issues[0].path, "s.properties[v].x-kubernetes-validations");
    }
    assert!(stated(json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})).is_empty());
}

#[test]
fn rules_are_refused_where_they_cannot_be() {
    let table = [
        (json!({"rule": " "}), "rule", "rule is not specified"),
        (json!({"rule": "true", "message": "a\nb"}), "message", "must not contain line breaks"),
        (json!({"rule": "true", "fieldPath": ".zz"}), "fieldPath", "must be a valid path"),
        (json!({"rule": "self.a"}), "rule", "cel expression must evaluate to a bool"),
        (json!({"rule": "true", "messageExpression": "1"}), "messageExpression", "must evaluate to a string"),
        (json!({"rule": "self.zz"}), "rule", "undefined field 'zz'"),
        (json!({"rule": "true", "optionalOldSelf": true}), "optionalOldSelf", "if oldSelf is not used in rule"),
        (json!({"rule": "self.l.all(x, self.l.all(y, x != y))"}), "rule", "exceeds budget by factor of more than 100x"),
    ];
    for (rule, field, why) in table {
        let properties = json!({"a": {"type": "integer"}, "l": {"type": "array", "items": {"type": "string"}}});
        let schema = json!({"type": "object", "properties": properties, "x-kubernetes-validations": [rule]});
        let issues = rule_issues("s", &schema);
        assert_eq!(issues[0].path, format!("s.x-kubernetes-validations[0].{field}"), "{rule}");
        assert!(issues[0].detail.contains(why), "{rule}: {}", issues[0].detail);
    }
    let reason = json!({"type": "object", "x-kubernetes-validations": [{"rule": "true", "reason": "Whatever"}]});
    assert!(matches!(&rule_issues("s", &reason)[0].kind, RuleIssueKind::NotSupported(value, _) if value == "Whatever"));
}
