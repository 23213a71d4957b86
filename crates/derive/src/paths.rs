//! How the user's crate calls the crates that the generated code needs.
//!
//! In: the Cargo.toml of the crate that is being compiled. Out: the path of `pintle-core`, reached through the facade
//! (under whatever name, `kube` for one) or directly. `serde` and `schemars` keep their own names: the spec
//! derives from them anyway.

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{Error, Result};

/// The paths that generated code starts with.
#[derive(Debug)]
pub(crate) struct Paths {
    /// What has `Resource`, `ObjectMeta` and the rest.
    pub(crate) core: TokenStream,
}

impl Paths {
    /// Looks the names up in the user's Cargo.toml.
    pub(crate) fn find() -> Result<Self> {
        let core = if let Ok(facade) = crate_name("pintle") {
            let facade = name_of(facade, "pintle");
            quote!(::#facade::core)
        } else if let Ok(core) = crate_name("pintle-core") {
            let core = name_of(core, "pintle_core");
            quote!(::#core)
        } else {
            let message =
                "the generated code needs the crate `pintle`, which is not among the dependencies in Cargo.toml";
            return Err(Error::new(Span::call_site(), message));
        };
        Ok(Self { core })
    }
}

fn name_of(found: FoundCrate, own_name: &str) -> Ident {
    match found {
        // In the crate's own tests and examples it is an external crate like any other.
        FoundCrate::Itself => Ident::new(own_name, Span::call_site()),
        FoundCrate::Name(name) => Ident::new(&name, Span::call_site()),
    }
}
