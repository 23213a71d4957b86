//! The functions that rules in CEL may call, library by library.
//!
//! Each behaviour defines a kind whose rules all hold but for the last, so that a server that knows a function otherwise, or not at
//! all, names another one.

use serde_json::{Value, json};

use crate::behaviour::behaviours;
use crate::place::{DEFINITIONS, Place, definition, version};

behaviours! {
    "1.18": rules_know_the_library_of_strings,
        rules_know_the_library_of_formatted_strings,
        rules_know_the_library_of_lists,
        rules_know_the_library_of_sets,
        rules_know_the_library_of_regular_expressions,
        rules_know_the_library_of_urls,
        rules_know_the_library_of_addresses,
        rules_know_the_library_of_networks,
        rules_know_the_library_of_quantities,
        rules_know_the_library_of_versions,
        rules_know_the_library_of_named_formats,
        rules_know_the_library_of_optional_values,
        rules_read_texts_in_base64,
        rules_know_loops_with_two_variables,
        rules_know_times_and_time_zones,
        rules_know_conversions,
        rules_know_no_authorizer,
        rules_compare_what_has_different_types,
        rules_read_ports_that_are_numbers_or_names,
        rules_do_not_see_what_is_only_preserved;
}

const THINGS: &str = "/apis/{group}/v1/namespaces/{ns}/things";

/// A version of the kind whose spec has these rules.
fn ruled(rules: &[&str]) -> Value {
    let text = json!({"type": "string", "maxLength": 30});
    let mut version = version(
        "v1",
        json!({
            "text": text,
            "numbers": {"type": "array", "maxItems": 5, "items": {"type": "integer"}},
            "words": {"type": "array", "maxItems": 5, "items": text},
            "port": {"x-kubernetes-int-or-string": true, "maxLength": 10},
            "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            "when": {"type": "string", "format": "date-time"},
            "bytes": {"type": "string", "format": "byte", "maxLength": 20},
        }),
    );
    let rules: Vec<Value> = rules.iter().map(|rule| json!({"rule": rule, "message": rule})).collect();
    version["schema"]["openAPIV3Schema"]["properties"]["spec"]["x-kubernetes-validations"] = rules.into();
    version
}

fn thing() -> Value {
    json!({"apiVersion": "{group}/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {
        "text": "Hello", "numbers": [1, 2, 3], "words": ["b", "a"], "port": "http", "any": {"x": 1},
        "when": "2024-07-01T12:34:56Z", "bytes": "YWJj",
    }})
}

/// Each of the rules holds, and none but a last one that does not is violated.
async fn hold(p: &Place, rules: &[&str]) {
    const LAST: &str = "self.text == 'the last'";
    p.define("Thing", json!([ruled(&[rules, &[LAST]].concat())])).await;
    let refused = p.post(THINGS, thing()).await;
    let status = refused.refused_with(422, "Invalid", LAST);
    assert_eq!(status["details"]["causes"].as_array().map(Vec::len), Some(1), "{refused}");
}

async fn rules_know_the_library_of_strings(p: &Place) {
    let rules = [
        "self.text.lowerAscii() == 'hello' && self.text.upperAscii() == 'HELLO'",
        "self.text.charAt(1) == 'e' && self.text.substring(1, 3) == 'el'",
        "self.text.indexOf('l') == 2 && self.text.lastIndexOf('l') == 3",
        "self.text.replace('l', 'r', 1) == 'Herlo'",
        "'a,b'.split(',') == ['a', 'b'] && self.words.join('-') == 'b-a'",
        "' x '.trim() == 'x'",
        "strings.quote('a\"b') == '\"a\\\\\"b\"'",
        "self.text.startsWith('He') && self.text.endsWith('lo') && self.text.contains('ell')",
    ];
    hold(p, &rules).await;
}

async fn rules_know_the_library_of_formatted_strings(p: &Place) {
    let rules = [
        "'%s has %d'.format([self.text, 3]) == 'Hello has 3'",
        "'%.1f %x %b'.format([2.5, 255, 5]) == '2.5 ff 101'",
        "'%s'.format([self.numbers]) == '[1, 2, 3]'",
        "'%s'.format([duration('1h')]) == '3600s'",
    ];
    hold(p, &rules).await;
}

