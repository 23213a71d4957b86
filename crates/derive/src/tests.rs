//! What the macro generates, and what it says to mistakes.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Result;

use crate::custom_resource::expand;

mod attributes;
mod inherit;
mod kube_schema;
mod snapshots;

/// The expansion without spaces, so that what is looked for can be written as it would be in a file.
fn expansion_of(input: TokenStream) -> String {
    squeezed(&expand(input, kube_core).expect("the input is valid"))
}

fn mistakes_of(input: TokenStream) -> Vec<String> {
    told_by(expand(input, kube_core))
}

fn kube_core() -> Result<TokenStream> {
    Ok(quote!(::kube::core))
}

fn squeezed(tokens: &TokenStream) -> String {
    tokens.to_string().replace(char::is_whitespace, "")
}

fn told_by(result: Result<TokenStream>) -> Vec<String> {
    result.expect_err("the input has mistakes").into_iter().map(|mistake| mistake.to_string()).collect()
}

#[test]
fn a_kind_with_status_gets_a_root_struct_and_every_trait() {
    let expansion = expansion_of(quote! {
        #[kube(group = "example.com", version = "v1", kind = "Document")]
        #[kube(namespaced, status = "DocumentStatus", shortname = "doc", shortname = "docs")]
        pub(crate) struct DocumentSpec { title: String }
    });
    let expected = [
        "pub(crate)structDocument{",
        "pubmetadata:::kube::core::ObjectMeta,",
        "pubspec:DocumentSpec,",
        "pubstatus:::core::option::Option<DocumentStatus>,",
        "pubfnnew(name:&str,spec:DocumentSpec)->Self",
        "impl::serde::SerializeforDocument{",
        "impl::schemars::JsonSchemaforDocument{",
        "impl::kube::core::ResourceforDocument{typeDynamicType=();typeScope=::kube::core::NamespaceResourceScope;",
        "impl::kube::core::crd::v1::CustomResourceExtforDocument{",
        "impl::kube::core::object::HasSpecforDocument{",
        "impl::kube::core::object::HasStatusforDocument{",
        r#"&["doc","docs"]"#,
        r#""documents.example.com""#,
    ];
    for expected in expected {
        assert!(expansion.contains(expected), "{expected} is not in {expansion}");
    }
}

