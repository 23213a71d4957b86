//! 1. Get and list: a client, one object by its name, many by a label, and all of them page by page.
//!
//! ```console
//! $ cargo run -p course 01_get_and_list
//! get: "a large ruby"
//! get_opt: None
//! get: the API server refused: configmaps "topaz" not found: NotFound (404)
//! list: ["jade", "opal"]
//! page: ["jade", "opal"]
//! page: ["ruby"]
//! ```

use futures::TryStreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{Api, DeleteParams, ListParams, Patch, PatchParams};
use pintle::{Client, ResourceExt};
use serde_json::json;

#[tokio::main]
pub async fn main() -> anyhow::Result<()> {
    // $KUBECONFIG, ~/.kube/config, or the service account of a pod: the first that is there.
    let client = Client::try_default().await?;
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    for (name, size) in [("ruby", "large"), ("opal", "small"), ("jade", "small")] {
        let map = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": name, "labels": {"course": "01", "size": size}},
            "data": {"about": format!("a {size} {name}")},
        });
        maps.patch(name, &PatchParams::apply("course"), &Patch::Apply(map)).await?;
    }

    let ruby = maps.get("ruby").await?;
    println!("get: {:?}", ruby.data.unwrap_or_default()["about"]);
    // An object that is not there is an error for `get` and `None` for `get_opt`.
    println!("get_opt: {:?}", maps.get_opt("topaz").await?.map(|map| map.name_any()));
    if let Err(error) = maps.get("topaz").await {
        println!("get: {error}");
    }

    let small = maps.list(&ListParams::default().labels("course=01,size=small")).await?;
    println!("list: {:?}", small.iter().map(ResourceExt::name_any).collect::<Vec<_>>());

    // A large collection is read in pages, all of one version.
    let mut pages = maps.pages(&ListParams::default().labels("course=01").limit(2));
    while let Some(page) = pages.try_next().await? {
        println!("page: {:?}", page.list.iter().map(ResourceExt::name_any).collect::<Vec<_>>());
    }

    maps.delete_collection(&DeleteParams::default(), &ListParams::default().labels("course=01")).await?;
    Ok(())
}
