//! Parts of programs that the pages on webhooks and on observability show, word for word, so that they compile and work.

use k8s_openapi::api::core::v1::Namespace;
use pintle::api::{Api, ListParams};
use pintle::core::admission::AdmissionRequest;
use pintle::manager::Manager;
use pintle::manager::metrics::Format;
use pintle::manager::metrics::prometheus_client::metrics::counter::Counter;
use pintle::manager::webhook::{Conversion, Decision, Webhooks};
use pintle::testing::{Server, ServerExt};

use v1::Widget;

mod v1 {
    use pintle::CustomResource;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "example.com", version = "v1", kind = "Widget", namespaced)]
    pub(super) struct WidgetSpec {
        pub(super) replicas: u32,
        pub(super) color: Option<String>,
    }
}

mod v2 {
    use pintle::CustomResource;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "example.com", version = "v2", kind = "Widget", namespaced)]
    pub(super) struct WidgetSpec {
        pub(super) size: u32,
        pub(super) color: Option<String>,
    }
}

fn v1_to_v2(old: Widget) -> Result<v2::Widget, String> {
    let spec = v2::WidgetSpec { size: old.spec.replicas, color: old.spec.color };
    Ok(v2::Widget { metadata: old.metadata, spec })
}

fn v2_to_v1(new: v2::Widget) -> Result<Widget, String> {
    let spec = v1::WidgetSpec { replicas: new.spec.size, color: new.spec.color };
    Ok(Widget { metadata: new.metadata, spec })
}

#[test]
#[rustfmt::skip]
fn webhooks_are_written_as_on_their_page() {
    let webhooks = Webhooks::new()
        .validating("/validate", |request: AdmissionRequest<Widget>| async move {
            match request.object {
                Some(widget) if widget.spec.replicas > 10 => Decision::deny("spec.replicas may not exceed 10").code(422),
                _ => Decision::allow(),
            }
        })
        .mutating("/default", |request: AdmissionRequest<Widget>| async move {
            let Some(mut widget) = request.object else { return Decision::allow() };
            widget.spec.color.get_or_insert_with(|| "red".to_owned());
            Decision::change_to(&widget)
        })
        .conversion("/convert", Conversion::new().with(v1_to_v2).with(v2_to_v1));

    assert_eq!(webhooks.paths().count(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_role_is_printed_as_on_its_page() -> pintle::Result<()> {
    let server = Server::new();
    let operator = server.client_as("system:serviceaccount:my-system:my-operator");
    // … run it …
    println!("{}", server.role_for("my-operator").to_yaml());

    Api::<Namespace>::all(operator).list(&ListParams::default()).await?;
    assert!(server.role_for("my-operator").to_yaml().contains("namespaces"));
    Ok(())
}

#[tokio::test]
async fn a_manager_with_metrics_is_built_as_on_its_page() -> Result<(), std::net::AddrParseError> {
    let client = Server::new().client();
    let manager = Manager::builder(client)
        .lease("my-system", "my-operator")
        .health("0.0.0.0:8081".parse()?)
        .metrics("0.0.0.0:8080".parse()?)
        .build();

    let backups = Counter::<u64>::default();
    manager.metrics().register(|registry| registry.register("backups", "Backups that were made", backups.clone()));

    backups.inc();
    assert!(manager.metrics().encode(Format::Classic).contains("\nbackups_total 1\n"));
    Ok(())
}