#[test]
fn a_kind_without_status_has_none_and_lives_in_the_cluster() {
    let expansion = expansion_of(quote! {
        #[kube(group = "example.com", version = "v1", kind = "Policy", schema = "derived")]
        enum PolicySpec { Open, Closed }
    });
    assert!(!expansion.contains("HasStatus") && !expansion.contains("pubstatus"), "{expansion}");
    assert!(expansion.contains("typeScope=::kube::core::ClusterResourceScope"), "{expansion}");
    assert!(expansion.contains(r#""policies.example.com""#), "{expansion}");
}

#[test]
fn names_that_are_given_win_over_those_that_follow() {
    let expansion = expansion_of(quote! {
        #[kube(group = "example.com", version = "v1", kind = "Octopus", plural = "octopodes", singular = "octo", doc = "Eight arms")]
        struct OctopusSpec {}
    });
    assert!(expansion.contains(r#"plural:"octopodes",singular:"octo""#), "{expansion}");
    assert!(expansion.contains(r#"[doc="Eightarms"]"#), "{expansion}");
}

#[test]
fn the_plural_follows_from_the_singular() {
    let expansion = expansion_of(quote! {
        #[kube(group = "example.com", version = "v1", kind = "Foo", singular = "foosy")]
        struct FooSpec {}
    });
    assert!(expansion.contains(r#"plural:"foosies",singular:"foosy""#), "{expansion}");
}

#[test]
fn every_generated_public_item_is_documented() {
    let expansion = expansion_of(quote! {
        #[kube(group = "example.com", version = "v1", kind = "Document", status = "DocumentStatus")]
        pub struct DocumentSpec {}
    });
    // One for the struct, one for each of its fields, one for its constructor.
    assert_eq!(expansion.matches("[doc=").count(), 5, "{expansion}");
    assert_eq!(expansion.matches("pubstruct").count(), 1, "{expansion}");
    assert_eq!(expansion.matches("pubfn").count(), 1, "{expansion}");
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let mistakes = mistakes_of(quote! {
        #[kube(group = "", kind = "No Kind", printcolumn(json_path = ".spec"), shortname = "Doc", colour = "red")]
        #[kube(status = "not a type", namespaced, scale = r#"{"a": }"#, doc = "one", doc = "two")]
        #[kube(label = "x", annotation("x"), storage = "yes", deprecated = 3, schema = "best", crates(tokio = "x"))]
        #[kube(attr = "serde(default)", attr = "derive(Debug)", derive = "not a path", selectable)]
        struct DocumentSpec<T> { title: T }
    });
    let expected = [
        "`printcolumn` has no `name`",
        "`printcolumn` has no `type_`",
        "expected the name of a type",
        "expected the name of one trait",
        "`#[kube(…)]` does not know this attribute; it knows group, version, kind",
        "this is not a JSON object",
        "expected `(\"key\", \"value\")`",
        "expected nothing, `= true` or `= false`",
        "expected a string",
        "`schema` is \"derived\", \"manual\" or \"disabled\"",
        "`crates(…)` does not know this crate; it knows kube, kube_core",
        "`serde` attributes of the generated struct are the macro's own",
        "write `derive = \"…\"`",
        "expected `= \"…\"`",
        "`doc` is given twice",
        "`#[kube(version = \"…\")]` is missing",
        "`kind` must be the name of a struct",
        "the spec of a custom resource cannot be generic",
    ];
    for expected in expected {
        assert!(mistakes.iter().any(|mistake| mistake.contains(expected)), "{expected} is not in {mistakes:#?}");
    }
    // Both the label and the annotation are reported.
    assert_eq!(mistakes.len(), expected.len() + 1, "{mistakes:#?}");
}

#[test]
fn one_mistake_gives_one_message() {
    let document = |attributes: TokenStream| {
        mistakes_of(quote! {
            #[kube(#attributes)]
            struct DocumentSpec {}
        })
    };
    let whole = quote!(group = "example.com", version = "v1", kind = "Document");
    let column = quote!(name = "A", type_ = "string");
    let cases = [
        (quote!(#whole, printcolumn(type = "string", name = "A", json_path = ".a")), "did you mean `type_`?"),
        (quote!(#whole, printcolumn(#column, jsonPath = ".a")), "did you mean `json_path`?"),
        (quote!(printcolumn(#column, json_path = ), #whole), "expected an expression"),
        (quote!(grup = "example.com", version = "v1", kind = "Document"), "did you mean `group`?"),
        (quote!(group = 7, version = "v1", kind = "Document"), "expected a string"),
        (quote!(group = "example.com", version = "v1", kind = [], namespaced), "expected a string"),
        (quote!(#whole, namspaced), "did you mean `namespaced`?"),
        (quote!(#whole, crates(kube_cor = "x")), "did you mean `kube_core`?"),
        (quote!(#whole; namespaced), "expected `,`"),
    ];
    for (attributes, expected) in cases {
        let mistakes = document(attributes.clone());
        assert!(mistakes.len() == 1 && mistakes[0].contains(expected), "{attributes}: {mistakes:#?}");
    }
}

#[test]
fn a_spec_cannot_have_the_name_of_its_kind() {
    let mistakes = mistakes_of(quote! {
        #[kube(group = "example.com", version = "v1", kind = "Document")]
        struct Document {}
    });
    assert_eq!(mistakes.len(), 1);
    assert!(mistakes[0].contains("such as `DocumentSpec`"), "{mistakes:?}");
}

#[test]
fn a_union_is_no_spec() {
    let mistakes = mistakes_of(quote! {
        #[kube(group = "example.com", version = "v1", kind = "Document")]
        union DocumentSpec { a: u8 }
    });
    assert_eq!(mistakes, ["the spec of a custom resource is a struct or an enum, not a union"]);
}
