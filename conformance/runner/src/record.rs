//! Sends many scripts to one kind of server.
//!
//! In: scripts and which server. Out: a transcript for each, in the same order. Scripts that need the same server
//! share one, a few at a time; those that must be alone come after the others. The servers run side by side.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::{JoinError, JoinSet};

use crate::run::run;
use crate::script::{Needs, Script};
use crate::server::{Running, Which};
use crate::transcript;

pub(crate) async fn record(scripts: &[Arc<Script>], which: &Which) -> Result<Vec<String>, String> {
    let mut transcripts = vec![String::new(); scripts.len()];
    let mut groups = JoinSet::new();
    for needs in servers(scripts, which) {
        let is_shared = matches!(which, Which::Kubeconfig(_));
        let mine = scripts.iter().cloned().enumerate().filter(|(_, script)| is_shared || script.needs == needs);
        groups.spawn(record_on_one(mine.collect(), which.clone(), needs));
    }
    while let Some(group) = groups.join_next().await {
        for (index, transcript) in group.map_err(|error| unsent(&error))?? {
            transcripts[index] = transcript;
        }
    }
    Ok(transcripts)
}

/// A script, and its place among all.
type Placed<T> = (usize, T);

/// Starts a server, sends it what can be sent side by side, then what must be alone, and ends it.
async fn record_on_one(
    scripts: Vec<Placed<Arc<Script>>>,
    which: Which,
    needs: Needs,
) -> Result<Vec<Placed<String>>, String> {
    let server = Arc::new(Running::start(&which, needs, "scripts").await?);
    let (alone, others): (Vec<_>, Vec<_>) = scripts.into_iter().partition(|(_, script)| script.is_alone);
    let mut transcripts = send(others, &server, JOBS).await?;
    transcripts.extend(send(alone, &server, 1).await?);
    if let Some(server) = Arc::into_inner(server) {
        server.stop().await;
    }
    Ok(transcripts)
}

/// The servers to start. One that a kubeconfig names is as it is.
fn servers(scripts: &[Arc<Script>], which: &Which) -> Vec<Needs> {
    if let Which::Kubeconfig(_) = which {
        return vec![Needs::default()];
    }
    let mut needs: Vec<Needs> = scripts.iter().map(|script| script.needs).collect();
    needs.sort();
    needs.dedup();
    needs
}

async fn send(
    scripts: Vec<Placed<Arc<Script>>>,
    server: &Arc<Running>,
    jobs: usize,
) -> Result<Vec<Placed<String>>, String> {
    let places = Arc::new(Semaphore::new(jobs));
    let mut tasks = JoinSet::new();
    for (index, script) in scripts {
        let (server, places) = (Arc::clone(server), Arc::clone(&places));
        tasks.spawn(async move {
            let _place = places.acquire_owned().await.expect("it is never closed");
            let recording = run(&script, &server).await?;
            Ok::<_, String>((index, transcript::print(&script, recording)))
        });
    }
    let mut done = Vec::new();
    while let Some(task) = tasks.join_next().await {
        done.push(task.map_err(|error| unsent(&error))??);
    }
    Ok(done)
}

fn unsent(error: &JoinError) -> String {
    format!("a script could not be sent: {error}")
}

/// Scripts mostly wait: for watches to end, and for kinds to be established.
const JOBS: usize = 12;
