//! A kind by what people call it; where there is none, what they may have meant.

use std::collections::BTreeSet;

use pintle::discovery::{Mapping, RestMapper};
use pintle::error::DiscoveryError;
use pintle::{Client, Discovery, Error};

use crate::failure::Failure;

/// The kind called `name`: a plural, singular, kind or short name, alone or with its group, or version and group.
pub(super) async fn find(client: &Client, name: &str) -> Result<Mapping, Failure> {
    let what = || format!("cannot find the kind {name:?}");
    match RestMapper::new(client.clone()).find(name).await {
        Ok(found) => Ok(found),
        Err(Error::Discovery(DiscoveryError::MissingResource(_))) => {
            Err(Failure::new(what(), missing(client, name).await))
        }
        Err(error) => Err(Failure::new(what(), error)),
    }
}

/// Why there is no such kind, as far as it is known.
async fn missing(client: &Client, name: &str) -> String {
    let Ok(known) = Discovery::new(client.clone()).run().await else {
        return "the server has none".to_owned();
    };
    let names = known.groups().flat_map(|group| {
        let resources = group.recommended_resources().into_iter().map(|(resource, _)| resource);
        resources.map(|resource| match resource.group.as_str() {
            "" => resource.plural,
            group => format!("{}.{group}", resource.plural),
        })
    });
    let near = near(name, names.collect());
    let meant = match near.as_slice() {
        [] => "kubectl api-resources lists them".to_owned(),
        near => format!("did you mean {}?", near.join(" or ")),
    };
    let unavailable: String = known.unavailable().iter().map(|group| format!("; {group}")).collect();
    format!("the server has none; {meant}{unavailable}")
}

/// How many names are suggested at most.
const SUGGESTIONS_MAX: usize = 3;

/// The names, as `deployments.apps`, that are nearest to what was typed, nearest first; none that is far.
fn near(typed: &str, names: BTreeSet<String>) -> Vec<String> {
    let typed = typed.to_ascii_lowercase();
    let (typed_plural, _) = typed.split_once('.').unwrap_or((&typed, ""));
    // One slip in three characters is a slip; more is another word.
    let distance_max = (typed_plural.len() / 3).clamp(1, 3);
    let mut near: Vec<(usize, String)> = Vec::new();
    for name in names {
        let plural = name.split('.').next().unwrap_or_default();
        let singular = plural.strip_suffix('s').unwrap_or(plural);
        let distance = |word: &str| strsim::osa_distance(typed_plural, word);
        let nearest = distance(plural).min(distance(singular));
        if nearest <= distance_max {
            near.push((nearest, name));
        }
    }
    near.sort();
    near.into_iter().take(SUGGESTIONS_MAX).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_what_was_meant() {
        let names = || {
            ["pods", "podtemplates", "services", "deployments.apps", "daemonsets.apps", "jobs.batch"]
                .map(str::to_owned)
                .into_iter()
                .collect()
        };
        for (typed, expected) in [
            ("podss", vec!["pods"]),
            ("podz", vec!["pods"]),
            ("Deploymnet", vec!["deployments.apps"]),
            ("deployments.extensions", vec!["deployments.apps"]),
            ("servcies", vec!["services"]),
            ("job.v2.batch", vec!["jobs.batch"]),
            ("certificate", vec![]),
            ("x", vec![]),
        ] {
            assert_eq!(near(typed, names()), expected, "{typed}");
        }
    }
}
