//! What happens to the cluster: writes, and what goes wrong; all of it follows from the seed.
//!
//! Names are never used again, so a table that keeps one entry for each grows for ever. The exception is an object that is
//! deleted and made anew at once, which is the hardest case for whoever goes by names.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use pintle::api::{Api, DeleteParams, ObjectMeta, Patch, PatchParams, PostParams};
use pintle::testing::{Fault, Requests, Server, ServerExt};

use crate::Problem;
use crate::arguments::Arguments;
use crate::operator::{CLEANED_UP, WANT};

/// So many ConfigMaps there are at a time, more or less, and as many Secrets: a list has two pages.
const OBJECTS: usize = 600;
/// So many writes are made between two pauses, at most.
const BURST: usize = 64;
/// A watch is taken for healthy again after two minutes, and is then opened without a delay.
const BETWEEN_RELISTS: Duration = Duration::from_secs(180);

/// The writer.
pub(crate) struct Traffic {
    server: Server,
    maps: Api<ConfigMap>,
    secrets: Api<Secret>,
    random: fastrand::Rng,
    /// The numbers of the ConfigMaps that exist and are not being deleted.
    alive: Vec<u64>,
    made: u64,
    first_revision: u64,
    events_per_round: u64,
    pause_max: Duration,
    rounds: u64,
}

impl Traffic {
    pub(crate) fn new(server: &Server, arguments: &Arguments) -> Self {
        // No layers: what it does is done once, or it is wrong.
        let client = server.bare_client();
        let events_per_round = arguments.events_per_round();
        // A write is answered by another of the keeper, and half a burst is what there is on average; so is half a pause.
        let bursts_per_round = (events_per_round / BURST as u64).max(1);
        let pause_max = BETWEEN_RELISTS * 2 / u32::try_from(bursts_per_round).unwrap_or(u32::MAX);
        Self {
            server: server.clone(),
            maps: Api::default_namespaced(client.clone()),
            secrets: Api::default_namespaced(client),
            random: fastrand::Rng::with_seed(arguments.seed),
            alive: Vec::new(),
            made: 0,
            first_revision: server.revision(),
            events_per_round,
            pause_max,
            rounds: 0,
        }
    }

    /// How many changes there were: each is an event of every watch of its kind.
    pub(crate) fn events(&self) -> u64 {
        self.server.revision() - self.first_revision
    }

    /// How many ConfigMaps were ever made.
    pub(crate) fn made(&self) -> u64 {
        self.made
    }

    /// How many ConfigMaps there are.
    pub(crate) fn alive(&self) -> usize {
        self.alive.len()
    }

    /// How often all watches have lost their history.
    pub(crate) fn rounds(&self) -> u64 {
        self.rounds
    }

    /// What goes wrong all the time: for the operator's requests, and for every watch.
    pub(crate) fn add_faults(&self) {
        let add = |requests: Requests, chance: f64, fault: Fault| {
            drop(self.server.fault(requests.with_chance(chance), fault));
        };
        let busy = || Fault::too_many_requests(Some(Duration::from_secs(1)));
        for writes in [Requests::creates().of("secrets"), Requests::updates().of("secrets"), Requests::patches()] {
            add(writes.clone(), 0.01, busy());
            add(writes.clone(), 0.002, Fault::internal_error());
            add(writes.clone(), 0.002, Fault::conflict());
            add(writes, 0.002, Fault::LostResponse);
        }
        for reads in [Requests::lists(), Requests::watches()] {
            add(reads.clone(), 0.1, busy());
            add(reads.clone(), 0.02, Fault::unavailable(None));
            add(reads, 0.02, Fault::LostRequest);
        }
        add(Requests::watches(), 0.02, Fault::Stall { after: 50 });
        add(Requests::watches(), 0.02, Fault::SlowEvents(Duration::from_millis(10)));
    }

    /// Nothing goes wrong any more.
    pub(crate) fn lift_faults(&self) {
        self.server.lift_faults();
    }

    /// Some writes, perhaps some trouble, and a pause.
    pub(crate) async fn step(&mut self) -> Result<(), Problem> {
        if self.events() >= (self.rounds + 1) * self.events_per_round {
            self.lose_history().await?;
        } else {
            self.burst().await?;
        }
        match self.random.u8(..) {
            0 => drop(self.server.cut_watches(&Requests::watches())),
            1 => drop(self.server.break_watches(&Requests::watches().of("secrets"))),
            2 => self.server.expire_history(),
            _ => {}
        }
        let pause = self.pause_max.mul_f64(self.random.f64());
        tokio::time::sleep(pause).await;
        Ok(())
    }

    /// Every watch misses something and cannot go on from where it was.
    async fn lose_history(&mut self) -> Result<(), Problem> {
        self.server.stall_watches(&Requests::watches());
        self.burst().await?;
        self.server.expire_history();
        self.server.break_watches(&Requests::watches());
        self.rounds += 1;
        Ok(())
    }

    async fn burst(&mut self) -> Result<(), Problem> {
        for _ in 0..self.random.usize(1..=BURST) {
            self.write().await?;
        }
        Ok(())
    }

    async fn write(&mut self) -> Result<(), Problem> {
        if self.alive.is_empty() {
            return self.create_another().await;
        }
        let at = self.random.usize(..self.alive.len());
        let number = self.alive[at];
        match self.random.u8(..100) {
            // Balanced around the number of objects that there are to be.
            0..12 if self.alive.len() < OBJECTS + self.random.usize(..OBJECTS / 4) => self.create_another().await?,
            0..12 => {
                self.alive.swap_remove(at);
                self.delete(number).await?;
            }
            12 if !is_cleaned_up(number) => {
                self.delete(number).await?;
                self.create(number).await?;
            }
            // It may not be there, or go meanwhile.
            13 => drop(self.secrets.delete(&name(number), &DeleteParams::default()).await),
            _ => {
                let want = Patch::Merge(serde_json::json!({"data": {WANT: self.random.u32(..).to_string()}}));
                // It may be refused, as the operator's patches may.
                drop(self.maps.patch(&name(number), &PatchParams::default(), &want).await);
            }
        }
        Ok(())
    }

    async fn create_another(&mut self) -> Result<(), Problem> {
        let number = self.made;
        self.made += 1;
        self.alive.push(number);
        self.create(number).await
    }

    async fn create(&self, number: u64) -> Result<(), Problem> {
        let annotations = is_cleaned_up(number).then(|| [(CLEANED_UP.to_owned(), "yes".to_owned())].into());
        let map = ConfigMap {
            metadata: ObjectMeta { name: Some(name(number)), annotations, ..ObjectMeta::default() },
            data: Some([(WANT.to_owned(), number.to_string())].into()),
            ..ConfigMap::default()
        };
        let created = self.maps.create(&PostParams::default(), &map).await;
        created.map(drop).map_err(|error| format!("{} could not be created: {error}", name(number)))
    }

    async fn delete(&self, number: u64) -> Result<(), Problem> {
        let deleted = self.maps.delete(&name(number), &DeleteParams::default()).await;
        deleted.map(drop).map_err(|error| format!("{} could not be deleted: {error}", name(number)))
    }

    /// Deletes every ConfigMap.
    pub(crate) async fn delete_everything(&mut self) -> Result<(), Problem> {
        for number in std::mem::take(&mut self.alive) {
            self.delete(number).await?;
        }
        Ok(())
    }
}

fn name(number: u64) -> String {
    format!("map-{number}")
}

/// Whether it has a finalizer, and so is not gone as soon as it is deleted.
fn is_cleaned_up(number: u64) -> bool {
    number.is_multiple_of(10)
}
