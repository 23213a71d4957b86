//! `/metrics` under kube-apiserver's names: how many requests were answered with what, how long they took, how many are under
//! way, and how many objects there are.
//!
//! In: the beginning and the end of requests. Out: Prometheus' text format. Labels hold kinds that are served and paths of
//! probes, never names of objects or what a client made up, so their number is bounded.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use http::Method;

use super::seen::Seen;
use crate::authorization::attributes::{Attributes, Requested};
use crate::catalog::kinds::qualified;
use crate::storage::store::Objects;

/// What was counted.
#[derive(Debug, Default)]
pub(crate) struct Metrics(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    by_series: BTreeMap<Series, Count>,
    /// Requests under way that change nothing, and that do; without those that go on.
    reading: u64,
    writing: u64,
}

#[derive(Debug, Default)]
struct Count {
    codes: BTreeMap<u16, u64>,
    /// How many took no longer than each of [`BUCKETS`].
    buckets: [u64; BUCKETS.len()],
    seconds: f64,
    ended: u64,
    /// Those that go on.
    open: u64,
    is_long_running: bool,
}

/// What requests are counted together.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Series {
    component: &'static str,
    dry_run: &'static str,
    group: String,
    resource: String,
    scope: &'static str,
    subresource: String,
    verb: &'static str,
    version: String,
    is_long_running: bool,
}

impl Series {
    /// That of a request, if it is one that is counted.
    pub(super) fn of(seen: &Seen) -> Option<Series> {
        let Attributes { verb, requested } = seen.attributes.as_ref()?;
        let resource = match requested {
            Requested::Resource(resource) => resource,
            Requested::Path(path) => return Series::of_path(path),
        };
        let is_connection = seen.is_connection(&resource.subresource);
        let verb = match (verb.as_str(), &seen.method) {
            _ if is_connection => "CONNECT",
            ("watch", _) => "WATCH",
            ("list", _) => "LIST",
            (_, &Method::PATCH) if seen.is_apply => "APPLY",
            (_, &Method::PATCH) => "PATCH",
            (_, &Method::POST) => "POST",
            (_, &Method::PUT) => "PUT",
            (_, &Method::DELETE) => "DELETE",
            _ => "GET",
        };
        let scope = match (resource.name.as_str(), resource.namespace.as_str()) {
            ("", "") if verb != "POST" => "cluster",
            ("", _) if verb != "POST" => "namespace",
            _ => "resource",
        };
        let query = seen.uri.split_once('?').map_or("", |(_, query)| query);
        let is_trial = form_urlencoded::parse(query.as_bytes()).any(|(name, value)| name == "dryRun" && value == "All");
        Some(Series {
            component: "apiserver",
            dry_run: if is_trial { "All" } else { "" },
            group: resource.group.clone(),
            resource: resource.resource.clone(),
            scope,
            subresource: resource.subresource.clone(),
            verb,
            version: seen.version.clone(),
            is_long_running: seen.is_long_running(),
        })
    }

    /// Of paths without objects only probes are counted, as in kube-apiserver.
    fn of_path(path: &str) -> Option<Series> {
        let path = matches!(path, "/healthz" | "/livez" | "/readyz").then(|| path.to_owned())?;
        Some(Series {
            component: "",
            dry_run: "",
            group: String::new(),
            resource: String::new(),
            scope: "",
            subresource: path,
            verb: "GET",
            version: String::new(),
            is_long_running: false,
        })
    }

    fn is_writing(&self) -> bool {
        matches!(self.verb, "POST" | "PUT" | "PATCH" | "APPLY" | "DELETE")
    }
}

impl fmt::Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Series { component, dry_run, group, resource, scope, subresource, verb, version, .. } = self;
        write!(f, "component=\"{component}\",dry_run=\"{dry_run}\",group=\"{group}\",resource=\"{resource}\",")?;
        write!(f, "scope=\"{scope}\",subresource=\"{subresource}\",verb=\"{verb}\",version=\"{version}\"")
    }
}

impl Metrics {
    pub(super) fn began(&self, series: &Series) {
        let mut counts = self.lock();
        if series.is_long_running {
            counts.count(series).open += 1;
        } else {
            *counts.under_way(series) += 1;
        }
    }

