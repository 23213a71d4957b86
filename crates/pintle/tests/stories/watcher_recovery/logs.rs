//! What an outage leaves in the log, and what it does not.

use pintle::runtime::Informer;
use pintle::runtime::wait::{await_condition, conditions};

use super::*;

/// How many lines of an outage of `minutes` minutes contain `text`.
async fn lines_of_an_outage(log: &Log, text: &str, minutes: u64) -> usize {
    sleep(Duration::from_secs(1)).await;
    assert_eq!(log.lines_with(text).len(), 1, "at once: {:?}", log.lines_with(""));
    sleep(Duration::from_secs(60 * minutes)).await;
    log.lines_with(text).len()
}

#[tokio::test(start_paused = true)]
async fn a_wait_through_an_outage_is_logged_at_once_and_then_once_a_minute() {
    let (server, log) = (server(), Log::catch());
    let outage = server.fault(Requests::all().of("configmaps"), Fault::internal_error());
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let wait = tokio::spawn(await_condition(maps.clone(), "a", conditions::is_created()));
    let waits = "waiting for a of configmaps in namespace default goes on after a failure";
    let lines = lines_of_an_outage(&log, waits, 10).await;
    assert!((5..=11).contains(&lines), "{lines} lines in ten minutes");
    outage.lift();
    maps.create(&PostParams::default(), &config_map("a")).await.unwrap();
    assert!(wait.await.unwrap().unwrap().is_some());
}

#[tokio::test(start_paused = true)]
async fn an_informer_without_an_error_function_logs_its_failures() {
    let (server, log) = (server(), Log::catch());
    server.fault(Requests::all().of("configmaps"), Fault::internal_error());
    let informer = || Informer::new(Api::<ConfigMap>::default_namespaced(server.client()), watcher::Config::default());
    let running = tokio::spawn(informer().run());
    let lines = lines_of_an_outage(&log, "the watch of configmaps in namespace default failed", 10).await;
    assert!((5..=11).contains(&lines), "{lines} lines in ten minutes");
    running.abort();
    let (before, errors) = (log.lines_with("WARN").len(), std::sync::Arc::new(std::sync::Mutex::new(0)));
    let counted = std::sync::Arc::clone(&errors);
    let _running = tokio::spawn(informer().on_error(move |_| *counted.lock().unwrap() += 1).run());
    sleep(Duration::from_secs(300)).await;
    assert!(*errors.lock().unwrap() > 5, "the function receives every error");
    assert_eq!(log.lines_with("WARN").len(), before, "and none is logged");
}

#[tokio::test(start_paused = true)]
async fn failures_of_a_watcher_are_stream_items_and_not_log_lines() {
    let (server, log) = (server(), Log::catch());
    server.fault(Requests::all().of("configmaps"), Fault::internal_error());
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let errors = watcher(maps, watcher::Config::default()).filter(|event| std::future::ready(event.is_err()));
    let errors: Vec<_> = errors.take(3).collect().await;
    let printed = errors[0].as_ref().unwrap_err().to_string();
    assert!(printed.starts_with("failed to perform initial object list: "), "{printed}");
    assert_eq!(log.lines_with("WARN"), Vec::<String>::new());
}
