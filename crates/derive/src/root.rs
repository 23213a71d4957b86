//! The root struct: `metadata`, `spec`, `status`, and how it is read, written and described.
//!
//! Serialized objects begin with `apiVersion` and `kind`; reading does not require them, because the items of a list
//! do not have them. `metadata` is left out of the schema: the API server adds its own.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DeriveInput, Ident};

use crate::attributes::{Attributes, SchemaMode, Shape};
use crate::paths::Paths;
use crate::resource::pairs_of;
use crate::rules::add_rules;

/// The struct, its constructor, `Serialize` and `JsonSchema`.
pub(crate) fn generate(input: &DeriveInput, attributes: &Attributes, paths: &Paths) -> TokenStream {
    let definition = definition(input, attributes, paths);
    let constructor = constructor(input, attributes, paths);
    let serialize = serialize(input, attributes, paths);
    let schema = (attributes.schema == SchemaMode::Derived).then(|| schema(input, attributes, paths));
    let evaluation = attributes.has_cel.then(|| evaluation(&attributes.root, paths));
    quote! { #definition #constructor #serialize #schema #evaluation }
}

fn definition(input: &DeriveInput, attributes: &Attributes, paths: &Paths) -> TokenStream {
    let (visibility, spec, root) = (&input.vis, &input.ident, &attributes.root);
    let Paths { core, serde, .. } = paths;
    let serde_path = serde.to_string();
    let description = description(input, attributes);
    let (derives, others) = (&attributes.lists.derives, &attributes.lists.attributes);
    let flatten = flatten(attributes);
    let default = attributes.is_spec_optional.then(|| quote!(#[serde(default)]));
    let status = attributes.status.as_ref().map(|status| {
        quote! {
            /// The observed state of the object.
            #[serde(default)]
            pub status: ::core::option::Option<#status>,
        }
    });
    quote! {
        #[doc = #description]
        #[derive(::core::clone::Clone, ::core::fmt::Debug, #serde::Deserialize #(, #derives)*)]
        #[serde(crate = #serde_path)]
        #(#[#others])*
        #visibility struct #root {
            /// Name, namespace, labels and other metadata.
            #[serde(default)]
            pub metadata: #core::ObjectMeta,
            /// The desired state of the object.
            #flatten
            #default
            pub spec: #spec,
            #status
        }
    }
}

fn constructor(input: &DeriveInput, attributes: &Attributes, paths: &Paths) -> TokenStream {
    let (spec, root) = (&input.ident, &attributes.root);
    let Paths { core, std, .. } = paths;
    let status = attributes.status.as_ref().map(|_| quote!(status: ::core::option::Option::None,));
    let marks = marks(attributes, core);
    quote! {
        #[automatically_derived]
        impl #root {
            /// An object with this name and spec, and the labels and annotations of its definition.
            pub fn new(name: &str, spec: #spec) -> Self {
                Self {
                    metadata: #core::ObjectMeta {
                        #marks
                        name: ::core::option::Option::Some(#std::string::String::from(name)),
                        ..::core::default::Default::default()
                    },
                    spec,
                    #status
                }
            }
        }
    }
}

/// The annotations and labels of every new object, if there are any.
fn marks(attributes: &Attributes, core: &TokenStream) -> TokenStream {
    let lists = [("annotations", &attributes.lists.annotations), ("labels", &attributes.lists.labels)];
    let given = lists.into_iter().filter(|(_, pairs)| !pairs.is_empty());
    let fields = given.map(|(field, pairs)| {
        let (field, pairs) = (format_ident!("{field}"), pairs_of(pairs));
        quote!(#field: #core::crd::definition::map(#pairs),)
    });
    fields.collect()
}

/// `validate_cel` and `validate_cel_update` of a kind.
fn evaluation(root: &Ident, paths: &Paths) -> TokenStream {
    let Paths { core, .. } = paths;
    quote! {
        #[automatically_derived]
        impl #root {
            /// Checks the rules of the schema as the API server would on creation.
            pub fn validate_cel(&self) -> ::core::result::Result<(), #core::cel::ValidationErrors> {
                #core::cel::validate_cel(self)
            }

            /// Checks the rules of the schema as the API server would on an update of `old`.
            pub fn validate_cel_update(&self, old: &Self) -> ::core::result::Result<(), #core::cel::ValidationErrors> {
                #core::cel::validate_cel_update(self, old)
            }
        }
    }
}

