//! `#[derive(Resource)]`: a type that is stored as another one.
//!
//! In: the type and `#[resource(inherit = "…")]`. Out: `Resource`, with everything but the metadata taken from the other type.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Result, Type};

use crate::mistakes::Mistakes;
use crate::paths::{Crates, FindCore, Paths};
use crate::value::{Value, entries_of};

/// The impl, or every mistake in its input.
pub(crate) fn expand(input: TokenStream, find_core: FindCore) -> Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    let mut mistakes = Mistakes::default();
    let (inherit, crates) = read(&input, &mut mistakes);
    if !has_metadata(&input) {
        mistakes.say(input.ident.span(), "a resource is a struct with a field `metadata: ObjectMeta`");
    }
    let Some(inherit) = mistakes.or(inherit)? else { unreachable!("a missing `inherit` is a mistake") };
    Ok(resource(&input, &inherit, &Paths::new(crates, find_core)?))
}

fn read(input: &DeriveInput, mistakes: &mut Mistakes) -> (Option<Type>, Crates) {
    let (mut inherit, mut crates) = (None, Crates::default());
    for entry in entries_of(&input.attrs, "resource", mistakes) {
        match (entry.name.to_string().as_str(), &entry.value) {
            ("inherit", _) if inherit.is_some() => mistakes.say(entry.name.span(), "`inherit` is given twice"),
            ("inherit", value) => match value.type_name() {
                Ok(name) => inherit = Some(name),
                Err(mistake) => mistakes.add_about("inherit", mistake),
            },
            ("crates", Value::List(values)) => crates.read(values, mistakes),
            ("crates", value) => mistakes.say(value.span(), "expected `crates(kube_core = \"…\", …)`"),
            (unknown, _) => {
                let message = "`#[resource(…)]` has no such attribute";
                mistakes.unknown(entry.name.span(), unknown, &["inherit", "crates"], message);
            }
        }
    }
    if inherit.is_none() && !mistakes.are_about("inherit") {
        mistakes.say(Span::call_site(), "`#[resource(inherit = \"…\")]` is missing");
    }
    (inherit, crates)
}

fn has_metadata(input: &DeriveInput) -> bool {
    match &input.data {
        Data::Struct(data) => {
            data.fields.iter().filter_map(|field| field.ident.as_ref()).any(|name| name == "metadata")
        }
        _ => false,
    }
}

fn resource(input: &DeriveInput, inherit: &Type, paths: &Paths) -> TokenStream {
    let Paths { core, std, .. } = paths;
    let name = &input.ident;
    let (generics, arguments, conditions) = input.generics.split_for_impl();
    let facts = ["kind", "group", "version", "api_version", "plural"].map(|function| {
        let function = format_ident!("{function}");
        quote! {
            fn #function(dynamic_type: &Self::DynamicType) -> #std::borrow::Cow<'_, str> {
                <#inherit as #core::Resource>::#function(dynamic_type)
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #generics #core::Resource for #name #arguments #conditions {
            type DynamicType = <#inherit as #core::Resource>::DynamicType;
            type Scope = <#inherit as #core::Resource>::Scope;
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
