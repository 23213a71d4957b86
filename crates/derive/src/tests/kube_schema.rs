//! What `#[derive(KubeSchema)]` generates, and what it reports for mistakes.

use proc_macro2::TokenStream;
use quote::quote;

use super::{kube_core, messages_of, squeezed};
use crate::kube_schema::expand;

fn expansion_of(input: TokenStream) -> String {
    squeezed(&expand(input, kube_core).expect("the input is valid"))
}

#[test]
fn schemars_derives_a_copy_with_its_own_attributes_only() {
    let expansion = expansion_of(quote! {
        #[repr(C)]
        #[serde(rename_all = "camelCase")]
        #[x_kube(validation = "self == oldSelf")]
        pub struct Size {
            /// How wide.
            #[schemars(schema_with = "wide")]
            #[clap(long)]
            #[x_kube(validation = "self > 0")]
            pub wide: u8,
        }
    });
    let expected = [
        "#[derive(::schemars::JsonSchema)]#[allow(warnings,clippy::all,clippy::pedantic)]#[serde(rename_all=\"camelCase\")]\
         #[schemars(crate=\"::schemars\")]#[schemars(rename=\"Size\")]struct__SizeSchema{\
         #[doc=r\"Howwide.\"]#[schemars(schema_with=\"wide\")]#[schemars(transform=|schema:&mut::schemars::Schema|{",
        "::kube::core::cel::validate(schema,\"self>0\")",
        "impl::schemars::JsonSchemaforSize{",
        "::kube::core::cel::validate(&mutschema,\"self==oldSelf\")",
    ];
    for expected in expected {
        assert!(expansion.contains(expected), "{expected} is not in {expansion}");
    }
    assert!(!expansion.contains("x_kube") && !expansion.contains("clap") && !expansion.contains("repr"), "{expansion}");
}

#[test]
fn a_strategy_is_any_expression() {
    let expansion = expansion_of(quote! {
        struct Authors { #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))] all: Vec<Author> }
    });
    let expected = "::kube::core::cel::MergeStrategy::from(ListMerge::Map(vec![\"name\".into()])).write_to(schema);";
    assert!(expansion.contains(expected), "{expansion}");
}

#[test]
fn the_copy_has_the_default_of_the_type() {
    let expansion = expansion_of(quote! {
        #[serde(default)]
        struct Size { wide: u8 }
    });
    assert!(expansion.contains("impl::core::default::Defaultfor__SizeSchemawhereSize:::core::default::Default"));
    assert!(expansion.contains("Self{wide:original.wide}"), "{expansion}");
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let mistakes = messages_of(expand(
        quote! {
            #[x_kube(merge_strategy = ListMerge::Set, cel = 3)]
            struct Size {
                #[x_kube(colour = "red", validation)]
                wide: u8,
                #[serde(flatten)]
                #[x_kube(validation = "true", merge_strategy = a, merge_strategy = b)]
                rest: Rest,
            }
        },
        kube_core,
    ));
    let expected = [
        "expected nothing, `= true` or `= false`",
        "`merge_strategy` belongs on a field",
        "`#[x_kube(…)]` has no such attribute; expected one of validation, merge_strategy, cel, crates",
        "expected `= …`",
        "`merge_strategy` is given twice",
        "a flattened field has no schema of its own: put `x_kube` on the type or its fields",
    ];
    assert_eq!(mistakes, expected);
}
