//! Asks a server for behaviours, several at a time.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use pintle::Client;

use crate::behaviour::Behaviour;
use crate::place::Place;

/// Whether a behaviour held.
pub struct Verdict {
    /// Which it was.
    pub behaviour: Behaviour,
    /// What did not hold.
    pub failure: Option<String>,
}

/// Asks for every one of `behaviours`, `at_once` at a time, each for no longer than `limit`, and hands each verdict to
/// `report` as it comes.
///
/// Gives the verdicts in the order of the behaviours.
pub async fn run(
    client: &Client,
    behaviours: Vec<Behaviour>,
    at_once: usize,
    limit: Duration,
    mut report: impl FnMut(&Verdict),
) -> Vec<Verdict> {
    let asked = behaviours.into_iter().enumerate().map(|(turn, behaviour)| {
        let client = client.clone();
        async move { (turn, ask(client, behaviour, limit).await) }
    });
    let mut asked = futures::stream::iter(asked).buffer_unordered(at_once);
    let (mut verdicts, mut places) = (Vec::new(), Vec::new());
    while let Some((turn, (verdict, place))) = asked.next().await {
        report(&verdict);
        verdicts.push((turn, verdict));
        places.extend(place);
    }
    // All at the end: a cluster ends namespaces slowly, and behaviours that wait for it would stand in a queue.
    let closing = places.iter().map(|place| place.close());
    futures::stream::iter(closing).buffer_unordered(at_once).collect::<Vec<()>>().await;
    verdicts.sort_by_key(|(turn, _)| *turn);
    verdicts.into_iter().map(|(_, verdict)| verdict).collect()
}

/// A behaviour fails by panicking, so it runs in a task of its own. Its place is to be cleared up either way.
async fn ask(client: Client, behaviour: Behaviour, limit: Duration) -> (Verdict, Option<Arc<Place>>) {
    let place = match tokio::spawn(Place::open(client)).await {
        Ok(place) => Arc::new(place),
        Err(panic) => return (Verdict { behaviour, failure: Some(words_of(panic)) }, None),
    };
    let ended = tokio::spawn(tokio::time::timeout(limit, (behaviour.test)(place.clone()))).await;
    let failure = match ended {
        Ok(Ok(())) => None,
        Ok(Err(_)) => Some(format!("it was not over after {} s", limit.as_secs())),
        Err(panic) => Some(words_of(panic)),
    };
    (Verdict { behaviour, failure }, Some(place))
}

fn words_of(panic: tokio::task::JoinError) -> String {
    let Ok(payload) = panic.try_into_panic() else { return "it was cancelled".to_owned() };
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_else(|| "it panicked".to_owned())
}

/// The longest behaviours wait for a cluster's controllers; more than this is a hang.
pub const LIMIT: Duration = Duration::from_secs(90);
