//! `#[derive(CustomResource)]`: a custom resource from the struct of its spec.
//!
//! ```text
//!   #[kube(group, version, kind, …)]   Attributes        tokens of the root struct
//!   struct DocumentSpec { … }        ─► + Paths        ─► and its impls: Document
//!                                       + Names
//! ```
//!
//! The generated code names its crates by what the user's Cargo.toml calls them: a program that
//! depends on `kube = { package = "pintle" }` gets `::kube::core::Resource`.
//!
//! Reading order: `attributes` (what the user wrote), `names` (what follows from it), `paths` (how the crates are
//! called), `root` (the struct and how it is read and written), `resource` (the traits of the API).
//! Every mistake is reported at its place, and all of them at once.

mod attributes;
mod names;
mod paths;
mod resource;
mod root;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Result};

use crate::attributes::Attributes;
use crate::paths::Paths;

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
/// | `version = "…"` | the version, served and stored; required |
/// | `kind = "…"` | the kind, and the name of the generated struct; required |
/// | `namespaced` | objects live in a namespace; without it, in the cluster |
/// | `status = "Type"` | the type of `status`, served as a subresource |
/// | `plural = "…"` | the name in URLs, if it is not the regular plural |
/// | `singular = "…"` | the name on the command line, if it is not the kind in lower case |
/// | `shortname = "…"` | a short name for `kubectl`; may be repeated |
/// | `doc = "…"` | the description of the kind |
/// | `schema = "derived"` | the schema comes from `JsonSchema`, which is the default |
#[proc_macro_derive(CustomResource, attributes(kube))]
pub fn custom_resource(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    Paths::find().and_then(|paths| expand(input.into(), &paths)).unwrap_or_else(Error::into_compile_error).into()
}

/// The whole macro, apart from looking at the user's Cargo.toml.
fn expand(input: TokenStream, paths: &Paths) -> Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    let attributes = Attributes::read(&input);
    let attributes = match (attributes, supported(&input)) {
        (Ok(attributes), Ok(())) => attributes,
        (Err(error), Ok(())) | (Ok(_), Err(error)) => return Err(error),
        (Err(mut error), Err(another)) => {
            error.combine(another);
            return Err(error);
        }
    };
    let root = root::generate(&input, &attributes, paths);
    let resource = resource::generate(&input, &attributes, paths);
    Ok(quote! { #root #resource })
}

fn supported(input: &DeriveInput) -> Result<()> {
    if let Data::Union(union) = &input.data {
        return Err(Error::new(
            union.union_token.span,
            "the spec of a custom resource is a struct or an enum, not a union",
        ));
    }
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(
            &input.generics,
            "the spec of a custom resource cannot be generic: one kind has one schema",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
