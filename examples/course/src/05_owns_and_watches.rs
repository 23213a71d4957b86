//! 5. Owns and watches: a kind of your own, what it owns, and what it depends on.
//!
//! A `Site` owns a ConfigMap with its page: if that changes or goes, the Site is reconciled. Its colour is in the
//! ConfigMap `course-theme`, which no Site owns: a function says whom a change of it concerns.
//!
//! ```console
//! $ cargo run -p course 05_owns_and_watches
//! the page is <h1>Blog</h1>
//! deleted the page
//! the page is <h1>Blog</h1>
//! the page is <h1 style="color: red">Blog</h1>
//! ```

use std::sync::Arc;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{Api, DeleteParams, Patch, PatchParams};
use pintle::manager::definitions::install;
use pintle::runtime::controller::{Action, Controller};
use pintle::runtime::{reflector::ObjectRef, wait::await_condition, watcher};
use pintle::{Client, CustomResource, CustomResourceExt, Resource, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "course.example.com", version = "v1", kind = "Site", namespaced)]
struct SiteSpec {
    title: String,
}

#[tokio::main]
pub async fn main() -> anyhow::Result<()> {
    let client = Client::try_default().await?;
    install(client.clone(), [Site::crd()]).await?;
    let (sites, maps) = (Api::<Site>::default_namespaced(client.clone()), Api::default_namespaced(client.clone()));
    let controller = Controller::new(sites.clone(), watcher::Config::default());
    let store = controller.store();
    let all = move |_: ConfigMap| store.state().iter().map(|it| ObjectRef::from_obj(&**it)).collect::<Vec<_>>();
    let running = controller
        .owns(maps.clone(), watcher::Config::default())
        .watches(maps.clone(), watcher::Config::default().fields("metadata.name=course-theme"), all)
        .run(reconcile, |_, _, _| Action::backoff(), Arc::new(client));
    tokio::spawn(running.for_each(async |_| ()));

    let site = Site::new("course-blog", SiteSpec { title: "Blog".to_owned() });
    sites.patch("course-blog", &PatchParams::apply("course"), &Patch::Apply(site)).await?;
    until(&maps, "<h1>Blog</h1>").await?;
    maps.delete("course-blog", &DeleteParams::default()).await?;
    println!("deleted the page");
    until(&maps, "<h1>Blog</h1>").await?;
    let name = json!({"name": "course-theme"});
    let theme = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": name, "data": {"color": "red"}});
    maps.patch("course-theme", &PatchParams::apply("course"), &Patch::Apply(theme)).await?;
    until(&maps, "<h1 style=\"color: red\">Blog</h1>").await?;

    maps.delete("course-theme", &DeleteParams::default()).await?;
    sites.delete("course-blog", &DeleteParams::default()).await?;
    Ok(())
}

async fn until(maps: &Api<ConfigMap>, page: &str) -> anyhow::Result<()> {
    let text = |map: Option<&ConfigMap>| map.and_then(|map| map.data.as_ref()?.get("page").cloned());
    await_condition(maps.clone(), "course-blog", |map: Option<&ConfigMap>| text(map).as_deref() == Some(page)).await?;
    println!("the page is {page}");
    Ok(())
}

async fn reconcile(site: Arc<Site>, client: Arc<Client>) -> pintle::Result<Action> {
    let maps: Api<ConfigMap> = Api::namespaced(Client::clone(&client), &site.namespace().unwrap_or_default());
    let color = maps.get_opt("course-theme").await?.and_then(|theme| theme.data?.remove("color"));
    let style = color.map(|color| format!(" style=\"color: {color}\"")).unwrap_or_default();
    let metadata = json!({"name": site.name_any(), "ownerReferences": [site.controller_owner_ref(&())]});
    let data = json!({"page": format!("<h1{style}>{}</h1>", site.spec.title)});
    let page = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data});
    maps.patch(&site.name_any(), &PatchParams::apply("course-sites"), &Patch::Apply(page)).await?;
    Ok(Action::await_change())
}
