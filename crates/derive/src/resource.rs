//! The traits of the API: `Resource`, `CustomResourceExt`, `HasSpec`, `HasStatus`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Type};

use crate::attributes::{Attributes, Deprecation, SchemaMode, Scope};
use crate::paths::Paths;

/// All impls for the kind of the attributes.
pub(crate) fn generate(input: &DeriveInput, attributes: &Attributes, paths: &Paths) -> TokenStream {
    let resource = resource(attributes, paths);
    let custom_resource = custom_resource(attributes, paths);
    let has_spec = has_spec(input, attributes, paths);
    let has_status = attributes.status.as_ref().map(|status| has_status(status, attributes, paths));
    quote! { #resource #custom_resource #has_spec #has_status }
}

fn resource(attributes: &Attributes, paths: &Paths) -> TokenStream {
    let (core, std, root) = (&paths.core, &paths.std, &attributes.root);
    let scope = match attributes.scope {
        Scope::Namespaced => quote!(#core::NamespaceResourceScope),
        Scope::Cluster => quote!(#core::ClusterResourceScope),
    };
    let api_version = format!("{}/{}", attributes.group, attributes.version);
    let facts = [
        ("kind", attributes.kind.clone()),
        ("group", attributes.group.clone()),
        ("version", attributes.version.clone()),
        ("api_version", api_version),
        ("plural", attributes.plural.clone()),
    ];
    let facts = facts.iter().map(|(function, value)| {
        let function = quote::format_ident!("{function}");
        quote! {
            fn #function(_: &()) -> #std::borrow::Cow<'_, str> {
                #std::borrow::Cow::Borrowed(#value)
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #core::Resource for #root {
            type DynamicType = ();
            type Scope = #scope;
            #(#facts)*
            fn meta(&self) -> &#core::ObjectMeta {
                &self.metadata
            }
            fn meta_mut(&mut self) -> &mut #core::ObjectMeta {
                &mut self.metadata
            }
        }
    }
}

fn custom_resource(attributes: &Attributes, paths: &Paths) -> TokenStream {
    let (core, root) = (&paths.core, &attributes.root);
    let crd_name = format!("{}.{}", attributes.plural, attributes.group);
    let shortnames = &attributes.lists.shortnames;
    let definition = definition(attributes, core);
    let (crd, try_crd) = match attributes.schema {
        SchemaMode::Derived => (
            quote!(DEFINITION.with_schema(#core::schema::structural::schema_for::<Self>())),
            quote!(DEFINITION.try_with_schema(#core::schema::structural::try_schema_for::<Self>())),
        ),
        SchemaMode::Manual => (
            quote!(DEFINITION.with_schema(#core::schema::structural::schema_as_written::<Self>())),
            quote!(DEFINITION.try_with_schema(#core::schema::structural::try_schema_as_written::<Self>())),
        ),
        SchemaMode::Disabled => (quote!(DEFINITION.without_schema()), quote!(DEFINITION.try_without_schema())),
    };
    quote! {
        const _: () = {
            const DEFINITION: #core::crd::definition::Definition = #definition;
            #[automatically_derived]
            impl #core::crd::v1::CustomResourceExt for #root {
                fn crd() -> #core::crd::definition::CustomResourceDefinition {
                    #crd
                }
                fn try_crd() -> ::core::result::Result<#core::crd::definition::CustomResourceDefinition, #core::crd::definition::InvalidDefinition> {
                    #try_crd
                }
                fn crd_name() -> &'static str {
                    #crd_name
                }
                fn api_resource() -> #core::ApiResource {
                    #core::ApiResource::erase::<Self>(&())
                }
                fn shortnames() -> &'static [&'static str] {
                    &[#(#shortnames),*]
                }
            }
        };
    }
}

/// The definition that the attributes describe, as a constant.
fn definition(attributes: &Attributes, core: &TokenStream) -> TokenStream {
    let Attributes { group, version, kind, plural, singular, lists, is_served, is_stored, .. } = attributes;
    let (shortnames, categories, selectable) = (&lists.shortnames, &lists.categories, &lists.selectable);
    let [annotations, labels] = [&lists.annotations, &lists.labels].map(|pairs| pairs_of(pairs));
    let columns = lists.columns.iter().map(|column| column.tokens(core));
    let scope = match attributes.scope {
        Scope::Namespaced => quote!(Namespaced),
        Scope::Cluster => quote!(Cluster),
    };
    let status = if attributes.status.is_some() { quote!(Served) } else { quote!(Absent) };
    let scale = attributes.scale.as_ref().map_or_else(
        || quote!(::core::option::Option::None),
        |scale| {
            let scale = scale.tokens(core);
            quote!(::core::option::Option::Some(#scale))
        },
    );
    let deprecation = match &attributes.deprecation {
        None => quote!(None),
        Some(Deprecation::Plain) => quote!(Plain),
        Some(Deprecation::Warning(warning)) => quote!(Warning(#warning)),
    };
    quote! {
        #core::crd::definition::Definition {
            group: #group,
            version: #version,
            kind: #kind,
            plural: #plural,
            singular: #singular,
            shortnames: &[#(#shortnames),*],
            categories: &[#(#categories),*],
            scope: #core::crd::definition::Scope::#scope,
            status: #core::crd::definition::StatusSubresource::#status,
            scale: #scale,
            columns: &[#(#columns),*],
            selectable: &[#(#selectable),*],
            annotations: #annotations,
            labels: #labels,
            is_served: #is_served,
            is_stored: #is_stored,
            deprecation: #core::crd::definition::Deprecation::#deprecation,
        }
    }
}

/// Keys and values as a constant slice.
pub(crate) fn pairs_of(pairs: &[(String, String)]) -> TokenStream {
    let pairs = pairs.iter().map(|(key, value)| quote!((#key, #value)));
    quote!(&[#(#pairs),*])
}

fn has_spec(input: &DeriveInput, attributes: &Attributes, paths: &Paths) -> TokenStream {
    let (core, root, spec) = (&paths.core, &attributes.root, &input.ident);
    quote! {
        #[automatically_derived]
        impl #core::object::HasSpec for #root {
            type Spec = #spec;
            fn spec(&self) -> &#spec {
                &self.spec
            }
            fn spec_mut(&mut self) -> &mut #spec {
                &mut self.spec
            }
        }
    }
}

fn has_status(status: &Type, attributes: &Attributes, paths: &Paths) -> TokenStream {
    let (core, root) = (&paths.core, &attributes.root);
    quote! {
        #[automatically_derived]
        impl #core::object::HasStatus for #root {
            type Status = #status;
            fn status(&self) -> ::core::option::Option<&#status> {
                self.status.as_ref()
            }
            fn status_mut(&mut self) -> &mut ::core::option::Option<#status> {
                &mut self.status
            }
        }
    }
}
