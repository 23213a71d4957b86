//! The programs of the README: they are there as they are compiled here, and do what they say.

use k8s_openapi::api::core::v1::Service;
use pintle::Api;
use pintle::runtime::wait::{await_condition, conditions};
use pintle::testing::{Server, ServerExt};

use operator::run;

#[path = "../../examples/readme.rs"]
#[expect(dead_code, reason = "its main is for a cluster")]
mod operator;

const DEPLOYMENT: &str = r#"{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {
    "selector": {"matchLabels": {"app": "web"}},
    "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "web:1"}]}}}}"#;

#[tokio::test]
async fn a_deployment_gets_a_service() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::new();
    let operator = tokio::spawn(run(server.client()));

    server.load(DEPLOYMENT)?;

    let services: Api<Service> = Api::default_namespaced(server.client());
    await_condition(services, "web", conditions::is_created()).await?;
    operator.abort();
    Ok(())
}

#[test]
fn the_readme_shows_the_programs_that_are_compiled() {
    let readme = include_str!("../../../../README.md");
    let program = include_str!("../../examples/readme.rs");
    assert!(readme.contains(program), "README.md shows another program than examples/readme.rs");
    let source = include_str!("readme.rs");
    for block in readme.split("```rust\n").skip(1).filter_map(|after| after.split("```").next()) {
        assert!(program.contains(block) || source.contains(block), "README.md shows what nobody compiles:\n{block}");
    }
}
