//! What a client has sent and how long the server took, under client-go's names.
//!
//! ```text
//!   each try (layers/attempt.rs, or client.rs where there are no layers) ─► Metrics ─► Client::metrics().samples()
//!   each wait for a rate limit (layers/rate_limit.rs)                    ─┘
//! ```
//! A client and its clones share one. The number of series is bounded whatever a program asks for and a server answers: what
//! comes past a few hundred is counted together.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::{Method, Request, Uri};
use pintle_core::metrics::{CALL_BOUNDS, Histogram, Sample, Samples};

use super::request::class::RequestClass;

/// What a client has sent; from [`Client::metrics`](super::Client::metrics). Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Metrics(Arc<Mutex<Numbers>>);

/// So many series each name has at most. A program that talks to one server has some thirty.
const SERIES_MAX: usize = 200;

/// The labels of whatever comes past that.
const OTHER: &str = "other";

/// The host of a server in this process.
const IN_PROCESS: &str = "in-process";

#[derive(Debug, Default)]
struct Numbers {
    requests: Counts,
    retries: Counts,
    durations: Durations,
    waits: Durations,
    hosts: Vec<Arc<str>>,
}

/// How often something was answered with a code, by verb and host.
#[derive(Debug, Default)]
struct Counts {
    by: BTreeMap<(Code, Verb), BTreeMap<Arc<str>, u64>>,
    len: usize,
}

/// Durations by verb and host.
type Durations = BTreeMap<(Verb, Arc<str>), Histogram>;

/// The code of an answer; `None` for none.
type Code = Option<u16>;
type Verb = &'static str;

/// Hosts past so many are counted together: a client has one, unless it is built over a service of the program's own.
const HOSTS_MAX: usize = 8;

/// What the labels of a request's series are.
#[derive(Clone, Debug)]
pub(super) struct Labels {
    verb: Verb,
    host: Arc<str>,
}

impl Metrics {
    /// Everything for an exporter of metrics, under client-go's names:
    /// `rest_client_requests_total{code,method,host}`, `rest_client_request_duration_seconds{verb,host}`; where calls were tried
    /// again, `rest_client_request_retries_total{code,verb,host}`; and where a rate limit made calls wait,
    /// `rest_client_rate_limiter_duration_seconds{verb,host}`.
    pub fn samples(&self) -> Vec<Sample> {
        let (numbers, mut samples) = (self.lock(), Samples::default());
        let help = "Requests by the code of their answer; each try counts.";
        numbers.requests.add_to(&mut samples, "rest_client_requests_total", help, "method");
        let help = "Tries after the first, by the code of their answer.";
        numbers.retries.add_to(&mut samples, "rest_client_request_retries_total", help, "verb");
        let help = "How long the server took to begin its answer; watches and connections do not count.";
        add(&mut samples, "rest_client_request_duration_seconds", help, &numbers.durations);
        let help = "How long requests waited for the client's own rate limit.";
        add(&mut samples, "rest_client_rate_limiter_duration_seconds", help, &numbers.waits);
        samples.into_vec()
    }

    /// What the series of `request` are labelled with.
    pub(super) fn labels<B>(&self, request: &Request<B>) -> Labels {
        Labels { verb: verb(request.method()), host: self.lock().host(request.uri()) }
    }

    /// A try of this class ended after so long, with this code or without an answer.
    pub(super) fn ended(&self, labels: &Labels, class: RequestClass, code: Code, took: Duration) {
        let mut numbers = self.lock();
        numbers.requests.count(labels, code);
        if class == RequestClass::Plain {
            observe(&mut numbers.durations, labels, took);
        }
    }

    /// The same try was not the first of its call.
    pub(super) fn retried(&self, labels: &Labels, code: Code) {
        self.lock().retries.count(labels, code);
    }

    /// The client's own rate limit made a request wait for so long.
    pub(super) fn waited(&self, labels: &Labels, duration: Duration) {
        observe(&mut self.lock().waits, labels, duration);
    }

