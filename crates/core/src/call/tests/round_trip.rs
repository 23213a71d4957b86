//! Any call at all: what is printed parses back to the same call, or is refused.

use super::*;
use crate::params::{Patch, ValidationDirective};
use crate::seeded::Walk;
use serde_json::{Value, json};

const SEEDS: u64 = 10_000;

fn number(walk: &mut Walk) -> u32 {
    u32::try_from(walk.below(1000)).unwrap()
}

fn target(walk: &mut Walk) -> Target {
    Target {
        group: walk.one_of(&["", "apps", "example.com"]).into(),
        version: walk.one_of(&["v1", "v2beta1"]).into(),
        plural: walk.one_of(&["pods", "documents", "status", "namespaces"]).into(),
        namespace: walk.perhaps(|walk| walk.text(5)),
        name: None,
        subresource: None,
    }
}

fn object(walk: &mut Walk) -> Target {
    let name = walk.text(5);
    let part = walk.one_of(&[None, Some("status"), Some("scale"), Some("eviction"), Some("log"), Some("exec")]);
    let target = target(walk).named(&name);
    Target { subresource: part.map(str::to_owned), ..target }
}

fn list_params(walk: &mut Walk) -> ListParams {
    ListParams {
        label_selector: walk.perhaps(|walk| walk.text(9)),
        field_selector: walk.perhaps(|walk| walk.text(9)),
        limit: walk.perhaps(number),
        continue_token: walk.perhaps(|walk| walk.text(9)),
        version_match: walk.perhaps(|walk| walk.one_of(&[VersionMatch::Exact, VersionMatch::NotOlderThan])),
        resource_version: walk.perhaps(|walk| walk.text(3)),
        ..ListParams::default()
    }
}

fn watch_params(walk: &mut Walk) -> WatchParams {
    WatchParams {
        label_selector: walk.perhaps(|walk| walk.text(9)),
        field_selector: walk.perhaps(|walk| walk.text(9)),
        timeout: walk.perhaps(number),
        bookmarks: walk.coin(),
        send_initial_events: walk.coin(),
    }
}

fn post_params(walk: &mut Walk) -> PostParams {
    PostParams { dry_run: walk.coin(), field_manager: walk.perhaps(|walk| walk.text(9)) }
}

fn patch_params(walk: &mut Walk) -> PatchParams {
    let directives = [ValidationDirective::Strict, ValidationDirective::Warn, ValidationDirective::Ignore];
    PatchParams {
        dry_run: walk.coin(),
        force: walk.coin(),
        field_manager: walk.perhaps(|walk| walk.text(9)),
        field_validation: walk.perhaps(|walk| walk.one_of(&directives)),
    }
}

fn log_params(walk: &mut Walk) -> LogParams {
    let since = walk.below(3);
    LogParams {
        container: walk.perhaps(|walk| walk.text(5)),
        follow: walk.coin(),
        limit_bytes: walk.perhaps(|walk| number(walk).into()),
        pretty: walk.coin(),
        previous: walk.coin(),
        since_seconds: (since == 1).then(|| number(walk).into()),
        since_time: (since == 2).then(|| jiff::Timestamp::from_second(number(walk).into()).unwrap()),
        tail_lines: walk.perhaps(|walk| number(walk).into()),
        timestamps: walk.coin(),
    }
}

fn connection(walk: &mut Walk) -> Result<Call> {
    let connect = Connect {
        container: walk.perhaps(|walk| walk.text(5)),
        stdin: walk.coin(),
        stdout: walk.coin(),
        stderr: walk.coin(),
        tty: walk.coin(),
        command: (0..walk.below(4)).map(|_| walk.text(6)).collect(),
        ports: (0..walk.below(3)).map(|_| u16::try_from(walk.below(65_536)).unwrap()).collect(),
    };
    let part = walk.one_of(&["exec", "attach", "portforward"]);
    let target = Target { subresource: Some(part.into()), ..object(walk) };
    Ok(Call { query: Query { connect, ..Query::default() }, ..Call::get(target, &GetParams::default())? })
}

