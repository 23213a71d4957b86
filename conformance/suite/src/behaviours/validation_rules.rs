//! Rules of a definition (`x-kubernetes-validations`): when they are compiled, when they are asked, and what they answer.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::behaviour::behaviours;
use crate::place::{DEFINITIONS, Place, definition, version};

behaviours! {
    "1.18": a_rule_refuses_in_the_words_of_its_message,
        a_rule_without_a_message_is_shown,
        a_message_is_worked_out_from_the_object,
        a_rule_states_a_reason_and_a_field,
        a_rule_of_an_item_names_its_place,
        a_transition_rule_compares_with_the_old_value,
        an_optional_old_value_is_absent_on_create,
        a_rule_that_fails_says_how,
        rules_wait_until_the_schema_holds,
        a_value_that_was_invalid_before_is_tolerated,
        rules_know_quantities_addresses_and_formats,
        fields_with_reserved_names_are_escaped,
        a_rule_is_compiled_with_its_definition,
        a_rule_that_may_cost_too_much_is_refused;
}

const THINGS: &str = "/apis/{group}/v1/namespaces/{ns}/things";

/// A kind whose `spec` has these properties and rules.
async fn define(p: &Place, properties: Value, rules: Value) {
    p.define("Thing", json!([ruled(properties, rules)])).await;
}

fn ruled(properties: Value, rules: Value) -> Value {
    let mut version = version("v1", properties);
    version["schema"]["openAPIV3Schema"]["properties"]["spec"]["x-kubernetes-validations"] = rules;
    version
}

fn thing(spec: Value) -> Value {
    json!({"apiVersion": "{group}/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": spec})
}

async fn create(p: &Place, spec: Value) -> Answer {
    p.post(THINGS, thing(spec)).await
}

fn invalid(what: &str) -> String {
    format!("Thing.{{group}} \"a\" is invalid: {what}")
}

fn integers(names: &[&str]) -> Value {
    names.iter().map(|name| ((*name).to_owned(), json!({"type": "integer"}))).collect::<serde_json::Map<_, _>>().into()
}

async fn a_rule_refuses_in_the_words_of_its_message(p: &Place) {
    let rules = json!([{"rule": "self.min <= self.max", "message": "min must not be over max"}]);
    define(p, integers(&["min", "max"]), rules).await;
    let refused = create(p, json!({"min": 2, "max": 1})).await;
    let status = refused.refused(422, "Invalid", &invalid("spec: Invalid value: min must not be over max"));
    let cause =
        json!({"field": "spec", "message": "Invalid value: min must not be over max", "reason": "FieldValueInvalid"});
    assert_eq!(status["details"]["causes"], json!([cause]));
    p.create(THINGS, thing(json!({"min": 1, "max": 2}))).await;
}

async fn a_rule_without_a_message_is_shown(p: &Place) {
    define(p, integers(&["n"]), json!([{"rule": "self.n > 1"}])).await;
    let refused = create(p, json!({"n": 1})).await;
    refused.refused_with(422, "Invalid", "failed rule: self.n > 1");
}

async fn a_message_is_worked_out_from_the_object(p: &Place) {
    let rules = json!([{"rule": "self.n > 1", "message": "unused", "messageExpression": "'n is %d'.format([self.n])"}]);
    define(p, integers(&["n"]), rules).await;
    let refused = create(p, json!({"n": 1})).await;
    refused.refused(422, "Invalid", &invalid("spec: Invalid value: n is 1"));
}

async fn a_rule_states_a_reason_and_a_field(p: &Place) {
    let rules =
        json!([{"rule": "self.n > 1", "message": "too small", "reason": "FieldValueForbidden", "fieldPath": ".n"}]);
    define(p, integers(&["n"]), rules).await;
    let status = create(p, json!({"n": 1})).await.refused(422, "Invalid", &invalid("spec.n: Forbidden: too small"));
    assert_eq!(status["details"]["causes"][0]["reason"], "FieldValueForbidden");
}

async fn a_rule_of_an_item_names_its_place(p: &Place) {
    let item = json!({"type": "string", "maxLength": 10, "x-kubernetes-validations": [{"rule": "self != 'bad'"}]});
    define(p, json!({"items": {"type": "array", "maxItems": 5, "items": item}}), json!([])).await;
    let refused = create(p, json!({"items": ["good", "bad"]})).await;
    refused.refused(422, "Invalid", &invalid("spec.items[1]: Invalid value: \"bad\": failed rule: self != 'bad'"));
}

