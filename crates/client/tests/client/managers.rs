//! Who writes, said once for a client.

use k8s_openapi::api::core::v1::ConfigMap;
use pintle_client::api::{Api, Patch, PatchParams, PostParams};
use serde_json::json;

use crate::scripted::{self, Answer};

#[tokio::test]
async fn writes_carry_the_field_manager_that_the_client_names() {
    let (client, asked) =
        scripted::client(Answer::json(r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}"#));
    let maps: Api<ConfigMap> = Api::default_namespaced(client.with_field_manager("my operator"));
    let (map, merge) = (ConfigMap::default(), Patch::Merge(json!({})));
    maps.create(&PostParams::default(), &map).await.unwrap();
    maps.replace("a", &PostParams { field_manager: Some("other".into()), ..PostParams::default() }, &map)
        .await
        .unwrap();
    maps.patch("a", &PatchParams::default(), &merge).await.unwrap();
    maps.patch("a", &PatchParams::apply("other"), &Patch::Apply(json!({}))).await.unwrap();
    maps.patch("a", &PatchParams::default(), &Patch::Apply(json!({}))).await.unwrap();
    maps.patch_status("a", &PatchParams::default(), &merge).await.unwrap();
    maps.get("a").await.unwrap();
    let managers: Vec<_> = asked
        .take()
        .iter()
        .map(|asked| {
            let uri = asked.split(' ').nth(1).unwrap();
            uri.split('&').find_map(|word| word.strip_prefix("fieldManager=")).unwrap_or("none").to_owned()
        })
        .collect();
    assert_eq!(managers, ["my+operator", "other", "my+operator", "other", "my+operator", "my+operator", "none"]);
}