fn call(walk: &mut Walk) -> Result<Call> {
    let plain = |target: Target| Target { subresource: None, ..target };
    match walk.below(10) {
        8 => connection(walk),
        0 => Call::list(target(walk), &list_params(walk)),
        1 => Call::watch(target(walk), &watch_params(walk), &walk.text(3)),
        2 => Call::get(object(walk), &GetParams { resource_version: walk.perhaps(|walk| walk.text(3)) }),
        3 => Call::create(target(walk), &post_params(walk)),
        4 => Call::replace(object(walk), &post_params(walk)),
        5 => Call::patch(object(walk), walk.one_of(&PatchKind::ALL), &patch_params(walk)),
        6 => Call::delete(object(walk)),
        7 => Call::delete_collection(target(walk), &list_params(walk)),
        _ => Call::logs(plain(object(walk)), &log_params(walk)),
    }
}

#[test]
fn any_call_parses_back_from_what_it_prints_or_is_refused() {
    let mut printed = 0;
    for seed in 0..SEEDS {
        let mut walk = Walk::new(seed);
        let Ok(call) = call(&mut walk) else { continue };
        let call = match walk.below(3) {
            0 => call.metadata(),
            1 => call.table(),
            _ => call,
        };
        let Ok(request) = call.clone().into_request(Vec::new()) else { continue };
        let read = Call::parse(&request.into_parts().0).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(read, call, "seed {seed}");
        printed += 1;
    }
    assert!(printed > SEEDS / 10, "only {printed} calls were printed: the walk is too wild to show anything");
}

fn any_value(walk: &mut Walk, depth: usize) -> Value {
    match walk.below(if depth == 0 { 4 } else { 6 }) {
        0 => Value::Null,
        1 => json!(walk.coin()),
        2 => json!(walk.below(1000)),
        3 => json!(walk.text(5)),
        4 => (0..walk.below(3)).map(|_| any_value(walk, depth - 1)).collect(),
        _ => (0..walk.below(3)).map(|_| (walk.text(3), any_value(walk, depth - 1))).collect(),
    }
}

/// Sends `patch` and compares what arrives: its kind, and `body`.
fn check_patch(patch: &Patch<&Value>, body: &Value, seed: u64) {
    let params = PatchParams { field_manager: Some("m".into()), ..PatchParams::default() };
    let call = Call::patch(pod(), patch.kind(), &params).unwrap();
    let (parts, sent) = call.into_request(patch.serialize().unwrap()).unwrap().into_parts();
    assert_eq!(Call::parse(&parts).unwrap().verb, Verb::Patch(patch.kind()), "seed {seed}");
    assert_eq!(serde_json::from_slice::<Value>(&sent).unwrap(), *body, "seed {seed}");
}

#[test]
fn a_patch_keeps_its_kind_and_its_body() {
    for seed in 0..1000 {
        let mut walk = Walk::new(seed);
        let body = any_value(&mut walk, 3);
        let patch = match walk.below(3) {
            0 => Patch::Apply(&body),
            1 => Patch::Merge(&body),
            _ => Patch::Strategic(&body),
        };
        check_patch(&patch, &body, seed);
    }
}

#[cfg(feature = "jsonpatch")]
#[test]
fn a_list_of_operations_keeps_its_kind_its_order_and_its_pointers() {
    let pointer = |walk: &mut Walk| -> String {
        let token = |walk: &mut Walk| format!("/{}", walk.text(4).replace('~', "~0").replace('/', "~1"));
        (0..walk.below(4)).map(|_| token(walk)).collect()
    };
    let operation = |walk: &mut Walk| match walk.below(6) {
        0 => json!({ "op": "add", "path": pointer(walk), "value": any_value(walk, 2) }),
        1 => json!({ "op": "remove", "path": pointer(walk) }),
        2 => json!({ "op": "replace", "path": pointer(walk), "value": any_value(walk, 2) }),
        3 => json!({ "op": "move", "from": pointer(walk), "path": pointer(walk) }),
        4 => json!({ "op": "copy", "from": pointer(walk), "path": pointer(walk) }),
        _ => json!({ "op": "test", "path": pointer(walk), "value": any_value(walk, 2) }),
    };
    for seed in 0..1000 {
        let mut walk = Walk::new(seed);
        let body: Value = (0..walk.below(4)).map(|_| operation(&mut walk)).collect();
        let patch: Patch<&Value> = Patch::Json(serde_json::from_value(body.clone()).unwrap());
        check_patch(&patch, &body, seed);
    }
}
