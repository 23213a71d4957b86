//! Attributes in all the forms that kube's derive macros take them, and schemas of types that are not plain structs.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::core::ObjectMeta;
use kube::core::admission::{AdmissionRequest, AdmissionResponse, AdmissionReview};
use kube::core::dynamic::ParseDynamicObjectError;
use kube::core::gvk::GroupVersion;
use kube::core::response::StatusDetails;
use kube::core::{DynamicObject, Status};
use kube::{CustomResource, CustomResourceExt, KubeSchema, Resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

mod own {
    pub use kube;
    pub use serde;
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
pub struct State {
    pub phase: String,
}

/// Paths without quotes.
#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Plain", namespaced = "true", storage = "false")]
#[kube(status = self::State, crates(kube_core = own::kube::core, serde = "own::serde", k8s_openapi = k8s_openapi))]
#[kube(label("tier", "web"), label("app", "a"), annotation("example.com/note", "b"))]
pub struct PlainSpec {
    pub size: i32,
}

/// The same from a macro, whose arguments come in invisible groups.
macro_rules! kind {
    ($spec:ident, $kind:literal, $status:ty, $core:path) => {
        #[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
        #[kube(group = "example.com", version = "v1", kind = $kind, status = $status, crates(kube_core = $core))]
        pub struct $spec {
            pub size: i32,
        }
    };
}
kind!(MadeSpec, "Made", State, ::kube::core);

/// Names that only a server refuses, and a plural that follows from the singular.
#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "", version = "v1", kind = "Foo", singular = "foosy", shortname = "F_o.o", category = "All")]
pub struct FooSpec {
    pub size: i32,
}

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Bare", plural = "Bares_x", schema(disabled))]
pub struct BareSpec {
    pub size: i32,
}

/// A schema written by hand, without a type at its root.
#[derive(CustomResource, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "ByHand", schema = "manual")]
pub struct ByHandSpec {
    pub size: i32,
}

impl JsonSchema for ByHand {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ByHand".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "properties": { "spec": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } } })
    }
}

/// Another type's place in the API.
#[derive(Resource, Clone, Debug, Deserialize, Serialize)]
#[resource(inherit = ConfigMap, crates(kube_core = ::kube::core))]
pub struct Settings {
    pub metadata: ObjectMeta,
    pub data: Option<BTreeMap<String, String>>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct Inside {
    pub name: String,
}

#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct Outside {
    pub url: String,
    pub port: Option<u16>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum Either {
    Inside(Inside),
    Outside(Outside),
}

#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum StructOrText {
    Struct(Inside),
    Text(String),
}

#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Untagged")]
pub struct UntaggedSpec {
    pub size: i32,
    #[serde(flatten)]
    pub either: Option<Either>,
}

#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Mixed")]
pub struct MixedSpec {
    pub source: StructOrText,
    pub other: Option<StructOrText>,
}

/// Rules that are checked here.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Ruled", cel, validation = "self.spec.size < 100")]
#[x_kube(cel, validation = ("self.size > 0", "it is too small"))]
pub struct RuledSpec {
    pub size: i32,
}

pub fn print() {
    kinds();
    schemas();
    rules();
    words();
}

fn show(what: &str, value: &impl Serialize) {
    println!("{what} {}", serde_json::to_value(value).unwrap());
}

fn kinds() {
    for crd in [Plain::crd(), Made::crd(), Foo::crd(), Bare::crd(), ByHand::crd()] {
        show("definition", &crd);
    }
    println!("{} {}", Foo::crd_name(), Foo::url_path(&(), None));
    let plain = Plain::new("a", PlainSpec { size: 1 });
    show("new", &plain);
    let mut owner = plain;
    owner.metadata.uid = Some("u".into());
    show("owner", &owner.controller_owner_ref(&()));
    println!("{} {}", Settings::url_path(&(), Some("n")), Settings::kind(&()));
}

fn schemas() {
    show("untagged", &Untagged::crd());
    show("mixed", &Mixed::crd());
}

fn rules() {
    let ruled = |size| Ruled::new("a", RuledSpec { size });
    println!(
        "{:?} {:?}",
        ruled(5).validate_cel().is_ok(),
        ruled(500).validate_cel().map_err(|error| error.to_string())
    );
    println!("{:?}", ruled(5).validate_cel_update(&ruled(4)).is_ok());
    let of_part =
        |size: i32| RuledSpec::validate_cel(&json!({ "size": size }), None).map_err(|error| error.to_string());
    println!("{:?} {:?}", of_part(1), of_part(0));
    let _ = (kube::core::cel::Validator::new(), kube::core::cel::compile_schema);
}

fn words() {
    for text in ["", "v1", "apps/v1", "a/b/c", "/v1"] {
        println!("{text:?} {:?}", text.parse::<GroupVersion>().map(|parsed| (parsed.group, parsed.version)).ok());
    }
    let details: StatusDetails = serde_json::from_value(json!({ "name": "a", "causes": [{ "field": "f" }] })).unwrap();
    let status = Status::failure("no", "NotFound").with_code(404).with_details(details);
    println!("{}", serde_json::to_string(&status).unwrap());
    println!("{}", serde_json::to_string(&Status::success()).unwrap());
    let error: ParseDynamicObjectError = serde_json::from_str::<Value>("{").unwrap_err().into();
    let _ = error.to_string();
    let review = json!({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
        "request": {
            "uid": "1", "operation": "CREATE", "userInfo": {}, "name": "a",
            "kind": { "group": "", "version": "v1", "kind": "ConfigMap" },
            "resource": { "group": "", "version": "v1", "resource": "configmaps" },
        },
    });
    let review: AdmissionReview<DynamicObject> = serde_json::from_value(review).unwrap();
    let request: AdmissionRequest<DynamicObject> = review.try_into().unwrap();
    println!("{}", serde_json::to_string(&AdmissionResponse::from(&request).deny("no").into_review()).unwrap());
}
