//! Tokens of service accounts: issued on request, and recognised again.
//!
//! In: a TokenRequest. Out: the same with a token, a JSON web token with the claims that Kubernetes' have. It is signed
//! with a key of this server alone, so [`TokenKey::read`] knows the account of every token it ever issued and no other.

mod bound_object;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use bound_object::BoundObject;

use crate::cluster::{Cluster, ResolvedTarget};
use crate::codec::object::Object;
use crate::request::user::User;
use crate::response::status::{Answer, FieldError, conflict_because, invalid, not_found};
use crate::storage::store::{Resource, key};

impl Cluster {
    /// Issues a token for the service account a target names.
    pub(in crate::registry) fn issue_token(&mut self, target: &ResolvedTarget, body: Value) -> Answer<Value> {
        let mut request = crate::registry::object(target, body)?;
        let place = target.place(target.name());
        let Some(account) = self.store.get(&place.resource, &place.key) else {
            return Err(not_found(&target.kind, target.name()));
        };
        let spec = completed(&request)?;
        let uid = account.head.uid().unwrap_or_default().to_string();
        if let Some(asked) = request.metadata().get("uid").and_then(Value::as_str).filter(|asked| *asked != uid) {
            let why =
                format!("the UID in the token request ({asked}) does not match the UID of the service account ({uid})");
            return Err(conflict_because(&target.kind, target.name(), &why));
        }
        let now = self.clock.second();
        let until = now + spec["expirationSeconds"].as_i64().unwrap_or_default();
        let bound = self.bound_object(target, &spec["boundObjectRef"])?;
        let claims = self.claims(target, &uid, &spec, bound, (now, until));
        request.set_meta("uid", uid);
        request.set_meta("name", target.name());
        request.set_meta("creationTimestamp", self.clock.timestamp());
        request.set("spec", spec);
        let status = json!({"token": self.token_key.sign(&claims), "expirationTimestamp": self.clock.seconds_from_now(until - now)});
        request.set("status", status);
        Ok(request.into_value())
    }

    /// A token for a Secret, which is good as long as that Secret is there.
    pub(crate) fn legacy_token(
        &self,
        namespace: &str,
        account: &str,
        uid: &str,
        (name, secret): (&str, &str),
    ) -> String {
        let now = self.clock.second();
        self.token_key.sign(&json!({
            "aud": [ISSUER],
            "exp": now + SECONDS_MOST,
            "iat": now,
            "iss": ISSUER,
            "jti": self.ids.uid(),
            "kubernetes.io": {
                "namespace": namespace,
                "secret": {"name": name, "uid": secret},
                "serviceaccount": {"name": account, "uid": uid},
            },
            "nbf": now,
            "sub": format!("system:serviceaccount:{namespace}:{account}"),
        }))
    }

    fn claims(
        &mut self,
        target: &ResolvedTarget,
        uid: &str,
        spec: &Value,
        bound: Option<BoundObject>,
        (now, until): (i64, i64),
    ) -> Value {
        let (namespace, name) = (target.namespace.as_deref().unwrap_or_default(), target.name());
        let mut about = json!({"namespace": namespace, "serviceaccount": {"name": name, "uid": uid}});
        if let Some(BoundObject { kind, name, uid }) = bound {
            about[kind] = json!({"name": name, "uid": uid});
        }
        json!({
            "aud": spec["audiences"],
            "exp": until,
            "iat": now,
            "iss": ISSUER,
            "jti": self.ids.uid(),
            "kubernetes.io": about,
            "nbf": now,
            "sub": format!("system:serviceaccount:{namespace}:{name}"),
        })
    }

