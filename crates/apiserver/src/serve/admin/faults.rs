//! Rules of faults by request: made, counted and lifted by number.

use std::collections::BTreeMap;
use std::sync::{MutexGuard, PoisonError};

use http::Response;
use serde_json::{Value, json};

use super::fields::Fields;
use super::{Admin, rule};
use crate::faults::{Requests, Rule};
use crate::response;
use crate::response::body::Body;
use crate::response::status::{Answer, Refusal, refuse};
use crate::server::Server;

/// The rules that were made here and are not lifted, by number.
#[derive(Default)]
pub(super) struct MadeRules {
    rules: BTreeMap<u64, MadeRule>,
    made: u64,
}

struct MadeRule {
    rule: Rule,
    /// As it was asked for.
    body: Value,
}

impl MadeRule {
    fn describe(&self, id: u64) -> Value {
        let MadeRule { rule, body } = self;
        json!({
            "id": id,
            "requests": body.get("requests").unwrap_or(&json!({})),
            "fault": body["fault"],
            "met": rule.met(),
            "fired": rule.fired(),
        })
    }
}

impl Admin {
    /// Makes a rule.
    pub(super) fn make_rule(&self, server: &Server, body: &[u8]) -> Answer<Response<Body>> {
        let mut fields = Fields::read("Rule", body)?;
        let (requests, fault) = (fields.object("requests")?, fields.object("fault")?);
        let fault = fields.required("fault", fault, "what happens, such as {\"type\": \"cut\", \"after\": 1}")?;
        fields.finish()?;
        let requests = match requests {
            Some(requests) => rule::requests(requests)?,
            None => Requests::all(),
        };
        let rule = server.fault(requests, rule::fault(fault)?);
        let body = serde_json::from_slice(body).expect("it was read just now");
        let mut made = self.rules();
        made.made += 1;
        let (id, rule) = (made.made, MadeRule { rule, body });
        let described = rule.describe(id);
        made.rules.insert(id, rule);
        Ok(response::made(&described))
    }

    /// All of them, and how often each kind of fault took effect.
    pub(super) fn list_rules(&self, server: &Server) -> Value {
        let made = self.rules();
        let rules: Vec<Value> = made.rules.iter().map(|(id, rule)| rule.describe(*id)).collect();
        json!({"rules": rules, "fired": server.faults_fired()})
    }

    /// One of them.
    pub(super) fn show_rule(&self, id: &str) -> Answer<Value> {
        let made = self.rules();
        let found = id.parse().ok().and_then(|id| made.rules.get(&id).map(|rule| rule.describe(id)));
        found.ok_or_else(|| no_rule(id))
    }

    /// Lifts one of them, and says what it did.
    pub(super) fn lift_rule(&self, id: &str) -> Answer<Value> {
        let mut made = self.rules();
        let found = id.parse().ok().and_then(|id| made.rules.remove(&id).map(|rule| (id, rule)));
        let (id, lifted) = found.ok_or_else(|| no_rule(id))?;
        lifted.rule.lift();
        Ok(lifted.describe(id))
    }

    /// Lifts all rules of the server, those that were made otherwise too.
    pub(super) fn lift_rules(&self, server: &Server) -> Value {
        server.lift_faults();
        let lifted = std::mem::take(&mut self.rules().rules);
        json!({"rules": lifted.iter().map(|(id, rule)| rule.describe(*id)).collect::<Vec<Value>>()})
    }

    fn rules(&self) -> MutexGuard<'_, MadeRules> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn no_rule(id: &str) -> Refusal {
    let why = format!(
        "there is no rule {id}: it was lifted, or never made; GET /pintle/v1/faults lists those that there are"
    );
    refuse(404, "NotFound", why)
}
