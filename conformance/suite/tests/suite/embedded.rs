//! The embedded server is asked for every behaviour. Those it does not have yet are listed in `not-yet.txt`, exactly.

use std::collections::BTreeSet;
use std::time::Duration;

use pintle::testing::ServerExt;
use pintle_suite::{Behaviour, LIMIT};

/// Those listed mostly fail at once; the others wait for what never comes, which is not worth waiting for here.
const LIMIT_LISTED: Duration = Duration::from_secs(2);

#[tokio::test(flavor = "multi_thread")]
async fn the_embedded_server_behaves_like_kubernetes_but_for_what_is_listed() {
    let lines = include_str!("../../not-yet.txt").lines();
    let listed: BTreeSet<&str> = lines.filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    let client = pintle_suite::embedded().await.expect("a port is free").client();
    let is_listed = |behaviour: &Behaviour| listed.contains(behaviour.path().as_str());
    let (missing, there): (Vec<_>, Vec<_>) = pintle_suite::all().into_iter().partition(is_listed);
    let mut surprises = Vec::new();
    if missing.len() < listed.len() {
        surprises.push(format!("{} names in not-yet.txt are not behaviours", listed.len() - missing.len()));
    }
    for verdict in pintle_suite::run(&client, there, 32, LIMIT, |_| {}).await {
        let failure = verdict.failure.map(|failure| format!("{} does not hold: {failure}", verdict.behaviour.path()));
        surprises.extend(failure);
    }
    for verdict in pintle_suite::run(&client, missing, 32, LIMIT_LISTED, |_| {}).await {
        if verdict.failure.is_none() {
            surprises.push(format!("{} holds now: take it out of not-yet.txt", verdict.behaviour.path()));
        }
    }
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
}

#[test]
fn behaviours_have_names_of_their_own() {
    let paths: Vec<String> = pintle_suite::all().iter().map(Behaviour::path).collect();
    let different: BTreeSet<&String> = paths.iter().collect();
    assert_eq!(different.len(), paths.len());
    assert!(paths.len() >= 120, "{} behaviours", paths.len());
}
