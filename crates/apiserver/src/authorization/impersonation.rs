//! Acting as another user: who is meant by the `Impersonate-` headers, and whether that is allowed.
//!
//! ```text
//!  headers ─► the user that is meant ─┬─► constrained: may do this as a user, service account or node, and may be this one
//!                                     └─► or the old way: may impersonate each of name, groups, uid and extra fields
//! ```
//! In: the user of a request, its headers and attributes. Out: the user it acts as, or kube-apiserver's refusal, which
//! is in the words of the constrained way.

use std::sync::Arc;

use http::HeaderMap;
use percent_encoding::percent_decode_str;

use super::Authorizer;
use super::attributes::{Attributes, ResourceAttributes};
use super::decision::MASTERS;
use super::forbidden::forbidden;
use crate::request::user::{ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED, User};
use crate::response::status::{Answer, bad_request};

/// The user that a request acts as: its own, or the one its headers name.
pub(crate) fn acting_user(
    authorizer: &Authorizer,
    own: Arc<User>,
    headers: &HeaderMap,
    attributes: &Attributes,
) -> Answer<Arc<User>> {
    let Some(wanted) = Impersonated::parse(headers)? else {
        return Ok(own);
    };
    let check = Check { authorizer, own: &own };
    match wanted.mode().map(|mode| wanted.check_constrained(&check, mode, attributes)) {
        Some(Ok(())) => {}
        Some(Err(refusal)) => wanted.check_each(&check).map_err(|_| refusal)?,
        None => wanted.check_each(&check)?,
    }
    Ok(Arc::new(wanted.user()))
}

/// Whether the user of a request is allowed something.
struct Check<'a> {
    authorizer: &'a Authorizer,
    own: &'a User,
}

impl Check<'_> {
    fn allowed(&self, attributes: &Attributes) -> Answer<()> {
        let decision = self.authorizer.authorize(self.own, attributes);
        if decision.is_allowed { Ok(()) } else { Err(forbidden(self.own, attributes, &decision.reason)) }
    }
}

/// What the headers name.
struct Impersonated {
    name: String,
    uid: String,
    groups: Vec<String>,
    extra: Vec<(String, Vec<String>)>,
}

impl Impersonated {
    fn parse(headers: &HeaderMap) -> Answer<Option<Impersonated>> {
        let text = |value: &http::HeaderValue| value.to_str().ok().map(str::to_owned);
        let first = |name: &str| headers.get(name).and_then(text).unwrap_or_default();
        let mut extra: Vec<(String, Vec<String>)> = Vec::new();
        for header in headers.keys() {
            if let Some(key) = header.as_str().strip_prefix("impersonate-extra-") {
                // Keys may hold characters that the name of a header may not.
                let key = percent_decode_str(key).decode_utf8_lossy().into_owned();
                extra.push((key, headers.get_all(header).iter().filter_map(text).collect()));
            }
        }
        extra.sort();
        let groups = headers.get_all("impersonate-group").iter().filter_map(text).collect();
        let wanted = Impersonated { name: first("impersonate-user"), uid: first("impersonate-uid"), groups, extra };
        match wanted.name.as_str() {
            "" if wanted.is_empty() => Ok(None),
            "" => Err(bad_request(format!("requested {} without impersonating a user name", wanted.in_go()))),
            _ => Ok(Some(wanted)),
        }
    }

    /// Whether nothing but perhaps a name is named.
    fn is_empty(&self) -> bool {
        self.uid.is_empty() && self.groups.is_empty() && self.extra.is_empty()
    }

    /// As Go prints it.
    fn in_go(&self) -> String {
        let list = |texts: &[String]| {
            let quoted: Vec<String> = texts.iter().map(|text| format!("{text:?}")).collect();
            format!("[]string{{{}}}", quoted.join(", "))
        };
        let groups = if self.groups.is_empty() { "[]string(nil)".to_owned() } else { list(&self.groups) };
        let pairs: Vec<String> = self.extra.iter().map(|(key, values)| format!("{key:?}:{}", list(values))).collect();
        let extra = match &pairs[..] {
            [] => "map[string][]string(nil)".to_owned(),
            pairs => format!("map[string][]string{{{}}}", pairs.join(", ")),
        };
        format!("&user.DefaultInfo{{Name:\"\", UID:{:?}, Groups:{groups}, Extra:{extra}}}", self.uid)
    }

