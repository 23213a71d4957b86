//! Whole items of the expansion, as they would be written by hand.

use proc_macro2::TokenStream;
use quote::quote;

use super::{expansion_of, kube_core, squeezed};

#[track_caller]
fn check(expansion: &str, expected: &TokenStream) {
    let expected = squeezed(expected);
    assert!(expansion.contains(&expected), "{expected}\nis not in\n{expansion}");
}

fn document() -> String {
    expansion_of(quote! {
        #[kube(group = "example.com", version = "v1", kind = "Document", namespaced, status = "DocumentStatus")]
        #[kube(derive = "PartialEq", attr = "non_exhaustive", validation = "true")]
        pub struct DocumentSpec { title: String }
    })
}

#[test]
fn the_root_struct() {
    check(
        &document(),
        &quote! {
            #[derive(::core::clone::Clone, ::core::fmt::Debug, ::serde::Deserialize, PartialEq)]
            #[serde(crate = "::serde")]
            #[non_exhaustive]
            pub struct Document {
                /// Name, namespace, labels and other metadata.
                #[serde(default)]
                pub metadata: ::kube::core::ObjectMeta,
                /// The desired state of the object.
                pub spec: DocumentSpec,
                /// The observed state of the object.
                #[serde(default)]
                pub status: ::core::option::Option<DocumentStatus>,
            }
        },
    );
}

#[test]
fn the_expansion_of_spec_and_status_traits() {
    check(
        &document(),
        &quote! {
            impl ::kube::core::object::HasSpec for Document {
                type Spec = DocumentSpec;
                fn spec(&self) -> &DocumentSpec {
                    &self.spec
                }
                fn spec_mut(&mut self) -> &mut DocumentSpec {
                    &mut self.spec
                }
            }
            #[automatically_derived]
            impl ::kube::core::object::HasStatus for Document {
                type Status = DocumentStatus;
                fn status(&self) -> ::core::option::Option<&DocumentStatus> {
                    self.status.as_ref()
                }
                fn status_mut(&mut self) -> &mut ::core::option::Option<DocumentStatus> {
                    &mut self.status
                }
            }
        },
    );
}

#[test]
fn the_expansion_of_the_root_schema() {
    check(
        &document(),
        &quote! {
            fn json_schema(generator: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                let mut schema = {
                    ::schemars::json_schema!({
                        "description": "Auto-generated derived type for DocumentSpec via `CustomResource`",
                        "type": "object",
                        "properties": {
                            "spec": generator.subschema_for::<DocumentSpec>(),
                            "status": generator.subschema_for::<::core::option::Option<DocumentStatus> >(),
                        },
                        "required": ["spec"],
                    })
                };
                {
                    #[allow(unused_imports)]
                    use ::kube::core::cel::{ListMerge, MapMerge, Message, Reason, Rule, StructMerge};
                    ::kube::core::cel::validate(&mut schema, "true").expect("a rule is plain JSON");
                }
                schema
            }
        },
    );
}

#[test]
fn the_expansion_of_an_inherited_resource() {
    let input = quote! {
        #[resource(inherit = "Secret")]
        struct Login { metadata: ObjectMeta }
    };
    let expansion = squeezed(&crate::inherit::expand(input, kube_core).expect("the input is valid"));
    check(
        &expansion,
        &quote! {
            impl ::kube::core::Resource for Login {
                type DynamicType = <Secret as ::kube::core::Resource>::DynamicType;
                type Scope = <Secret as ::kube::core::Resource>::Scope;
                fn kind(dynamic_type: &Self::DynamicType) -> ::std::borrow::Cow<'_, str> {
                    <Secret as ::kube::core::Resource>::kind(dynamic_type)
                }
                fn group(dynamic_type: &Self::DynamicType) -> ::std::borrow::Cow<'_, str> {
                    <Secret as ::kube::core::Resource>::group(dynamic_type)
                }
                fn version(dynamic_type: &Self::DynamicType) -> ::std::borrow::Cow<'_, str> {
                    <Secret as ::kube::core::Resource>::version(dynamic_type)
                }
                fn api_version(dynamic_type: &Self::DynamicType) -> ::std::borrow::Cow<'_, str> {
                    <Secret as ::kube::core::Resource>::api_version(dynamic_type)
                }
                fn plural(dynamic_type: &Self::DynamicType) -> ::std::borrow::Cow<'_, str> {
                    <Secret as ::kube::core::Resource>::plural(dynamic_type)
                }
                fn meta(&self) -> &::kube::core::ObjectMeta {
                    &self.metadata
                }
                fn meta_mut(&mut self) -> &mut ::kube::core::ObjectMeta {
                    &mut self.metadata
                }
            }
        },
    );
}
