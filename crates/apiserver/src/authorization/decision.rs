//! Whether a user may do something, and why: RBAC over the index of roles.
//!
//! In: a user and [`Attributes`]. Out: a [`Decision`] with kube-apiserver's reason. Rules only ever allow: what no rule
//! allows is not allowed.

use std::fmt;

use super::attributes::{Attributes, Requested};
use super::policy_rule::PolicyRule;
use super::roles::{RoleNotFound, Roles};
use crate::request::user::User;

/// Whether a request is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) is_allowed: bool,
    /// Empty where there is nothing to say.
    pub(crate) reason: String,
}

impl Decision {
    pub(super) fn allowed() -> Decision {
        Decision { is_allowed: true, reason: String::new() }
    }

    pub(super) fn denied() -> Decision {
        Decision { is_allowed: false, reason: String::new() }
    }
}

/// The rules of a user, and the roles that could not be found.
#[derive(Default)]
pub(crate) struct UserRules {
    pub(crate) rules: Vec<PolicyRule>,
    pub(crate) not_found: Vec<RoleNotFound>,
}

impl Roles {
    /// Whether some rule of the user's roles allows this.
    pub(crate) fn authorize(&self, user: &User, attributes: &Attributes) -> Decision {
        if user.is_in(MASTERS) {
            return Decision::allowed();
        }
        let namespace = match &attributes.requested {
            Requested::Resource(requested) => requested.namespace.as_str(),
            Requested::Path(_) => "",
        };
        let mut missing = Vec::new();
        for grant in self.grants(user, namespace) {
            match &grant.rules {
                Ok(rules) if rules.iter().any(|rule| rule.allows(attributes)) => {
                    return Decision { is_allowed: true, reason: format!("RBAC: allowed by {grant}") };
                }
                Ok(_) => {}
                Err(not_found) => missing.push(not_found.clone()),
            }
        }
        let reason = if missing.is_empty() { String::new() } else { format!("rbac: RBAC: {}", Missing(&missing)) };
        Decision { is_allowed: false, reason }
    }

    /// Everything a user may do in a namespace, rule by rule.
    pub(crate) fn rules_of(&self, user: &User, namespace: &str) -> UserRules {
        let mut found = UserRules::default();
        for grant in self.grants(user, namespace) {
            match grant.rules {
                Ok(rules) => found.rules.extend(rules.iter().cloned()),
                Err(not_found) => found.not_found.push(not_found),
            }
        }
        found
    }
}

/// Several errors in one text, each once.
pub(crate) struct Missing<'a>(pub(crate) &'a [RoleNotFound]);

impl fmt::Display for Missing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut texts: Vec<String> = Vec::new();
        for text in self.0.iter().map(ToString::to_string) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        match &texts[..] {
            [one] => f.write_str(one),
            several => write!(f, "[{}]", several.join(", ")),
        }
    }
}

/// The group whose members may do everything, whatever the roles say.
pub(crate) const MASTERS: &str = "system:masters";
