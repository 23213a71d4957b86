//! The small controllers around the embedded server are asked for what kube-controller-manager does.

use pintle::testing::ServerExt;
use pintle_suite::LIMIT;

#[tokio::test(flavor = "multi_thread")]
async fn the_small_controllers_behave_like_those_of_kubernetes() {
    let client = pintle_suite::embedded_with_controllers().await.expect("a port is free").client();
    let verdicts = pintle_suite::run(&client, pintle_suite::of_controllers(), 16, LIMIT, |_| {}).await;
    assert!(verdicts.len() > 50, "{} behaviours", verdicts.len());
    let failures = verdicts.into_iter().filter_map(|verdict| {
        let path = verdict.behaviour.path();
        verdict.failure.map(|failure| format!("{path} does not hold: {failure}"))
    });
    let failures: Vec<String> = failures.collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
