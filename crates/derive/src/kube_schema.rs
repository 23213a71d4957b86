//! `#[derive(KubeSchema)]`: schemars' schema of a type, with rules and merge strategies in it.
//!
//! In: a struct or an enum with `#[x_kube(…)]` on it and its fields. Out: `JsonSchema` for it, which asks a copy of the
//! type that lives only inside that impl. schemars derives the schema of the copy, so every `#[schemars(…)]` and
//! `#[serde(…)]` is honoured by schemars itself; what `#[x_kube(…)]` says of a field is a transform of the field's
//! schema, so it needs no guess at the name under which serde writes the field.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Expr, Field, Fields, Generics, Result, parse_quote};

use crate::mistakes::Mistakes;
use crate::paths::{Crates, FindCore, Paths};
use crate::rules::{add_rules, words_of_cel};
use crate::value::{Entry, Value, entries_of};

/// The impl, or every mistake in what it was to be generated from.
pub(crate) fn expand(input: TokenStream, find_core: FindCore) -> Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    let mut mistakes = Mistakes::default();
    let whole = Extension::read(&input.attrs, &mut mistakes);
    if let Some(strategy) = &whole.strategy {
        mistakes.add(syn::Error::new_spanned(strategy, "`merge_strategy` belongs on a field"));
    }
    let paths = mistakes.keep(Paths::new(whole.crates.clone(), find_core));
    let copy = paths.as_ref().map(|paths| copy_of(&input, paths, &mut mistakes));
    let (Some(paths), Some(copy)) = mistakes.or((paths, copy))? else {
        unreachable!("without paths there is a mistake")
    };
    let schema = json_schema(&input, &whole, &copy, &paths);
    let evaluation = whole.has_cel.then(|| evaluation(&input, &paths));
    Ok(quote! { #schema #evaluation })
}

/// What `#[x_kube(…)]` says of a type or a field.
#[derive(Default)]
struct Extension {
    rules: Vec<Expr>,
    strategy: Option<Expr>,
    crates: Crates,
    has_cel: bool,
}

impl Extension {
    fn read(attributes: &[Attribute], mistakes: &mut Mistakes) -> Self {
        let mut extension = Self::default();
        for Entry { name, value } in entries_of(attributes, "x_kube", mistakes) {
            match (name.to_string().as_str(), value) {
                ("validation", value) => extension.rules.extend(mistakes.keep(value.expression())),
                ("merge_strategy", _) if extension.strategy.is_some() => {
                    mistakes.say(name.span(), "`merge_strategy` is given twice");
                }
                ("merge_strategy", value) => extension.strategy = mistakes.keep(value.expression()),
                ("crates", Value::List(values)) => extension.crates.read(&values, mistakes),
                ("crates", value) => mistakes.say(value.span(), "expected `crates(kube_core = \"…\", …)`"),
                ("cel", value) => extension.has_cel = mistakes.keep(value.truth()).unwrap_or_default(),
                (unknown, _) => {
                    let message = "`#[x_kube(…)]` does not know this attribute";
                    mistakes.unknown(name.span(), unknown, &["validation", "merge_strategy", "cel", "crates"], message);
                }
            }
        }
        extension
    }

    /// A transform of the field's schema that says the same, if there is anything to say.
    fn transform(&self, paths: &Paths) -> Option<Attribute> {
        if self.rules.is_empty() && self.strategy.is_none() {
            return None;
        }
        let Paths { core, schemars, .. } = paths;
        let words = words_of_cel(paths);
        // What is not a strategy is reported at the place where it is written.
        let strategy = self.strategy.as_ref().map(
            |strategy| quote_spanned!(strategy.span()=> #core::cel::MergeStrategy::from(#strategy).write_to(schema);),
        );
        let rules = add_rules(&self.rules, &quote!(schema), paths);
        Some(parse_quote! {
            #[schemars(transform = |schema: &mut #schemars::Schema| { #words #strategy #rules })]
        })
    }
}

/// The type again, with the attributes that schemars and the compiler's lints read and no others.
fn copy_of(input: &DeriveInput, paths: &Paths, mistakes: &mut Mistakes) -> DeriveInput {
    let mut copy = input.clone();
    // The fields' types are seen beside the copy, so its name must be none of theirs.
    copy.ident = format_ident!("__{}Schema", input.ident);
    copy.vis = syn::Visibility::Inherited;
    copy.attrs.retain(is_of_the_copy);
    let (name, schemars_path) = (input.ident.to_string(), paths.schemars.to_string());
    copy.attrs.push(parse_quote!(#[schemars(crate = #schemars_path)]));
    if !says(&input.attrs, "rename") {
        copy.attrs.push(parse_quote!(#[schemars(rename = #name)]));
    }
    match &mut copy.data {
        Data::Struct(data) => data.fields.iter_mut().for_each(|field| copy_field(field, paths, mistakes)),
        Data::Enum(data) => {
            for variant in &mut data.variants {
                variant.attrs.retain(is_of_the_copy);
                variant.fields.iter_mut().for_each(|field| copy_field(field, paths, mistakes));
            }
        }
        Data::Union(data) => {
            mistakes.say(data.union_token.span, "a schema is that of a struct or an enum, not of a union");
        }
    }
    copy
}

fn copy_field(field: &mut Field, paths: &Paths, mistakes: &mut Mistakes) {
    let extension = Extension::read(&field.attrs, mistakes);
    let transform = extension.transform(paths);
    if let Some(flatten) = transform.as_ref().and_then(|_| said(&field.attrs, "flatten")) {
        let message = "a flattened field has no place of its own in the schema: put `x_kube` on the type or its fields";
        mistakes.say(flatten.span, message);
    }
    field.vis = syn::Visibility::Inherited;
    field.attrs.retain(is_of_the_copy);
    field.attrs.extend(transform);
}

/// The generics of the type, with `JsonSchema` for each of its parameters.
fn bounded_generics(input: &DeriveInput, paths: &Paths) -> Generics {
    let schemars = &paths.schemars;
    let mut bounded = input.generics.clone();
    for parameter in bounded.type_params_mut() {
        parameter.bounds.push(parse_quote!(#schemars::JsonSchema));
    }
    bounded
}

/// `validate_cel` of a type that is a part of a kind: about JSON, because there is no object of it alone.
fn evaluation(input: &DeriveInput, paths: &Paths) -> TokenStream {
    let Paths { core, serde_json, .. } = paths;
    let (name, bounded) = (&input.ident, bounded_generics(input, paths));
    let (generics, _, conditions) = bounded.split_for_impl();
    let (_, arguments, _) = input.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #generics #name #arguments #conditions {
            /// Checks the rules of this type on a value as the API server would; `old` is what it takes the place of.
            pub fn validate_cel(
                value: &#serde_json::Value,
                old: ::core::option::Option<&#serde_json::Value>,
            ) -> ::core::result::Result<(), #core::cel::ValidationErrors> {
                #core::cel::validate_cel_schema::<Self>(value, old)
            }
        }
    }
}

fn json_schema(input: &DeriveInput, whole: &Extension, copy: &DeriveInput, paths: &Paths) -> TokenStream {
    let Paths { schemars, std, .. } = paths;
    let (name, copy_name) = (&input.ident, &copy.ident);
    let bounded = bounded_generics(input, paths);
    let (generics, _, conditions) = bounded.split_for_impl();
    let (_, arguments, _) = input.generics.split_for_impl();
    let rules = add_rules(&whole.rules, &quote!(&mut schema), paths);
    let mutable = rules.as_ref().map(|_| quote!(mut));
    let default = default_of_copy(input, copy, &bounded);
    // The copy is needed in two functions, so it stands beside the impl, where nobody else can name it.
    quote! {
        const _: () = {
            #[derive(#schemars::JsonSchema)]
            #[allow(warnings, clippy::all, clippy::pedantic)]
            #copy
            #default
            #[automatically_derived]
            impl #generics #schemars::JsonSchema for #name #arguments #conditions {
                fn inline_schema() -> bool {
                    <#copy_name #arguments as #schemars::JsonSchema>::inline_schema()
                }
                fn schema_name() -> #std::borrow::Cow<'static, str> {
                    <#copy_name #arguments as #schemars::JsonSchema>::schema_name()
                }
                fn schema_id() -> #std::borrow::Cow<'static, str> {
                    <#copy_name #arguments as #schemars::JsonSchema>::schema_id()
                }
                fn json_schema(generator: &mut #schemars::SchemaGenerator) -> #schemars::Schema {
                    let #mutable schema = <#copy_name #arguments as #schemars::JsonSchema>::json_schema(generator);
                    #rules
                    schema
                }
            }
        };
    }
}

/// For `#[serde(default)]` on the type schemars asks the copy for its default; that is the original's.
fn default_of_copy(input: &DeriveInput, copy: &DeriveInput, bounded: &Generics) -> Option<TokenStream> {
    let default = said(&input.attrs, "default")?;
    let (true, Data::Struct(data)) = (default.is_word, &input.data) else {
        return None;
    };
    let Fields::Named(fields) = &data.fields else {
        return None;
    };
    let (name, copy_name) = (&input.ident, &copy.ident);
    let names: Vec<_> = fields.named.iter().filter_map(|field| field.ident.as_ref()).collect();
    let (_, arguments, _) = input.generics.split_for_impl();
    let mut bounded = bounded.clone();
    bounded.make_where_clause().predicates.push(parse_quote!(#name #arguments: ::core::default::Default));
    let (generics, _, conditions) = bounded.split_for_impl();
    Some(quote! {
        #[automatically_derived]
        impl #generics ::core::default::Default for #copy_name #arguments #conditions {
            fn default() -> Self {
                let original: #name #arguments = ::core::default::Default::default();
                Self { #(#names: original.#names),* }
            }
        }
    })
}

fn is_of_the_copy(attribute: &Attribute) -> bool {
    ["allow", "cfg", "deprecated", "doc", "garde", "schemars", "serde", "validate"]
        .iter()
        .any(|name| attribute.path().is_ident(name))
}

fn says(attributes: &[Attribute], name: &str) -> bool {
    said(attributes, name).is_some()
}

/// Where an attribute of serde or schemars says this name.
///
/// Their grammar is theirs, so only what stands between commas is looked at.
fn said(attributes: &[Attribute], name: &str) -> Option<Said> {
    let lists = attributes.iter().filter(|one| one.path().is_ident("serde") || one.path().is_ident("schemars"));
    lists.filter_map(|attribute| attribute.meta.require_list().ok()).find_map(|list| {
        let tokens: Vec<TokenTree> = list.tokens.clone().into_iter().collect();
        let mut entries = tokens.split(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ','));
        entries.find_map(|entry| match entry {
            [TokenTree::Ident(said), rest @ ..] if said == name => {
                Some(Said { span: said.span(), is_word: rest.is_empty() })
            }
            _ => None,
        })
    })
}

/// A name in an attribute of another macro.
struct Said {
    span: Span,
    /// Whether it stands alone.
    is_word: bool,
}
