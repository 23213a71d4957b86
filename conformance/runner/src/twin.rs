//! Twins: every manifest of some folders, sent to real Kubernetes and to the embedded server, whose answers must be the same.
//!
//! ```text
//!   folders, or the Go modules of five projects ─► manifests ─► cycle ──► real Kubernetes ──┐ recordings,
//!                                                                  └────► embedded server ──┴─► masked ─► rules ─► groups
//! ```
//! Each object is created, applied, updated, patched and deleted on both while a watch looks on. Definitions come first and
//! stay; namespaces come second. An object that both refuse in the same words is an answer like any other. What differs is
//! grouped by the rule that differs, not by object; rules that may differ are listed in `conformance/twin/differences.txt`.

mod cycle;
mod definitions;
mod groups;
mod manifests;
mod modules;
mod pair;
mod resources;
mod rules;

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

use crate::command::Outcome;
use crate::deferred::Deferred;
use crate::{complain, say, workspace};
use groups::Groups;
use manifests::{Manifest, Rank};
use pair::Pair;
use resources::Resources;

/// What was asked for.
#[derive(clap::Args)]
pub(crate) struct Twin {
    /// Folders and files of manifests; without any, the Go modules of five well-known projects.
    #[arg(value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Only so many of the objects that are not definitions, chosen at random.
    #[arg(long, value_name = "COUNT")]
    sample: Option<usize>,
    /// The seed of that choice; a random one, which is printed, if there is none.
    #[arg(long)]
    seed: Option<u64>,
    /// Show more examples of each group than one.
    #[arg(long, default_value_t = 1)]
    examples: usize,
}

impl Twin {
    /// Sends everything to both servers, and says which rules differ.
    pub(crate) async fn perform(&self) -> Result<Outcome, String> {
        let folders = if self.folders.is_empty() { modules::folders()? } else { self.folders.clone() };
        let manifests = self.chosen(manifests::read(&folders)?);
        let listed = Deferred::read(&workspace().join("conformance/twin"))?;
        let pair = Pair::start().await?;
        let compared = compare(&pair, &manifests).await;
        pair.stop().await;
        let groups = compared?;
        say(&groups.print(&listed, self.examples));
        Ok(if groups.has_unlisted(&listed) { Outcome::Different } else { Outcome::Same })
    }

    /// The sample that was asked for, and the definitions of the groups in it.
    fn chosen(&self, mut manifests: Vec<Manifest>) -> Vec<Manifest> {
        let Some(count) = self.sample else { return manifests };
        let seed = self.seed.unwrap_or_else(|| fastrand::u64(..1_000_000_000));
        complain(&format!("seed {seed}: {count} of the objects"));
        let mut others = manifests.split_off(count_definitions(&manifests));
        fastrand::Rng::with_seed(seed).shuffle(&mut others);
        others.truncate(count);
        let groups: BTreeSet<String> = others.iter().map(|manifest| manifest.group_version().0.to_owned()).collect();
        manifests.retain(|definition| groups.contains(definition.text("/spec/group")));
        manifests.extend(others);
        manifests::sort(&mut manifests);
        manifests
    }
}

/// The definitions of the five projects.
pub(crate) fn definitions() -> Result<Vec<Value>, String> {
    let mut manifests = manifests::read(&modules::folders()?)?;
    manifests.truncate(count_definitions(&manifests));
    Ok(manifests.into_iter().map(|manifest| manifest.object).collect())
}

async fn compare(pair: &Pair, manifests: &[Manifest]) -> Result<Groups, String> {
    let (mut groups, mut resources, mut unserved) = (Groups::default(), Resources::new(manifests), 0);
    let (definitions, others) = manifests.split_at(count_definitions(manifests));
    let tried = definitions::perform(pair, definitions, &mut resources).await?;
    unserved += definitions.len() - tried.len();
    tried.into_iter().for_each(|(manifest, steps)| groups.add(manifest, steps));
    let mut namespaces_are_there = false;
    for (done, manifest) in others.iter().enumerate() {
        if done.is_multiple_of(PROGRESS) {
            complain(&format!("{done} of {} objects", others.len()));
        }
        if manifest.rank() > Rank::Namespace && !namespaces_are_there {
            pair.make_namespaces(manifests).await?;
            namespaces_are_there = true;
        }
        let Some(resource) = resources.of(pair, manifest).await? else {
            unserved += 1;
            continue;
        };
        let steps = cycle::perform(pair, manifest, &resource).await;
        groups.add(manifest, steps.map_err(|problem| format!("{}: {problem}", manifest.place))?);
    }
    if unserved > 0 {
        complain(&format!("{unserved} documents are of kinds that no definition here defines; they were left out"));
    }
    Ok(groups)
}

fn count_definitions(manifests: &[Manifest]) -> usize {
    manifests.partition_point(|manifest| manifest.rank() == Rank::Definition)
}

/// How often a long run says how far it is.
const PROGRESS: usize = 200;
