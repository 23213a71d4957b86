//! What an operator shows of itself: metrics, probes and spans; and how it behaves where a server asks for less.

#[path = "observability/dashboard.rs"]
mod dashboard;
#[path = "observability/flow.rs"]
mod flow;
#[path = "observability/metric_names.rs"]
mod metric_names;
#[path = "observability/metrics.rs"]
mod metrics;
#[path = "observability/probes.rs"]
mod probes;
#[path = "observability/secure_metrics.rs"]
mod secure_metrics;
#[path = "observability/spans.rs"]
mod spans;

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use tower::{Service, ServiceExt};

/// What a service answers to `GET path`: the code, the media type and the text.
async fn get<S>(service: S, path: &str, header: Option<(&str, &str)>) -> (u16, String, String)
where
    S: Service<Request<()>, Response = Response<Full<bytes::Bytes>>, Error = Infallible>,
{
    let mut request = Request::get(path);
    if let Some((name, value)) = header {
        request = request.header(name, value);
    }
    let answer = service.oneshot(request.body(()).unwrap()).await.unwrap();
    let media = answer.headers()["content-type"].to_str().unwrap().to_owned();
    let (code, body) = (answer.status().as_u16(), answer.into_body().collect().await.unwrap().to_bytes());
    (code, media, String::from_utf8(body.into()).unwrap())
}

/// The metrics of a text in the classic format: each name with its type and the labels that all its series have.
fn families(text: &str) -> BTreeMap<String, (String, BTreeSet<String>)> {
    let mut families: BTreeMap<String, (String, BTreeSet<String>)> = BTreeMap::new();
    for line in text.lines() {
        if let Some((name, kind)) = line.strip_prefix("# TYPE ").and_then(|rest| rest.split_once(' ')) {
            families.insert(name.to_owned(), (kind.to_owned(), BTreeSet::new()));
        } else if !line.starts_with('#') {
            let series = line.rsplit_once(' ').unwrap().0;
            let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
            let family = ["", "_bucket", "_sum", "_count"].iter().find_map(|suffix| {
                let name = name.strip_suffix(suffix)?;
                families.contains_key(name).then(|| name.to_owned())
            });
            let family = family.unwrap_or_else(|| panic!("{line} has no type"));
            let labels = labels.trim_end_matches('}').split("\",").filter_map(|label| label.split_once('='));
            let labels = labels.map(|(name, _)| name.to_owned()).filter(|name| name != "le");
            families.get_mut(&family).unwrap().1.extend(labels);
        }
    }
    families
}
