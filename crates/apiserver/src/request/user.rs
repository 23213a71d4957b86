//! Who sends a request.
//!
//! In: what the authenticator found out (a token, a client certificate), and the headers with which somebody acts as another.
//! Out: a [`User`]. A request that came through no authenticator is the administrator's: whoever holds the server may do all.

use http::HeaderMap;
use http::request::Parts;
use serde_json::{Map, Value, json};

/// Somebody with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct User {
    pub(crate) name: String,
    uid: String,
    groups: Vec<String>,
    extra: Vec<(String, Vec<String>)>,
}

impl User {
    /// The user of a certificate: its common name, and its organizations as groups.
    pub(crate) fn new(name: &str, groups: impl IntoIterator<Item = String>) -> User {
        let mut groups: Vec<String> = groups.into_iter().collect();
        if !groups.iter().any(|group| group == AUTHENTICATED) {
            groups.push(AUTHENTICATED.to_owned());
        }
        User { name: name.to_owned(), uid: String::new(), groups, extra: Vec::new() }
    }

    /// Whoever holds the server.
    pub(crate) fn administrator() -> User {
        User::new("kubernetes-admin", ["system:masters".to_owned()])
    }

    /// A service account.
    pub(crate) fn service_account(namespace: &str, name: &str, uid: &str, token: &str) -> User {
        let groups = ["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}")];
        User {
            uid: uid.to_owned(),
            extra: vec![("authentication.kubernetes.io/credential-id".to_owned(), vec![format!("JTI={token}")])],
            ..User::new(&format!("system:serviceaccount:{namespace}:{name}"), groups)
        }
    }

    /// A controller of the cluster itself.
    pub(crate) fn controller(name: &str) -> User {
        match name {
            "apiserver" => User::new("system:apiserver", ["system:masters".to_owned()]),
            _ => User::service_account("kube-system", name, "", ""),
        }
    }

    /// The user of a request, or the one it says it acts as.
    pub(crate) fn of(parts: &Parts) -> User {
        let own = parts.extensions.get::<User>().cloned().unwrap_or_else(User::administrator);
        impersonated(&parts.headers).unwrap_or(own)
    }

    /// The user as reviews print it.
    pub(crate) fn info(&self) -> Value {
        let mut info = json!({"username": self.name, "groups": self.groups});
        if !self.uid.is_empty() {
            info["uid"] = self.uid.as_str().into();
        }
        if !self.extra.is_empty() {
            let extra: Map<String, Value> =
                self.extra.iter().map(|(key, values)| (key.clone(), json!(values))).collect();
            info["extra"] = extra.into();
        }
        info
    }
}

fn impersonated(headers: &HeaderMap) -> Option<User> {
    let text = |value: &http::HeaderValue| value.to_str().ok().map(str::to_owned);
    let name = headers.get("impersonate-user").and_then(text)?;
    let mut user = User::new(&name, headers.get_all("impersonate-group").iter().filter_map(text));
    user.uid = headers.get("impersonate-uid").and_then(text).unwrap_or_default();
    for header in headers.keys() {
        if let Some(key) = header.as_str().strip_prefix("impersonate-extra-") {
            let key = percent_decoded(key);
            user.extra.push((key, headers.get_all(header).iter().filter_map(text).collect()));
        }
    }
    Some(user)
}

/// Keys of extra fields may hold signs that a header's name may not.
fn percent_decoded(key: &str) -> String {
    form_urlencoded::parse(format!("={}", key.replace('+', "%2B")).as_bytes())
        .map(|(_, value)| value.into_owned())
        .collect()
}

/// The group of everybody whose name is known.
const AUTHENTICATED: &str = "system:authenticated";