async fn rules_know_the_library_of_lists(p: &Place) {
    let rules = [
        "self.numbers.isSorted() && !self.words.isSorted()",
        "self.numbers.sum() == 6 && self.numbers.min() == 1 && self.numbers.max() == 3",
        "self.numbers.indexOf(2) == 1 && self.numbers.lastIndexOf(9) == -1",
    ];
    hold(p, &rules).await;
}

async fn rules_know_the_library_of_sets(p: &Place) {
    let rules = [
        "sets.contains(self.numbers, [3, 1])",
        "sets.equivalent(self.words, ['a', 'b', 'a'])",
        "sets.intersects(self.words, ['a']) && !sets.intersects(self.words, ['c'])",
    ];
    hold(p, &rules).await;
}

async fn rules_know_the_library_of_regular_expressions(p: &Place) {
    let rules = [
        "self.text.matches('^[A-Z][a-z]+$')",
        "self.text.find('l+') == 'll' && self.text.find('[0-9]') == ''",
        "self.text.findAll('[aeiou]') == ['e', 'o'] && self.text.findAll('[a-z]', 1) == ['e']",
    ];
    hold(p, &rules).await;
}

async fn rules_know_the_library_of_urls(p: &Place) {
    let rules = [
        "isURL('https://a.example:80/p?q=1') && !isURL('../p') && !isURL('a b')",
        "url('https://a.example:80/p%20q?q=1').getHost() == 'a.example:80'",
        "url('https://a.example:80/p').getHostname() == 'a.example' && url('https://a.example:80/p').getPort() == '80'",
        "url('https://a.example/p%20q').getEscapedPath() == '/p%20q' && url('https://a.example').getScheme() == 'https'",
        "url('https://a.example/?k=1&k=2').getQuery() == {'k': ['1', '2']}",
    ];
    hold(p, &rules).await;
}

async fn rules_know_the_library_of_addresses(p: &Place) {
    let rules = [
        "isIP('10.0.0.1') && isIP('::1') && !isIP('10.0.0.256')",
        "ip('127.0.0.1').isLoopback() && ip('127.0.0.1').family() == 4 && ip('::1').family() == 6",
        "ip('0.0.0.0').isUnspecified() && ip('8.8.8.8').isGlobalUnicast() && ip('fe80::1').isLinkLocalUnicast()",
        "ip.isCanonical('::1') && !ip.isCanonical('0:0::1') && string(ip('10.0.0.1')) == '10.0.0.1'",
    ];
    hold(p, &rules).await;
}

async fn rules_know_the_library_of_networks(p: &Place) {
    let rules = [
        "isCIDR('10.0.0.0/8') && !isCIDR('10.0.0.0')",
        "cidr('10.0.0.0/8').containsIP('10.1.2.3') && !cidr('10.0.0.0/8').containsIP(ip('11.0.0.1'))",
        "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && cidr('10.0.0.0/8').prefixLength() == 8",
        "string(cidr('10.1.2.3/8').masked()) == '10.0.0.0/8' && cidr('10.1.2.3/8').ip().family() == 4",
    ];
    hold(p, &rules).await;
}

async fn rules_know_the_library_of_quantities(p: &Place) {
    let rules = [
        "isQuantity('1.5Gi') && !isQuantity('1.5GiB')",
        "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('1000m').compareTo(quantity('1')) == 0",
        "quantity('50k').add(quantity('20k')).sub(20000).asInteger() == 50000",
        "quantity('1.5').asApproximateFloat() == 1.5 && sign(quantity('-1')) == -1",
        // What is whole depends on how it is said.
        "quantity('2').isInteger() && !quantity('2.0').isInteger() && !quantity('2000m').isInteger()",
        "!quantity('1.5').add(quantity('1.5')).isInteger()",
    ];
    hold(p, &rules).await;
}

async fn rules_know_the_library_of_versions(p: &Place) {
    let rules = [
        "isSemver('1.2.3') && !isSemver('v1.2') && isSemver('v1.2', true)",
        "semver('1.2.3').isLessThan(semver('1.10.0')) && semver('1.0.0').isGreaterThan(semver('1.0.0-rc.1'))",
        "semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3",
        "semver('1.2.3').compareTo(semver('1.2.3+build')) == 0",
    ];
    hold(p, &rules).await;
}

async fn rules_know_the_library_of_named_formats(p: &Place) {
    let rules = [
        "!format.dns1123Label().validate('a-b').hasValue()",
        "format.dns1123Label().validate('A_b').hasValue()",
        "format.named('uuid').hasValue() && !format.named('nothing').hasValue()",
        "!format.qualifiedName().validate('example.com/name').hasValue()",
    ];
    hold(p, &rules).await;
}

