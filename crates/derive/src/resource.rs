//! The traits of the API: `Resource`, `CustomResourceExt`, `HasSpec`, `HasStatus`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Type};

use crate::attributes::{Attributes, Scope};
use crate::paths::Paths;

/// All of them for the kind that the attributes name.
pub(crate) fn generate(input: &DeriveInput, attributes: &Attributes, paths: &Paths) -> TokenStream {
    let resource = resource(attributes, paths);
    let custom_resource = custom_resource(attributes, paths);
    let has_spec = has_spec(input, attributes, paths);
    let has_status = attributes.status.as_ref().map(|status| has_status(status, attributes, paths));
    quote! { #resource #custom_resource #has_spec #has_status }
}

fn resource(attributes: &Attributes, paths: &Paths) -> TokenStream {
    let (core, kind) = (&paths.core, &attributes.kind);
    let scope = match attributes.scope {
        Scope::Namespaced => quote!(#core::NamespaceResourceScope),
        Scope::Cluster => quote!(#core::ClusterResourceScope),
    };
    let api_version = format!("{}/{}", attributes.group, attributes.version);
    let facts = [
        ("kind", kind.to_string()),
        ("group", attributes.group.clone()),
        ("version", attributes.version.clone()),
        ("api_version", api_version),
        ("plural", attributes.plural.clone()),
    ];
    let facts = facts.iter().map(|(function, value)| {
        let function = quote::format_ident!("{function}");
        quote! {
            fn #function(_: &()) -> ::std::borrow::Cow<'_, str> {
                ::std::borrow::Cow::Borrowed(#value)
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #core::Resource for #kind {
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
    let (core, kind) = (&paths.core, &attributes.kind);
    let Attributes { group, version, plural, singular, shortnames, .. } = attributes;
    let kind_name = kind.to_string();
    let crd_name = format!("{plural}.{group}");
    let scope = match attributes.scope {
        Scope::Namespaced => quote!(Namespaced),
        Scope::Cluster => quote!(Cluster),
    };
    let status = if attributes.status.is_some() { quote!(Served) } else { quote!(Absent) };
    quote! {
        #[automatically_derived]
        impl #core::crd::v1::CustomResourceExt for #kind {
            fn crd() -> #core::crd::v1::CustomResourceDefinition {
                let definition = #core::crd::v1::Definition {
                    group: #group,
                    version: #version,
                    kind: #kind_name,
                    plural: #plural,
                    singular: #singular,
                    shortnames: <Self as #core::crd::v1::CustomResourceExt>::shortnames(),
                    scope: #core::crd::v1::Scope::#scope,
                    status: #core::crd::v1::StatusSubresource::#status,
                };
                definition.with_schema(#core::schema::structural_schema_for::<Self>())
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
    }
}

fn has_spec(input: &DeriveInput, attributes: &Attributes, paths: &Paths) -> TokenStream {
    let (core, kind, spec) = (&paths.core, &attributes.kind, &input.ident);
    quote! {
        #[automatically_derived]
        impl #core::HasSpec for #kind {
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
    let (core, kind) = (&paths.core, &attributes.kind);
    quote! {
        #[automatically_derived]
        impl #core::HasStatus for #kind {
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