    /// The user, with the groups that come with the name where none are named.
    fn user(&self) -> User {
        let mut user = User::named(&self.name, self.groups.clone());
        let says_who = |group: &String| group == AUTHENTICATED || group == UNAUTHENTICATED;
        if self.name != ANONYMOUS && !self.groups.iter().any(says_who) {
            user = user.authenticated();
        }
        user.with_uid(&self.uid).with_extra(self.extra.clone())
    }

    /// The constrained way: the caller may make this request as a user of this kind, and may act as this user.
    fn check_constrained(&self, check: &Check<'_>, mode: &str, attributes: &Attributes) -> Answer<()> {
        check.allowed(&attributes.with_verb(format!("impersonate-on:{mode}:{}", attributes.verb)))?;
        let verb = format!("impersonate:{mode}");
        for requested in self.requested(AUTHENTICATION) {
            let never = never_constrained(&requested);
            let attributes = Attributes::new(&verb, requested);
            match never {
                Some((attributes, why)) => return Err(forbidden(check.own, &Attributes::new(&verb, attributes), &why)),
                None => check.allowed(&attributes)?,
            }
        }
        Ok(())
    }

    /// The old way: name, groups, uid and extra fields are each allowed.
    fn check_each(&self, check: &Check<'_>) -> Answer<()> {
        let mut pieces = self.requested("").into_iter();
        pieces.try_for_each(|requested| check.allowed(&Attributes::new("impersonate", requested)))
    }

    /// What one must be allowed to be, piece by piece.
    fn requested(&self, group: &str) -> Vec<ResourceAttributes> {
        let piece = |group: &str, resource: &str, name: &str| ResourceAttributes {
            group: group.to_owned(),
            resource: resource.to_owned(),
            name: name.to_owned(),
            ..ResourceAttributes::default()
        };
        let mut pieces = vec![match User::service_account_of(&self.name) {
            Some((namespace, name)) => {
                ResourceAttributes { namespace: namespace.to_owned(), ..piece(group, "serviceaccounts", name) }
            }
            None if !group.is_empty() && self.name.starts_with(NODE) => {
                piece(group, "nodes", self.name.trim_start_matches(NODE))
            }
            None => piece(group, "users", &self.name),
        }];
        pieces.extend(self.groups.iter().map(|name| piece(group, "groups", name)));
        if !self.uid.is_empty() {
            pieces.push(piece(AUTHENTICATION, "uids", &self.uid));
        }
        for (key, values) in &self.extra {
            let of_value = |value: &String| ResourceAttributes {
                subresource: key.clone(),
                ..piece(AUTHENTICATION, "userextras", value)
            };
            pieces.extend(values.iter().map(of_value));
        }
        pieces
    }

    /// What the constrained way calls a user of this kind; there, service accounts and nodes have no groups,
    /// uid or extra fields.
    fn mode(&self) -> Option<&'static str> {
        let (is_account, is_node) = (User::service_account_of(&self.name).is_some(), self.name.starts_with(NODE));
        match (is_account, is_node) {
            (false, false) => Some("user-info"),
            _ if !self.is_empty() => None,
            (true, _) => Some("serviceaccount"),
            (_, true) => Some("arbitrary-node"),
        }
    }
}

/// What only the old way allows: the group that may do everything, and extra fields without a domain.
fn never_constrained(requested: &ResourceAttributes) -> Option<(ResourceAttributes, String)> {
    let ResourceAttributes { resource, subresource, name, .. } = requested;
    match resource.as_str() {
        "groups" if name == MASTERS => {
            Some((requested.clone(), "impersonating the system:masters group is not allowed".to_owned()))
        }
        "userextras" if !subresource.contains('/') => {
            let field = ResourceAttributes { subresource: String::new(), name: String::new(), ..requested.clone() };
            let why = format!(
                "impersonating an invalid key in extra is not allowed: extra.key: Invalid value: {subresource:?}: must be \
                 a domain-prefixed path (such as \"acme.io/foo\")"
            );
            Some((field, why))
        }
        _ => None,
    }
}

/// How the names of nodes begin.
const NODE: &str = "system:node:";

/// The group of what is not an object of the cluster.
const AUTHENTICATION: &str = "authentication.k8s.io";
