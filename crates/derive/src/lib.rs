//! The derive macros: `CustomResource`, `KubeSchema`, `Resource`.
//!
//! ```text
//!   #[kube(group, version, kind, …)]   Attributes        tokens of the root struct
//!   struct DocumentSpec { … }        ─► + Paths        ─► and its impls: Document        CustomResource
//!                                       + Names
//!   #[x_kube(validation, …)] struct  ─► a copy for schemars, with transforms at its fields  KubeSchema
//!   #[resource(inherit)] struct      ─► the other type's kind                               Resource
//! ```
//!
//! The generated code names its crates by what the user's Cargo.toml calls them: a program that
//! depends on `kube = { package = "pintle" }` gets `::kube::core::Resource`.
//!
//! Reading order: `value` (what stands in an attribute), `attributes` (what it means), `names` (what follows from it),
//! `paths` (how the crates are called), then `custom_resource` with `root` (the struct and how it is read and
//! written), `resource` (the traits of the API) and `rules` (CEL); `kube_schema`; `inherit`.
//! Every mistake is reported at its place, and all of them at once (`mistakes`).

mod attributes;
mod custom_resource;
mod inherit;
mod kube_schema;
mod mistakes;
mod names;
mod paths;
mod resource;
mod root;
mod rules;
mod value;

use syn::Error;

use crate::paths::core_by_name;

/// Generates a Kubernetes custom resource around the struct or enum of its spec.
///
/// The kind named in the attributes becomes a struct with `metadata`, `spec` and, if asked for, `status`, which
/// implements `Resource`, `CustomResourceExt`, `HasSpec`, `HasStatus`, `Serialize`, `Deserialize`, `JsonSchema`,
/// `Clone` and `Debug`. The spec must implement these last five itself, as in this example:
///
/// ```text
/// #[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
/// #[kube(group = "example.com", version = "v1", kind = "Document")]
/// #[kube(namespaced, status = "DocumentStatus", shortname = "doc")]
/// pub struct DocumentSpec {
///     pub title: String,
///     pub content: String,
/// }
/// ```
///
/// # Attributes, all in `#[kube(…)]`
///
/// | attribute | meaning |
/// |---|---|
/// | `group = "…"` | the API group; required |
/// | `version = "…"` | the version; required |
/// | `kind = "…"` | the kind, and the name of the generated struct; required |
/// | `root = "…"` | the name of the generated struct, if it is not the kind |
/// | `namespaced` | objects are namespaced; without it, cluster-scoped |
/// | `status = Type` | the type of `status`, with or without quotes, served as a subresource |
/// | `no_spec` | the fields of the spec are beside `metadata`, not under `spec` |
/// | `optional_spec` | an object without `spec` is read with the default spec, which needs `Default` |
/// | `plural = "…"` | the name in URLs, if it is not the regular plural of the singular |
/// | `singular = "…"` | the name on the command line, if it is not the kind in lower case |
/// | `shortname = "…"` * | a short name for `kubectl` |
/// | `category = "…"` * | a group of kinds for `kubectl`, such as `all` |
/// | `printcolumn(name = "…", type_ = "…", json_path = "…")` * | a column of `kubectl get`; also `description`, `format`, `priority`; or the column's JSON, `printcolumn = r#"{…}"#` |
/// | `scale(spec_replicas_path = "…", status_replicas_path = "…")` | the scale subresource, with or without `status`; also `label_selector_path`; or its JSON, `scale = r#"{…}"#` |
/// | `selectable = "…"` * | the path of a field that field selectors may name |
/// | `validation = …` * | a CEL rule about the whole object: a string, `("rule", "message")` or `Rule::new(…)` |
/// | `served = false` | the version is not served |
/// | `storage = false` | objects are not stored in this version |
/// | `deprecated`, `deprecated = "…"` | users of the version are warned |
/// | `annotation("key", "value")` * | an annotation of the definition and of every object made by `new` |
/// | `label("key", "value")` * | a label of the definition and of every object made by `new` |
/// | `doc = "…"` | the description of the kind |
/// | `derive = "Trait"` * | another trait for the generated struct, such as `PartialEq` or `Default` |
/// | `attr = "…"` * | another attribute for the generated struct |
/// | `schema = "derived"` | the schema comes from `JsonSchema`, which is the default |
/// | `schema = "manual"` | the schema comes from your own `JsonSchema` for the generated struct, and is taken as it is |
/// | `schema = "disabled"` | there is no schema, because something else installs the definition |
/// | `crates(kube_core = …, …)` | paths, with or without quotes, of the crates `kube`, `kube_core`, `k8s_openapi`, `schemars`, `serde`, `serde_json` and `std`, if they are not found by name |
///
/// Those with * may be repeated. `cel` gives the kind `validate_cel` and `validate_cel_update`, which evaluate its rules
/// without a server; they need the feature of the same name.
#[proc_macro_derive(CustomResource, attributes(kube))]
pub fn derive_custom_resource(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    custom_resource::expand(input.into(), core_by_name).unwrap_or_else(Error::into_compile_error).into()
}

/// Derives `JsonSchema` with the CEL rules and merge strategies of Kubernetes in it.
///
/// It replaces schemars' own derive and reads the same `#[schemars(…)]` and `#[serde(…)]` attributes.
///
/// ```text
/// #[derive(CustomResource, KubeSchema, Clone, Debug, Serialize, Deserialize)]
/// #[kube(group = "example.com", version = "v1", kind = "Document")]
/// #[x_kube(validation = "self.minimum <= self.maximum")]
/// pub struct DocumentSpec {
///     #[x_kube(validation = Rule::new("self == oldSelf").message("cannot change"))]
///     pub title: String,
///     #[x_kube(merge_strategy = ListMerge::Set)]
///     pub authors: Vec<String>,
///     pub minimum: u32,
///     pub maximum: u32,
/// }
/// ```
///
/// # Attributes, all in `#[x_kube(…)]`
///
/// | attribute | where | meaning |
/// |---|---|---|
/// | `validation = …` | type, field | a rule: a string, `("rule", "message")` or `Rule::new(…)`; may be repeated |
/// | `merge_strategy = …` | field | how server-side apply merges it: `ListMerge::…`, `MapMerge::…`, `StructMerge::…` |
/// | `crates(…)` | type | as in `#[kube(…)]` |
///
/// `cel` gives the type `validate_cel(value, old)`, which evaluates its rules on JSON; it needs the feature of the same name.
#[proc_macro_derive(KubeSchema, attributes(x_kube, schemars, serde, validate, garde))]
pub fn derive_kube_schema(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    kube_schema::expand(input.into(), core_by_name).unwrap_or_else(Error::into_compile_error).into()
}

/// Implements `Resource` for a type that reads the objects of another kind.
///
/// The type has a field `metadata: ObjectMeta` and any other fields:
///
/// ```text
/// #[derive(Resource, Clone, Debug, Deserialize)]
/// #[resource(inherit = "ConfigMap")]
/// struct Settings {
///     metadata: ObjectMeta,
///     data: SettingsData,
/// }
/// ```
///
/// # Attributes, all in `#[resource(…)]`
///
/// | attribute | meaning |
/// |---|---|
/// | `inherit = Type` | the type whose kind, group, version and scope it has, with or without quotes; required |
/// | `crates(…)` | as in `#[kube(…)]` |
#[proc_macro_derive(Resource, attributes(resource))]
pub fn derive_resource(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    inherit::expand(input.into(), core_by_name).unwrap_or_else(Error::into_compile_error).into()
}

#[cfg(test)]
mod tests;
