//! ResourceQuota: what a namespace may have in all.
//!
//! ```text
//!  new object ─► usage ─► each quota whose scopes it is in: enough left? ─► Charge ─► commit: quotas and object together
//! ```
//! In: what is created, and changes of Services, claims and pods that are resized. Out: a refusal, or a [`Charge`]: the quotas
//! as they become. The commit stores them with the object, and only if no quota of the namespace has changed meanwhile: so
//! what is used is exact, however many write at once. What is gone is given back by `controllers::resource_quota`.

pub(crate) mod scopes;
pub(crate) mod usage;

use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value};

use super::pod_resources::{Amounts, add, amounts};
use crate::admission::{Attributes, Operation};
use crate::catalog::kinds;
use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::codec::typed::quantity::Quantity;
use crate::response::status::Answer;
use crate::storage::entry::{ChangeKind, Encoded, Entry};
use crate::storage::store::{Resource, StorageKey, scan};

/// What a write takes from the quotas of its namespace.
pub(crate) struct Charge {
    pub(crate) namespace: String,
    /// Every quota of the namespace, as it was looked at.
    pub(crate) seen: Vec<Arc<Entry>>,
    /// Those that are charged, as they become.
    pub(crate) charged: Vec<(StorageKey, Encoded)>,
}

/// Works out what a write takes from the quotas of its namespace, or which of them has too little left.
pub(in crate::admission) fn charge(
    snapshot: &ClusterSnapshot,
    attributes: &Attributes<'_>,
    object: &Object,
) -> Answer<Option<Charge>> {
    let namespace = attributes.namespace();
    let Some(all) = snapshot.objects.get(&*QUOTAS).filter(|_| !namespace.is_empty()) else { return Ok(None) };
    let seen: Vec<Arc<Entry>> = scan(all, Some(namespace), "").map(|(_, entry)| Arc::clone(entry)).collect();
    if seen.is_empty() || !is_counted(attributes) {
        return Ok(None);
    }
    let mut quotas = Vec::new();
    for quota in seen.iter().map(|entry| entry.object()) {
        if concerns(&quota, attributes, object)? {
            quotas.push(quota);
        }
    }
    let taken = taken(snapshot, attributes, object);
    let mut charged = Vec::new();
    for quota in &quotas {
        if let Some(quota) = take(snapshot, attributes, object, quota, &taken)? {
            let place = StorageKey { resource: QUOTAS.clone(), key: format!("{namespace}/{}", quota.name()).into() };
            charged.push((place, Encoded::new(ChangeKind::Modified, &quota)));
        }
    }
    Ok((!charged.is_empty()).then(|| Charge { namespace: namespace.to_owned(), seen, charged }))
}

/// Whether quotas are asked about such a request.
fn is_counted(attributes: &Attributes<'_>) -> bool {
    let kind = &attributes.target.kind;
    match (attributes.operation, attributes.target.subresource.as_deref()) {
        (Operation::Create, None) => true,
        (Operation::Update, None) => kind.is("", "services") || kind.is("", "persistentvolumeclaims"),
        (Operation::Update, Some("resize")) => kind.is("", "pods"),
        _ => false,
    }
}

/// Whether a quota limits such an object, which then must say what it needs.
fn concerns(quota: &Object, attributes: &Attributes<'_>, object: &Object) -> Answer<bool> {
    let kind = &attributes.target.kind;
    let hard = amounts(quota.at("/status/hard"));
    let limited: Vec<&String> = hard.keys().filter(|name| usage::is_of(&kind.group, &kind.plural, name)).collect();
    if limited.is_empty() || !scopes::hold(quota, &kind.plural, object) {
        return Ok(false);
    }
    let missing = if kind.is("", "pods") { usage::unsaid(&limited, object) } else { String::new() };
    if !missing.is_empty() {
        let why = format!("failed quota: {}: must specify {missing}", quota.name());
        return Err(attributes.forbidden(Some(object), &why));
    }
    let used = amounts(quota.at("/status/used"));
    let unknown: Vec<&str> = limited.into_iter().filter(|name| !used.contains_key(*name)).map(String::as_str).collect();
    if !unknown.is_empty() {
        let why = format!("status unknown for quota: {}, resources: {}", quota.name(), unknown.join(","));
        return Err(attributes.forbidden(Some(object), &why));
    }
    Ok(true)
}

/// How much more a write uses than was used before it.
fn taken(snapshot: &ClusterSnapshot, attributes: &Attributes<'_>, object: &Object) -> Amounts {
    let (kind, now) = (&attributes.target.kind, snapshot.clock.timestamp());
    let before = attributes.old.map(|old| usage::of_object(&kind.group, &kind.plural, old, &now)).unwrap_or_default();
    let mut taken = usage::of_object(&kind.group, &kind.plural, object, &now);
    for (name, amount) in &mut taken {
        *amount = *amount - before.get(name).copied().unwrap_or(Quantity::ZERO);
    }
    taken.retain(|_, amount| !amount.is_zero() && !amount.is_negative());
    taken
}

/// The quota with so much more used, if it limits any of it; or how it is exceeded.
fn take(
    snapshot: &ClusterSnapshot,
    attributes: &Attributes<'_>,
    object: &Object,
    quota: &Object,
    taken: &Amounts,
) -> Answer<Option<Object>> {
    let (hard, mut used) = (amounts(quota.at("/status/hard")), amounts(quota.at("/status/used")));
    let asked: Amounts =
        taken.iter().filter(|(name, _)| hard.contains_key(*name)).map(|(n, a)| (n.clone(), *a)).collect();
    if asked.is_empty() {
        return Ok(None);
    }
    let before = used.clone();
    add(&mut used, &asked);
    let exceeded: Vec<&String> = asked.keys().filter(|name| used[*name] > hard[*name]).collect();
    if !exceeded.is_empty() {
        let show = |amounts: &Amounts| {
            let shown = exceeded.iter().map(|name| format!("{name}={}", amounts.get(*name).unwrap_or(&Quantity::ZERO)));
            shown.collect::<Vec<_>>().join(",")
        };
        let (name, asked, used, hard) = (quota.name(), show(&asked), show(&before), show(&hard));
        let why = format!("exceeded quota: {name}, requested: {asked}, used: {used}, limited: {hard}");
        return Err(attributes.forbidden(Some(object), &why));
    }
    Ok(Some(snapshot.with_used(quota, &used)))
}

impl ClusterSnapshot {
    /// A quota as kube-apiserver writes it, once so much of it is used.
    fn with_used(&self, quota: &Object, used: &Amounts) -> Object {
        let mut charged = quota.clone();
        charged.change_field("status", |status| drop(status.insert("used".to_owned(), printed(used))));
        let kind = kinds::built_in("", "v1", "resourcequotas").expect("the table of kinds has quotas");
        let target = ResolvedTarget {
            kind: Arc::clone(&kind),
            namespace: Some(quota.meta("namespace").to_owned()),
            name: Some(quota.name().to_owned()),
            subresource: Some("status".to_owned()),
            manager: "kube-apiserver".to_owned(),
        };
        self.tracker(&kind).track(&target, Some(quota), &mut charged);
        charged
    }
}

/// Amounts as an object has them.
pub(crate) fn printed(amounts: &Amounts) -> Value {
    let fields: Map<String, Value> =
        amounts.iter().map(|(name, amount)| (name.clone(), amount.to_string().into())).collect();
    fields.into()
}

/// Where quotas are stored.
pub(crate) static QUOTAS: LazyLock<Resource> = LazyLock::new(|| Resource::new("", "resourcequotas"));
