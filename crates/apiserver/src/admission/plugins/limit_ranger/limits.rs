//! One limit of a LimitRange: how much a container, a pod or a claim must and may ask for.
//!
//! In: a limit and an object. Out: kube-apiserver's sentence for each amount that does not keep to it.

use serde_json::Value;

use super::super::pod_resources::{Amounts, Side, amounts, of_container, of_pod};
use crate::codec::object::Object;
use crate::codec::typed::quantity::Quantity;

/// What a pod does not keep to.
pub(super) fn broken_by_pod(limit: &Value, pod: &Object) -> Vec<String> {
    let check = |requests, limits| Asked { requests, limits }.broken(limit);
    match limit.get("type").and_then(Value::as_str) {
        Some("Container") => {
            let containers = pod.items_at("/spec/containers").chain(pod.items_at("/spec/initContainers"));
            let each = containers.map(|it| check(of_container(it, Side::Requests), of_container(it, Side::Limits)));
            each.flatten().collect()
        }
        Some("Pod") => check(of_pod(pod, Side::Requests), of_pod(pod, Side::Limits)),
        _ => Vec::new(),
    }
}

/// What a claim does not keep to.
pub(super) fn broken_by_claim(limit: &Value, claim: &Object) -> Vec<String> {
    if limit.get("type").is_none_or(|kind| kind != "PersistentVolumeClaim") {
        return Vec::new();
    }
    let asked = Asked { requests: amounts(claim.at("/spec/resources/requests")), limits: Amounts::new() };
    let least = amounts(limit.get("min")).into_iter().filter_map(|(name, least)| asked.less(KIND_CLAIM, &name, least));
    let most = amounts(limit.get("max")).into_iter().filter_map(|(name, most)| {
        let what = format!("maximum {name} usage per {KIND_CLAIM} is {most}");
        match asked.requests.get(&name) {
            None => Some(format!("{what}.  No request is specified")),
            Some(request) if *request > most => Some(format!("{what}, but request is {request}")),
            Some(_) => None,
        }
    });
    least.chain(most).collect()
}

/// What is asked for.
struct Asked {
    requests: Amounts,
    limits: Amounts,
}

impl Asked {
    fn broken(&self, limit: &Value) -> Vec<String> {
        let kind = limit.get("type").and_then(Value::as_str).unwrap_or_default();
        let least = amounts(limit.get("min")).into_iter().filter_map(|(name, least)| self.less(kind, &name, least));
        let most = amounts(limit.get("max")).into_iter().filter_map(|(name, most)| self.more(kind, &name, most));
        let ratios = amounts(limit.get("maxLimitRequestRatio"));
        let wider = ratios.into_iter().filter_map(|(name, ratio)| self.wider(kind, &name, ratio));
        least.chain(most).chain(wider).collect()
    }

    fn less(&self, kind: &str, name: &str, least: Quantity) -> Option<String> {
        let what = format!("minimum {name} usage per {kind} is {least}");
        let (request, limit) = (self.requests.get(name), self.limits.get(name));
        match (request, limit) {
            (None, _) => Some(format!("{what}.  No request is specified")),
            (Some(request), _) if *request < least => Some(format!("{what}, but request is {request}")),
            (_, Some(limit)) if *limit < least => Some(format!("{what}, but limit is {limit}")),
            _ => None,
        }
    }

    fn more(&self, kind: &str, name: &str, most: Quantity) -> Option<String> {
        let what = format!("maximum {name} usage per {kind} is {most}");
        let (request, limit) = (self.requests.get(name), self.limits.get(name));
        match (request, limit) {
            (_, None) => Some(format!("{what}.  No limit is specified")),
            (_, Some(limit)) if *limit > most => Some(format!("{what}, but limit is {limit}")),
            (Some(request), _) if *request > most => Some(format!("{what}, but request is {request}")),
            _ => None,
        }
    }

    fn wider(&self, kind: &str, name: &str, most: Quantity) -> Option<String> {
        let what = format!("{name} max limit to request ratio per {kind} is {most}");
        let found = |amounts: &Amounts| amounts.get(name).copied().filter(|amount| !amount.is_zero());
        let Some(request) = found(&self.requests) else {
            return Some(format!("{what}, but no request is specified or request is 0"));
        };
        let Some(limit) = found(&self.limits) else {
            return Some(format!("{what}, but no limit is specified or limit is 0"));
        };
        let ratio = limit.ratio(request);
        (ratio > most.ratio(Quantity::count(1))).then(|| format!("{what}, but provided ratio is {ratio:.6}"))
    }
}

const KIND_CLAIM: &str = "PersistentVolumeClaim";
