//! Odd requests: random paths, methods, parameters, bodies and media types, and whether both servers answer the same.
//!
//! ```text
//!   seed ─► generate ─► one request ─┬─► real Kubernetes ──┐
//!                                    └─► embedded server ──┴─► status and reason ─► the same? ─► counts, and what differs
//! ```
//! Both servers begin with the same objects and get the same requests one after the other, so both are in the same state as
//! long as they answer the same. What a body says beyond its reason is compared by scripts, not here.

mod deliberate;
mod generate;
mod kinds;
mod verdict;

use std::time::Duration;

use http_body_util::Full;
use tokio::time::timeout;

use crate::command::Outcome;
use crate::endpoint::Endpoint;
use crate::script::Needs;
use crate::server::{Running, Which};
use crate::{complain, say};
use generate::OddRequest;
use kinds::fixtures;
use verdict::Verdict;

/// What was asked for.
#[derive(clap::Args)]
pub(crate) struct Odd {
    /// How many requests.
    #[arg(default_value_t = 3000)]
    requests: usize,
    /// The seed of the requests; a random one, which is printed, if there is none.
    #[arg(long)]
    seed: Option<u64>,
    /// How many of a hundred answers must be the same.
    #[arg(long, default_value_t = 99.0)]
    same: f64,
    /// Print all that differ, not the first fifty.
    #[arg(long)]
    all: bool,
}

impl Odd {
    /// Sends the requests to both servers, and says where they differ.
    pub(crate) async fn perform(&self) -> Result<Outcome, String> {
        let seed = self.seed.unwrap_or_else(|| fastrand::u64(..1_000_000_000));
        complain(&format!("seed {seed}: {} requests", self.requests));
        let kube = Running::start(&Which::Kube, Needs::default(), "odd").await?;
        let embedded = Running::start(&Which::Embedded, Needs::default(), "odd").await?;
        let compared = self.compare(seed, &kube.endpoint, &embedded.endpoint).await;
        kube.stop().await;
        embedded.stop().await;
        compared
    }

    async fn compare(&self, seed: u64, kube: &Endpoint, embedded: &Endpoint) -> Result<Outcome, String> {
        let mut random = fastrand::Rng::with_seed(seed);
        let (mut differing, mut deliberate) = (Vec::new(), 0);
        for number in 0..self.requests {
            if number.is_multiple_of(PREPARED_AFTER) {
                tokio::try_join!(prepare(kube), prepare(embedded))?;
            }
            let request = OddRequest::new(&mut random);
            let (expected, found) = tokio::join!(send(kube, &request), send(embedded, &request));
            let (expected, found) = (expected?, found?);
            if expected.is_other_than(&found) {
                let reason = deliberate::reason(request.path(), &expected, &found);
                deliberate += usize::from(reason.is_some());
                let why = reason.map(|reason| format!("\n    because   {reason}")).unwrap_or_default();
                differing.push(format!("#{number} {request}\n    kube      {expected}\n    embedded  {found}{why}"));
            }
        }
        let shown = if self.all { differing.len() } else { SHOWN };
        differing.iter().take(shown).for_each(|difference| say(difference));
        let same = self.requests - differing.len();
        #[expect(clippy::cast_precision_loss, reason = "a share of some thousand is exact enough")]
        let share = 100.0 * same as f64 / self.requests.max(1) as f64;
        say(&format!(
            "seed {seed}: {same} of {} odd requests got the same status and reason ({share:.1} %); of the {} others {deliberate} \
             are deliberate",
            self.requests,
            differing.len()
        ));
        Ok(if share >= self.same { Outcome::Same } else { Outcome::Different })
    }
}

/// Creates what the requests are about, where it is not there yet or not any more.
async fn prepare(server: &Endpoint) -> Result<(), String> {
    for (path, body) in fixtures() {
        let mut last = String::new();
        for _ in 0..READY_TRIES {
            let verdict = send(server, &OddRequest::create(&path, &body)).await?;
            last = verdict.to_string();
            if verdict.is_success() {
                last.clear();
                break;
            }
            tokio::time::sleep(READY_PAUSE).await;
        }
        if !last.is_empty() {
            return Err(format!("{path}: {last}"));
        }
    }
    Ok(())
}

/// Sends one request; no answer within some seconds is a verdict of its own.
async fn send(server: &Endpoint, request: &OddRequest) -> Result<Verdict, String> {
    let made = request.http().map(|request| request.map(Full::from));
    let made = made.map_err(|error| format!("{request}: {error}"))?;
    match timeout(PATIENCE, async { Verdict::of(server.send(made).await).await }).await {
        Ok(verdict) => Ok(verdict),
        Err(_) => Ok(Verdict::silence()),
    }
}

/// Enough to see what kind of thing differs.
const SHOWN: usize = 50;

/// Soon enough that most requests find what they are about, although some of them delete it.
const PREPARED_AFTER: usize = 100;

/// A new kind is served within moments, by the real server too.
const READY_TRIES: usize = 50;
const READY_PAUSE: Duration = Duration::from_millis(200);

/// No odd request takes so long to be refused; a watch answers at once with its head.
const PATIENCE: Duration = Duration::from_secs(10);