async fn a_transition_rule_compares_with_the_old_value(p: &Place) {
    let fixed = json!({"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]});
    define(p, json!({"fixed": fixed, "free": {"type": "string"}}), json!([])).await;
    p.create(THINGS, thing(json!({"fixed": "f"}))).await;
    let path = format!("{THINGS}/a");
    p.merge(&path, json!({"spec": {"free": "x"}})).await.value(200);
    let refused = p.merge(&path, json!({"spec": {"fixed": "g"}})).await;
    refused.refused(422, "Invalid", &invalid("spec.fixed: Invalid value: \"g\": failed rule: self == oldSelf"));
}

async fn an_optional_old_value_is_absent_on_create(p: &Place) {
    let rule = "oldSelf.hasValue() ? self >= oldSelf.value() : self == 0";
    let grows = json!({"type": "integer", "x-kubernetes-validations": [{"rule": rule, "optionalOldSelf": true}]});
    define(p, json!({"n": grows}), json!([])).await;
    create(p, json!({"n": 1})).await.refused_with(422, "Invalid", "failed rule: ");
    p.create(THINGS, thing(json!({"n": 0}))).await;
    p.merge(&format!("{THINGS}/a"), json!({"spec": {"n": 3}})).await.value(200);
    let refused = p.merge(&format!("{THINGS}/a"), json!({"spec": {"n": 2}})).await;
    refused.refused_with(422, "Invalid", "failed rule: ");
}

async fn a_rule_that_fails_says_how(p: &Place) {
    define(p, integers(&["n"]), json!([{"rule": "10 / self.n > 1"}])).await;
    let refused = create(p, json!({"n": 0})).await;
    refused.refused_with(422, "Invalid", "division by zero");
}

async fn rules_wait_until_the_schema_holds(p: &Place) {
    define(p, integers(&["n", "m"]), json!([{"rule": "self.n > 1"}])).await;
    let refused = create(p, json!({"n": 0, "m": "text"})).await;
    let why = "some validation rules were not checked because the object was invalid; correct the existing errors to \
               complete validation";
    let status = refused.refused_with(422, "Invalid", why);
    assert_eq!(status["details"]["causes"].as_array().map(Vec::len), Some(2), "{refused}");
}

async fn a_value_that_was_invalid_before_is_tolerated(p: &Place) {
    let plain = |rules: Value| json!({"type": "integer", "x-kubernetes-validations": rules});
    let properties = |rules: Value| json!({"n": plain(rules), "s": {"type": "string"}});
    define(p, properties(json!([])), json!([])).await;
    p.create(THINGS, thing(json!({"n": 1}))).await;
    let stricter = properties(json!([{"rule": "self > 1", "message": "too small"}]));
    let change = json!([{"op": "replace", "path": "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties",
        "value": stricter}]);
    p.operate(&format!("{DEFINITIONS}/things.{{group}}"), change).await.value(200);
    let mut probe = thing(json!({"n": 1}));
    probe["metadata"]["name"] = "b".into();
    let tried = format!("{THINGS}?dryRun=All");
    p.post_until("the new rule is served", &tried, &probe, |answer| answer.code == 422).await;
    p.merge(&format!("{THINGS}/a"), json!({"spec": {"s": "x"}})).await.value(200);
    let refused = p.merge(&format!("{THINGS}/a"), json!({"spec": {"n": 0}})).await;
    refused.refused(422, "Invalid", &invalid("spec.n: Invalid value: 0: too small"));
}

async fn rules_know_quantities_addresses_and_formats(p: &Place) {
    let text = json!({"type": "string", "maxLength": 40});
    let rules = json!([
        {"rule": "quantity(self.size).isLessThan(quantity('1Gi'))", "message": "size"},
        {"rule": "isIP(self.address) && cidr('10.0.0.0/8').containsIP(self.address)", "message": "address"},
        {"rule": "!format.dns1123Label().validate(self.name).hasValue()", "message": "name"},
    ]);
    define(p, json!({"size": text, "address": text, "name": text}), rules).await;
    let refused = create(p, json!({"size": "2Gi", "address": "192.168.0.1", "name": "A_b"})).await;
    let all = "[spec: Invalid value: size, spec: Invalid value: address, spec: Invalid value: name]";
    refused.refused(422, "Invalid", &invalid(all));
    p.create(THINGS, thing(json!({"size": "512Mi", "address": "10.1.2.3", "name": "a-b"}))).await;
}

async fn fields_with_reserved_names_are_escaped(p: &Place) {
    let rules = json!([
        {"rule": "self.__namespace__ > 0", "message": "namespace"},
        {"rule": "self.a__dash__b > 0", "message": "dash"},
        {"rule": "self.c__dot__d > 0", "message": "dot"},
    ]);
    define(p, integers(&["namespace", "a-b", "c.d"]), rules).await;
    let refused = create(p, json!({"namespace": 0, "a-b": 0, "c.d": 1})).await;
    refused.refused(422, "Invalid", &invalid("[spec: Invalid value: namespace, spec: Invalid value: dash]"));
}

async fn a_rule_is_compiled_with_its_definition(p: &Place) {
    for (rule, why) in [
        ("self.b > 1", "compilation failed: ERROR: <input>:1:5: undefined field 'b'"),
        ("self.n + 1", "cel expression must evaluate to a bool"),
        ("self.n == 'text'", "found no matching overload for '_==_' applied to '(int, string)'"),
    ] {
        let given = definition("Thing", json!([ruled(integers(&["n"]), json!([{"rule": rule}]))]));
        p.post(DEFINITIONS, given).await.refused_with(422, "Invalid", why);
    }
}

async fn a_rule_that_may_cost_too_much_is_refused(p: &Place) {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let rules = json!([{"rule": "self.texts.all(a, self.texts.all(b, a.contains(b)))"}]);
    let given = definition("Thing", json!([ruled(json!({"texts": texts}), rules)]));
    let refused = p.post(DEFINITIONS, given).await;
    refused.refused_with(422, "Invalid", "estimated rule cost exceeds budget by factor of more than 100x");
}
