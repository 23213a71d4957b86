//! The paths of the crates that the generated code needs, as the user's crate names them.
//!
//! In: the Cargo.toml of the crate that is being compiled, and `crates(…)` in its attributes, which wins. Out: the
//! path of `pintle-core`, reached through the facade (under any name, such as `kube`) or directly, and those of the
//! crates that the spec needs for its own derives. `k8s_openapi` is accepted, as in kube, but the generated code does not
//! need it.

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Error, Path, Result};

use crate::mistakes::Mistakes;
use crate::value::Values;

/// The paths that generated code starts with.
#[derive(Clone, Debug)]
pub(crate) struct Paths {
    /// The crate with `Resource`, `ObjectMeta` and the rest.
    pub(crate) core: TokenStream,
    pub(crate) schemars: TokenStream,
    pub(crate) serde: TokenStream,
    pub(crate) serde_json: TokenStream,
    pub(crate) std: TokenStream,
}

impl Paths {
    /// The paths that `crates(…)` gives, and for the rest those by name; `find_core` knows that of `pintle-core`.
    pub(crate) fn new(given: Crates, find_core: FindCore) -> Result<Self> {
        let core = match (given.core, given.facade) {
            (Some(core), _) => core.into_token_stream(),
            (None, Some(facade)) => quote!(#facade::core),
            (None, None) => find_core()?,
        };
        let or = |path: Option<Path>, name: TokenStream| path.map_or(name, ToTokens::into_token_stream);
        Ok(Self {
            core,
            schemars: or(given.schemars, quote!(::schemars)),
            serde: or(given.serde, quote!(::serde)),
            serde_json: or(given.serde_json, quote!(::serde_json)),
            std: or(given.std, quote!(::std)),
        })
    }
}

/// What was given in `crates(…)`.
#[derive(Clone, Default)]
pub(crate) struct Crates {
    facade: Option<Path>,
    core: Option<Path>,
    schemars: Option<Path>,
    serde: Option<Path>,
    serde_json: Option<Path>,
    std: Option<Path>,
}

impl Crates {
    /// Reads the list in the parentheses after `crates`.
    pub(crate) fn read(&mut self, values: &Values, mistakes: &mut Mistakes) {
        let mut unused = None;
        for (name, value) in values.named(mistakes) {
            let given = match name.to_string().as_str() {
                "kube" => &mut self.facade,
                "kube_core" => &mut self.core,
                "schemars" => &mut self.schemars,
                "serde" => &mut self.serde,
                "serde_json" => &mut self.serde_json,
                "std" => &mut self.std,
                "k8s_openapi" => &mut unused,
                unknown => {
                    mistakes.unknown(name.span(), unknown, KNOWN, "`crates(…)` has no such crate");
                    continue;
                }
            };
            *given = mistakes.keep(value.path());
        }
    }
}

/// The crates that can be set, as in kube.
const KNOWN: &[&str] = &["kube", "kube_core", "k8s_openapi", "schemars", "serde", "serde_json", "std"];

/// How the path of `pintle-core` is found.
pub(crate) type FindCore = fn() -> Result<TokenStream>;

/// Looks `pintle-core` up in the user's Cargo.toml: through the facade, directly, or through a package `kube` that stands
/// in for kube and re-exports the facade, which `[patch.crates-io]` gives to crates that ask for kube itself.
pub(crate) fn core_by_name() -> Result<TokenStream> {
    if let Ok(facade) = crate_name("pintle") {
        let facade = name_of(facade, "pintle");
        return Ok(quote!(::#facade::core));
    }
    if let Ok(core) = crate_name("pintle-core") {
        let core = name_of(core, "pintle_core");
        return Ok(quote!(::#core));
    }
    if let Ok(stand_in) = crate_name("kube") {
        let stand_in = name_of(stand_in, "kube");
        return Ok(quote!(::#stand_in::core));
    }
    let message = "the generated code needs the crate `pintle`, which is not among the dependencies in Cargo.toml";
    Err(Error::new(Span::call_site(), message))
}

fn name_of(found: FoundCrate, own_name: &str) -> Ident {
    match found {
        // The crate's own tests and examples see it as an external crate.
        FoundCrate::Itself => Ident::new(own_name, Span::call_site()),
        FoundCrate::Name(name) => Ident::new(&name, Span::call_site()),
    }
}
