//! What every namespace is given: a ServiceAccount `default` and, once the server is on a socket and so has a certificate
//! authority, the ConfigMap `kube-root-ca.crt`; and the Service `kubernetes` in the namespace `default`, by which
//! programs in a cluster find their API server, with the ServiceCIDR that its address is from.
//!
//! In: a namespace. Out: objects, made anew whenever one is missing or its content was changed.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::catalog::kinds;
use crate::cluster::{Cluster, ResolvedTarget};
use crate::controllers::intents::{Action, Intent};
use crate::controllers::namespace::NamespaceController;
use crate::storage::store::Resource;

/// What every namespace is given.
#[derive(Debug, Clone, Default)]
pub(crate) struct NamespaceDefaults {
    /// The certificate authority of the socket the server is served on; empty while it is on none.
    pub(crate) ca_pem: String,
    /// The port the server is served on.
    pub(crate) port: u16,
}

impl NamespaceDefaults {
    /// Whether this is something that is made anew.
    pub(super) fn is_piece(resource: &Resource, name: &str) -> bool {
        resource.group.is_empty()
            && matches!(
                (&*resource.plural, name),
                ("serviceaccounts", "default") | ("configmaps", ROOT_CA) | ("services", KUBERNETES)
            )
    }

    fn root_ca(&self) -> Value {
        json!({
            "metadata": {"name": ROOT_CA, "annotations": {"kubernetes.io/description": DESCRIPTION}},
            "data": {"ca.crt": self.ca_pem},
        })
    }

    fn service(&self, address: &str) -> Value {
        let port = if self.port == 0 { 443 } else { self.port };
        json!({
            "metadata": {"name": KUBERNETES, "labels": {"component": "apiserver", "provider": "kubernetes"}},
            "spec": {
                "ports": [{"name": "https", "protocol": "TCP", "port": 443, "targetPort": port}],
                "clusterIP": address,
                "clusterIPs": [address],
                "type": "ClusterIP",
                "sessionAffinity": "None",
                "ipFamilies": ["IPv4"],
                "ipFamilyPolicy": "SingleStack",
                "internalTrafficPolicy": "Cluster",
            },
            "status": {"loadBalancer": {}},
        })
    }
}

impl Cluster {
    /// Puts everything into a namespace that is missing there.
    pub(super) fn create_defaults(&mut self, namespace: &str) {
        let Some(defaults) = self.defaults.clone() else {
            return;
        };
        if self.namespaces == NamespaceController::On {
            self.provide("serviceaccounts", namespace, json!({"metadata": {"name": "default"}}));
            if !defaults.ca_pem.is_empty() {
                self.provide("configmaps", namespace, defaults.root_ca());
            }
        }
        if namespace == "default" {
            let address = self.network.range().first().to_string();
            self.provide("services", namespace, defaults.service(&address));
            self.provide_service_range();
        }
    }

    /// Says where Services get their addresses from, unless somebody has.
    fn provide_service_range(&mut self) {
        let kind = kinds::built_in("networking.k8s.io", "v1", "servicecidrs").expect("the table of kinds has it");
        let target = |subresource: Option<&str>| ResolvedTarget {
            kind: Arc::clone(&kind),
            namespace: None,
            name: Some(KUBERNETES.to_owned()),
            subresource: subresource.map(str::to_owned),
            manager: "kube-apiserver".to_owned(),
        };
        let place = target(None).place(KUBERNETES);
        if self.store.get(&place.resource, &place.key).is_some() {
            return;
        }
        let mut body = json!({
            "metadata": {"name": KUBERNETES},
            "spec": {"cidrs": [self.network.range().to_string()]},
        });
        let intent = |action| Intent::new("apiserver", &place, action);
        let mut done = self.submit(intent(Action::Create { target: target(None), body: body.clone() }));
        if done.is_ok() {
            body["status"] = json!({"conditions": [{
                "type": "Ready",
                "status": "True",
                "reason": "",
                "message": "Kubernetes default Service CIDR is ready",
                "lastTransitionTime": self.clock.timestamp(),
            }]});
            done = self.submit(intent(Action::Update { target: target(Some("status")), body }));
        }
        if let Err(refusal) = done {
            tracing::warn!("the range of Services was not stated: {}", refusal.message);
        }
    }

    /// Says which socket the server is on, in every namespace.
    #[cfg(feature = "serve")]
    pub(crate) fn set_namespace_defaults(&mut self, defaults: NamespaceDefaults) {
        if self.defaults.is_none() {
            return;
        }
        self.defaults = Some(defaults);
        for (namespace, _) in self.store.snapshot(&Resource::new("", "namespaces")) {
            self.create_defaults(&namespace);
        }
        self.settle();
    }

    /// Creates an object, or puts its content right.
    fn provide(&mut self, plural: &str, namespace: &str, wanted: Value) {
        let kind = kinds::built_in("", "v1", plural).expect("the table of kinds has the core kinds");
        let name = wanted["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        let target = ResolvedTarget {
            kind: Arc::clone(&kind),
            namespace: Some(namespace.to_owned()),
            name: Some(name),
            subresource: None,
            manager: if plural == "services" { "kube-apiserver" } else { "kube-controller-manager" }.to_owned(),
        };
        let place = target.place(target.name());
        let found = self.store.get(&place.resource, &place.key);
        let controller = match plural {
            "services" => "apiserver",
            "configmaps" => "root-ca-cert-publisher",
            _ => "service-account-controller",
        };
        let intent = |action| Intent::new(controller, &place, action);
        let done = match found {
            None => self.submit(intent(Action::Create { target, body: wanted })),
            Some(entry) => {
                let mut object = entry.object();
                let wrong = |field: &&str| wanted.get(*field).is_some_and(|value| object.get(field) != Some(value));
                let wrong: Vec<&str> = ["data", "spec"].into_iter().filter(wrong).collect();
                if wrong.is_empty() {
                    return;
                }
                for field in wrong {
                    object.set(field, wanted[field].clone());
                }
                self.submit(intent(Action::Update { target, body: object.into_value() }))
            }
        };
        if let Err(refusal) = done {
            tracing::warn!("the defaults of namespace {namespace} were not created: {}", refusal.message);
        }
    }
}

/// The Service of the server itself, and the range of addresses that it has its own from.
const KUBERNETES: &str = "kubernetes";

/// The ConfigMap with the certificate authority.
const ROOT_CA: &str = "kube-root-ca.crt";

/// kube-controller-manager's.
const DESCRIPTION: &str = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the \
     internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes \
     clusters.";
