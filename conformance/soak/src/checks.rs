//! What must hold when the traffic is over: everything was reconciled, and of what was deleted nothing is left.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use pintle::ResourceExt;
use pintle::api::{Api, ListParams};
use pintle::runtime::controller::Counts;
use pintle::testing::{Server, ServerExt};
use tokio::time::{Instant, sleep};

use crate::Problem;
use crate::operator::{Operator, WANT};

/// The longest backoff of a controller is 1000 s, and what fails then fails by the auditor's luck alone.
const SETTLES_WITHIN: Duration = Duration::from_secs(3600);

/// A controller looks for idle keys once there are so many more than before: one whose object was deleted while it was
/// reconciled may be among them. It is far less than the keys that come and go in the shortest run that finds anything.
const IDLE_MAX: u64 = 256;

/// Waits until every object was reconciled at its last version; fails if that does not come.
pub(crate) async fn everything_is_reconciled(server: &Server, operator: &Operator) -> Result<(), Problem> {
    settles(async || match not_reconciled(server, operator).await {
        Some(problem) => Some(problem),
        None => not_at_rest(operator),
    })
    .await
}

/// Waits until no table has an entry, all objects having been deleted; fails if that does not come.
pub(crate) async fn nothing_is_left(server: &Server, operator: &Operator) -> Result<(), Problem> {
    settles(async || match not_reconciled(server, operator).await {
        Some(problem) => Some(problem),
        None => left(operator),
    })
    .await
}

/// Fails if a watch has listed again much less often than its history was lost. One that is waiting to be opened again has
/// nothing to lose, so a few do not count.
pub(crate) fn relists(operator: &Operator, rounds: u64) -> Result<(), Problem> {
    match operator.relists() {
        relists if relists * 10 >= rounds * 9 => Ok(()),
        relists => Err(format!("history was lost {rounds} times, and a watch has listed again only {relists} times")),
    }
}

/// Asks again every ten seconds of the operator's time, as long as it may take.
async fn settles(problem: impl AsyncFn() -> Option<Problem>) -> Result<(), Problem> {
    let start = Instant::now();
    while let Some(problem) = problem().await {
        if start.elapsed() > SETTLES_WITHIN {
            return Err(format!("after an hour of quiet {problem}"));
        }
        sleep(Duration::from_secs(10)).await;
    }
    Ok(())
}

/// What is not as it should be: Secrets, and what the controllers saw last.
async fn not_reconciled(server: &Server, operator: &Operator) -> Option<Problem> {
    let (client, all) = (server.bare_client(), ListParams::default());
    let maps = Api::<ConfigMap>::default_namespaced(client.clone()).list(&all).await;
    let secrets = Api::<Secret>::default_namespaced(client).list(&all).await;
    let (maps, secrets) = match (maps, secrets) {
        (Ok(maps), Ok(secrets)) => (maps.items, secrets.items),
        (Err(error), _) | (_, Err(error)) => return Some(format!("the server cannot be asked: {error}")),
    };
    let want =
        |map: &ConfigMap| map.data.as_ref().and_then(|data| data.get(WANT)).map(|want| want.clone().into_bytes());
    let wanted: BTreeMap<_, _> = maps.iter().map(|map| (map.name_any(), want(map))).collect();
    let kept = |secret: &Secret| secret.data.as_ref().and_then(|data| data.get(WANT)).map(|want| want.0.clone());
    let found: BTreeMap<_, _> = secrets.iter().map(|secret| (secret.name_any(), kept(secret))).collect();
    difference("the Secrets are not those of the ConfigMaps", &wanted, &found)
        .or_else(|| {
            difference(
                "the auditor did not see the ConfigMaps as they are",
                &versions(&maps),
                &operator.audited.versions(),
            )
        })
        .or_else(|| {
            difference(
                "the inspector did not see the Secrets as they are",
                &versions(&secrets),
                &operator.inspected.versions(),
            )
        })
}

fn versions<K: pintle::Resource>(objects: &[K]) -> BTreeMap<String, String> {
    objects.iter().map(|object| (object.name_any(), object.resource_version().unwrap_or_default())).collect()
}

/// How many entries differ, and the first of them.
fn difference<V: PartialEq + Debug>(
    problem: &str,
    expected: &BTreeMap<String, V>,
    found: &BTreeMap<String, V>,
) -> Option<Problem> {
    let names: BTreeSet<_> = expected.keys().chain(found.keys()).collect();
    let mut different = names.into_iter().filter(|name| expected.get(*name) != found.get(*name));
    let first = different.next()?;
    let (one, other) = (expected.get(first), found.get(first));
    Some(format!("{problem}: {first} should be {one:?} and is {other:?}, and {} more", different.count()))
}

/// What a controller still has to do, not counting what it will do in an hour.
fn not_at_rest(operator: &Operator) -> Option<Problem> {
    operator.counts().into_iter().find_map(|(name, counts)| {
        let Counts { waiting, running, holding, awaited, .. } = counts;
        let is_at_rest = [waiting, running, holding, awaited] == [0; 4];
        (!is_at_rest).then(|| format!("the controller {name} is not at rest: {counts:?}"))
    })
}

/// What a controller still knows of objects that are all deleted.
fn left(operator: &Operator) -> Option<Problem> {
    let tables = operator.counts().into_iter().find_map(|(name, counts)| {
        let Counts { waiting, scheduled, running, holding, awaited, remembered, .. } = counts;
        let is_empty = [waiting, scheduled, running, holding, awaited] == [0; 5] && remembered <= IDLE_MAX;
        (!is_empty).then(|| format!("the controller {name} has not forgotten what was deleted: {counts:?}"))
    });
    let stores = || operator.stored().into_iter().find(|(_, objects)| *objects > 0.0);
    tables.or_else(|| stores().map(|(name, objects)| format!("the store of {name} still has {objects} objects")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_names_the_first_and_counts_the_others() {
        let of = |pairs: &[(&str, u8)]| pairs.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let expected = of(&[("a", 1), ("b", 2), ("c", 3)]);
        assert_eq!(difference("it differs", &expected, &expected), None);
        let found = of(&[("a", 1), ("c", 4), ("d", 5)]);
        let problem = "it differs: b should be Some(2) and is None, and 2 more";
        assert_eq!(difference("it differs", &expected, &found).as_deref(), Some(problem));
    }
}
