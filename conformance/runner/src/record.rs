//! Sends many scripts to one kind of server.
//!
//! In: scripts and which server. Out: a transcript for each, in the same order. Scripts that need the same server
//! share one, a few at a time; those that must be alone come after the others.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::run::run;
use crate::script::{Needs, Script};
use crate::server::{Running, Which};
use crate::transcript;

pub(crate) async fn record(scripts: &[Arc<Script>], which: &Which) -> Result<Vec<String>, String> {
    let mut transcripts = vec![String::new(); scripts.len()];
    for needs in servers(scripts, which) {
        let server = Arc::new(Running::start(which, needs).await?);
        let mine = |script: &Script| *which != Which::Kube && *which != Which::Embedded || script.needs == needs;
        for is_alone in [false, true] {
            let chosen = scripts.iter().enumerate().filter(|(_, script)| mine(script) && script.is_alone == is_alone);
            for (index, transcript) in send(chosen, &server, if is_alone { 1 } else { JOBS }).await? {
                transcripts[index] = transcript;
            }
        }
        if let Some(server) = Arc::into_inner(server) {
            server.stop().await;
        }
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
    scripts: impl Iterator<Item = (usize, &Arc<Script>)>,
    server: &Arc<Running>,
    jobs: usize,
) -> Result<Vec<(usize, String)>, String> {
    let places = Arc::new(Semaphore::new(jobs));
    let mut tasks = JoinSet::new();
    for (index, script) in scripts {
        let (script, server, places) = (Arc::clone(script), Arc::clone(server), Arc::clone(&places));
        tasks.spawn(async move {
            let _place = places.acquire_owned().await.expect("nobody closes it");
            let recording = run(&script, &server).await?;
            Ok::<_, String>((index, transcript::print(&script, recording)))
        });
    }
    let mut done = Vec::new();
    while let Some(task) = tasks.join_next().await {
        done.push(task.map_err(|error| format!("a script could not be sent: {error}"))??);
    }
    Ok(done)
}

/// Scripts mostly wait: for watches to end, and for kinds to be established.
const JOBS: usize = 12;
