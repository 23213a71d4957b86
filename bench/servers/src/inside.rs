//! The server without a socket, as a test has it: how long it takes to make one or to fork one, and what one weighs.

use std::time::{Duration, Instant};

use pintle_apiserver::Server;

use crate::BoxError;
use crate::definitions;
use crate::measure;
use crate::objects;

/// Measures in this process and prints what it found.
pub(crate) fn report() -> Result<(), BoxError> {
    // The first one brings the pages of the program that all of them share.
    drop(Server::new());
    let before = measure::resident_memory(std::process::id())?;
    let (ready, servers) = each(|_| Server::new());
    let weight = (measure::resident_memory(std::process::id())? - before) / SERVERS as u64;
    drop(servers);
    let prepared = Server::new();
    let manifest: Vec<String> =
        (0..OBJECTS).map(|number| String::from_utf8(objects::pod(number).to_vec())).collect::<Result<_, _>>()?;
    prepared.load(&manifest.join("\n---\n"))?;
    let (forked, _) = each(|_| prepared.fork());
    let (with_rbac, _) = each(|_| Server::builder().rbac().build());
    let defined = Server::new();
    let definitions: Vec<String> = (0..DEFINITIONS).map(|number| definitions::definition(number).to_string()).collect();
    defined.load(&definitions.join("\n---\n"))?;
    let (forked_defined, _) = each(|_| defined.fork());
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    println!(
        "inside: ready in {:.0} µs with {} KiB ({:.0} µs with RBAC), forked with {OBJECTS} pods in {:.0} µs, with \
         {DEFINITIONS} definitions of {} KB in {:.0} µs",
        micros(ready),
        weight / 1024,
        micros(with_rbac),
        micros(forked),
        definitions[0].len() / 1000,
        micros(forked_defined),
    );
    Ok(())
}

/// Makes many, and says how long one took in the median.
fn each(make: impl Fn(usize) -> Server) -> (Duration, Vec<Server>) {
    let mut times = Vec::with_capacity(SERVERS);
    let servers = (0..SERVERS).map(|number| {
        let begun = Instant::now();
        let server = make(number);
        times.push(begun.elapsed());
        server
    });
    let servers = servers.collect();
    times.sort_unstable();
    (times[SERVERS / 2], servers)
}

const SERVERS: usize = 201;

const OBJECTS: usize = 1000;

/// As many as a cluster with dozens of operators has.
const DEFINITIONS: usize = 200;
