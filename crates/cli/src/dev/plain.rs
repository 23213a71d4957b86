//! `pintle dev` without a terminal: the lines are written by whoever has something to say; here only chaos acts.

use std::future::Future;
use std::pin::Pin;

use super::chaos::Chaos;
use super::controls::{Action, Controls};
use crate::stop::Stop;

/// Acts until it is time to stop.
pub(super) async fn run(controls: &mut Controls, mut chaos: Option<Chaos>, stop: &Stop) {
    let mut stopped = std::pin::pin!(stop.clone().wait());
    loop {
        let step = next_step(&mut chaos);
        // To stop is the stronger wish.
        tokio::select! {
            biased;
            () = &mut stopped => return,
            action = step => controls.perform(action, "chaos").await,
        }
    }
}

/// The next action of chaos, when it is time for it; never without chaos.
pub(super) fn next_step(chaos: &mut Option<Chaos>) -> Pin<Box<dyn Future<Output = Action> + Send>> {
    match chaos.as_mut().map(Chaos::next) {
        None => Box::pin(std::future::pending()),
        Some((pause, action)) => Box::pin(async move {
            tokio::time::sleep(pause).await;
            action
        }),
    }
}
