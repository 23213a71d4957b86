//! CEL rules, written into a schema.
//!
//! A rule is any expression that converts to `Rule`: a string, a pair of strings, or `Rule::new(…)` with its
//! builder methods. The items of `pintle_core::cel` are in its scope without an import, as they are in kube.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Expr;

use crate::paths::Paths;

/// Statements that add the rules to `schema`, a `&mut Schema`.
pub(crate) fn add_rules(rules: &[Expr], schema: &TokenStream, paths: &Paths) -> Option<TokenStream> {
    if rules.is_empty() {
        return None;
    }
    let core = &paths.core;
    let words = imports_of_cel(paths);
    Some(quote! {
        {
            #words
            #(#core::cel::validate(#schema, #rules).expect("a rule is plain JSON");)*
        }
    })
}

/// Brings `Rule`, `Message` and the like into scope.
pub(crate) fn imports_of_cel(paths: &Paths) -> TokenStream {
    let core = &paths.core;
    quote! {
        #[allow(unused_imports)]
        use #core::cel::{ListMerge, MapMerge, Message, Reason, Rule, StructMerge};
    }
}