    /// The service account that a token is for, and for which of these audiences; or why it is for none.
    pub(crate) fn account_of(&self, token: &str, audiences: &[&str]) -> Result<(User, Vec<String>), String> {
        let claims = self.token_key.read(token).ok_or(INVALID)?;
        let also = |why: String| format!("[{INVALID}, {why}]");
        if claims["exp"].as_i64().unwrap_or_default() <= self.clock.second() {
            return Err(also("service account token has expired".to_owned()));
        }
        let meant: Vec<&str> = claims["aud"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let shared: Vec<String> =
            audiences.iter().filter(|asked| meant.contains(asked)).map(ToString::to_string).collect();
        if shared.is_empty() {
            let why = format!("token audiences {meant:?} is invalid for the target audiences {audiences:?}");
            return Err(also(why));
        }
        Ok((self.living_account(&claims).map_err(also)?, shared))
    }

    /// The service account of these claims, while it and what the token is bound to are there.
    fn living_account(&self, claims: &Value) -> Result<User, String> {
        let about = &claims["kubernetes.io"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (namespace, account) = (text(&about["namespace"]), &about["serviceaccount"]);
        let (name, uid) = (text(&account["name"]), text(&account["uid"]));
        let entry = self.store.get(&Resource::new("", "serviceaccounts"), &key(Some(&namespace), &name));
        let entry = entry.ok_or_else(|| format!("serviceaccounts {name:?} not found"))?;
        let known = entry.head.uid().unwrap_or_default().to_string();
        if known != uid {
            return Err(format!("service account UID ({known}) does not match claim ({uid})"));
        }
        if !self.is_bound_object_there(&namespace, about) {
            return Err("service account token has been invalidated".to_owned());
        }
        let pod = about["pod"]["name"].as_str().zip(about["pod"]["uid"].as_str());
        Ok(User::service_account(&namespace, &name, &uid, &text(&claims["jti"]), pod))
    }
}

/// The spec of a request with what it leaves out, or what is wrong with it.
fn completed(request: &Object) -> Answer<Value> {
    let spec: Map<String, Value> = request.get("spec").and_then(Value::as_object).cloned().unwrap_or_default();
    let seconds = spec.get("expirationSeconds").and_then(Value::as_i64).unwrap_or(SECONDS_DEFAULT);
    let why = match seconds {
        ..SECONDS_LEAST => "may not specify a duration less than 10 minutes",
        SECONDS_MOST.. => "may not specify a duration larger than 2^32 seconds",
        _ => {
            let named = spec.get("audiences").and_then(Value::as_array).filter(|audiences| !audiences.is_empty());
            let audiences = named.cloned().unwrap_or_else(|| vec![ISSUER.into()]);
            let bound = spec.get("boundObjectRef").cloned().unwrap_or_default();
            return Ok(json!({"audiences": audiences, "boundObjectRef": bound, "expirationSeconds": seconds}));
        }
    };
    let error = FieldError::invalid("spec.expirationSeconds", &seconds.to_string(), why);
    Err(invalid("TokenRequest", "authentication.k8s.io", "", &[error]))
}

/// What a server signs tokens with.
#[derive(Clone)]
pub(crate) struct TokenKey([u8; 32]);

impl TokenKey {
    /// A key that cannot be guessed: 244 bits from the operating system.
    pub(crate) fn random() -> TokenKey {
        let draw = || uuid::Uuid::new_v4().into_bytes();
        TokenKey(Sha256::new().chain_update(draw()).chain_update(draw()).finalize().into())
    }

    /// The key of a test that gave a seed, so that it sees the same tokens each time; the seed reveals the key.
    pub(crate) fn of_seed(seed: u64) -> TokenKey {
        TokenKey(Sha256::new().chain_update(b"token key").chain_update(seed.to_be_bytes()).finalize().into())
    }

    /// A key that was kept.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<TokenKey> {
        Some(TokenKey(bytes.try_into().ok()?))
    }

    /// To be kept where nobody else reads it.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn sign(&self, claims: &Value) -> String {
        let signed = format!(
            "{}.{}",
            BASE64.encode(json!({"alg": ALGORITHM, "typ": "JWT"}).to_string()),
            BASE64.encode(claims.to_string())
        );
        let signature = BASE64.encode(self.mac(signed.as_bytes()));
        format!("{signed}.{signature}")
    }

    /// The claims of a token that this key signed.
    fn read(&self, token: &str) -> Option<Value> {
        let (signed, signature) = token.rsplit_once('.')?;
        let said = BASE64.decode(signature).ok()?;
        let difference = self.mac(signed.as_bytes()).iter().zip(&said).fold(0, |sum, (a, b)| sum | (a ^ b));
        if difference != 0 || said.len() != 32 {
            return None;
        }
        serde_json::from_slice(&BASE64.decode(signed.split_once('.')?.1).ok()?).ok()
    }

    /// RFC 2104, with SHA-256, whose block has 64 bytes.
    fn mac(&self, text: &[u8]) -> [u8; 32] {
        let padded =
            |pad: u8| -> [u8; 64] { std::array::from_fn(|at| self.0.get(at).copied().unwrap_or_default() ^ pad) };
        let inner = Sha256::new().chain_update(padded(0x36)).chain_update(text).finalize();
        Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize().into()
    }
}

/// What is said of every token that is not good.
const INVALID: &str = "invalid bearer token";

/// How tokens are signed.
pub(crate) const ALGORITHM: &str = "HS256";

/// The issuer of the tokens, and their audience unless they name another.
pub(crate) const ISSUER: &str = "https://kubernetes.default.svc";

/// kube-apiserver's default and limits.
const SECONDS_DEFAULT: i64 = 60 * 60;
const SECONDS_LEAST: i64 = 10 * 60;
const SECONDS_MOST: i64 = (1 << 32) + 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_by_the_key_that_signed_it_and_by_no_other() {
        let key = TokenKey::of_seed(1);
        let token = key.sign(&json!({"sub": "a"}));
        assert_eq!(key.read(&token).unwrap()["sub"], "a");
        assert!(TokenKey::of_seed(2).read(&token).is_none());
        assert!(key.read(&token[..token.len() - 4]).is_none());
        assert!(key.read("a.b.c").is_none() && key.read("").is_none());
    }

    /// Uids come from a generator whose next number follows from those it has given out, so a key must not.
    #[test]
    fn without_a_seed_no_two_servers_have_one_key() {
        fastrand::seed(7);
        let token = TokenKey::random().sign(&json!({"sub": "a"}));
        fastrand::seed(7);
        assert!(TokenKey::random().read(&token).is_none());
    }

    #[test]
    fn the_mac_is_the_one_of_rfc_4231() {
        let mut bytes = [0; 32];
        bytes[..4].copy_from_slice(b"Jefe");
        let mac = TokenKey(bytes).mac(b"what do ya want for nothing?");
        assert_eq!(mac[..4], [0x5b, 0xdc, 0xc1, 0x46]);
    }
}