async fn rules_know_the_library_of_optional_values(p: &Place) {
    let rules = [
        "self.?text.orValue('') == 'Hello' && self.words[?5].orValue('none') == 'none'",
        "optional.of(1).hasValue() && !optional.none().hasValue() && optional.of(3).value() == 3",
        "optional.ofNonZeroValue(0).or(optional.of(7)).value() == 7",
        "optional.of(2).optMap(t, t + 1).value() == 3",
        "[?optional.none(), ?optional.of(1)] == [1]",
    ];
    hold(p, &rules).await;
}

/// They are bytes to rules; the library that makes them is not for rules.
async fn rules_read_texts_in_base64(p: &Place) {
    let given = definition("Thing", json!([ruled(&["base64.decode('aGk=') == b'hi'"])]));
    p.post(DEFINITIONS, given).await.refused_with(422, "Invalid", "undeclared reference to 'base64'");
    hold(p, &["self.bytes == b'abc' && string(self.bytes) == 'abc' && size(self.bytes) == 3"]).await;
}

async fn rules_know_loops_with_two_variables(p: &Place) {
    let rules = [
        "self.numbers.all(i, v, v == i + 1)",
        "self.numbers.exists(i, v, i == 2 && v == 3) && self.numbers.existsOne(i, v, v > 2)",
        "self.numbers.transformList(i, v, v - i) == [1, 1, 1]",
        "self.numbers.transformMap(i, v, i > 1, v) == {2: 3}",
        "{'k': 'v'}.transformMapEntry(k, v, {v: k}) == {'v': 'k'}",
    ];
    hold(p, &rules).await;
}

async fn rules_know_times_and_time_zones(p: &Place) {
    let rules = [
        "self.when.getHours() == 12 && self.when.getHours('Australia/Sydney') == 22",
        "self.when.getHours('-03:30') == 9 && self.when.getMinutes('-03:30') == 4",
        "self.when.getDayOfWeek() == 1 && self.when.getMonth() == 6 && self.when.getDate() == 1",
        "self.when - duration('1h') < self.when && self.when == timestamp('2024-07-01T14:34:56+02:00')",
        "duration('90m').getHours() == 1 && duration('1h30m') == duration('5400s')",
    ];
    hold(p, &rules).await;
}

async fn rules_know_conversions(p: &Place) {
    let rules = [
        "int('12') == 12 && int(2.9) == 2 && uint(3) == 3u && double('1.5') == 1.5",
        "string(1.5) == '1.5' && string(true) == 'true' && bytes('a') == b'a' && bool('true')",
        "type(1) == int && type('') == string && type(self.numbers) == list",
        "int(self.when) == 1719837296",
    ];
    hold(p, &rules).await;
}

/// Who asks is no business of an object's schema.
async fn rules_know_no_authorizer(p: &Place) {
    let given = definition("Thing", json!([ruled(&["authorizer.path('/healthz').check('get').allowed()"])]));
    let refused = p.post(DEFINITIONS, given).await;
    refused.refused_with(422, "Invalid", "undeclared reference to 'authorizer'");
}

async fn rules_compare_what_has_different_types(p: &Place) {
    let rules = [
        "self.any != null && !(null == self.any)",
        "dyn(self.numbers) != dyn('text') && [dyn(self.any)] == [dyn(1)]",
        "dyn(1) == dyn(1.0) && dyn(1) == dyn(1u) && 1 < 1.5",
        "!(dyn('1') == dyn(1)) && !(1 in [dyn('1')])",
    ];
    hold(p, &rules).await;
}

async fn rules_read_ports_that_are_numbers_or_names(p: &Place) {
    let rules = [
        "type(self.port) == string && self.port == 'http'",
        "self.port != 80 && (type(self.port) == int ? self.port > 0 : self.port.size() == 4)",
    ];
    hold(p, &rules).await;
}

async fn rules_do_not_see_what_is_only_preserved(p: &Place) {
    let given = definition("Thing", json!([ruled(&["self.any.x == 1"])]));
    p.post(DEFINITIONS, given).await.refused_with(422, "Invalid", "undefined field 'x'");
    hold(p, &["self.any == self.any && has(self.any)"]).await;
}
