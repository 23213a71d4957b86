//! 8. Apply and status: several writers of one object, each with fields of its own, and a status with conditions.
//!
//! The server remembers who applied which fields. Whoever wants another value gets a conflict that names the owner.
//!
//! ```console
//! $ cargo run -p course 08_apply_and_status
//! 3 roses, Some(5) tulips
//! the API server refused: Apply failed with 1 conflict: conflict with "anna": .spec.roses: Conflict (409)
//! 7 roses, None tulips
//! status: Some("Planted")
//! status: as it should be, nothing was sent
//! ```

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use pintle::api::{Api, DeleteParams, Patch, PatchParams};
use pintle::manager::definitions::install;
use pintle::runtime::status::{condition, set_condition};
use pintle::runtime::{Applied, apply_status_if_changed};
use pintle::{Client, CustomResource, CustomResourceExt};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "course.example.com", version = "v1", kind = "Garden", namespaced, status = "GardenStatus")]
struct GardenSpec {
    roses: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    tulips: Option<u32>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
struct GardenStatus {
    #[schemars(schema_with = "conditions")]
    conditions: Vec<Condition>,
}

/// With its feature `schemars`, k8s-openapi's types have schemas of their own.
fn conditions(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}})
}

#[tokio::main]
pub async fn main() -> anyhow::Result<()> {
    let client = Client::try_default().await?;
    install(client.clone(), [Garden::crd()]).await?;
    let gardens: Api<Garden> = Api::default_namespaced(client);

    let anna = Garden::new("park", GardenSpec { roses: 3, tulips: None });
    gardens.patch("park", &PatchParams::apply("anna"), &Patch::Apply(&anna)).await?;
    // Only the fields that are wanted; apiVersion and kind are those of the `Api`.
    let bert = |spec| Patch::Apply(json!({"spec": spec}));
    let park = gardens.patch("park", &PatchParams::apply("bert"), &bert(json!({"tulips": 5}))).await?;
    println!("{} roses, {:?} tulips", park.spec.roses, park.spec.tulips);
    if let Err(error) = gardens.patch("park", &PatchParams::apply("bert"), &bert(json!({"roses": 7}))).await {
        println!("{error}");
    }
    let park = gardens.patch("park", &PatchParams::apply("bert").force(), &bert(json!({"roses": 7}))).await?;
    // Bert did not apply his tulips again, so they are gone: what a manager leaves out it no longer wants.
    println!("{} roses, {:?} tulips", park.spec.roses, park.spec.tulips);

    let mut status = park.status.clone().unwrap_or_default();
    set_condition(&mut status.conditions, condition("Ready", true, "Planted", "everything is planted"));
    let wanted = json!({"status": status});
    let controller = PatchParams::apply("gardener");
    let mut current = park;
    for _ in 0..2 {
        match apply_status_if_changed(&gardens, "park", &controller, Some(&current), &wanted).await? {
            Applied::Sent(park) => {
                println!("status: {:?}", park.status.iter().flat_map(|it| &it.conditions).map(|it| &it.reason).next());
                current = *park;
            }
            Applied::Unchanged => println!("status: as it should be, nothing was sent"),
        }
    }
    gardens.delete("park", &DeleteParams::default()).await?;
    Ok(())
}