fn serialize(input: &DeriveInput, attributes: &Attributes, paths: &Paths) -> TokenStream {
    let (spec, root, kind) = (&input.ident, &attributes.root, &attributes.kind);
    let Paths { core, serde, .. } = paths;
    let serde_path = serde.to_string();
    // The names inside must not hide the user's types, which are in scope there.
    let written = format_ident!("__{root}Written");
    let api_version = format!("{}/{}", attributes.group, attributes.version);
    let flatten = flatten(attributes);
    let status_field = attributes.status.as_ref().map(|status| {
        quote! {
            #[serde(skip_serializing_if = "::core::option::Option::is_none")]
            status: ::core::option::Option<&'object #status>,
        }
    });
    let status = attributes.status.as_ref().map(|_| quote!(status: self.status.as_ref(),));
    quote! {
        #[automatically_derived]
        impl #serde::Serialize for #root {
            fn serialize<__S: #serde::Serializer>(&self, serializer: __S) -> ::core::result::Result<__S::Ok, __S::Error> {
                #[derive(#serde::Serialize)]
                #[serde(crate = #serde_path)]
                struct #written<'object> {
                    #[serde(rename = "apiVersion")]
                    api_version: &'static str,
                    kind: &'static str,
                    metadata: &'object #core::ObjectMeta,
                    #flatten
                    spec: &'object #spec,
                    #status_field
                }
                let written = #written {
                    api_version: #api_version,
                    kind: #kind,
                    metadata: &self.metadata,
                    spec: &self.spec,
                    #status
                };
                #serde::Serialize::serialize(&written, serializer)
            }
        }
    }
}

// Not schemars' derive: it would replace the documentation of the user's types with that of the fields.
fn schema(input: &DeriveInput, attributes: &Attributes, paths: &Paths) -> TokenStream {
    let root = &attributes.root;
    let Paths { schemars, std, .. } = paths;
    let root_name = root.to_string();
    let fields = match attributes.shape {
        Shape::Spec => nested_schema(input, attributes, paths),
        Shape::Flat => flat_schema(input, attributes, paths),
    };
    let rules = add_rules(&attributes.lists.rules, &quote!(&mut schema), paths);
    let mutable = rules.as_ref().map(|_| quote!(mut));
    quote! {
        #[automatically_derived]
        impl #schemars::JsonSchema for #root {
            fn schema_name() -> #std::borrow::Cow<'static, str> {
                #std::borrow::Cow::Borrowed(#root_name)
            }
            fn schema_id() -> #std::borrow::Cow<'static, str> {
                #std::borrow::Cow::Borrowed(::core::concat!(::core::module_path!(), "::", #root_name))
            }
            fn json_schema(generator: &mut #schemars::SchemaGenerator) -> #schemars::Schema {
                let #mutable schema = { #fields };
                #rules
                schema
            }
        }
    }
}

fn nested_schema(input: &DeriveInput, attributes: &Attributes, paths: &Paths) -> TokenStream {
    let (spec, schemars, description) = (&input.ident, &paths.schemars, description(input, attributes));
    let status = attributes
        .status
        .as_ref()
        .map(|status| quote!("status": generator.subschema_for::<::core::option::Option<#status>>(),));
    let required = (!attributes.is_spec_optional).then(|| quote!("required": ["spec"],));
    quote! {
        #schemars::json_schema!({
            "description": #description,
            "type": "object",
            "properties": {
                "spec": generator.subschema_for::<#spec>(),
                #status
            },
            #required
        })
    }
}

/// The schema of the fields themselves, under the description of the kind and including `status`.
fn flat_schema(input: &DeriveInput, attributes: &Attributes, paths: &Paths) -> TokenStream {
    let (spec, description) = (&input.ident, description(input, attributes));
    let Paths { core, schemars, .. } = paths;
    let status = attributes.status.as_ref().map(|status| {
        quote! {
            let mut status = #schemars::json_schema!({
                "properties": { "status": generator.subschema_for::<::core::option::Option<#status>>() },
            });
            #core::cel::merge_properties(&mut fields, &mut status);
        }
    });
    quote! {
        let mut fields = <#spec as #schemars::JsonSchema>::json_schema(generator);
        fields.insert("description".into(), #description.into());
        #status
        fields
    }
}

fn flatten(attributes: &Attributes) -> Option<TokenStream> {
    (attributes.shape == Shape::Flat).then(|| quote!(#[serde(flatten)]))
}

fn description(input: &DeriveInput, attributes: &Attributes) -> String {
    let by_default = || format!("Auto-generated derived type for {} via `CustomResource`", input.ident);
    attributes.doc.clone().unwrap_or_else(by_default)
}
