//! `pintle new`. That what it makes compiles and passes its tests is a step of `.ci/run`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use pintle_apiserver::Server;

use crate::process::Folder;

/// Runs the command in a folder.
fn pintle(folder: &Path, args: &[&str]) -> Output {
    let binary = env!("CARGO_BIN_EXE_pintle");
    Command::new(binary).args(args).current_dir(folder).output().expect("the binary was built with this test")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("it prints UTF-8")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn a_project_is_made_with_its_names_and_the_next_commands() {
    let folder = Folder::new();
    let root = root();
    let checkout = root.to_str().expect("a plain path");
    let args = ["new", "shop-operator", "--kind", "Order", "--group", "acme.io", "--pintle-path", checkout];
    let made = pintle(folder.path(), &args);
    assert_eq!((made.status.code(), text(&made.stderr)), (Some(0), ""));
    let said = text(&made.stdout);
    for expected in ["kind Order (orders.acme.io)", "cd shop-operator && cargo test", "pintle serve ", "cargo run"] {
        assert!(said.contains(expected), "{said}");
    }
    let read = |path: &str| std::fs::read_to_string(folder.path().join("shop-operator").join(path)).expect(path);
    assert!(
        read("Cargo.toml").contains("name = \"shop-operator\"\n") && read("Cargo.toml").contains("crates/pintle\"")
    );
    assert!(read("src/lib.rs").contains("pub struct OrderSpec {"));
    assert!(read("src/main.rs").contains("shop_operator::add_to(&manager);"));
    assert_eq!(read(".gitignore"), "/target\n*.kubeconfig\n");

    // A cluster takes all of the manifests.
    let server = Server::builder().rbac().build();
    for file in ["crd", "operator", "rbac"] {
        let manifest = read(&format!("deploy/{file}.yaml"));
        server.load(&manifest).unwrap_or_else(|error| panic!("{file}: {error}\n{manifest}"));
    }
    assert!(server.has_resource("orders.acme.io"));
}

#[test]
fn without_a_checkout_it_depends_on_this_version() {
    let folder = Folder::new();
    assert!(pintle(folder.path(), &["new", "database-operator"]).status.success());
    let manifest = std::fs::read_to_string(folder.path().join("database-operator/Cargo.toml")).expect("it was made");
    let expected = format!("pintle = {{ version = \"{}\", ", env!("CARGO_PKG_VERSION"));
    assert!(manifest.contains(&expected), "{manifest}");
}

/// What the template needs beside Pintle is what Pintle is built with: programs get one version of each.
#[test]
fn the_template_asks_for_the_versions_of_the_workspace() {
    let template = include_str!("../../templates/operator/Cargo.toml.template");
    let workspace = std::fs::read_to_string(root().join("Cargo.toml")).expect("the workspace has one");
    let version = |manifest: &str, name: &str| {
        let line = manifest.lines().find(|line| line.starts_with(&format!("{name} = "))).expect(name).to_owned();
        line.split('"').nth(1).expect("a version comes first").to_owned()
    };
    for name in ["k8s-openapi", "schemars", "serde-saphyr", "tracing", "tracing-subscriber"] {
        assert_eq!(version(template, name), version(&workspace, name), "{name}");
    }
    let rust = |manifest: &str| version(manifest, "rust-version");
    assert_eq!(rust(template), rust(&workspace));
}

#[test]
fn what_exists_is_left_alone_and_wrong_names_are_refused_with_the_rule() {
    let folder = Folder::new();
    let taken = folder.path().join("taken");
    std::fs::create_dir(&taken).expect("it is new");
    for (args, code, expected) in [
        (&["new", "taken"][..], 1, "taken already exists here: choose another name"),
        (&["new", "My_Operator"], 2, "lower-case letters, digits and single hyphens"),
        (&["new", "tokio"], 2, "try tokio-operator"),
        (&["new", "deployment-operator"], 1, "such as MyDeployment, with --kind"),
        (&["new", "a", "--kind", "database"], 2, "an upper-case letter first"),
        (&["new", "a", "--kind", "Pod"], 2, "such as MyPod"),
        (&["new", "a", "--group", "apps"], 2, "such as example.com"),
        (&["new", "a", "--group", "a.k8s.io"], 2, "a domain of your own"),
        (&["new", "a", "--pintle-path", "taken"], 1, "is not a checkout of Pintle"),
        (&["new"], 2, "<NAME>"),
    ] {
        let output = pintle(folder.path(), args);
        let errors = text(&output.stderr);
        assert!(output.status.code() == Some(code) && errors.contains(expected), "{args:?}: {output:?}");
    }
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("it can be read").collect();
    assert_eq!(left.len(), 1, "nothing was made: {left:?}");
    assert_eq!(std::fs::read_dir(taken).expect("it can be read").count(), 0);
}
