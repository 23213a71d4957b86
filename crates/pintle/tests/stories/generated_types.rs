//! Types that `pintle types` generated: they compile, their definition is the original one, and what a server returns
//! comes out of them as it went in.
//!
//! Sources, definitions and sample objects are those of `crates/types/tests`; a test there checks that the sources are
//! what is generated.

use std::fmt::Debug;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionVersion,
};
use pintle::api::{Api, ApiResource, DynamicObject, PostParams};
use pintle::{CustomResourceExt, Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::custom_resource::install_definition;
use crate::world::World;

/// A module with the generated source, and a story about the sample object of the same name.
macro_rules! generated {
    ($($module:ident: $kind:ident in $version:ident, $story:ident;)*) => {
        $(
            #[expect(unreachable_pub, reason = "it is generated for any crate")]
            mod $module {
                include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../types/tests/generated/", stringify!($module), ".rs"));
            }

            #[tokio::test(start_paused = true)]
            async fn $story() {
                let definition = include_str!(concat!("../../../types/tests/definitions/", stringify!($module), ".yaml"));
                let sample = include_str!(concat!("../../../types/tests/definitions/", stringify!($module), ".json"));
                check::<$module::$version::$kind>(definition, sample).await;
            }
        )*
    };
}

generated! {
    application: Application in v1alpha1, fields_beside_the_spec_are_kept;
    certificate: Certificate in v1, enums_with_odd_names_and_times_are_kept;
    composition: Composition in v1, unknown_fields_and_embedded_objects_are_kept;
    gadget: Gadget in v1, a_derived_schema_has_the_shape_of_the_original;
    helm_release: HelmRelease in v2, values_of_any_type_are_kept;
    http_route: HTTPRoute in v1, defaults_within_defaults_are_kept;
    machine: Machine in v1beta2, one_of_several_versions_is_kept;
    oddity: Oddity in v1, names_that_rust_does_not_have_are_kept;
    pipeline: Pipeline in v1, fields_named_like_keywords_are_kept;
    prometheus: Prometheus in v1, quantities_and_scale_are_kept;
    report: Report in v1, a_kind_without_a_spec_is_kept;
    scaled_object: ScaledObject in v1alpha1, maps_and_floats_are_kept;
    service: Service in v1, a_pod_template_of_its_own_is_kept;
    service_monitor: ServiceMonitor in v1, well_known_types_and_ports_are_kept;
    virtual_service: VirtualService in v1, alternatives_that_only_constrain_are_kept;
}

/// Installs the type's own definition, has the server complete a sample, and reads and writes it by its type.
async fn check<K>(definition: &str, sample: &str)
where
    K: Resource<DynamicType = ()> + CustomResourceExt + Clone + Debug + PartialEq + Serialize + DeserializeOwned,
{
    let world = World::embedded();
    let original: CustomResourceDefinition = serde_saphyr::from_str(definition).unwrap();
    let generated = K::try_crd().unwrap();
    let is_derived = K::kind(&()) == "Gadget";
    assert_eq!(normal(&generated, &K::version(&()), is_derived), normal(&original, &K::version(&()), is_derived));
    install_definition(&world, &generated).await;

    let resource = ApiResource { ..K::api_resource() };
    let is_namespaced = original.spec.scope == "Namespaced";
    let dynamic: Api<DynamicObject> = if is_namespaced {
        Api::default_namespaced_with(world.client.clone(), &resource)
    } else {
        Api::all_with(world.client.clone(), &resource)
    };
    let sample: DynamicObject = serde_json::from_str(sample).unwrap();
    let (name, status) = (sample.name_any(), sample.data.get("status").cloned());
    dynamic.create(&PostParams::default(), &sample).await.unwrap();
    if let Some(status) = status {
        let mut current = dynamic.get(&name).await.unwrap();
        current.data["status"] = status;
        dynamic.replace_status(&name, &PostParams::default(), &current).await.unwrap();
    }
    let stored = serde_json::to_value(dynamic.get(&name).await.unwrap()).unwrap();

    // What the server has, with its defaults, comes out of the type as it went in.
    let typed: K = serde_json::from_value(stored.clone()).unwrap();
    assert_eq!(serde_json::to_value(&typed).unwrap(), stored);

    // And what the sample says is, completed by the type's own defaults, the same.
    let mut from_sample = serde_json::to_value(sample).unwrap();
    from_sample["metadata"] = stored["metadata"].clone();
    assert_eq!(serde_json::from_value::<K>(from_sample).unwrap(), typed, "the server's defaults are the type's");
}

/// What a definition says of a version, but for where an integer or string, or anything in a derived schema, may be null:
/// an `Option` may.
fn normal(definition: &CustomResourceDefinition, version: &str, is_derived: bool) -> Value {
    let spec = &definition.spec;
    let of_version = |one: &&CustomResourceDefinitionVersion| one.name == version;
    let mut version = serde_json::to_value(spec.versions.iter().find(of_version).unwrap()).unwrap();
    // schemars names the type there.
    version["schema"]["openAPIV3Schema"].as_object_mut().unwrap().remove("title");
    normalize(&mut version["schema"], is_derived);
    json!({
        "name": definition.name_any(), "group": spec.group, "names": spec.names, "scope": spec.scope, "version": version,
    })
}

fn normalize(schema: &mut Value, is_derived: bool) {
    match schema {
        Value::Object(node) => {
            let is_int_or_string = node.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true));
            if is_derived || is_int_or_string {
                node.remove("nullable");
            }
            node.values_mut().for_each(|value| normalize(value, is_derived));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| normalize(item, is_derived)),
        _ => {}
    }
}

