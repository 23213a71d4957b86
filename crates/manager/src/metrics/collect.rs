//! Turns the samples of all sources into families, as exporters want them: each name once, with all its series.
//!
//! Order does not depend on the sources: names and labels are sorted.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError};

use pintle_runtime::metrics::{Histogram, Sample, Value};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;

use super::{Source, Sources};

/// All sources, as a collector of Prometheus.
pub(super) struct Collected(pub(super) Sources);

/// All series of one name.
struct Family {
    help: &'static str,
    kind: Kind,
    series: BTreeMap<Labels, Value>,
}

type Labels = Vec<(&'static str, String)>;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Counter,
    Gauge,
    Histogram,
}

impl Collector for Collected {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let sources: Vec<Arc<dyn Source>> = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let samples = sources.iter().flat_map(|source| source.samples());
        for (name, family) in families(samples) {
            // The format adds the suffix.
            let name = if family.kind == Kind::Counter { name.strip_suffix("_total").unwrap_or(name) } else { name };
            let mut metric = encoder.encode_descriptor(name, family.help, None, family.kind.metric_type())?;
            for (labels, value) in &family.series {
                // A family without labels would write empty brackets.
                if labels.is_empty() {
                    encode(&mut metric, value)?;
                } else {
                    encode(&mut metric.encode_family(labels)?, value)?;
                }
            }
        }
        Ok(())
    }
}

/// Files samples by their names. One whose type differs from that of others of its name is left out, because a scraper
/// would refuse all of them.
fn families(samples: impl Iterator<Item = Sample>) -> BTreeMap<&'static str, Family> {
    let mut families: BTreeMap<&'static str, Family> = BTreeMap::new();
    for sample in samples {
        let Some(kind) = Kind::of(&sample.value) else { continue };
        let family = families.entry(sample.name).or_insert(Family { help: sample.help, kind, series: BTreeMap::new() });
        if family.kind != kind {
            tracing::warn!(
                "the metric {} is given as {kind:?} and as {:?}; one of them is left out",
                sample.name,
                family.kind
            );
            continue;
        }
        match family.series.get_mut(&sample.labels) {
            Some(value) => merge(value, sample.value),
            None => drop(family.series.insert(sample.labels, sample.value)),
        }
    }
    families
}

/// Adds what another source says about the same series.
fn merge(value: &mut Value, other: Value) {
    match (value, other) {
        (Value::Counter(count), Value::Counter(more)) => *count += more,
        (Value::Histogram(histogram), Value::Histogram(more)) => histogram.merge(&more),
        (value, other) => *value = other,
    }
}

fn encode(encoder: &mut MetricEncoder<'_>, value: &Value) -> Result<(), fmt::Error> {
    match value {
        Value::Counter(count) => encoder.encode_counter::<NoLabelSet, _, u64>(count, None),
        Value::Gauge(number) => encoder.encode_gauge(number),
        Value::Histogram(histogram) => encoder.encode_histogram::<NoLabelSet>(
            histogram.sum().as_secs_f64(),
            histogram.count(),
            &buckets(histogram),
            None,
        ),
        // A kind that this crate does not know has no family.
        _ => Ok(()),
    }
}

/// The buckets by themselves, with one for what is longer than every bound: the encoder adds them up.
fn buckets(histogram: &Histogram) -> Vec<(f64, u64)> {
    let mut below = 0;
    let mut buckets: Vec<_> = histogram
        .buckets()
        .map(|(bound, count)| (bound.as_secs_f64(), count - std::mem::replace(&mut below, count)))
        .collect();
    buckets.push((f64::INFINITY, histogram.count() - below));
    buckets
}

impl Kind {
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Counter(_) => Some(Self::Counter),
            Value::Gauge(_) => Some(Self::Gauge),
            Value::Histogram(_) => Some(Self::Histogram),
            _ => None,
        }
    }

    fn metric_type(self) -> MetricType {
        match self {
            Self::Counter => MetricType::Counter,
            Self::Gauge => MetricType::Gauge,
            Self::Histogram => MetricType::Histogram,
        }
    }
}

impl fmt::Debug for Collected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collected").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use pintle_runtime::metrics::Samples;

    use super::*;

    fn of(name: &str, count: u64) -> Vec<Sample> {
        let mut samples = Samples::with_labels(&[("host", name)]);
        samples.counter("a_total", "A.", count);
        samples.gauge("b", "B.", count);
        let mut histogram = Histogram::default();
        histogram.observe(Duration::from_secs(count));
        samples.histogram("c_seconds", "C.", histogram);
        samples.into_vec()
    }

    #[test]
    fn two_sources_of_one_series_are_one_and_others_stay_apart() {
        let families = families([of("x", 1), of("y", 2), of("x", 3)].into_iter().flatten());
        let series = |name: &str| families[name].series.values().cloned().collect::<Vec<_>>();
        assert_eq!(series("a_total"), [Value::Counter(4), Value::Counter(2)]);
        assert_eq!(series("b"), [Value::Gauge(3.0), Value::Gauge(2.0)]);
        let Value::Histogram(both) = &series("c_seconds")[0] else { panic!("not a histogram") };
        assert_eq!((both.count(), both.sum()), (2, Duration::from_secs(4)));
    }

    #[test]
    fn a_name_of_two_types_keeps_the_first() {
        let (mut one, mut other) = (Samples::default(), Samples::default());
        one.counter("a_total", "A.", 1);
        other.gauge("a_total", "A.", 2);
        let families = families(one.into_vec().into_iter().chain(other.into_vec()));
        assert_eq!(families["a_total"].series.values().collect::<Vec<_>>(), [&Value::Counter(1)]);
    }

    #[test]
    fn what_is_longer_than_every_bound_is_in_the_last_bucket() {
        let mut histogram = Histogram::default();
        histogram.observe(Duration::from_secs(5));
        histogram.observe(Duration::from_secs(5000));
        let buckets = buckets(&histogram);
        assert_eq!(buckets.iter().map(|(_, count)| count).sum::<u64>(), 2);
        assert_eq!((buckets[9], buckets[12]), ((10.0, 1), (f64::INFINITY, 1)));
    }
}