    /// A request has ended; no code means that no answer came.
    pub(super) fn ended(&self, series: &Series, code: Option<u16>, time: Duration) {
        let mut counts = self.lock();
        if !series.is_long_running {
            *counts.under_way(series) -= 1;
        }
        let count = counts.count(series);
        if series.is_long_running {
            count.open -= 1;
        }
        let Some(code) = code else { return };
        let seconds = time.as_secs_f64();
        *count.codes.entry(code).or_default() += 1;
        count.ended += 1;
        count.seconds += seconds;
        for (bucket, _) in count.buckets.iter_mut().zip(BUCKETS).filter(|(_, limit)| seconds <= *limit) {
            *bucket += 1;
        }
    }

    /// Everything, with how many objects there are now.
    pub(super) fn print(&self, objects: &Objects) -> String {
        let mut text = String::new();
        let printed = self.lock().print(&mut text).and_then(|()| print_objects(&mut text, objects));
        printed.expect("writing to a text does not fail");
        text
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    fn count(&mut self, series: &Series) -> &mut Count {
        let count = self.by_series.entry(series.clone()).or_default();
        count.is_long_running = series.is_long_running;
        count
    }

    fn under_way(&mut self, series: &Series) -> &mut u64 {
        if series.is_writing() { &mut self.writing } else { &mut self.reading }
    }

    fn print(&self, text: &mut String) -> fmt::Result {
        let name = "apiserver_current_inflight_requests";
        head(text, name, "gauge", "Requests under way, by whether they change something; without watches.")?;
        writeln!(text, "{name}{{request_kind=\"mutating\"}} {}", self.writing)?;
        writeln!(text, "{name}{{request_kind=\"readOnly\"}} {}", self.reading)?;

        let name = "apiserver_longrunning_requests";
        head(text, name, "gauge", "Watches and connections to pods that are open.")?;
        for (series, count) in self.by_series.iter().filter(|(_, count)| count.is_long_running) {
            // They are never tried out, and have no such label.
            let labels = series.to_string().replace("dry_run=\"\",", "");
            writeln!(text, "{name}{{{labels}}} {}", count.open)?;
        }

        let name = "apiserver_request_duration_seconds";
        head(text, name, "histogram", "How long requests took until their answer was there, or until a watch ended.")?;
        for (series, count) in self.by_series.iter().filter(|(_, count)| count.ended > 0) {
            for (number, limit) in count.buckets.iter().zip(BUCKETS) {
                writeln!(text, "{name}_bucket{{{series},le=\"{limit}\"}} {number}")?;
            }
            writeln!(text, "{name}_bucket{{{series},le=\"+Inf\"}} {}", count.ended)?;
            writeln!(text, "{name}_sum{{{series}}} {}", count.seconds)?;
            writeln!(text, "{name}_count{{{series}}} {}", count.ended)?;
        }

        let name = "apiserver_request_total";
        head(text, name, "counter", "Requests that were answered, by the code of the answer.")?;
        for (series, count) in &self.by_series {
            for (code, number) in &count.codes {
                writeln!(text, "{name}{{code=\"{code}\",{series}}} {number}")?;
            }
        }
        Ok(())
    }
}

fn print_objects(text: &mut String, objects: &Objects) -> fmt::Result {
    let name = "apiserver_resource_objects";
    head(text, name, "gauge", "How many objects are stored, by kind.")?;
    for (resource, stored) in objects {
        writeln!(text, "{name}{{group=\"{}\",resource=\"{}\"}} {}", resource.group, resource.plural, stored.len())?;
    }
    let name = "apiserver_storage_objects";
    head(text, name, "gauge", "The same, under the name that older dashboards know.")?;
    for (resource, stored) in objects {
        writeln!(text, "{name}{{resource=\"{}\"}} {}", qualified(&resource.plural, &resource.group), stored.len())?;
    }
    Ok(())
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) -> fmt::Result {
    writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}")
}

/// kube-apiserver's.
const BUCKETS: [f64; 23] = [
    0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0,
    45.0, 60.0,
];
