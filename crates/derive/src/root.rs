//! The root struct: `metadata`, `spec`, `status`, and how it is read, written and described.
//!
//! Written objects begin with `apiVersion` and `kind`; reading does not ask for them, because the items of a list
//! do not have them. `metadata` is left out of the schema: the API server adds its own.

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::attributes::Attributes;
use crate::paths::Paths;

/// The struct, its constructor, `Serialize` and `JsonSchema`.
pub(crate) fn generate(input: &DeriveInput, attributes: &Attributes, paths: &Paths) -> TokenStream {
    let definition = definition(input, attributes, paths);
    let constructor = constructor(input, attributes, paths);
    let serialize = serialize(attributes);
    let schema = schema(input, attributes);
    quote! { #definition #constructor #serialize #schema }
}

fn definition(input: &DeriveInput, attributes: &Attributes, paths: &Paths) -> TokenStream {
    let (visibility, spec, kind, core) = (&input.vis, &input.ident, &attributes.kind, &paths.core);
    let description = description(input, attributes);
    let status = attributes.status.as_ref().map(|status| {
        quote! {
            /// What the object was last seen to be.
            #[serde(default)]
            pub status: ::core::option::Option<#status>,
        }
    });
    quote! {
        #[doc = #description]
        #[derive(::core::clone::Clone, ::core::fmt::Debug, ::serde::Deserialize)]
        #visibility struct #kind {
            /// Name, namespace, labels and what else every object has.
            #[serde(default)]
            pub metadata: #core::ObjectMeta,
            /// What the object should be.
            pub spec: #spec,
            #status
        }
    }
}

fn constructor(input: &DeriveInput, attributes: &Attributes, paths: &Paths) -> TokenStream {
    let (spec, kind, core) = (&input.ident, &attributes.kind, &paths.core);
    let status = attributes.status.as_ref().map(|_| quote!(status: ::core::option::Option::None,));
    quote! {
        #[automatically_derived]
        impl #kind {
            /// An object of this name and spec, and nothing else.
            pub fn new(name: &str, spec: #spec) -> Self {
                Self {
                    metadata: #core::ObjectMeta {
                        name: ::core::option::Option::Some(::std::string::String::from(name)),
                        ..::core::default::Default::default()
                    },
                    spec,
                    #status
                }
            }
        }
    }
}

fn serialize(attributes: &Attributes) -> TokenStream {
    let kind = &attributes.kind;
    let kind_name = kind.to_string();
    let api_version = format!("{}/{}", attributes.group, attributes.version);
    let (status_count, status) = match &attributes.status {
        None => (quote!(), quote!()),
        Some(_) => (
            quote!(+ usize::from(self.status.is_some())),
            quote! {
                if let ::core::option::Option::Some(status) = &self.status {
                    object.serialize_field("status", status)?;
                }
            },
        ),
    };
    quote! {
        #[automatically_derived]
        impl ::serde::Serialize for #kind {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                use ::serde::ser::SerializeStruct as _;
                let mut object = serializer.serialize_struct(#kind_name, 4usize #status_count)?;
                object.serialize_field("apiVersion", #api_version)?;
                object.serialize_field("kind", #kind_name)?;
                object.serialize_field("metadata", &self.metadata)?;
                object.serialize_field("spec", &self.spec)?;
                #status
                object.end()
            }
        }
    }
}

// Not schemars' derive: it would put the documentation of the fields in place of that of the user's own types.
fn schema(input: &DeriveInput, attributes: &Attributes) -> TokenStream {
    let (spec, kind) = (&input.ident, &attributes.kind);
    let kind_name = kind.to_string();
    let description = description(input, attributes);
    let status = attributes
        .status
        .as_ref()
        .map(|status| quote!("status": generator.subschema_for::<::core::option::Option<#status>>(),));
    quote! {
        #[automatically_derived]
        impl ::schemars::JsonSchema for #kind {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(#kind_name)
            }
            fn schema_id() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(::core::concat!(::core::module_path!(), "::", #kind_name))
            }
            fn json_schema(generator: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                ::schemars::json_schema!({
                    "description": #description,
                    "type": "object",
                    "properties": {
                        "spec": generator.subschema_for::<#spec>(),
                        #status
                    },
                    "required": ["spec"],
                })
            }
        }
    }
}

fn description(input: &DeriveInput, attributes: &Attributes) -> String {
    let by_default = || format!("Auto-generated derived type for {} via `CustomResource`", input.ident);
    attributes.doc.clone().unwrap_or_else(by_default)
}
