//! Which text format a scraper wants.

use http::HeaderMap;
use http::header::ACCEPT;

/// A text format for metrics.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Format {
    /// OpenMetrics 1.0.0.
    OpenMetrics,
    /// Prometheus' own, version 0.0.4, which every scraper reads.
    Classic,
}

impl Format {
    /// The one that a request prefers. Classic where it does not say, or wants something that is not offered.
    #[must_use]
    pub fn negotiated(headers: &HeaderMap) -> Self {
        let accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let mut best = (0.0, Self::Classic);
        for range in accepted.flat_map(|value| value.split(',')) {
            let (offer, quality) = offered(range);
            // The first of those that are wanted alike counts.
            if let Some(format) = offer.filter(|_| quality > best.0) {
                best = (quality, format);
            }
        }
        best.1
    }

    /// Its media type.
    #[must_use]
    pub fn content_type(self) -> &'static str {
        match self {
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Self::Classic => "text/plain; version=0.0.4; charset=utf-8",
        }
    }
}

/// What answers one media range, and how much that is wanted.
fn offered(range: &str) -> (Option<Format>, f64) {
    let mut parts = range.split(';').map(str::trim);
    let media = parts.next().unwrap_or_default().to_ascii_lowercase();
    let (mut version, mut quality) = (None, 1.0);
    for (name, value) in parts.filter_map(|part| part.split_once('=')) {
        match name.trim().to_ascii_lowercase().as_str() {
            "version" => version = Some(value.trim()),
            "q" => quality = value.trim().parse().ok().filter(|quality| (0.0..=1.0).contains(quality)).unwrap_or(0.0),
            _ => {}
        }
    }
    let format = match (media.as_str(), version) {
        ("application/openmetrics-text", None | Some("1.0.0")) => Some(Format::OpenMetrics),
        ("text/plain", None | Some("0.0.4")) | ("text/*" | "*/*", _) => Some(Format::Classic),
        _ => None,
    };
    (format, quality)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_metrics_is_for_those_who_want_it_most_and_classic_for_everyone_else() {
        let prometheus = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.7,\
            application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,\
            application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;q=0.4,text/plain;version=0.0.4;q=0.3,\
            */*;q=0.2";
        let cases = [
            (Some(prometheus), Format::OpenMetrics),
            (None, Format::Classic),
            (Some("*/*"), Format::Classic),
            (Some("text/plain;version=0.0.4;q=0.5, application/openmetrics-text;q=0.4"), Format::Classic),
            (Some("application/openmetrics-text; version=0.0.1"), Format::Classic),
            (Some("Application/OpenMetrics-Text"), Format::OpenMetrics),
            (Some("application/openmetrics-text;q=0"), Format::Classic),
            (Some("application/openmetrics-text;q=x,image/png"), Format::Classic),
        ];
        for (accept, expected) in cases {
            let mut headers = HeaderMap::new();
            if let Some(accept) = accept {
                headers.insert(ACCEPT, accept.parse().unwrap());
            }
            assert_eq!(Format::negotiated(&headers), expected, "{accept:?}");
        }
    }
}
