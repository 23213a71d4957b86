//! `pintle types`, `pintle completions` and `pintle man`.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use crate::process::{Folder, Process};

const CERTIFICATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../types/tests/definitions/certificate.yaml");
const GADGET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../types/tests/definitions/gadget.yaml");

/// Runs the command to its end, with this on its standard input.
fn pintle(args: &[&str], input: &str, variables: &[(&str, &str)]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pintle"))
        .args(args)
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built with this test");
    child.stdin.take().expect("its input is piped").write_all(input.as_bytes()).expect("it reads its input");
    child.wait_with_output().expect("it ends")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("it prints UTF-8")
}

#[test]
fn types_of_files_and_of_standard_input_are_printed() {
    let gadget = std::fs::read_to_string(GADGET).expect("the definition is there");
    let output = pintle(&["types", "-f", CERTIFICATE, "-f", "-"], &gadget, &[]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let source = text(&output.stdout);
    for expected in
        ["pub mod certificate {", "pub mod gadget {", "pub struct CertificateSpec {", "use pintle::CustomResource;"]
    {
        assert!(source.contains(expected), "{source}");
    }
}

#[test]
fn every_option_reaches_the_generator() {
    let options =
        ["--schema", "original", "--derive", "Eq", "--type", "spec.duration=my::Duration", "--elide", "spec.usages"];
    let more = ["--hash-map", "--well-known-types", "--no-docs", "--crate-name", "kube", "--crd-version", "v1"];
    let args: Vec<&str> = ["types", "-f", CERTIFICATE].into_iter().chain(options).chain(more).collect();
    let output = pintle(&args, "", &[]);
    let source = text(&output.stdout);
    for expected in
        ["schema = \"manual\"", " Eq, ", "Option<my::Duration>", "HashMap<String, String>", "use kube::CustomResource;"]
    {
        assert!(source.contains(expected), "{expected} is not in {source}");
    }
    assert!(!source.contains("pub usages") && !source.contains("/// What the certificate"), "{source}");
}

#[test]
fn a_failure_is_said_and_leaves_the_file_as_it_is() {
    let folder = Folder::new();
    let file = folder.kubeconfig().with_file_name("certificate.rs");
    let path = file.to_str().expect("a plain path");
    let written = pintle(&["types", "-f", CERTIFICATE, "-o", path], "", &[]);
    assert_eq!((written.status.code(), text(&written.stdout), text(&written.stderr)), (Some(0), "", ""));
    let source = std::fs::read_to_string(&file).expect("it was written");

    for (args, input, code, expected) in [
        (["types", "-f", "-", "-o", path], "kind: Pod", 1, "there is no CustomResourceDefinition in standard input"),
        (["types", "-f", "-", "-o", path], "a: [", 1, "standard input is not YAML or JSON"),
        (["types", "-f", "no-such-file.yaml", "-o", path], "", 1, "cannot read no-such-file.yaml"),
        (["types", "--schema", "original", "-o", path], "", 2, "--filename <FILE>|--from-cluster <NAME>"),
        (["types", "-f", CERTIFICATE, "--type", "spec"], "", 2, "is not a path and a type, such as spec.size=u8"),
        (["types", "-f", CERTIFICATE, "--elide", "spec.none"], "", 1, "no definition has a field at spec.none"),
    ] {
        let output = pintle(&args, input, &[]);
        let errors = text(&output.stderr);
        assert!(output.status.code() == Some(code) && errors.contains(expected), "{args:?}: {output:?}");
        assert_eq!(text(&output.stdout), "");
    }
    assert_eq!(std::fs::read_to_string(&file).expect("it is still there"), source);
}

#[tokio::test]
async fn a_definition_is_read_from_the_cluster() {
    let folder = Folder::new();
    let kubeconfig = folder.kubeconfig();
    let kubeconfig = kubeconfig.to_str().expect("a plain path");
    let mut serve = Process::start(["serve", "--kubeconfig", kubeconfig, "--load", CERTIFICATE]);
    serve.line_with("ready").await;
    let variables = [("KUBECONFIG", kubeconfig)];

    let named = pintle(&["types", "--from-cluster", "certificates.pki.example.com", "--no-docs"], "", &variables);
    let from_file = pintle(&["types", "-f", CERTIFICATE, "--no-docs"], "", &[]);
    assert_eq!((named.status.code(), text(&named.stderr)), (Some(0), ""));
    assert_eq!(text(&named.stdout), text(&from_file.stdout), "the cluster's definition is the file's");

    let missing = pintle(&["types", "--from-cluster", "certificates"], "", &variables);
    let errors = text(&missing.stderr);
    assert!(missing.status.code() == Some(1) && errors.contains("cannot read the definition certificates"), "{errors}");
    serve.interrupt().await;
    assert_eq!(serve.end().await.code, Some(0));
}

#[test]
fn help_teaches_by_example() {
    let output = pintle(&["types", "--help"], "", &[]);
    let help = text(&output.stdout);
    for expected in ["pintle types -f certificates.yaml -o src/certificate.rs", "--from-cluster", "schemars"] {
        assert!(help.contains(expected), "{help}");
    }
}

#[test]
fn help_of_every_command_is_wrapped_and_the_first_page_has_the_exit_codes() {
    for command in ["", "dev", "serve", "new", "watch", "snapshot", "types", "assets", "completions", "man"] {
        let words = [command, "--help"].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>();
        let output = pintle(&words, "", &[]);
        let help = text(&output.stdout);
        let longest = help.lines().max_by_key(|line| line.chars().count()).expect("there is help");
        // Where there is no terminal, its width is 100.
        assert!(longest.chars().count() <= 100, "pintle {command} --help: {longest}");
        assert!(command.is_empty() || help.contains("Options:"), "{help}");
    }
    assert!(text(&pintle(&["--help"], "", &[]).stdout).contains("Exit codes: 0 "));
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = pintle(&["completions", shell], "", &[]);
        let script = text(&output.stdout);
        assert!(
            output.status.success()
                && ["from-cluster", "completions", "pintle-path", "field-selector"]
                    .iter()
                    .all(|word| script.contains(word)),
            "{shell}"
        );
    }
    let folder = Folder::new();
    let pages = folder.kubeconfig().with_file_name("man");
    let output = pintle(&["man", pages.to_str().expect("a plain path")], "", &[]);
    assert!(output.status.success(), "{output:?}");
    for page in
        ["pintle.1", "pintle-serve.1", "pintle-new.1", "pintle-watch.1", "pintle-types.1", "pintle-completions.1"]
    {
        let content = std::fs::read_to_string(pages.join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        assert!(content.contains(".TH"), "{page}: {content}");
    }
    assert_eq!(pintle(&["completions", "tcsh"], "", &[]).status.code(), Some(2));
}
