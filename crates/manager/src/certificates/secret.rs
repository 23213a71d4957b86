//! The state as a Secret, which all replicas read and one at a time writes.
//!
//! `tls.crt`, `tls.key` and `ca.crt` are what is served and to be trusted now, under the names of `kubernetes.io/tls`, so that
//! other programs can use them. `next.crt` and `next.key` are there during a rotation. `rotation.json` has the rest.

use std::collections::BTreeMap;

use jiff::Timestamp;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use pintle_core::ObjectMeta;
use serde::{Deserialize, Serialize};

use super::rotation::{Next, Pair, Previous, State};

/// What is not PEM of a key or of a served certificate.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Rotation {
    current: About,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next: Option<About>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_published: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    previous: Option<PreviousAuthority>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct About {
    names: Vec<String>,
    not_after: Timestamp,
    authority: String,
}

#[derive(Deserialize, Serialize)]
struct PreviousAuthority {
    authority: String,
    until: Timestamp,
}

impl State {
    /// The state that a Secret holds; `None` where it holds none, or one that cannot be read, which is made anew.
    pub(super) fn from_secret(secret: &Secret) -> Option<State> {
        let data = secret.data.as_ref()?;
        let text = |key: &str| String::from_utf8(data.get(key)?.0.clone()).ok();
        let rotation: Rotation = serde_json::from_slice(&data.get(ROTATION)?.0).ok()?;
        let pair = |about: About, certificate: &str, key: &str| {
            let (certificate, key) = (text(certificate)?, text(key)?);
            let About { names, not_after, authority } = about;
            Some(Pair { authority, certificate, key, names, not_after })
        };
        let next = rotation.next.and_then(|about| pair(about, NEXT_CERTIFICATE, NEXT_KEY));
        let previous = rotation.previous.map(|PreviousAuthority { authority, until }| Previous { authority, until });
        Some(State {
            current: pair(rotation.current, CERTIFICATE, KEY)?,
            next: next.map(|pair| Next { pair, published: rotation.next_published }),
            previous,
        })
    }

    /// The Secret of this state. What `secret` has beside it is kept, and its version makes sure that nobody wrote since.
    pub(super) fn write_to(&self, mut secret: Secret) -> Secret {
        let data = secret.data.get_or_insert_with(BTreeMap::new);
        for key in [NEXT_CERTIFICATE, NEXT_KEY] {
            data.remove(key);
        }
        let mut put = |key: &str, value: Vec<u8>| data.insert(key.to_owned(), ByteString(value));
        put(CERTIFICATE, self.current.certificate.clone().into());
        put(KEY, self.current.key.clone().into());
        put(AUTHORITIES, self.bundle().into());
        if let Some(Next { pair, .. }) = &self.next {
            put(NEXT_CERTIFICATE, pair.certificate.clone().into());
            put(NEXT_KEY, pair.key.clone().into());
        }
        // Of strings and times: it prints.
        put(ROTATION, serde_json::to_vec(&self.rotation()).unwrap_or_default());
        secret
    }

    fn rotation(&self) -> Rotation {
        let about = |pair: &Pair| About {
            names: pair.names.clone(),
            not_after: pair.not_after,
            authority: pair.authority.clone(),
        };
        let previous =
            |previous: &Previous| PreviousAuthority { authority: previous.authority.clone(), until: previous.until };
        Rotation {
            current: about(&self.current),
            next: self.next.as_ref().map(|next| about(&next.pair)),
            next_published: self.next.as_ref().and_then(|next| next.published),
            previous: self.previous.as_ref().map(previous),
        }
    }
}

/// A Secret that holds no state yet.
pub(super) fn empty(namespace: &str, name: &str) -> Secret {
    let metadata =
        ObjectMeta { namespace: Some(namespace.to_owned()), name: Some(name.to_owned()), ..ObjectMeta::default() };
    // Secrets of this type have both from the beginning.
    let data = [CERTIFICATE, KEY].map(|key| (key.to_owned(), ByteString::default()));
    Secret { metadata, type_: Some("kubernetes.io/tls".to_owned()), data: Some(data.into()), ..Secret::default() }
}

const CERTIFICATE: &str = "tls.crt";
const KEY: &str = "tls.key";
const AUTHORITIES: &str = "ca.crt";
const NEXT_CERTIFICATE: &str = "next.crt";
const NEXT_KEY: &str = "next.key";
const ROTATION: &str = "rotation.json";

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(name: &str) -> Pair {
        let text = |what: &str| format!("{what} of {name}");
        let not_after = Timestamp::from_second(1_800_000_000).unwrap();
        Pair {
            authority: text("authority"),
            certificate: text("certificate"),
            key: text("key"),
            names: vec![name.to_owned()],
            not_after,
        }
    }

    #[test]
    fn every_state_survives_its_secret() {
        let now = Timestamp::from_second(1_700_000_000).unwrap();
        let created = State::created(pair("a"));
        let prepared = created.clone().prepared(pair("b"));
        let noted = prepared.clone().noted(now);
        let switched = noted.clone().switched(&super::super::Policy::default(), now);
        for state in [&created, &prepared, &noted, &switched, &switched.clone().retired()] {
            let secret = state.write_to(empty("n", "s"));
            assert_eq!(State::from_secret(&secret).as_ref(), Some(state));
            let again = state.write_to(noted.write_to(empty("n", "s")));
            assert_eq!(again, secret, "nothing of a state before it is left");
        }
    }

    #[test]
    fn what_others_put_into_the_secret_stays_and_what_they_broke_is_no_state() {
        let state = State::created(pair("a"));
        let mut secret = state.write_to(empty("n", "s"));
        secret.metadata.resource_version = Some("7".to_owned());
        secret.data.as_mut().unwrap().insert("mine".to_owned(), ByteString(vec![1]));
        let again = state.write_to(secret.clone());
        assert_eq!(again, secret);
        secret.data.as_mut().unwrap().insert(ROTATION.to_owned(), ByteString(b"{".to_vec()));
        assert_eq!(State::from_secret(&secret), None);
        assert_eq!(State::from_secret(&empty("n", "s")), None);
    }
}