#[test]
fn a_generated_default_is_what_the_schema_says() {
    use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

    let defaults = oddity::v1::OddityWithDefaults::default();
    assert_eq!(
        (defaults.count, defaults.enabled, defaults.off, defaults.ratio, defaults.nullable.as_deref()),
        (3, true, false, 0.5, Some("x"))
    );
    assert_eq!((defaults.list, defaults.labels["app"].as_str()), (vec!["a".to_owned(), "b".to_owned()], "x"));
    assert_eq!((defaults.port, defaults.width), (IntOrString::Int(80), IntOrString::String("50%".to_owned())));
    assert_eq!(
        (defaults.any, defaults.text.as_str()),
        (json!({"a": [1, "b\n", null]}), "with \"quotes\" and \\backslash")
    );
    let route = http_route::v1::HTTPRouteSpec::default();
    assert_eq!(route.rules[0].matches[0].path.type_, http_route::v1::HTTPRouteRulesMatchesPathType::PathPrefix);
}

#[test]
fn an_object_without_its_optional_spec_is_read() {
    let service: service::v1::Service = serde_json::from_value(json!({"metadata": {"name": "a"}})).unwrap();
    assert_eq!(service, service::v1::Service { spec: service::v1::ServiceSpec::default(), ..service.clone() });
    let certificate: Result<certificate::v1::Certificate, _> =
        serde_json::from_value(json!({"metadata": {"name": "a"}}));
    assert!(certificate.unwrap_err().to_string().contains("missing field `spec`"), "its spec has required fields");
}

#[test]
fn the_versions_of_a_kind_make_its_definition_again() {
    use machine::{v1beta1, v1beta2};

    let versions = vec![v1beta1::Machine::crd(), v1beta2::Machine::crd()];
    let merged = pintle::core::crd::merge_crds(versions, "v1beta2").unwrap();
    let original: CustomResourceDefinition =
        serde_saphyr::from_str(include_str!("../../../types/tests/definitions/machine.yaml")).unwrap();
    for version in ["v1beta1", "v1beta2"] {
        assert_eq!(normal(&merged, version, false), normal(&original, version, false));
    }
    let old = v1beta1::MachineStatus { phase: Some("Running".to_owned()) };
    assert_eq!(serde_json::to_value(old).unwrap(), json!({"phase": "Running"}));
}