    // Nothing panics while it is locked.
    fn lock(&self) -> MutexGuard<'_, Numbers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    fn count(&mut self, labels: &Labels, code: Code) {
        let (mut key, mut host) = ((code, labels.verb), Arc::clone(&labels.host));
        let is_known = self.by.get(&key).is_some_and(|hosts| hosts.contains_key(&host));
        if !is_known && self.len >= SERIES_MAX {
            (key, host) = ((Some(0), labels.verb), OTHER.into());
        }
        let count = self.by.entry(key).or_default().entry(host).or_default();
        *count += 1;
        if *count == 1 {
            self.len += 1;
        }
    }

    /// client-go calls the verb differently here and there.
    fn add_to(&self, samples: &mut Samples, name: &'static str, help: &'static str, verb_label: &'static str) {
        for ((code, verb), hosts) in &self.by {
            let code = code.map_or_else(|| "<error>".to_owned(), code_label);
            for (host, count) in hosts {
                samples.counter_of(name, help, &[("code", &code), ("host", host), (verb_label, verb)], *count);
            }
        }
    }
}

impl Numbers {
    /// Host and port, shared by all requests that go there.
    fn host(&mut self, uri: &Uri) -> Arc<str> {
        let authority = uri.authority().map_or(IN_PROCESS, http::uri::Authority::as_str);
        // Whoever asks is not part of where.
        let host = authority.rsplit('@').next().unwrap_or(authority);
        if let Some(known) = self.hosts.iter().find(|known| &***known == host) {
            return Arc::clone(known);
        }
        let host: Arc<str> = if self.hosts.len() < HOSTS_MAX { host.into() } else { OTHER.into() };
        if self.hosts.len() <= HOSTS_MAX {
            self.hosts.push(Arc::clone(&host));
        }
        host
    }
}

fn observe(durations: &mut Durations, labels: &Labels, duration: Duration) {
    let key = (labels.verb, Arc::clone(&labels.host));
    durations.entry(key).or_insert_with(|| Histogram::new(CALL_BOUNDS)).observe(duration);
}

fn add(samples: &mut Samples, name: &'static str, help: &'static str, durations: &Durations) {
    for ((verb, host), histogram) in durations {
        samples.histogram_of(name, help, &[("host", host), ("verb", verb)], histogram.clone());
    }
}

fn code_label(code: u16) -> String {
    if code == 0 { OTHER.to_owned() } else { code.to_string() }
}

/// The methods that the API has; others are one.
fn verb(method: &Method) -> Verb {
    match method.as_str() {
        "GET" => "GET",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "HEAD" => "HEAD",
        "OPTIONS" => "OPTIONS",
        _ => OTHER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, uri: &str) -> Request<()> {
        Request::builder().method(method).uri(uri).body(()).unwrap()
    }

    fn series(metrics: &Metrics) -> Vec<String> {
        let print = |sample: Sample| {
            let labels: Vec<_> = sample.labels.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!("{} {}", sample.name, labels.join(","))
        };
        metrics.samples().into_iter().map(print).collect()
    }

    #[test]
    fn tries_are_counted_by_code_method_and_host_without_the_user() {
        let metrics = Metrics::default();
        let labels = metrics.labels(&request("GET", "https://me:secret@host:6443/api?a=b"));
        metrics.ended(&labels, RequestClass::Plain, Some(200), Duration::from_millis(3));
        metrics.ended(&labels, RequestClass::Watch(None), None, Duration::from_millis(3));
        metrics.retried(&labels, Some(503));
        metrics.waited(&metrics.labels(&request("PATCH", "/api")), Duration::from_secs(1));
        let expected = [
            "rest_client_requests_total code=<error>,host=host:6443,method=GET",
            "rest_client_requests_total code=200,host=host:6443,method=GET",
            "rest_client_request_retries_total code=503,host=host:6443,verb=GET",
            "rest_client_request_duration_seconds host=host:6443,verb=GET",
            "rest_client_rate_limiter_duration_seconds host=in-process,verb=PATCH",
        ];
        assert_eq!(series(&metrics), expected);
    }

    #[test]
    fn ten_thousand_hosts_methods_and_codes_are_a_bounded_number_of_series() {
        let metrics = Metrics::default();
        for number in 0..10_000_u16 {
            let method = if number % 2 == 0 { "GET".to_owned() } else { format!("M{number}") };
            let labels = metrics.labels(&request(&method, &format!("https://host-{number}/")));
            metrics.ended(&labels, RequestClass::Plain, Some(100 + number % 900), Duration::ZERO);
        }
        let all = metrics.samples();
        assert!(all.len() <= SERIES_MAX + 2 + 2 * (HOSTS_MAX + 1), "{} series", all.len());
        let counted = all.iter().map(|sample| match sample.value {
            pintle_core::metrics::Value::Counter(count) => count,
            _ => 0,
        });
        assert_eq!(counted.sum::<u64>(), 10_000, "what is past the limit is counted together");
    }
}
