//! What each attribute changes in the expansion.

use proc_macro2::{Delimiter, Group, TokenStream};
use quote::quote;

use super::{expansion_of, mistakes_of};

/// The expansion of a kind with these attributes.
fn with(attributes: &TokenStream) -> String {
    expansion_of(quote! {
        #[kube(group = "example.com", version = "v1", kind = "Document", #attributes)]
        struct DocumentSpec { title: String }
    })
}

fn refused(attributes: &TokenStream) -> Vec<String> {
    mistakes_of(quote! {
        #[kube(group = "example.com", version = "v1", kind = "Document", #attributes)]
        struct DocumentSpec { title: String }
    })
}

#[track_caller]
fn check(attributes: &TokenStream, expected: &str) {
    let expansion = with(attributes);
    assert!(expansion.contains(expected), "{expected} is not in {expansion}");
}

#[test]
fn each_attribute_reaches_the_definition() {
    let none = with(&quote!());
    let unset = "categories:&[],scope:::kube::core::crd::definition::Scope::Cluster,\
                 status:::kube::core::crd::definition::StatusSubresource::Absent,scale:::core::option::Option::None,\
                 columns:&[],selectable:&[],annotations:&[],labels:&[],is_served:true,is_stored:true,\
                 deprecation:::kube::core::crd::definition::Deprecation::None,}";
    assert!(none.contains(unset), "{unset} is not in {none}");
    check(&quote!(category = "all", category = "docs"), r#"categories:&["all","docs"]"#);
    check(&quote!(selectable = ".spec.title"), r#"selectable:&[".spec.title"]"#);
    check(&quote!(annotation("a/b", "c"), annotation("d", "e")), r#"annotations:&[("a/b","c"),("d","e")]"#);
    check(&quote!(label("a", "b")), r#"labels:&[("a","b")]"#);
    check(&quote!(served = false), "is_served:false,is_stored:true");
    check(&quote!(storage = false), "is_served:true,is_stored:false");
    check(&quote!(storage, served = true), "is_served:true,is_stored:true");
    check(&quote!(storage = "false", served = "true"), "is_served:true,is_stored:false");
    check(&quote!(namespaced = "true"), "scope:::kube::core::crd::definition::Scope::Namespaced");
    check(&quote!(deprecated), "deprecation:::kube::core::crd::definition::Deprecation::Plain");
    check(&quote!(deprecated = "old"), r#"deprecation:::kube::core::crd::definition::Deprecation::Warning("old")"#);
}

#[test]
fn names_that_only_a_server_refuses_compile() {
    check(&quote!(plural = "Docs.a_b", singular = "DOC"), r#"plural:"Docs.a_b",singular:"DOC""#);
    check(&quote!(shortname = "D_c", category = "a.B"), r#"categories:&["a.B"]"#);
    let core = expansion_of(quote! {
        #[kube(group = "", version = "v1", kind = "Document")]
        struct DocumentSpec {}
    });
    assert!(core.contains(r#"fncrd_name()->&'staticstr{"documents."}"#), "{core}");
}

#[test]
fn labels_and_annotations_are_also_set_on_new_objects() {
    let expansion = with(&quote!(annotation("a/b", "c"), label("d", "e")));
    let expected = r#"annotations:::kube::core::crd::definition::map(&[("a/b","c")]),labels:::kube::core::crd::definition::map(&[("d","e")]),"#;
    assert!(expansion.contains(expected), "{expansion}");
}

#[test]
fn types_and_paths_work_without_quotes_and_from_another_macro() {
    let quoted = with(&quote!(status = "some::Status", crates(kube_core = "::a::core", schemars = "b")));
    assert_eq!(with(&quote!(status = some::Status, crates(kube_core = ::a::core, schemars = b))), quoted);
    let invisible = |tokens: TokenStream| Group::new(Delimiter::None, tokens);
    let (status, core, text) = (invisible(quote!(some::Status)), invisible(quote!(::a::core)), invisible(quote!("b")));
    assert_eq!(with(&quote!(status = #status, crates(kube_core = #core, schemars = #text))), quoted);
}

#[test]
fn a_column_is_the_same_in_both_forms() {
    let typed = quote!(printcolumn(
        name = "Words",
        type_ = "integer",
        json_path = ".spec.words",
        description = "how long",
        format = "int32",
        priority = 1,
    ));
    let json = r#"{"name":"Words", "type":"integer", "jsonPath":".spec.words", "description":"how long",
                   "format":"int32", "priority": 1}"#;
    assert_eq!(with(&typed), with(&quote!(printcolumn = #json)));
    let quoted = quote!(printcolumn(name = "A", type_ = "date", json_path = ".a", priority = "0"));
    check(&quoted, "format:::core::option::Option::None,priority:::core::option::Option::Some(0i32)");
    check(&typed, r#"Column{name:"Words",type_:"integer",json_path:".spec.words","#);
}

#[test]
fn scale_is_the_same_in_both_forms_and_works_without_status() {
    let typed = quote!(scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.selector",
    ));
    let json = r#"{"specReplicasPath":".spec.replicas", "statusReplicasPath":".status.replicas",
                   "labelSelectorPath":".status.selector"}"#;
    assert_eq!(with(&typed), with(&quote!(scale = #json)));
    check(
        &typed,
        r#"scale:::core::option::Option::Some(::kube::core::crd::definition::Scale{spec_replicas_path:".spec"#,
    );
}

#[test]
fn missing_and_unknown_arguments_of_columns_and_scales_are_reported() {
    let cases = [
        (
            quote!(printcolumn = r#"{"name":"A"}"#),
            vec!["`printcolumn` has no `type`", "`printcolumn` has no `jsonPath`"],
        ),
        (
            quote!(printcolumn(name = "A", type_ = "string", json_path = ".a", width = 3)),
            vec![
                "`printcolumn` has no such argument; expected one of name, type_, json_path, description, format, priority",
            ],
        ),
        (
            quote!(printcolumn(name = "A", json_path = ".a", width = 3)),
            vec![
                "`printcolumn` has no such argument; expected one of name, type_, json_path, description, format, priority",
                "`printcolumn` has no `type_`",
            ],
        ),
        (quote!(scale(spec_replicas_path = ".a")), vec!["`scale` has no `status_replicas_path`"]),
        (quote!(printcolumn), vec!["expected `= \"…\"`"]),
        (quote!(scale("a", "b")), vec!["expected `name = …`"; 2]),
    ];
    for (attributes, expected) in cases {
        let mistakes = refused(&attributes);
        assert!(mistakes.starts_with(&expected.iter().map(ToString::to_string).collect::<Vec<_>>()), "{mistakes:?}");
    }
}

#[test]
fn the_root_has_the_requested_name_derives_and_attributes() {
    let expansion = with(&quote!(root = "Paper", derive = "PartialEq", derive = "Default", attr = "allow(dead_code)"));
    let expected = [
        "::serde::Deserialize,PartialEq,Default)]#[serde(crate=\"::serde\")]#[allow(dead_code)]structPaper{",
        "impl::kube::core::ResourceforPaper{",
        "kind:\"Document\"",
    ];
    for expected in expected {
        assert!(expansion.contains(expected), "{expected} is not in {expansion}");
    }
    assert!(!expansion.contains("Document{"), "{expansion}");
}

#[test]
fn a_kind_that_is_not_an_identifier_needs_a_root() {
    let input = |root: TokenStream| {
        quote! {
            #[kube(group = "example.com", version = "v1", kind = "type" #root)]
            struct DocumentSpec {}
        }
    };
    assert!(mistakes_of(input(quote!()))[0].contains("`kind` must be the name of a struct"));
    assert!(expansion_of(input(quote!(, root = "Type"))).contains("structType{"));
}

#[test]
fn the_schema_is_derived_written_by_hand_or_left_out() {
    assert!(with(&quote!(schema = "derived")).contains("impl::schemars::JsonSchemaforDocument"));
    let manual = with(&quote!(schema = "manual"));
    assert!(!manual.contains("JsonSchema") && manual.contains("schema_as_written::<Self>()"), "{manual}");
    let disabled = with(&quote!(schema = "disabled"));
    assert_eq!(with(&quote!(schema(disabled))), disabled);
    assert!(!disabled.contains("schemars") && disabled.contains("DEFINITION.without_schema()"), "{disabled}");
    let mistakes = refused(&quote!(schema = "manual", validation = "true"));
    assert!(mistakes[0].contains("write the rule into the schema yourself"), "{mistakes:?}");
}

#[test]
fn rules_are_any_expression_and_keep_their_order() {
    let expansion = with(&quote!(validation = "a", validation = Rule::new("b").message("c")));
    let expected = "::kube::core::cel::validate(&mutschema,\"a\").expect(\"aruleisplainJSON\");\
                    ::kube::core::cel::validate(&mutschema,Rule::new(\"b\").message(\"c\"))";
    assert!(expansion.contains(expected), "{expansion}");
    assert!(expansion.contains("use::kube::core::cel::{ListMerge,MapMerge,Message,Reason,Rule,StructMerge};"));
}

#[test]
fn generated_code_uses_the_crate_paths_of_the_user() {
    let expansion = with(&quote!(crates(
        kube_core = "::a::core",
        schemars = "b",
        serde = "::c::d",
        std = "e",
        k8s_openapi = "f",
        serde_json = "g"
    )));
    for expected in ["impl::a::core::Resource", "implb::JsonSchemafor", "impl::c::d::Serialize", "e::borrow::Cow"] {
        assert!(expansion.contains(expected), "{expected} is not in {expansion}");
    }
    for unexpected in ["::kube", "::serde", "::schemars", "::std"] {
        assert!(!expansion.contains(unexpected), "{unexpected} is in {expansion}");
    }
    assert!(with(&quote!(crates(kube = "::a"))).contains("impl::a::core::Resource"));
}

#[test]
fn an_optional_spec_is_read_by_its_default_and_not_required_by_the_schema() {
    let expansion = with(&quote!(optional_spec));
    assert!(expansion.contains("#[serde(default)]pubspec:DocumentSpec"), "{expansion}");
    assert!(!expansion.contains(r#""required":["spec"]"#), "{expansion}");
    assert!(with(&quote!(optional_spec = false)).contains(r#""required":["spec"]"#));
    let mistakes = mistakes_of(quote! {
        #[kube(group = "example.com", version = "v1", kind = "Document", no_spec, optional_spec)]
        struct DocumentSpec { title: String }
    });
    assert_eq!(mistakes, ["with `no_spec` there is no spec that an object could lack: leave `optional_spec` out"]);
}

#[test]
fn without_a_spec_the_fields_are_flattened_and_must_not_clash_with_those_of_every_object() {
    let expansion = with(&quote!(no_spec));
    assert!(expansion.contains("#[serde(flatten)]pubspec:DocumentSpec"), "{expansion}");
    assert!(expansion.contains("#[serde(flatten)]spec:&'objectDocumentSpec"), "{expansion}");
    let mistakes = mistakes_of(quote! {
        #[kube(group = "example.com", version = "v1", kind = "Document", no_spec)]
        #[serde(rename_all = "camelCase")]
        struct DocumentSpec { status: String, api_version: String, #[serde(rename = "metadata")] other: u8, #[serde(rename = "sort")] kind: u8 }
    });
    assert_eq!(mistakes.len(), 3, "{mistakes:?}");
    assert!(mistakes.iter().all(|mistake| mistake.contains("give it another name")), "{mistakes:?}");
}
