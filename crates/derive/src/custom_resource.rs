//! The whole of `#[derive(CustomResource)]`, apart from looking at the user's Cargo.toml.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Result};

use crate::attributes::Attributes;
use crate::mistakes::Mistakes;
use crate::paths::{FindCore, Paths};
use crate::{resource, root};

/// The generated kind, or every mistake in its input.
pub(crate) fn expand(input: TokenStream, find_core: FindCore) -> Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    let mut mistakes = Mistakes::default();
    let attributes = mistakes.keep(Attributes::read(&input));
    mistakes.keep(supported(&input));
    let Some(attributes) = mistakes.or(attributes)? else {
        unreachable!("attributes that could not be parsed are a mistake")
    };
    let paths = Paths::new(attributes.crates.clone(), find_core)?;
    let root = root::generate(&input, &attributes, &paths);
    let resource = resource::generate(&input, &attributes, &paths);
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
