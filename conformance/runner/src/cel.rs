//! Random rules in CEL: whether both servers take them, and what they say about random objects.
//!
//! ```text
//!   seed ─► types ─► schemas with rules ─┬─► real Kubernetes ──┐
//!                 └► objects             └─► embedded server ──┴─► type errors, costs, violations ─► the same?
//! ```
//! Each round is a definition with a rule at each of its properties. What is refused is compared rule by rule; the rules that
//! both take are installed, and objects are created and changed as dry runs. A rule counts as the same if all that both servers
//! ever said about it is the same.

mod expression;
mod round;
mod types;

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http::header::CONTENT_TYPE;
use http_body_util::{BodyExt, Full};
use serde_json::Value;

use crate::command::Outcome;
use crate::endpoint::Endpoint;
use crate::script::Needs;
use crate::server::{Running, Which};
use crate::{complain, say};
use round::Round;

/// What was asked for.
#[derive(clap::Args)]
pub(crate) struct Cel {
    /// How many rules.
    #[arg(default_value_t = 2000)]
    rules: usize,
    /// The seed of the rules; a random one, which is printed, if there is none.
    #[arg(long)]
    seed: Option<u64>,
    /// Print all that differ, not the first thirty.
    #[arg(long)]
    all: bool,
}

/// What came of a run.
#[derive(Default)]
struct Findings {
    /// How many rules were tried, and how many of them were installed.
    rules: usize,
    installed: usize,
    /// How many violations real Kubernetes named.
    violations: usize,
    /// How many rules differ because real Kubernetes panics.
    panics: usize,
    differing: Vec<String>,
}

impl Cel {
    /// Tries the rules on both servers, and says where they differ.
    pub(crate) async fn perform(&self) -> Result<Outcome, String> {
        let seed = self.seed.unwrap_or_else(|| fastrand::u64(..1_000_000_000));
        complain(&format!("seed {seed}: {} rules", self.rules));
        let kube = Running::start(&Which::Kube, Needs::default(), "cel").await?;
        let embedded = Running::start(&Which::Embedded, Needs::default(), "cel").await?;
        let servers = Servers { kube: &kube.endpoint, embedded: &embedded.endpoint };
        let found = self.compare(seed, &servers).await;
        kube.stop().await;
        embedded.stop().await;
        let found = found?;
        let shown = if self.all { found.differing.len() } else { SHOWN };
        found.differing.iter().take(shown).for_each(|difference| say(difference));
        let Findings { rules, installed, violations, panics, differing } = &found;
        let same = rules - differing.len() - panics;
        say(&format!(
            "seed {seed}: {same} of {rules} rules mean the same; {installed} were installed, and {violations} violations found"
        ));
        if *panics > 0 {
            say(&format!("real Kubernetes panics at {panics} others, which fail here, too"));
        }
        Ok(if differing.is_empty() { Outcome::Same } else { Outcome::Different })
    }

    async fn compare(&self, seed: u64, servers: &Servers<'_>) -> Result<Findings, String> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut found = Findings::default();
        let mut number = 0;
        while found.rules < self.rules {
            number += 1;
            let places = PLACES.min(self.rules - found.rules);
            Round::new(&mut random, number, places).run(&mut random, servers, &mut found).await?;
        }
        Ok(found)
    }
}

/// The two that are compared.
struct Servers<'a> {
    kube: &'a Endpoint,
    embedded: &'a Endpoint,
}

impl Servers<'_> {
    /// What both say to a request.
    async fn ask(&self, method: &str, path: &str, body: &Value) -> Result<[Answer; 2], String> {
        self.send(method, path, "application/json", body).await
    }

    /// What both say to a JSON patch.
    async fn patch(&self, path: &str, patch: &Value) -> Result<[Answer; 2], String> {
        self.send("PATCH", path, "application/json-patch+json", patch).await
    }

    async fn send(&self, method: &str, path: &str, kind: &str, body: &Value) -> Result<[Answer; 2], String> {
        let (kube, embedded) =
            tokio::join!(send(self.kube, method, path, kind, body), send(self.embedded, method, path, kind, body));
        Ok([kube?, embedded?])
    }

    /// Waits until both serve a path.
    async fn await_served(&self, path: &str) -> Result<(), String> {
        for _ in 0..READY_TRIES {
            if self.ask("GET", path, &Value::Null).await?.iter().all(|answer| answer.code == 200) {
                return Ok(());
            }
            tokio::time::sleep(READY_PAUSE).await;
        }
        Err(format!("{path} is not served"))
    }
}

/// A status, and the body.
struct Answer {
    code: u16,
    body: Value,
}

async fn send(server: &Endpoint, method: &str, path: &str, kind: &str, body: &Value) -> Result<Answer, String> {
    let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
    let request = Request::builder().method(method).uri(path).header(CONTENT_TYPE, kind);
    let request = request.body(Full::new(body)).map_err(|error| format!("{path}: {error}"))?;
    let answer = server.send(request).await?;
    let code = answer.status().as_u16();
    let body = answer.into_body().collect().await.map_err(|error| format!("{path}: {error}"))?.to_bytes();
    Ok(Answer { code, body: serde_json::from_slice(&body).unwrap_or_default() })
}

/// Rules in one definition: few enough that all together do not cost too much.
const PLACES: usize = 30;

/// Enough to see what kind of thing differs.
const SHOWN: usize = 30;

/// A new kind is served within moments, by the real server too.
const READY_TRIES: usize = 200;
const READY_PAUSE: Duration = Duration::from_millis(50);
