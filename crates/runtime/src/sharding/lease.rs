//! A replica's claims as a Lease: how they are written and read.
//!
//! In: claims, or a Lease. Out: the other. A Lease without a holder is not a replica's. One whose claims cannot be read
//! claims everything as long as it changes: no slot is worked on twice because of what a person wrote there.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};

use super::machine::Claims;
use super::slots::{Slots, hash};

/// The label by which the Leases of a group are found; its value is the group's name.
pub(super) const GROUP: &str = "pintle/shards";
/// The annotation with the claims.
const SLOTS: &str = "pintle/slots";

/// The name of the Lease of `identity`. Identities may have characters and lengths that names may not.
pub(super) fn name(group: &str, identity: &str) -> String {
    format!("{group}-{:016x}", hash(identity))
}

/// The Lease in which `identity` claims `slots`; `before` is how it was.
pub(super) fn lease(
    before: Option<&Lease>,
    (group, identity): (&str, &str),
    slots: Slots,
    duration: Duration,
    wall: Timestamp,
) -> Lease {
    let fresh = || Lease {
        metadata: ObjectMeta { name: Some(name(group, identity)), ..ObjectMeta::default() },
        spec: Some(LeaseSpec { acquire_time: Some(MicroTime(wall)), ..LeaseSpec::default() }),
    };
    let mut lease = before.cloned().unwrap_or_else(fresh);
    lease.metadata.managed_fields = None;
    lease.metadata.labels.get_or_insert_default().insert(GROUP.to_owned(), group.to_owned());
    lease.metadata.annotations.get_or_insert_default().insert(SLOTS.to_owned(), slots.to_string());
    let spec = lease.spec.get_or_insert_default();
    spec.holder_identity = Some(identity.to_owned());
    spec.lease_duration_seconds = Some(i32::try_from(duration.as_secs()).unwrap_or(i32::MAX));
    spec.renew_time = Some(MicroTime(wall));
    lease
}

/// What a Lease claims; `None` if it is not a replica's.
pub(super) fn claims(lease: &Lease) -> Option<Claims> {
    let spec = lease.spec.as_ref()?;
    let seconds = spec.lease_duration_seconds.and_then(|seconds| u64::try_from(seconds).ok())?;
    Some(Claims {
        identity: holder(lease)?.to_owned(),
        slots: slots(lease.metadata.annotations.as_ref()).and_then(Slots::parse).unwrap_or(Slots::ALL),
        version: lease.metadata.resource_version.clone()?,
        duration: Duration::from_secs(seconds),
    })
}

/// Whose Lease it is.
pub(super) fn holder(lease: &Lease) -> Option<&str> {
    lease.spec.as_ref()?.holder_identity.as_deref().filter(|holder| !holder.is_empty())
}

/// The claims as they are printed.
pub(super) fn slots(annotations: Option<&BTreeMap<String, String>>) -> Option<&str> {
    annotations?.get(SLOTS).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_says_what_was_claimed_and_keeps_what_others_put_there() {
        let (slots, duration) = (Slots::of("a", ["a", "b"]), Duration::from_secs(15));
        let wall = Timestamp::from_second(7).unwrap();
        let mut first = lease(None, ("web", "host_1"), slots, duration, wall);
        assert_eq!(first.metadata.name.as_deref(), Some(name("web", "host_1").as_str()));
        first.metadata.resource_version = Some("4".to_owned());
        first.metadata.labels.get_or_insert_default().insert("team".to_owned(), "blue".to_owned());
        let read = claims(&first).unwrap();
        let expected = Claims { identity: "host_1".to_owned(), slots, version: "4".to_owned(), duration };
        assert_eq!(read, expected);

        let next = lease(Some(&first), ("web", "host_1"), Slots::NONE, duration, Timestamp::from_second(9).unwrap());
        assert_eq!(next.metadata.labels.as_ref().unwrap()["team"], "blue");
        assert_eq!(next.metadata.resource_version.as_deref(), Some("4"), "only if no other wrote it since");
        assert_eq!(next.spec.as_ref().unwrap().acquire_time, first.spec.as_ref().unwrap().acquire_time);
        assert!(claims(&next).unwrap().slots.is_empty());
    }

    #[test]
    fn a_lease_without_a_holder_is_not_a_replicas_and_claims_that_cannot_be_read_are_all() {
        let mut garbled = lease(None, ("web", "a"), Slots::NONE, Duration::from_secs(15), Timestamp::UNIX_EPOCH);
        garbled.metadata.resource_version = Some("1".to_owned());
        garbled.metadata.annotations.get_or_insert_default().insert(SLOTS.to_owned(), "none".to_owned());
        assert_eq!(claims(&garbled).unwrap().slots, Slots::ALL);
        garbled.spec.as_mut().unwrap().holder_identity = Some(String::new());
        assert_eq!((claims(&garbled), claims(&Lease::default())), (None, None));
    }
}
