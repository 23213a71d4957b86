//! What `#[derive(Resource)]` generates, and what it reports for mistakes.

use proc_macro2::TokenStream;
use quote::quote;

use super::{kube_core, messages_of, squeezed};
use crate::inherit::expand;

#[test]
fn everything_but_the_metadata_is_inherited() {
    let expansion = expand(
        quote! {
            #[resource(inherit = "ConfigMap")]
            struct Settings<T: Clone> { metadata: ObjectMeta, data: T }
        },
        kube_core,
    );
    let expansion = squeezed(&expansion.expect("the input is valid"));
    let expected = [
        "impl<T:Clone>::kube::core::ResourceforSettings<T>{",
        "typeScope=<ConfigMapas::kube::core::Resource>::Scope;",
        "<ConfigMapas::kube::core::Resource>::plural(dynamic_type)",
        "fnmeta(&self)->&::kube::core::ObjectMeta{&self.metadata}",
    ];
    for expected in expected {
        assert!(expansion.contains(expected), "{expected} is not in {expansion}");
    }
}

#[test]
fn the_inherited_type_works_without_quotes() {
    let inherits = |inherit: TokenStream| {
        let input = quote! {
            #[resource(inherit = #inherit)]
            struct Settings { metadata: ObjectMeta }
        };
        squeezed(&expand(input, kube_core).expect("the input is valid"))
    };
    assert_eq!(inherits(quote!(core::v1::ConfigMap)), inherits(quote!("core::v1::ConfigMap")));
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let mistakes = messages_of(expand(
        quote! {
            #[resource(colour = "red", crates)]
            struct Settings { meta: ObjectMeta }
        },
        kube_core,
    ));
    let expected = [
        "`#[resource(…)]` has no such attribute; expected one of inherit, crates",
        "expected `crates(kube_core = \"…\", …)`",
        "`#[resource(inherit = \"…\")]` is missing",
        "a resource is a struct with a field `metadata: ObjectMeta`",
    ];
    assert_eq!(mistakes, expected);
}
